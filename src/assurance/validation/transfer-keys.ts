// Where the items of a transfer stand in a walk: judged stories by their first verdicts, then the
// others in source order. A verdict made since the walk began moves no story from its place.

import { GONE_KEY, type Walk } from '../state/walks.ts';
import type { TransferItem } from './dispositions.ts';

/** More than any number of a verdict, and than any key of a walk. */
const UNJUDGED = 2 ** 52;

/**
 * The key of an item.
 *
 * @param clock - the number of the last verdict that there was when the walk began
 * @returns undefined for a story that is in no such walk
 */
export function itemKey(
  { storyId, firstSeq, judgedSeq }: TransferItem,
  walk: Walk,
  clock: number,
): number | undefined {
  if (firstSeq !== null && judgedSeq !== null && judgedSeq <= clock) return firstSeq;
  const key = walk.keyOf(storyId);
  if (key !== undefined) return UNJUDGED + key;
  // Of a story that came, was judged and went while the walk was under way.
  return firstSeq === null ? undefined : UNJUDGED + GONE_KEY + firstSeq;
}

/** The key in its walk that the key of an item holds; that of a judged story rests on no revision. */
export function walkedKey(key: number): number {
  return key < UNJUDGED ? GONE_KEY : key - UNJUDGED;
}

/** The items that are in a walk, in its order. */
export function inWalkOrder(
  items: readonly TransferItem[],
  walk: Walk,
  clock: number,
): TransferItem[] {
  const keyed = items.flatMap((item) => {
    const key = itemKey(item, walk, clock);
    return key === undefined ? [] : [{ key, item }];
  });
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}
