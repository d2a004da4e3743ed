// The targets of links: their latest results, what they are called, and how they are named.
import type { Catalog } from '../../requirements/import/read-sources.ts';
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

/**
 * The newest results of an index.
 *
 * @param ofScenario - the keys of the tests that may be a scenario's runs, by its key
 */
export function lookUpResults(
  { tests, called, commands }: Pick<ResultIndex, 'tests' | 'called' | 'commands'>,
  { find }: Pick<StoryCommands, 'find'>,
  ofScenario: ReadonlyMap<string, readonly string[]>,
): TargetResults {
  return {
    of({ kind, id }) {
      if (kind === 'test') return findTest({ tests, called }, id)?.result;
      if (kind === 'command') return commands.get(find(id)?.id ?? '');
      if (kind !== 'scenario') return undefined;
      const runs = (ofScenario.get(id) ?? []).flatMap((key) => tests.get(key) ?? []);
      return runs.sort((a, b) => b.resultSeq - a.resultSeq)[0]?.result;
    },
  };
}

const titles = new WeakMap<Catalog, ReadonlyMap<string, string>>();

/** The name of a target, where it has another one than its id: of tests, commands and scenarios. */
export function nameOf(
  { tests, commands, scenarios, catalog }: AssuranceState,
  { kind, id }: StoryTrace['target'],
): string | null {
  if (kind === 'test') return findTest(tests, id)?.name ?? null;
  if (kind === 'command') return commands.find(id)?.name ?? null;
  if (kind !== 'scenario') return null;
  const imported =
    titles.get(catalog) ?? new Map(catalog.scenarios.map(({ key, title }) => [key, title]));
  titles.set(catalog, imported);
  return scenarios.find(id)?.title ?? imported.get(id) ?? null;
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

/** A test as other instances may know it: a command by its key. */
export function sharedTest<T extends NamedTest>(
  { commands }: Pick<AssuranceState, 'commands'>,
  test: T,
): T {
  const command = test.kind === 'command' ? commands.find(test.id) : undefined;
  return command ? { ...test, id: command.key } : test;
}
