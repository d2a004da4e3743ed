// What an agent writes: a run of its own, which it opens, and to runs that it holds or held heartbeats,
// progress and ends. A run that was lost resumes while nobody else has its item.
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { eq, sql } from 'drizzle-orm';
import { notFound, Problem } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import { type LeaseRow, type RunStateRow, runStates, suites } from '../../store/tables/agents.ts';
import type { Progress } from '../../store/tables/json.ts';
import { resumeCredentialLeases } from '../credentials.ts';
import { isLeaseOf, type OpenedLease, openLease, renewLease } from '../suites/leases.ts';
import { settleEnd } from './end.ts';
import {
  changeRun,
  findRun,
  insertRuns,
  itemOf,
  type LeasedRun,
  moveItem,
  type NewRun,
} from './rows.ts';
import {
  canAgentWrite,
  canTransition,
  isCurrent,
  isEnded,
  isLive,
  judgeSequence,
  type RunState,
} from './states.ts';

/** By what right a caller writes to a run. */
export interface Claim {
  projectId: string;
  tokenId: string;
  runId: string;
  attempt: number;
  lease: { id: string; token: string };
}

async function requireClaim(db: Db, claim: Claim): Promise<LeasedRun> {
  const found = await findRun(db, claim.projectId, claim.runId);
  if (!found || !isLeaseOf(found.lease, claim.tokenId, claim.lease))
    throw notFound('run under this lease');
  if (found.run.attempt !== claim.attempt)
    throw new Problem('conflict', `This run is attempt ${found.run.attempt}.`);
  return found;
}

/**
 * The run that a report is of, inside the write that records it.
 * @returns `late` where the run has ended, or its item was claimed again or has ended: such a
 * report is stored and never counted. One that is not late is to be followed by `endRun` in the
 * same write.
 */
export async function claimForReport(db: Db, claim: Claim): Promise<LeasedRun & { late: boolean }> {
  const found = await requireClaim(db, claim);
  const { run } = found;
  return { ...found, late: isEnded(run.state) || !isCurrent(run.id, await itemOf(db, run)) };
}

export async function openRun(
  db: Db,
  run: Omit<NewRun, 'attempt' | 'leaseId'>,
  leaseMs: number,
): Promise<{ run: RunStateRow; lease: OpenedLease }> {
  const { projectId, authorToken, createdAt, state } = run;
  if (!isLive(state))
    throw new Problem('illegal_transition', `A run begins queued or running, not ${state}.`);
  const lease = await openLease(db, { projectId, tokenId: authorToken, leaseMs, now: createdAt });
  const [row] = await insertRuns(db, projectId, [{ ...run, attempt: 1, leaseId: lease.row.id }]);
  return { run: row as RunStateRow, lease };
}

export interface RunWrite extends Claim {
  seq: number;
  state: RunState | undefined;
  /** Undefined leaves it as it is, null takes it away. */
  progress: Progress | null | undefined;
  message: string | null | undefined;
  now: number;
}

export interface WrittenRun extends LeasedRun {
  changed: boolean;
}

export async function writeRun(db: Db, write: RunWrite): Promise<WrittenRun> {
  const { seq, now } = write;
  const { run, lease } = await requireClaim(db, write);
  const sha256 = bodyHash(write);
  const sequence = judgeSequence({ seq: run.stateSeq, sha256: run.stateSha256 }, { seq, sha256 });
  if (sequence === 'replay') return { run, lease, changed: false };
  if (sequence === 'stale')
    throw new Problem(
      'stale_sequence',
      `The newest write to this run has the seq ${run.stateSeq}.`,
    );
  if (isEnded(run.state)) throw endedBefore(run, lease);
  const wasLost = run.state === 'lost';
  const to = write.state ?? (wasLost ? 'running' : (run.state as RunState));
  if (!canAgentWrite(run.state, to, run.suiteId !== null)) throw noTransition(run, to);
  if (wasLost) await resume(db, run, lease, isLive(to), now);
  const row = await update(db, run, to, write, sha256);
  return {
    run: row,
    lease: isLive(to) ? await renewLease(db, lease, now) : await settleEnd(db, row, lease, now),
    changed: row.change !== run.change,
  };
}

/** Of what a write says; the secret of its lease is not part of that. */
function bodyHash({ state, progress, message }: RunWrite): string {
  const said = JSON.stringify([
    state ?? null,
    progress === undefined ? 0 : progress && [progress.done, progress.total, progress.current],
    message === undefined ? 0 : message,
  ]);
  return hash('sha256', said, 'base64url');
}

async function update(
  db: Db,
  run: RunStateRow,
  state: RunState,
  { seq: stateSeq, now, ...write }: RunWrite,
  stateSha256: string,
): Promise<RunStateRow> {
  const progress = write.progress === undefined ? run.progress : write.progress;
  const message = write.message === undefined ? run.message : write.message;
  const beat = { stateSeq, stateSha256, heartbeatAt: now };
  if (state !== run.state || message !== run.message || !isDeepStrictEqual(progress, run.progress))
    return changeRun(db, run, { ...beat, state, progress, message }, now);
  const version = run.version + 1;
  // A statement writes the index of every column that it names, so a heartbeat names none of them.
  await db.run(sql`
    update ${runStates} set state_seq = ${stateSeq}, state_sha256 = ${stateSha256},
      heartbeat_at = ${now}, updated_at = ${now}, version = ${version} where seq = ${run.seq}`);
  return { ...run, ...beat, version, updatedAt: now };
}

/** Takes up a lost run again for its agent, which goes on with it or ends it now. */
async function resume(
  db: Db,
  run: RunStateRow,
  lease: LeaseRow,
  goesOn: boolean,
  now: number,
): Promise<void> {
  const item = await itemOf(db, run);
  if (!isCurrent(run.id, item))
    throw new Problem(
      'lease_expired',
      'The lease was lost, and the item went on without this run.',
    );
  if (!goesOn) return;
  if (item) await moveItem(db, item, 'claimed', now);
  await db.update(suites).set({ endedAt: null }).where(eq(suites.leaseId, lease.id));
  await resumeCredentialLeases(db, lease);
}

function endedBefore(run: RunStateRow, { endedWhy }: LeaseRow): Problem {
  const wasLost = endedWhy === 'expired' || endedWhy === 'token';
  const code = wasLost ? 'lease_expired' : 'illegal_transition';
  return new Problem(code, `The run has ended: ${run.state}.`);
}

function noTransition(run: RunStateRow, to: RunState): Problem {
  const byReport = run.suiteId !== null && canTransition(run.state, to) && to !== 'lost';
  return new Problem(
    'illegal_transition',
    byReport
      ? `A claimed run becomes ${to} by its report, through POST /test-runs.`
      : `A run that is ${run.state} cannot become ${to} by its agent.`,
  );
}
