// Pages of the traceability: what passes of the stories and links in the order of a walk, and how it is
// shown.

import { isNormative } from '../../requirements/graph/model.ts';
import type { StoryGaps } from '../coverage/gaps.ts';
import { storyTrace } from '../coverage/link-state.ts';
import type { StoryCoverage, StoryTrace } from '../coverage/model.ts';
import { nameOf, targetKey } from '../results/target-results.ts';
import type { AssuranceState } from '../state/state.ts';
import { GONE_KEY, type Walk, type WalkPlace } from '../state/walks.ts';
import { type ListedTrace, linksAt } from './links.ts';
import type { TraceabilityFilters } from './model.ts';

export interface Placed<T> {
  key: number;
  beside: number;
  item: T;
}

export function takeBehind<T>(
  items: Iterable<Placed<T>>,
  place: Pick<WalkPlace, 'key' | 'beside'> | undefined,
  limit: number,
): Placed<T>[] {
  const found: Placed<T>[] = [];
  for (const one of items) {
    if (place && one.key === place.key && one.beside <= place.beside) continue;
    found.push(one);
    if (found.length > limit) break;
  }
  return found;
}

export function* storiesFrom(
  state: AssuranceState,
  walk: Walk,
  key: number,
  query: TraceabilityFilters,
): Generator<Placed<StoryCoverage>> {
  const coverage = state.coverage();
  const passes = storyFilter(state, query);
  for (const one of walk.from(key, query.storyId)) {
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
): Generator<Placed<ListedTrace>> {
  const passes = traceFilter(query);
  for (const one of walk.from(key, query.storyId)) {
    const links = linksAt(state, one.storyId, passes).map((item) => ({
      key: one.key,
      beside: item.row ? STORED + item.row.seq : hashOf(item),
      item,
    }));
    yield* links.sort((a, b) => a.beside - b.beside);
  }
  for (const row of state.traces) {
    const { storyId, seq } = row;
    if (walk.keyOf(storyId) !== undefined || (query.storyId && !query.storyId.includes(storyId)))
      continue;
    const trace = storyTrace(state, row);
    if (passes(trace)) yield { key: GONE_KEY, beside: STORED + seq, item: { storyId, trace, row } };
  }
}

/** Orders the links that no row holds, so that none moves while others come and go: FNV-1a. */
function hashOf({ trace: { type, target } }: ListedTrace): number {
  let hash = 0x811c9dc5;
  const text = `${type} ${targetKey(target)}`;
  for (let at = 0; at < text.length; at += 1)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return hash;
}

export function storyFilter(
  { effective }: AssuranceState,
  { status, kind, tag, inherited }: TraceabilityFilters,
): (story: StoryCoverage) => boolean {
  return (story) =>
    (!status || status.includes(story.status)) &&
    (!kind || kind.includes(story.kind)) &&
    (inherited === undefined || inherited === story.inherited) &&
    (!tag || tag.some((one) => effective.node(story.storyId)?.tags.includes(one)));
}

export function traceFilter({
  state,
  type,
  targetKind,
  targetId,
}: TraceabilityFilters): (trace: StoryTrace) => boolean {
  return (trace) =>
    (!state || state.includes(trace.state)) &&
    (!type || type.includes(trace.type)) &&
    (!targetKind || targetKind.includes(trace.target.kind)) &&
    (!targetId || targetId.includes(trace.target.id));
}

export function coverageView({ traces: _links, ...story }: StoryCoverage) {
  return story;
}

export function gapView(state: AssuranceState, { story, gaps }: StoryGaps) {
  const { storyId, title, kind, status, inherited } = story;
  const named = gaps.map(({ target, ...gap }) => ({
    ...gap,
    target: target && { ...target, name: nameOf(state, target) },
  }));
  return { storyId, title, kind, status, inherited, gaps: named };
}

interface MatrixCell {
  /** Among the rows and columns of the same answer. */
  row: number;
  column: number;
  type: StoryTrace['type'];
  state: StoryTrace['state'];
  /** The newest result of the target; null where it has none. */
  result: string | null;
  traceId: string | null;
}

export function matrixView(state: AssuranceState, stories: readonly StoryCoverage[]) {
  const columns: (StoryTrace['target'] & { name: string | null })[] = [];
  const at = new Map<string, number>();
  const cells: MatrixCell[] = [];
  for (const [row, { traces }] of stories.entries()) {
    for (const { id, type, target, state: own } of traces) {
      const key = targetKey(target);
      const column = at.get(key) ?? columns.push({ ...target, name: nameOf(state, target) }) - 1;
      at.set(key, column);
      const result = state.results.of(target)?.status ?? null;
      cells.push({ row, column, type, state: own, result, traceId: id });
    }
  }
  const rows = stories.map(({ storyId, title, status, inherited }) => ({
    storyId,
    title,
    status,
    inherited,
  }));
  return { rows, columns, cells };
}

/** Whether an id names a story of the effective graph. */
export function isStoryId({ effective }: AssuranceState, id: string): boolean {
  const node = effective.node(id);
  return node !== undefined && isNormative(node);
}
