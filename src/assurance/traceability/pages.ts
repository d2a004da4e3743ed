// Stories and links of the traceability: what passes of them in the order of a walk, and how it is shown.
import { optionalTimestamp } from '../../clock.ts';
import type { StoryCoverage, StoryTrace } from '../coverage/model.ts';
import { scopeOf } from '../coverage/scope.ts';
import { gapsOf, listGaps } from '../coverage/story-coverage.ts';
import { storyTrace, tracesTo } from '../coverage/story-links.ts';
import { nameOf, targetKey } from '../results/target-results.ts';
import type { AssuranceState } from '../state/state.ts';
import { GONE_KEY, type Walk } from '../state/walks.ts';
import type { TraceabilityFilters, TraceView } from './model.ts';

export function traceView(state: AssuranceState, { row, ...trace }: StoryTrace): TraceView {
  const actor = (tokenId: string | null = null, label: string | null = null) =>
    tokenId === null ? null : { tokenId, label };
  return {
    ...trace,
    targetName: nameOf(state, trace.target),
    fingerprint: row?.fingerprint ?? null,
    note: row?.note ?? null,
    author: actor(row?.authorToken, row?.authorLabel),
    createdAt: optionalTimestamp(row?.createdAt ?? null),
    reviewedAt: optionalTimestamp(row?.reviewedAt ?? null),
    reviewedBy: actor(row?.reviewedToken, row?.reviewedLabel),
    version: row?.version ?? null,
  };
}

function linksAt(state: AssuranceState, storyId: string): readonly StoryTrace[] {
  return state.coverage().of(storyId)?.traces ?? tracesTo(state, storyId);
}

export interface Placed<T> {
  key: number;
  beside: number;
  item: T;
}

export function* storiesFrom(
  state: AssuranceState,
  walk: Walk,
  key: number,
  query: TraceabilityFilters,
): Generator<Placed<StoryCoverage>> {
  const coverage = state.coverage();
  const passes = storyFilter(state, query);
  for (const one of walk.from(key)) {
    const item = coverage.of(one.storyId);
    if (item && passes(item)) yield { key: one.key, beside: 0, item };
  }
}

const STORED = 2 ** 32;

/** The links that pass, from the story with a key on; last those of stories that are not in the walk. */
export function* tracesFrom(
  state: AssuranceState,
  walk: Walk,
  key: number,
  query: TraceabilityFilters,
): Generator<Placed<StoryTrace>> {
  const passes = traceFilter(query);
  for (const one of walk.from(key)) {
    if (query.storyId && !query.storyId.includes(one.storyId)) continue;
    const links = linksAt(state, one.storyId).filter(passes);
    const placed = links.map((item) => ({
      key: one.key,
      beside: item.row ? STORED + item.row.seq : hashOf(item),
      item,
    }));
    yield* placed.sort((a, b) => a.beside - b.beside);
  }
  for (const row of state.traces) {
    if (walk.keyOf(row.storyId) !== undefined) continue;
    const item = storyTrace(state, row);
    if (passes(item)) yield { key: GONE_KEY, beside: STORED + row.seq, item };
  }
}

/** Orders the links that no row holds, so that none moves while others come and go: FNV-1a. */
function hashOf({ type, target }: StoryTrace): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(`${type} ${targetKey(target)}`))
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

export function storyFilter(
  state: AssuranceState,
  { view, status, inherited, ...filters }: TraceabilityFilters,
): (story: StoryCoverage) => boolean {
  const wanted = view === 'gaps' ? listGaps(state).stories : undefined;
  const scope = scopeOf(state, filters);
  return (story) =>
    (!wanted || wanted.has(story.storyId)) &&
    (!scope || scope(story.storyId)) &&
    (!status || status.includes(story.status)) &&
    (inherited === undefined || inherited === story.inherited);
}

function traceFilter(query: TraceabilityFilters): (trace: StoryTrace) => boolean {
  const { storyId, state, type, targetKind, targetId } = query;
  return (trace) =>
    (!storyId || storyId.includes(trace.storyId)) &&
    (!state || state.includes(trace.state)) &&
    (!type || type.includes(trace.type)) &&
    (!targetKind || targetKind.includes(trace.target.kind)) &&
    (!targetId || targetId.includes(trace.target.id));
}

export function gapsView(state: AssuranceState, stories: readonly StoryCoverage[]) {
  const { stories: having, counts } = listGaps(state);
  return {
    gaps: { stories: having.size, ...counts },
    items: stories.map((story) => {
      const { storyId, kind, title, status, inherited } = story;
      const gaps = gapsOf(state, story).map(({ target, ...gap }) => {
        return { ...gap, target: target && { ...target, name: nameOf(state, target) } };
      });
      return { storyId, kind, title, status, inherited, gaps };
    }),
  };
}
