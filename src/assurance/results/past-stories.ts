// What stories said for runs that did not pin them, because they were linked to what ran only later:
// read from the requirements as they were then.
import { yieldToEventLoop } from '../../quality/scheduler.ts';
import type { Effective } from '../../requirements/graph/effective.ts';
import { type AsOf, effectiveAsOf } from '../../requirements/graph/effective-as-of.ts';
import type { Graphs } from '../../requirements/graph/graphs.ts';
import type { Db } from '../../store/database.ts';
import { isOfRequirements } from '../coverage/story-links.ts';
import type { PastStories, StoryPrints, TargetResult } from './model.ts';

export const NO_PAST: PastStories = { of: () => undefined };

const MAX_TIMES = 50;

/** A result, and stories that are linked to what it is of. */
export type LinkedResult = readonly [TargetResult | undefined, storyIds: readonly string[]];

/** Makes a function that reads what stories said for results that have not pinned them. */
export function openPast(reading: { graphs: Graphs; db: Db }) {
  let known: ReadonlyMap<string, ReadonlyMap<string, StoryPrints | null>> = new Map();
  return async (effective: Effective, results: Iterable<LinkedResult>): Promise<PastStories> => {
    const wanted = unpinned(effective, results);
    // Of more times than can be looked at, the latest.
    const latest = [...wanted.values()]
      .sort(
        ({ asOf: a }, { asOf: b }) =>
          b.revision - a.revision || (b.overlayClock ?? 0) - (a.overlayClock ?? 0),
      )
      .slice(0, MAX_TIMES);
    const times = new Map<string, Map<string, StoryPrints | null>>();
    for (const { asOf, ids } of latest) {
      const key = keyOf(asOf);
      const prints = new Map(known.get(key));
      times.set(key, prints);
      const missing = [...ids].filter((id) => !prints.has(id));
      if (missing.length === 0) continue;
      const { node } = await effectiveAsOf(reading, effective, asOf);
      for (const id of missing) {
        const story = node(id);
        prints.set(id, story ? [story.fingerprint, story.deepFingerprint] : null);
      }
      await yieldToEventLoop();
    }
    known = times;
    return { of: (id, then) => times.get(keyOf(then))?.get(id) ?? undefined };
  };
}

/** The stories that runs of earlier times have not pinned, by these times. */
function unpinned(effective: Effective, results: Iterable<LinkedResult>) {
  const times = new Map<string, { asOf: AsOf; ids: Set<string> }>();
  for (const [run, storyIds] of results) {
    if (!run?.requirements || isOfRequirements(effective, run)) continue;
    const key = keyOf(run.requirements);
    for (const id of storyIds) {
      if (!effective.index.at.has(id) || run.fingerprintOf(id) !== undefined) continue;
      const time = times.get(key) ?? { asOf: run.requirements, ids: new Set() };
      times.set(key, time);
      time.ids.add(id);
    }
  }
  return times;
}

function keyOf({ revision, overlayClock, profile }: AsOf): string {
  return `${revision} ${overlayClock} ${profile}`;
}
