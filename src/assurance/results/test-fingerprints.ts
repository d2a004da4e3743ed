// Fingerprints of tests themselves: what a verdict that rests on them is held against.

import type { FieldError } from '../../errors.ts';
import { invalidFields } from '../../model/validate.ts';
import { scenarioFingerprint } from '../../quality/scenarios/model.ts';
import type { Catalog } from '../../requirements/import/read-sources.ts';
import type { SourceScenario } from '../../requirements/sources/model.ts';
import type { AssuranceState } from '../state/state.ts';
import type { JudgedTest, ResultInput } from '../validation/model.ts';
import { findTest } from './model.ts';

const indexes = new WeakMap<Catalog, ReadonlyMap<string, SourceScenario>>();

/**
 * What is known of tests today: of scenarios by their steps and examples, of commands by what they
 * run, of tests by the hash of their content that their newest result gave.
 *
 * @returns a function: the fingerprint; null for a scenario or command that is gone; undefined where
 *   no fingerprint is known
 */
export function testFingerprints({
  catalog,
  scenarios,
  commands,
  tests,
}: Pick<AssuranceState, 'catalog' | 'scenarios' | 'commands' | 'tests'>): (
  test: Pick<JudgedTest, 'kind' | 'id'>,
) => string | null | undefined {
  const index =
    indexes.get(catalog) ?? new Map(catalog.scenarios.map((scenario) => [scenario.key, scenario]));
  indexes.set(catalog, index);
  return ({ kind, id }) => {
    if (kind === 'test') return findTest(tests, id)?.result?.ownFingerprint ?? undefined;
    if (kind === 'command') {
      const command = commands.find(id);
      return command && command.state !== 'archived' ? command.fingerprint : null;
    }
    if (kind !== 'scenario') return undefined;
    const scenario = index.get(id);
    return scenario ? scenarioFingerprint(scenario) : (scenarios.find(id)?.fingerprint ?? null);
  };
}

/** The first of a verdict's tests that is gone, or has changed as far as that is known. */
export function findChanged(
  tests: readonly JudgedTest[],
  fingerprintOf: (test: JudgedTest) => string | null | undefined,
): JudgedTest | undefined {
  return tests.find((test) => {
    const today = fingerprintOf(test);
    if (today === null) return true;
    // Of a test whose fingerprint was not known then, nobody can say that it has changed.
    return today !== undefined && test.fingerprint !== null && today !== test.fingerprint;
  });
}

const ERRORS_SHOWN = 50;

/** @throws Problem `invalid` that points at the scenarios and commands that there are not */
export function requireKnownTests(state: AssuranceState, results: readonly ResultInput[]): void {
  const fingerprintOf = testFingerprints(state);
  const errors: FieldError[] = [];
  for (const [index, { tests = [] }] of results.entries()) {
    for (const [at, { kind, id }] of tests.entries()) {
      const isThere =
        kind === 'command'
          ? state.commands.find(id) !== undefined
          : kind === 'test' || fingerprintOf({ kind, id }) !== null;
      if (isThere) continue;
      const detail = `is not a ${kind} of this project`;
      errors.push({ pointer: `/results/${index}/tests/${at}/id`, detail });
      if (errors.length === ERRORS_SHOWN) throw invalidFields(errors);
    }
  }
  if (errors.length > 0) throw invalidFields(errors);
}
