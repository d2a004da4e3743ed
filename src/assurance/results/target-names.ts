// What people call the targets of links.
import type { Catalog } from '../../requirements/import/read-sources.ts';
import type { StoryTrace } from '../coverage/model.ts';
import type { AssuranceState } from '../state/state.ts';
import { findTest } from './result-index.ts';

const titles = new WeakMap<Catalog, ReadonlyMap<string, string>>();

/** The name of a target, where it has another one than its id: of tests, commands and scenarios. */
export function nameOf(
  { tests, commands, scenarios, catalog }: AssuranceState,
  { kind, id }: StoryTrace['target'],
): string | null {
  if (kind === 'test') return findTest(tests, id)?.name ?? null;
  if (kind === 'command') return commands.find(id)?.name ?? null;
  if (kind !== 'scenario') return null;
  return scenarios.find(id)?.title ?? titlesOf(catalog).get(id) ?? null;
}

function titlesOf(catalog: Catalog): ReadonlyMap<string, string> {
  const known =
    titles.get(catalog) ?? new Map(catalog.scenarios.map(({ key, title }) => [key, title]));
  titles.set(catalog, known);
  return known;
}
