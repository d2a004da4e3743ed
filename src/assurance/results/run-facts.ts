// What results have of the run that they are of, and which commands are being run.
import { and, eq, inArray, isNotNull } from 'drizzle-orm';
import { runTime } from '../../quality/runs/runs.ts';
import type { Db } from '../../store/database.ts';
import { runStates } from '../../store/tables/agents.ts';
import { runPins, testRuns } from '../../store/tables/quality.ts';
import { chunksOf } from '../state/state.ts';
import type { RunFacts } from './model.ts';

const { batch, seq, id, commandId, branch, startedAt, finishedAt, createdAt, revision } = testRuns;
const RUN = { batch, seq, id, commandId, branch, startedAt, finishedAt, createdAt, revision };

type Pins = Readonly<Record<string, readonly [own: string, deep: string]>>;

export async function readRunFacts(
  db: Db,
  batches: readonly number[],
): Promise<Map<number, RunFacts>> {
  const found = new Map<number, RunFacts>();
  for (const some of chunksOf(batches)) {
    const rows = await db
      .select({ run: RUN, pinned: runPins })
      .from(testRuns)
      .leftJoin(runPins, eq(runPins.batch, batch))
      .where(inArray(batch, some));
    for (const { run, pinned } of rows) {
      found.set(run.batch, {
        at: runTime(run),
        runId: run.id,
        runSeq: run.seq,
        receivedAt: run.createdAt,
        commandId: run.commandId,
        branch: run.branch,
        requirements: pinned && {
          revision: run.revision,
          overlayClock: pinned.overlayClock,
          profile: pinned.profile,
        },
        ...fingerprintsOf(pinned?.pins ?? '{}'),
      });
    }
  }
  return found;
}

/** The fingerprints that a run has pinned: they are many, and parsed when the first is asked for. */
function fingerprintsOf(text: string): Pick<RunFacts, 'fingerprintOf' | 'deepFingerprintOf'> {
  let unread: string | undefined = text;
  let pins: Pins = {};
  function pinsOf(storyId: string) {
    if (unread !== undefined) {
      pins = JSON.parse(unread) as Pins;
      unread = undefined;
    }
    return Object.hasOwn(pins, storyId) ? pins[storyId] : undefined;
  }
  return {
    fingerprintOf: (storyId) => pinsOf(storyId)?.[0],
    deepFingerprintOf: (storyId) => pinsOf(storyId)?.[1],
  };
}

/** The newest runs that are under way, by the ids of their commands. */
export async function readRunningCommands(
  db: Db,
  projectId: string,
): Promise<ReadonlyMap<string, string>> {
  const { id, commandId, state, seq } = runStates;
  const rows = await db
    .select({ id, commandId })
    .from(runStates)
    .where(
      and(
        eq(runStates.projectId, projectId),
        inArray(state, ['queued', 'running']),
        isNotNull(commandId),
      ),
    )
    .orderBy(seq);
  return new Map(rows.map((row) => [row.commandId ?? '', row.id]));
}
