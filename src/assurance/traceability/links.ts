// The links between stories and what they are traced to: their states, and how they are shown.

import type { Static } from '@sinclair/typebox';
import { optionalTimestamp, timestamp } from '../../clock.ts';
import type { TraceRow } from '../../store/tables/assurance.ts';
import { storyTrace } from '../coverage/link-state.ts';
import type { StoryTrace } from '../coverage/model.ts';
import { tracesTo } from '../coverage/story-links.ts';
import { nameOf } from '../results/target-results.ts';
import type { AssuranceState } from '../state/state.ts';
import type { TraceAnswer } from './schemas.ts';

export type TraceView = Static<typeof TraceAnswer>;

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

export function rowView(state: AssuranceState, row: TraceRow): TraceView {
  return traceView(state, { storyId: row.storyId, trace: storyTrace(state, row), row });
}

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
