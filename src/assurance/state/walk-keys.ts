// Where stories stand in a walk through pages: by the order of the revision at which it began. What
// comes, goes or moves between the pages moves nothing that was there at its beginning.

/** What came later stands behind what it follows: so many of them between two. */
const GROUP = 2 ** 26;
/** Added stories stand behind those of the sources, by the numbers that they were given. */
const ADDED = 2 ** 50;
/** Behind all stories: links of those that are gone. */
export const GONE_KEY = 2 ** 51;

/** The keys of stories in a walk. */
export interface WalkKeys {
  keyOf(storyId: string): number | undefined;
  /** Whether a key is of a story that there was when the walk began. */
  isFirst(key: number): boolean;
  /** How many of the revisions a key rests on, from the first one on. */
  restsOn(key: number): number;
}

/** The key of a story of the sources that there was when the walk began, by its place. */
export function firstKey(place: number): number {
  return (place + 1) * GROUP + place;
}

/** The key of an added story, by the number of its addition. */
export function addedKey(seq: number): number {
  return ADDED + seq;
}

/**
 * The keys of a walk that began at an earlier revision. Those of its first revision keep their order;
 * what came since stands behind what it follows in the revision that brought it.
 *
 * @param layers - the ids of each revision in source order, the earliest first
 * @param seqOf - the number of the addition that a story was when the walk began, or is
 */
export function walkKeys(
  layers: readonly Iterable<string>[],
  seqOf: (storyId: string) => number | undefined,
): WalkKeys {
  const keys = new Map<string, number>();
  const ends: number[] = [];
  for (const [layer, ids] of layers.entries()) {
    let group = 0;
    for (const id of ids) {
      const known = keys.get(id);
      if (known !== undefined) {
        group = Math.floor(known / GROUP);
      } else if (layer === 0) {
        keys.set(id, firstKey(keys.size));
      } else if (seqOf(id) === undefined) {
        keys.set(id, group * GROUP + keys.size);
      }
    }
    ends.push(keys.size);
  }
  const restsOn = (key: number) =>
    key >= ADDED ? 1 : ends.findIndex((end) => key % GROUP < end) + 1;
  return {
    keyOf(storyId) {
      const key = keys.get(storyId);
      if (key !== undefined) return key;
      const seq = seqOf(storyId);
      return seq === undefined ? undefined : addedKey(seq);
    },
    isFirst: (key) => restsOn(key) === 1,
    restsOn,
  };
}
