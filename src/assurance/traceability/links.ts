// The links between stories and what they are traced to: their states, and how they are shown.
import { optionalTimestamp, timestamp } from '../../clock.ts';
import { isNormative } from '../../requirements/graph/model.ts';
import type { Catalog } from '../../requirements/import/read-sources.ts';
import type { TraceRow } from '../../store/tables/assurance.ts';
import type { StoryTrace, TraceState } from '../coverage/model.ts';
import { tracesTo } from '../coverage/story-links.ts';
import { isOfSeveral } from '../results/result-index.ts';
import { nameOf } from '../results/target-names.ts';
import type { AssuranceState } from '../state/state.ts';

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

/** A stored link as part of a story's coverage. */
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

/** The links that the sources themselves hold, by the ids that they name: scenarios that verify. */
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

/** A link as it is shown. */
export type TraceView = ReturnType<typeof traceView>;

/** A link with its story. */
export interface ListedTrace {
  storyId: string;
  trace: StoryTrace;
  /** Undefined for a link that no row holds. */
  row: TraceRow | undefined;
}

/** A link as it is shown. */
export function traceView(state: AssuranceState, { storyId, trace, row }: ListedTrace) {
  const { id, type, target, origin, state: own } = trace;
  return {
    id,
    storyId,
    type,
    target,
    targetName: nameOf(state, target),
    origin,
    state: own,
    fingerprint: row?.fingerprint ?? null,
    note: row?.note ?? null,
    author: actorView(row?.authorToken, row?.authorLabel),
    createdAt: row ? timestamp(row.createdAt) : null,
    reviewedAt: optionalTimestamp(row?.reviewedAt ?? null),
    reviewedBy: actorView(row?.reviewedToken, row?.reviewedLabel),
    version: row?.version ?? null,
  };
}

function actorView(tokenId: string | null | undefined, label: string | null | undefined) {
  return tokenId ? { tokenId, label: label ?? null } : null;
}

/** A stored link as it is shown. */
export function rowView(state: AssuranceState, row: TraceRow): TraceView {
  return traceView(state, { storyId: row.storyId, trace: storyTrace(state, row), row });
}

/** The links of one story that pass: those that no row holds first, then the oldest first. */
export function linksAt(
  state: AssuranceState,
  storyId: string,
  passes: (trace: StoryTrace) => boolean = () => true,
): ListedTrace[] {
  const traces = state.coverage().of(storyId)?.traces ?? tracesTo(state, storyId);
  const passing = traces.filter(passes);
  if (passing.length === 0) return [];
  const rows = new Map(state.tracesOf.get(storyId)?.map((row) => [row.id, row]));
  return passing.map((trace) => ({
    storyId,
    trace,
    row: trace.id === null ? undefined : rows.get(trace.id),
  }));
}

/** The same as they are shown. */
export function tracesAt(state: AssuranceState, storyId: string): TraceView[] {
  return linksAt(state, storyId).map((link) => traceView(state, link));
}

/** All links of a project in source order, those of stories that are gone last. */
export function listTraces(state: AssuranceState): ListedTrace[] {
  const { at, graph } = state.effective.index;
  return [
    ...graph.nodes.flatMap(({ id }) => linksAt(state, id)),
    ...state.traces.flatMap((row) =>
      at.has(row.storyId) ? [] : { storyId: row.storyId, trace: storyTrace(state, row), row },
    ),
  ];
}
