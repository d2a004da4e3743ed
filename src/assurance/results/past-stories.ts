// What stories said for runs that did not pin them, because they were linked to what ran only later:
// read from the requirements as they were then.

import { yieldToEventLoop } from '../../quality/scheduler.ts';
import type { Effective } from '../../requirements/graph/effective.ts';
import { type AsOf, effectiveAsOf } from '../../requirements/graph/effective-as-of.ts';
import type { Graphs } from '../../requirements/graph/graphs.ts';
import type { Db } from '../../store/database.ts';
import type { StoryCommands } from '../coverage/declared.ts';
import { isOfRequirements } from '../coverage/story-links.ts';
import type { LinkedStories } from './linked-stories.ts';
import type { PastStories, StoryPrints, TargetResult } from './model.ts';
import { batchOf, type ResultIndex } from './model.ts';

export const NO_PAST: PastStories = { of: () => undefined };

/** The fingerprints of stories at each time that was looked at; null where a story was not there. */
export type KnownPast = ReadonlyMap<string, ReadonlyMap<string, StoryPrints | null>>;

const MAX_TIMES = 50;

/** What results are linked to by more than the names of their tests. */
export interface LaterLinks {
  /** The stories that tests and commands verify without naming them. */
  linked(): LinkedStories;
  /** The commands that name stories, by these. */
  named: StoryCommands['linksOf'];
}

interface Unpinned {
  time: AsOf;
  ids: Set<string>;
}

export type UnpinnedTimes = Map<string, Unpinned>;

/** Notes those of some stories that a run of an earlier time has not pinned. */
export function noteUnpinned(
  times: UnpinnedTimes,
  effective: Effective,
  run: Pick<TargetResult, 'requirements' | 'fingerprintOf'> | undefined,
  ids: readonly string[],
): void {
  if (!run?.requirements || isOfRequirements(effective, run)) return;
  const key = keyOf(run.requirements);
  for (const id of ids) {
    if (!effective.index.at.has(id) || run.fingerprintOf(id) !== undefined) continue;
    const known = times.get(key);
    if (known) known.ids.add(id);
    else times.set(key, { time: run.requirements, ids: new Set([id]) });
  }
}

export function unpinnedStories(
  effective: Effective,
  { tests, commands, facts }: ResultIndex,
  { linked, named }: LaterLinks,
): UnpinnedTimes {
  const wanted: UnpinnedTimes = new Map();
  const earlier = [...facts.values()].some(
    (run) => run.requirements !== null && !isOfRequirements(effective, run),
  );
  if (!earlier) return wanted;
  const { ofTest, ofCommand } = linked();
  const note = (run: Parameters<typeof noteUnpinned>[2], ids: readonly string[]) =>
    noteUnpinned(wanted, effective, run, ids);
  for (const [key, ids] of ofTest) {
    const test = tests.get(key);
    if (test) note(facts.get(batchOf(test.resultSeq)), ids);
  }
  for (const [id, ids] of ofCommand) note(commands.get(id), ids);
  for (const [id, links] of named) {
    for (const { target } of links) note(commands.get(target.id), [id]);
  }
  return wanted;
}

function keyOf({ revision, overlayClock, profile }: AsOf): string {
  return `${revision} ${overlayClock} ${profile}`;
}

interface Reading {
  graphs: Graphs;
  db: Db;
}

/** Reads what stories said for the results of earlier times that have not pinned them. */
export function readPast(
  reading: Reading,
  effective: Effective,
  results: ResultIndex,
  links: LaterLinks,
  known: KnownPast,
): Promise<{ past: PastStories; known: KnownPast }> {
  return readTimes(reading, effective, unpinnedStories(effective, results, links), known);
}

/**
 * Reads what some stories said at some times.
 *
 * @param known - what was read before; what of it is not wanted any more is let go
 * @param most - of more times than these, the latest are read
 */
export async function readTimes(
  reading: Reading,
  effective: Effective,
  wanted: UnpinnedTimes,
  known: KnownPast = new Map(),
  most = MAX_TIMES,
): Promise<{ past: PastStories; known: KnownPast }> {
  if (wanted.size === 0) return { past: NO_PAST, known };
  const found = new Map<string, Map<string, StoryPrints | null>>();
  const latest = [...wanted].sort(
    ([, { time: a }], [, { time: b }]) =>
      b.revision - a.revision || (b.overlayClock ?? 0) - (a.overlayClock ?? 0),
  );
  for (const [key, { time, ids }] of latest.slice(0, most)) {
    const prints = new Map(known.get(key));
    found.set(key, prints);
    const missing = [...ids].filter((id) => !prints.has(id));
    if (missing.length === 0) continue;
    const { node } = await effectiveAsOf(reading, effective, time);
    for (const id of missing) {
      const story = node(id);
      prints.set(id, story ? [story.fingerprint, story.deepFingerprint] : null);
    }
    await yieldToEventLoop();
  }
  const past: PastStories = { of: (id, then) => found.get(keyOf(then))?.get(id) ?? undefined };
  return { past, known: found };
}
