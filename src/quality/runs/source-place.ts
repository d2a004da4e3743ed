// Places in what a revision's sources hold, in source order. They name an item only within their
// revision: where the sources have changed since, a place is that of the items before it.
import { Problem } from '../../errors.ts';
import { readRevision } from '../../requirements/graph/graphs.ts';
import type { Catalog } from '../../requirements/import/read-sources.ts';
import type { Requirements } from '../../requirements/requirements.ts';
import type { Steps } from '../turns.ts';

/** So many items are looked for in one step. */
const STEP = 500;

/** An item of the sources that was seen last. */
export interface SeenPlace {
  /** Its place at its revision. */
  key: number;
  /** The number of the revision. */
  anchor: string | undefined;
}

/**
 * What the sources held when a place was seen.
 *
 * @param current - the number of the revision that is listed now
 * @returns undefined where the place is of the current revision, or of none that is known
 */
export async function catalogSeen(
  requirements: Requirements,
  projectId: string,
  { anchor = '' }: SeenPlace,
  current: number,
): Promise<Catalog | undefined> {
  if (!/^[1-9]\d{0,14}$/.test(anchor) || Number(anchor) === current) return undefined;
  try {
    const revision = await readRevision(requirements, projectId, Number(anchor));
    return revision && (await requirements.graphs.catalog(revision));
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return undefined;
    throw error;
  }
}

/**
 * Where a list goes on whose sources have changed: behind the nearest item, up to the one seen last,
 * that still stands in its file. All that was seen and still stands there is then before that place,
 * and all that was not is behind it.
 *
 * @param before - the items of the revision that was seen
 * @param at - the place of the one seen last among them
 * @param placeOf - where an item stands now; undefined where its file does not hold it any more
 */
export function* placeBehind<T>(
  before: readonly T[],
  at: number,
  placeOf: (item: T) => number | undefined,
): Steps<number> {
  for (let place = Math.min(at, before.length - 1); place >= 0; place -= 1) {
    if (place % STEP === 0) yield;
    const now = placeOf(before[place] as T);
    if (now !== undefined) return now + 1;
  }
  return 0;
}
