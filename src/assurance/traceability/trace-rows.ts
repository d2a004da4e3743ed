// Links as they are shown, and all of a project's in the order of their stories.
import { optionalTimestamp, timestamp } from '../../clock.ts';
import type { TraceRow } from '../../store/tables/assurance.ts';
import type { StoryTrace } from '../coverage/model.ts';
import { tracesTo } from '../coverage/story-links.ts';
import { nameOf } from '../results/target-names.ts';
import type { AssuranceState } from '../state/state.ts';
import { storyTrace } from './trace-state.ts';

/** A link as it is shown. */
export type TraceView = ReturnType<typeof traceView>;

/**
 * A link as it is shown.
 *
 * @param row - its row; undefined for a link that no row holds
 */
export function traceView(
  state: AssuranceState,
  storyId: string,
  { id, type, target, origin, state: own }: StoryTrace,
  row: TraceRow | undefined,
) {
  return {
    ...{ id, storyId, type, target, targetName: nameOf(state, target), origin, state: own },
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
  return traceView(state, row.storyId, storyTrace(state, row), row);
}

/** All links of one story: those that no row holds first, then the oldest first. */
export function tracesAt(state: AssuranceState, storyId: string): TraceView[] {
  const rows = new Map(state.tracesOf.get(storyId)?.map((row) => [row.id, row]));
  const traces = state.coverage().of(storyId)?.traces ?? tracesTo(state, storyId);
  return traces.map((trace) =>
    traceView(state, storyId, trace, trace.id === null ? undefined : rows.get(trace.id)),
  );
}

export interface ListedTrace {
  storyId: string;
  trace: StoryTrace;
  row: TraceRow | undefined;
}

/** All links of a project with keys that rise: by the place of the story, then by age. */
export interface TraceList {
  keys: readonly number[];
  items: readonly ListedTrace[];
}

const lists = new WeakMap<AssuranceState, TraceList>();
// A key is the place of the story, then where the link stands among its own: 31 bits, the upper
// half of them for stored links.
export const PER_STORY = 2 ** 31;
export const STORED = 2 ** 30;
/** The place of all stories that are gone: behind every other, whatever the graph. */
const GONE = 2 ** 22 - 1;

/** The keys of the links of the story at a place: from the first up to the second, without that. */
export function traceKeys(place: number): [from: number, to: number] {
  return [place * PER_STORY, (place + 1) * PER_STORY];
}

/** The same of the stories that are gone. */
export const GONE_KEYS = traceKeys(GONE);

/** All links of a project in source order, those of stories that are gone last; made once. */
export function listTraces(state: AssuranceState): TraceList {
  const known = lists.get(state);
  if (known) return known;
  const { index } = state.effective;
  const byId = new Map(state.traces.map((row) => [row.id, row]));
  const coverage = state.coverage();
  const keys: number[] = [];
  const items: ListedTrace[] = [];
  for (const [place, { id: storyId }] of index.graph.nodes.entries()) {
    const traces = coverage.of(storyId)?.traces ?? tracesTo(state, storyId);
    for (const [at, trace] of traces.entries()) {
      const row = trace.id === null ? undefined : byId.get(trace.id);
      keys.push(place * PER_STORY + (row ? STORED + row.seq : at));
      items.push({ storyId, trace, row });
    }
  }
  for (const row of state.traces) {
    if (index.at.has(row.storyId)) continue;
    keys.push(GONE * PER_STORY + STORED + row.seq);
    items.push({ storyId: row.storyId, trace: storyTrace(state, row), row });
  }
  const list = { keys, items };
  lists.set(state, list);
  return list;
}
