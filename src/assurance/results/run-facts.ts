// What results have of the run that they are of. The fingerprints that a run has pinned are many, and
// are read when the first of them is asked for.

import { eq, inArray } from 'drizzle-orm';
import { runTime } from '../../quality/runs/runs.ts';
import type { Db } from '../../store/database.ts';
import { runPins, testRuns } from '../../store/tables/quality.ts';
import { chunksOf } from '../state/state.ts';
import type { RunFacts, TargetResult } from './model.ts';

type Pins = Readonly<Record<string, readonly [own: string, deep: string]>>;

export async function readRunFacts(
  db: Db,
  batches: readonly number[],
): Promise<Map<number, RunFacts>> {
  const found = new Map<number, RunFacts>();
  for (const some of chunksOf(batches)) {
    const rows = await db
      .select({
        batch: testRuns.batch,
        runSeq: testRuns.seq,
        id: testRuns.id,
        commandId: testRuns.commandId,
        branch: testRuns.branch,
        startedAt: testRuns.startedAt,
        finishedAt: testRuns.finishedAt,
        createdAt: testRuns.createdAt,
        revision: testRuns.revision,
        pins: runPins.pins,
        overlayClock: runPins.overlayClock,
        profile: runPins.profile,
      })
      .from(testRuns)
      .leftJoin(runPins, eq(runPins.batch, testRuns.batch))
      .where(inArray(testRuns.batch, some));
    for (const { batch, id, runSeq, pins, revision, overlayClock, profile, ...row } of rows) {
      const { commandId, branch, createdAt: receivedAt } = row;
      const requirements = pins === null ? null : { revision, overlayClock, profile };
      found.set(batch, {
        at: runTime(row),
        runId: id,
        runSeq,
        receivedAt,
        commandId,
        branch,
        requirements,
        ...pinned(pins),
      });
    }
  }
  return found;
}

/**
 * The fingerprints that a run has pinned.
 *
 * @param text - `{ storyId: [fingerprint, deepFingerprint] }` as JSON; null for none
 */
export function pinned(
  text: string | null,
): Pick<TargetResult, 'fingerprintOf' | 'deepFingerprintOf'> {
  let unread = text;
  let pins: Pins = {};
  function pinsOf(storyId: string) {
    if (unread !== null) {
      pins = JSON.parse(unread) as Pins;
      unread = null;
    }
    return Object.hasOwn(pins, storyId) ? pins[storyId] : undefined;
  }
  return {
    fingerprintOf: (storyId) => pinsOf(storyId)?.[0],
    deepFingerprintOf: (storyId) => pinsOf(storyId)?.[1],
  };
}
