// The links between stories and what they are traced to, as they are listed and shown.
import { optionalTimestamp, timestamp } from '../../clock.ts';
import type { TraceRow } from '../../store/tables/assurance.ts';
import type { StoryTrace } from '../coverage/model.ts';
import { storyTrace, tracesTo } from '../coverage/story-links.ts';
import { nameOf } from '../results/target-results.ts';
import type { AssuranceState } from '../state/state.ts';
import type { TraceView } from './model.ts';

export interface ListedTrace {
  storyId: string;
  trace: StoryTrace;
  /** Undefined for a link that no row holds. */
  row: TraceRow | undefined;
}

export function traceView(state: AssuranceState, { storyId, trace, row }: ListedTrace): TraceView {
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
    author: row?.authorToken ? { tokenId: row.authorToken, label: row.authorLabel } : null,
    createdAt: row ? timestamp(row.createdAt) : null,
    reviewedAt: optionalTimestamp(row?.reviewedAt ?? null),
    reviewedBy: row?.reviewedToken
      ? { tokenId: row.reviewedToken, label: row.reviewedLabel }
      : null,
    version: row?.version ?? null,
  };
}

export function listed(state: AssuranceState, row: TraceRow): ListedTrace {
  return { storyId: row.storyId, trace: storyTrace(state, row), row };
}

export function linksAt(state: AssuranceState, storyId: string): ListedTrace[] {
  const traces = state.coverage().of(storyId)?.traces ?? tracesTo(state, storyId);
  const rows = new Map(state.tracesOf.get(storyId)?.map((row) => [row.id, row]));
  return traces.map((trace) => ({
    storyId,
    trace,
    row: rows.get(trace.id ?? ''),
  }));
}

/** All links of a project in source order, those of stories that are gone last. */
export function listTraces(state: AssuranceState): ListedTrace[] {
  const { at, graph } = state.effective.index;
  const gone = state.traces.filter(({ storyId }) => !at.has(storyId));
  return [
    ...graph.nodes.flatMap(({ id }) => linksAt(state, id)),
    ...gone.map((row) => listed(state, row)),
  ];
}
