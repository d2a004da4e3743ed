// The links of a project as they are paged: in a story, those that no row holds stand where what they
// are to says, so that none moves while others come and go.

import { targetKey } from '../results/target-results.ts';
import type { AssuranceState } from '../state/state.ts';
import { GONE_KEY, type WalkKeys } from '../state/walk-keys.ts';
import type { Standing } from '../state/walked-lists.ts';
import { type ListedTrace, listTraces, PER_STORY, STORED, type TraceList } from './trace-rows.ts';

const lists = new WeakMap<TraceList, TraceList>();

/** All links of a project by story; in a story those that no row holds, then the oldest first. */
export function pagedTraces(state: AssuranceState): TraceList {
  const list = listTraces(state);
  const known = lists.get(list);
  if (known) return known;
  const keys = [...list.keys];
  const items = [...list.items];
  for (let from = 0; from < items.length; ) {
    let to = from;
    while (items[to]?.row === undefined && items[to]?.storyId === items[from]?.storyId) to += 1;
    if (to > from) number(keys, items, from, to);
    from = Math.max(to, from + 1);
  }
  const made = { keys, items };
  lists.set(list, made);
  return made;
}

/** Numbers the links of a story that no row holds, and puts them into the order of that. */
function number(keys: number[], items: ListedTrace[], from: number, to: number): void {
  const story = Math.floor((keys[from] ?? 0) / PER_STORY) * PER_STORY;
  const numbered = items.slice(from, to).map((item) => ({ item, at: numberOf(item) }));
  numbered.sort((a, b) => a.at - b.at);
  let last = -1;
  for (const [place, { item, at }] of numbered.entries()) {
    last = Math.max(at, last + 1);
    keys[from + place] = story + last;
    items[from + place] = item;
  }
}

/** Room is left for some that have one number. */
const NUMBERS = STORED - 2 ** 20;

/** A number of a link by what it is to: FNV-1a. */
function numberOf({ trace: { type, target } }: ListedTrace): number {
  let hash = 0x811c9dc5;
  const text = `${type} ${targetKey(target)}`;
  for (let at = 0; at < text.length; at += 1)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return hash % NUMBERS;
}

/**
 * Where a link stands in a walk. That of a story which there was when the walk began is with it, also
 * where the story is gone; any other that is stored is where those of gone stories are, as it was.
 *
 * @param key - of the link in the list
 */
export function traceStanding(
  walk: WalkKeys,
  { storyId, row }: ListedTrace,
  key: number,
): Standing | undefined {
  const beside = key % PER_STORY;
  const story = walk.keyOf(storyId);
  if (row && (story === undefined || !walk.isFirst(story))) return { key: GONE_KEY, beside };
  return story === undefined ? undefined : { key: story, beside };
}
