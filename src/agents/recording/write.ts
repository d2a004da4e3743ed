// The write by which a run comes to be, with its pins and attachments, what is learned of its command,
// and the end of the run that was claimed. From then on its results are seen.
import { and, desc, eq, sql } from 'drizzle-orm';
import type { Actor } from '../../access/caller.ts';
import { Problem } from '../../errors.ts';
import { type AttachedFile, attachToRun, requireQuota } from '../../evidence/attachments/rows.ts';
import { attachmentsOfRuns } from '../../evidence/issues/rows.ts';
import { learnFromRun } from '../../quality/commands/rows.ts';
import { runTime } from '../../quality/runs/runs.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import type { AttachmentRow } from '../../store/tables/evidence.ts';
import type { Pins } from '../../store/tables/json.ts';
import { runPins, type TestRunRow, testRuns } from '../../store/tables/quality.ts';
import { endRun } from '../runs/end.ts';
import { type Claim, claimForReport } from '../runs/write.ts';
import type { NewRun, PinnedState } from './row.ts';

export interface Submitted {
  projectId: string;
  externalId: string | null;
  claim: Claim | undefined;
  bodySha256: string;
}

export interface ReadyRun extends Submitted {
  batch: number;
  row: NewRun;
  flaky: boolean;
  pins: Pins;
  /** The state of the requirements that it is a run of, beside the revision. */
  requirements: Pick<PinnedState, 'overlayClock' | 'profile'>;
  files: readonly AttachedFile[];
  quotaBytes: number | null;
  actor: Actor;
  now: number;
}

export interface WrittenRun {
  row: TestRunRow;
  attached: AttachmentRow[];
  replayed: boolean;
}

export async function writeRun(db: Db, ready: ReadyRun): Promise<WrittenRun> {
  const { projectId, batch, claim, actor, now, bodySha256, files } = ready;
  const before = await findSubmitted(db, ready);
  if (before) return before;
  const claimed = claim && (await claimForReport(db, claim));
  const late = claimed?.late ?? false;
  const counts = !late && !claimed?.run.fromWidget;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > 0) await requireQuota(db, projectId, ready.quotaBytes, bytes);
  const isReported = claimed && (await runById(db, claimed.run.id)) !== undefined;
  const [row] = await db
    .insert(testRuns)
    .values({
      ...ready.row,
      projectId,
      batch,
      bodySha256,
      late,
      counts,
      id: claimed && !isReported ? claimed.run.id : newId('run'),
      ordinal: counts ? (await lastOrdinal(db, projectId)) + 1 : null,
      authorToken: actor.tokenId,
      authorLabel: actor.label,
      createdAt: now,
    })
    .returning();
  if (!row) throw new Error('the run was not inserted');
  const pins = JSON.stringify(ready.pins);
  await db.insert(runPins).values({ batch, ...ready.requirements, pins });
  const attached = await attachToRun(db, { projectId, runId: row.id }, files, actor, now);
  if (claimed && !late) await endRun(db, claimed, ready.row.status, now);
  if (counts) await learn(db, row, ready.flaky);
  return { row, attached, replayed: false };
}

/** The run that the same submission made before: by its external id, or under the same claim. */
export async function findSubmitted(
  db: Db,
  { projectId, externalId, claim, bodySha256 }: Submitted,
): Promise<WrittenRun | undefined> {
  const named = externalId === null ? undefined : eq(testRuns.externalId, externalId);
  const [known] = named
    ? await db
        .select()
        .from(testRuns)
        .where(and(eq(testRuns.projectId, projectId), named))
    : [];
  if (known && known.bodySha256 !== bodySha256)
    throw new Problem('conflict', 'Another run with this externalId was recorded before.', {
      errors: [{ pointer: '/externalId', detail: `is that of ${known.id}` }],
    });
  const reported = known ?? (claim && (await runById(db, claim.runId)));
  if (reported?.projectId !== projectId || reported.bodySha256 !== bodySha256) return undefined;
  const attached = await attachmentsOfRuns(db, [reported.id]);
  return { row: reported, attached, replayed: true };
}

async function runById(db: Db, id: string): Promise<TestRunRow | undefined> {
  const [row] = await db.select().from(testRuns).where(eq(testRuns.id, id));
  return row;
}

async function lastOrdinal(db: Db, projectId: string): Promise<number> {
  const [last] = await db
    .select({ ordinal: testRuns.ordinal })
    .from(testRuns)
    .where(and(eq(testRuns.projectId, projectId), sql`${testRuns.counts} = 1`))
    .orderBy(desc(testRuns.seq))
    .limit(1);
  return last?.ordinal ?? 0;
}

async function learn(db: Db, row: TestRunRow, flaky: boolean): Promise<void> {
  const { projectId, commandId, commandFingerprint, batch, ordinal, durationMs } = row;
  if (commandId === null || commandFingerprint === null || ordinal === null) return;
  await learnFromRun(db, {
    projectId,
    commandId,
    lastBatch: batch,
    lastOrdinal: ordinal,
    lastDurationMs: durationMs,
    lastRunId: row.id,
    lastStatus: row.status,
    lastAt: runTime(row),
    flaky: flaky || (await wentOtherwise(db, row)),
    lastFingerprint: commandFingerprint,
  });
}

const COMPARED = 20;

async function wentOtherwise(db: Db, row: TestRunRow): Promise<boolean> {
  if (row.commitId === null || row.status === 'broken') return false;
  const other = row.status === 'passed' ? 'failed' : 'passed';
  const earlier = await db.values(sql`
    select 1 from (
      select counts, status, command_fingerprint, commit_id, environment from test_runs
      where command_id = ${row.commandId} order by seq desc limit ${COMPARED})
    where counts = 1 and status = ${other} and command_fingerprint = ${row.commandFingerprint}
      and commit_id = ${row.commitId} and environment is ${row.environment}
    limit 1`);
  return earlier.length > 0;
}
