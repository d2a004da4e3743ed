// Fingerprints of tests themselves: what a verdict that rests on them is held against.
import { hash } from 'node:crypto';
import type { Catalog } from '../requirements/import/read-sources.ts';
import type { SourceScenario } from '../requirements/sources/model.ts';
import type { JudgedTest } from './validation-view.ts';

const indexes = new WeakMap<Catalog, ReadonlyMap<string, SourceScenario>>();

/** SHA-256 over a scenario's steps and examples, `s1:` before it. */
export function scenarioFingerprint({ steps, examples }: SourceScenario): string {
  // The keys in the order of RFC 8785; of strings and arrays JSON.stringify is canonical.
  const said = steps.map(({ keyword, text }) => ({ keyword: keyword.trim(), text: text.trim() }));
  return `s1:${hash('sha256', JSON.stringify({ examples, steps: said }), 'hex')}`;
}

/**
 * What is known of tests today.
 *
 * @returns a function: the fingerprint; null for a scenario that is gone; undefined for tests of which
 *   no fingerprint is known
 */
export function testFingerprints(
  catalog: Catalog,
): (test: Pick<JudgedTest, 'kind' | 'id'>) => string | null | undefined {
  const index =
    indexes.get(catalog) ?? new Map(catalog.scenarios.map((scenario) => [scenario.key, scenario]));
  indexes.set(catalog, index);
  return ({ kind, id }) => {
    if (kind !== 'scenario') return undefined;
    const scenario = index.get(id);
    return scenario ? scenarioFingerprint(scenario) : null;
  };
}
