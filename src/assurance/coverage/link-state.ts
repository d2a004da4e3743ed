// The state of a link between a story and what it is traced to.
import { isNormative } from '../../requirements/graph/model.ts';
import type { Catalog } from '../../requirements/import/read-sources.ts';
import type { TraceRow } from '../../store/tables/assurance.ts';
import { isOfSeveral } from '../results/model.ts';
import type { AssuranceState } from '../state/state.ts';
import type { StoryTrace, TraceState } from './model.ts';

type TraceContext = Pick<
  AssuranceState,
  'effective' | 'catalog' | 'scenarios' | 'commands' | 'tests'
>;

/**
 * The state of a link: `broken` where its story or target is known not to be there, `suspect` where the
 * story says something else than when the link was made or last reviewed.
 */
export function traceStateOf(state: TraceContext, row: TraceRow): TraceState {
  const { effective } = state;
  const { storyId, fingerprint } = row;
  const node = effective.node(storyId);
  if (!node || !isNormative(node) || leadsNowhere(state, row)) return 'broken';
  return effective.under(storyId, fingerprint) === fingerprint ? 'valid' : 'suspect';
}

/**
 * Whether a link is known to lead to nothing: to no scenario or command that there is, be it gone or
 * yet to come, or to a name that several tests have. Of other targets nobody can say.
 */
export function leadsNowhere(
  { catalog, scenarios, commands, tests }: Omit<TraceContext, 'effective'>,
  { targetKind, targetId }: Pick<TraceRow, 'targetKind' | 'targetId'>,
): boolean {
  if (targetKind === 'scenario')
    return !scenarioKeys(catalog).has(targetId) && !scenarios.find(targetId);
  if (targetKind === 'test') return isOfSeveral(tests.called, targetId);
  if (targetKind !== 'command') return false;
  const command = commands.find(targetId);
  return command === undefined || command.state === 'archived';
}

const keysOf = new WeakMap<Catalog, ReadonlySet<string>>();

function scenarioKeys(catalog: Catalog): ReadonlySet<string> {
  const known = keysOf.get(catalog) ?? new Set(catalog.scenarios.map(({ key }) => key));
  keysOf.set(catalog, known);
  return known;
}

export function storyTrace(state: TraceContext, row: TraceRow): StoryTrace {
  return {
    id: row.id,
    type: row.type as StoryTrace['type'],
    target: { kind: row.targetKind as StoryTrace['target']['kind'], id: row.targetId },
    origin: row.origin as StoryTrace['origin'],
    state: traceStateOf(state, row),
  };
}

const linksOf = new WeakMap<Catalog, ReadonlyMap<string, readonly StoryTrace[]>>();

export function importedTraces(catalog: Catalog): ReadonlyMap<string, readonly StoryTrace[]> {
  const known = linksOf.get(catalog);
  if (known) return known;
  const links = new Map<string, StoryTrace[]>();
  for (const { key, storyIds } of catalog.scenarios) {
    for (const storyId of new Set(storyIds)) {
      const list = links.get(storyId) ?? [];
      if (list.length === 0) links.set(storyId, list);
      if (list.at(-1)?.target.id === key) continue;
      const target = { kind: 'scenario', id: key } as const;
      list.push({ id: null, type: 'verifies', target, origin: 'import', state: 'valid' });
    }
  }
  linksOf.set(catalog, links);
  return links;
}
