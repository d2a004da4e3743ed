// Fingerprints of tests themselves: what a verdict that rests on them is held against.
import { scenarioFingerprint } from '../../quality/scenarios/model.ts';
import type { Catalog } from '../../requirements/import/read-sources.ts';
import type { SourceScenario } from '../../requirements/sources/model.ts';
import type { JudgedTest } from '../../store/tables/json.ts';
import type { AssuranceState } from '../state/state.ts';
import { findTest } from './model.ts';

const indexes = new WeakMap<Catalog, ReadonlyMap<string, SourceScenario>>();

/** Null for a scenario or command that is gone; undefined where no fingerprint is known. */
export type FingerprintOf = (test: Pick<JudgedTest, 'kind' | 'id'>) => string | null | undefined;

/**
 * What is known of tests today: of scenarios by their steps and examples, of commands by what they
 * run, of tests by the hash of their content that their newest result gave.
 */
export function testFingerprints({
  catalog,
  scenarios,
  commands,
  tests,
}: Pick<AssuranceState, 'catalog' | 'scenarios' | 'commands' | 'tests'>): FingerprintOf {
  const imported =
    indexes.get(catalog) ?? new Map(catalog.scenarios.map((scenario) => [scenario.key, scenario]));
  indexes.set(catalog, imported);
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

/** The first of a verdict's tests that is gone, or has changed as far as that is known. */
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
