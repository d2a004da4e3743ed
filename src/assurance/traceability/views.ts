// The views of a project's traceability, page by page: slices of what is known of all stories.
import { isNormative } from '../../requirements/graph/model.ts';
import { listGaps, type StoryGaps } from '../coverage/gaps.ts';
import type { StoryCoverage, StoryTrace } from '../coverage/model.ts';
import { nameOf } from '../results/target-names.ts';
import { targetKey } from '../results/target-results.ts';
import { type KeyedList, rangeOf } from '../state/filtered-lists.ts';
import type { AssuranceState } from '../state/state.ts';
import type { TraceabilityFilters } from './model.ts';
import { GONE_KEYS, type ListedTrace, traceKeys, traceView } from './trace-rows.ts';

/** All counted stories with the places of their nodes. */
export function listStories(state: AssuranceState): KeyedList<StoryCoverage> {
  const { stories, places } = state.coverage();
  return { keys: places, items: stories };
}

/**
 * The entries of a list of stories that the query may mean: where it names stories, theirs, which
 * are found without looking at others.
 */
export function amongStories<T>(
  { effective: { index } }: AssuranceState,
  list: KeyedList<T>,
  { storyId }: TraceabilityFilters,
): KeyedList<T> {
  if (!storyId) return list;
  const places = [...new Set(storyId)].flatMap((id) => index.at.get(id) ?? []);
  const parts = places.sort((a, b) => a - b).map((place) => rangeOf(list, place, place + 1));
  return joinLists(parts);
}

/** The same of the list of links. */
export function amongTraces(
  state: AssuranceState,
  list: KeyedList<ListedTrace>,
  { storyId }: TraceabilityFilters,
): KeyedList<ListedTrace> {
  if (!storyId) return list;
  const { index } = state.effective;
  const ids = new Set(storyId);
  const places = [...ids].flatMap((id) => index.at.get(id) ?? []).sort((a, b) => a - b);
  const parts = places.map((place) => rangeOf(list, ...traceKeys(place)));
  const gone = rangeOf(list, ...GONE_KEYS);
  const wanted = gone.items.flatMap((item, at) => (ids.has(item.storyId) ? [at] : []));
  const goneToo = {
    keys: wanted.flatMap((at) => gone.keys[at] ?? []),
    items: wanted.flatMap((at) => gone.items[at] ?? []),
  };
  return joinLists([...parts, goneToo]);
}

function joinLists<T>(parts: readonly KeyedList<T>[]): KeyedList<T> {
  return {
    keys: parts.flatMap(({ keys }) => keys),
    items: parts.flatMap(({ items }) => items),
  };
}

/** Makes the filter of stories, those that are named aside; undefined where all pass. */
export function storyFilter(
  { effective }: AssuranceState,
  { status, kind, tag, inherited }: TraceabilityFilters,
): ((story: StoryCoverage) => boolean) | undefined {
  if (!status && !kind && !tag && inherited === undefined) return undefined;
  return (story) => {
    const node = tag ? effective.node(story.storyId) : undefined;
    return (
      (!status || status.includes(story.status)) &&
      (!kind || kind.includes(story.kind)) &&
      (inherited === undefined || inherited === story.inherited) &&
      (!tag || tag.some((one) => node?.tags.includes(one)))
    );
  };
}

/** Makes the filter of links, the stories aside; undefined where all pass. */
export function traceFilter({
  state,
  type,
  targetKind,
  targetId,
}: TraceabilityFilters): ((listed: ListedTrace) => boolean) | undefined {
  if (!state && !type && !targetKind && !targetId) return undefined;
  return ({ trace }) =>
    (!state || state.includes(trace.state)) &&
    (!type || type.includes(trace.type)) &&
    (!targetKind || targetKind.includes(trace.target.kind)) &&
    (!targetId || targetId.includes(trace.target.id));
}

/** A story of the default list. */
export function coverageView({ traces: _links, ...story }: StoryCoverage) {
  return story;
}

/** A link of the list of links. */
export function listedView(state: AssuranceState, { storyId, trace, row }: ListedTrace) {
  return traceView(state, storyId, trace, row);
}

/** A story with its gaps. */
export function gapView(state: AssuranceState, { story, gaps }: StoryGaps) {
  const { storyId, title, kind, status, inherited } = story;
  const told = gaps.map(({ target, ...gap }) => ({
    ...gap,
    target: target && { ...target, name: nameOf(state, target) },
  }));
  return { storyId, title, kind, status, inherited, gaps: told };
}

/** The summary of the gaps. */
export function gapSummary(state: AssuranceState) {
  const { items, counts } = listGaps(state);
  return { stories: items.length, ...counts };
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

/** The sparse matrix of some stories: the columns are what they are linked to. */
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
    ...{ storyId, title, status, inherited },
  }));
  return { rows, columns, cells };
}

/** Whether an id names a story of the effective graph. */
export function isStoryId({ effective }: AssuranceState, id: string): boolean {
  const node = effective.node(id);
  return node !== undefined && isNormative(node);
}
