// The targets of links: their latest results, what they are called, and their own fingerprints, which a
// verdict that rests on them is held against.
import { scenarioFingerprint } from '../../quality/scenarios/model.ts';
import type { Catalog } from '../../requirements/import/read-sources.ts';
import type { SourceScenario } from '../../requirements/sources/model.ts';
import type { JudgedTest } from '../../store/tables/json.ts';
import type { StoryCommands } from '../coverage/declared.ts';
import type { StoryTrace } from '../coverage/model.ts';
import type { AssuranceState } from '../state/state.ts';
import { findTest, type ResultIndex, type TargetResults } from './model.ts';

interface NamedTest {
  kind: string;
  id: string;
}

export function targetKey({ kind, id }: NamedTest): string {
  return `${kind} ${id}`;
}

/** @param ofScenario - the keys of the tests that may be a scenario's runs, by its key */
export function lookUpResults(
  { tests, commands }: Pick<ResultIndex, 'tests' | 'commands'>,
  { find }: Pick<StoryCommands, 'find'>,
  ofScenario: ReadonlyMap<string, readonly string[]>,
): TargetResults {
  return {
    of({ kind, id }) {
      if (kind === 'test') return findTest({ tests }, id)?.result;
      if (kind === 'command') return commands.get(find(id)?.id ?? '');
      if (kind !== 'scenario') return undefined;
      const runs = (ofScenario.get(id) ?? []).flatMap((key) => tests.get(key) ?? []);
      return runs.sort((a, b) => b.resultSeq - a.resultSeq)[0]?.result;
    },
  };
}

const indexes = new WeakMap<Catalog, ReadonlyMap<string, SourceScenario>>();

function importedScenarios(catalog: Catalog): ReadonlyMap<string, SourceScenario> {
  const known = indexes.get(catalog) ?? new Map(catalog.scenarios.map((one) => [one.key, one]));
  indexes.set(catalog, known);
  return known;
}

/** The name of a target, where it has another one than its id: of tests, commands and scenarios. */
export function nameOf(
  { tests, commands, scenarios, catalog }: AssuranceState,
  { kind, id }: StoryTrace['target'],
): string | null {
  if (kind === 'test') return findTest(tests, id)?.name ?? null;
  if (kind === 'command') return commands.find(id)?.name ?? null;
  return kind === 'scenario' ? (scenarioNamed({ scenarios, catalog }, id)?.title ?? null) : null;
}

export function scenarioNamed(
  { scenarios, catalog }: Pick<AssuranceState, 'scenarios' | 'catalog'>,
  key: string,
): { title: string; feature: string | null } | undefined {
  return scenarios.find(key) ?? importedScenarios(catalog).get(key);
}

/**
 * A test as it is named here: a command by its id, since its key may become another command's, and a
 * test by its key, since others may come to have its name.
 */
export function ownTest<T extends NamedTest>(
  { tests, commands }: Pick<AssuranceState, 'commands' | 'tests'>,
  test: T,
): T {
  const { kind, id } = test;
  if (kind === 'test') return { ...test, id: findTest(tests, id)?.key ?? id };
  return kind === 'command' ? { ...test, id: commands.find(id)?.id ?? id } : test;
}

export function sharedTest<T extends NamedTest>(
  { commands }: Pick<AssuranceState, 'commands'>,
  test: T,
): T {
  const command = test.kind === 'command' ? commands.find(test.id) : undefined;
  return command ? { ...test, id: command.key } : test;
}

/** Null for a scenario or command that is gone; undefined where no fingerprint is known. */
export type FingerprintOf = (test: Pick<JudgedTest, 'kind' | 'id'>) => string | null | undefined;

/** What is known of tests today: of a test the hash of its content that its newest result gave. */
export function testFingerprints({
  catalog,
  scenarios,
  commands,
  tests,
}: Pick<AssuranceState, 'catalog' | 'scenarios' | 'commands' | 'tests'>): FingerprintOf {
  const imported = importedScenarios(catalog);
  return ({ kind, id }) => {
    if (kind === 'test') return findTest(tests, id)?.result?.ownFingerprint ?? undefined;
    if (kind === 'command') {
      const command = commands.find(id);
      return command && command.state !== 'archived' ? command.fingerprint : null;
    }
    if (kind !== 'scenario') return undefined;
    const scenario = imported.get(id);
    return scenario ? scenarioFingerprint(scenario) : (scenarios.find(id)?.fingerprint ?? null);
  };
}

export function findChanged(
  tests: readonly JudgedTest[],
  fingerprintOf: FingerprintOf,
): JudgedTest | undefined {
  return tests.find((test) => {
    const today = fingerprintOf(test);
    if (today === null) return true;
    // Of a test whose fingerprint was not known then, nobody can say that it has changed.
    return today !== undefined && test.fingerprint !== null && today !== test.fingerprint;
  });
}
