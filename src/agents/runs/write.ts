// What an agent writes to a run that it holds, or held: signs of life, how far it is, how it ends.
import { hash } from 'node:crypto';
import { and, eq, sql } from 'drizzle-orm';
import { Problem } from '../../errors.ts';
import { prepared } from '../../store/client/prepared.ts';
import type { Db } from '../../store/database.ts';
import { type LeaseRow, type RunStateRow, runStates } from '../../store/tables/agents.ts';
import { renewLease } from '../suites/leases.ts';
import { type LostLease, loseLease } from '../suites/lose-leases.ts';
import { reclaim } from '../suites/reclaim.ts';
import { type Claim, isClaimOf, requireClaim, settleEnd } from './claims.ts';
import { keepLease, keepRun, keptRun, StaleRow } from './kept-runs.ts';
import { type HeldRun, nextChange } from './rows.ts';
import {
  hasMove,
  isEnded,
  isLive,
  judgeSequence,
  mayMove,
  type Outcome,
  type RunState,
} from './states.ts';
import type { Progress } from './view.ts';

export interface RunWrite extends Claim {
  seq: number;
  state: RunState | undefined;
  /** Undefined leaves it as it is, null takes it away. */
  progress: Progress | null | undefined;
  message: string | null | undefined;
  /** Nothing is to be taken for what was kept of it. */
  fresh: boolean;
  now: number;
}

export interface Written extends HeldRun {
  /** Whether it is another state, progress or message. */
  changed: boolean;
  /** Whether its lease had ended, and runs again. */
  revived: boolean;
  /** The lease, where its time was up before this write came. */
  lost: LostLease[];
}

const p = sql.placeholder;

const beat = {
  stateSeq: sql`${p('stateSeq')}`,
  stateSha256: sql`${p('stateSha256')}`,
  heartbeatAt: sql`${p('now')}`,
  version: sql`${runStates.version} + 1`,
  updatedAt: sql`${p('now')}`,
};
const told = {
  ...beat,
  progress: sql`${p('progress')}`,
  message: sql`${p('message')}`,
  change: sql`${p('change')}`,
};

const isAsKnown = and(eq(runStates.seq, p('seq')), eq(runStates.version, p('was')));

// A statement writes the index of every column that it names, whether or not its value is another.
const setBeat = prepared((db) => db.update(runStates).set(beat).where(isAsKnown).prepare());
const setTold = prepared((db) => db.update(runStates).set(told).where(isAsKnown).prepare());
const setMoved = prepared((db) =>
  db
    .update(runStates)
    .set({ ...told, state: sql`${p('state')}` })
    .where(isAsKnown)
    .prepare(),
);

/**
 * Writes to a run, inside the caller's write.
 *
 * @throws Problem `not_found`, `conflict` as `requireClaim`; `stale_sequence`; `lease_expired` where
 * the item was taken or has ended; `illegal_transition`
 * @throws StaleRow where it is to be done again, `fresh`
 */
export async function writeRun(db: Db, write: RunWrite): Promise<Written> {
  const { now } = write;
  const sha256 = bodyHash(write);
  let { run, lease } = keptFor(db, write, sha256) ?? (await readFor(db, write));
  const verdict = judge(run, write, sha256);
  if (verdict === 'replay') return { run, lease, changed: false, revived: false, lost: [] };
  if (verdict === 'stale') {
    throw new Problem(
      'stale_sequence',
      `The newest write to this run has the sequence number ${run.stateSeq}.`,
    );
  }
  const lost: LostLease[] = [];
  if (lease.endedAt === null && lease.expiresAt <= now && isLive(run.state)) {
    lost.push(await loseLease(db, lease, 'expired', now));
    ({ run, lease } = await requireClaim(db, write));
  }
  if (isEnded(run.state)) throw endedBefore(run, lease);
  const wasLost = run.state === 'lost';
  const to = write.state ?? (wasLost ? 'running' : (run.state as RunState));
  if (!mayMove(run.state, to, run.suiteId !== null)) throw noSuchMove(run, to);
  if (wasLost) await reclaim(db, run, lease, isLive(to), now);
  const row = await update(db, run, to, write, sha256);
  const said = { run: row, changed: row.change !== run.change, lost };
  if (!isLive(to))
    return {
      ...{ ...said, revived: false },
      lease: await settleEnd(db, row, lease, to as Outcome, now),
    };
  const revived = lease.endedAt !== null;
  return { ...said, revived, lease: await renewLease(db, lease, now) };
}

/**
 * What is kept of the run, where this write does no more than go on with it: whatever rests on its
 * row alone, a replay or a refusal, must rest on what is read.
 */
function keptFor(db: Db, write: RunWrite, sha256: string): HeldRun | undefined {
  const kept = write.fresh ? undefined : keptRun(db, write.runId);
  if (!kept || !isLive(kept.run.state)) return undefined;
  const { run, lease } = kept;
  const to = write.state ?? (run.state as RunState);
  const goesOn =
    isClaimOf(kept, write) &&
    judge(run, write, sha256) === 'new' &&
    lease.endedAt === null &&
    lease.expiresAt > write.now &&
    isLive(to) &&
    mayMove(run.state, to, run.suiteId !== null);
  return goesOn ? kept : undefined;
}

async function readFor(db: Db, write: RunWrite): Promise<HeldRun> {
  const held = await requireClaim(db, write);
  keepLease(db, held.lease);
  return held;
}

function judge(run: RunStateRow, { seq }: RunWrite, sha256: string) {
  return judgeSequence({ seq: run.stateSeq, sha256: run.stateSha256 }, { seq, sha256 });
}

/** Of what a write says; the secret of its lease is not part of that. */
function bodyHash({ state, progress, message }: RunWrite): string {
  const said = [
    state ?? null,
    progress === undefined ? 0 : progress && [progress.done, progress.total, progress.current],
    message === undefined ? 0 : message,
  ];
  return hash('sha256', JSON.stringify(said), 'base64url');
}

async function update(
  db: Db,
  run: RunStateRow,
  to: RunState,
  write: RunWrite,
  stateSha256: string,
): Promise<RunStateRow> {
  const { now, seq: stateSeq } = write;
  const progress =
    write.progress === undefined ? run.progress : write.progress && JSON.stringify(write.progress);
  const message = write.message === undefined ? run.message : write.message;
  const row = {
    ...{ ...run, stateSeq, stateSha256, progress, message },
    ...{ state: to, heartbeatAt: now, updatedAt: now, version: run.version + 1 },
  };
  const values = { seq: run.seq, was: run.version, stateSeq, stateSha256, now };
  if (to === run.state && progress === run.progress && message === run.message) {
    requireOne(await setBeat(db).run(values));
    keepRun(db, row);
    return row;
  }
  const change = await nextChange(db);
  const said = { ...values, progress, message, change };
  requireOne(
    to === run.state ? await setTold(db).run(said) : await setMoved(db).run({ ...said, state: to }),
  );
  const changed = { ...row, change };
  keepRun(db, changed);
  return changed;
}

function requireOne({ rowsAffected }: { rowsAffected: number }): void {
  if (rowsAffected !== 1) throw new StaleRow('the run is another one by now');
}

function endedBefore(run: RunStateRow, lease: LeaseRow): Problem {
  return lease.endedWhy === 'expired' || lease.endedWhy === 'token'
    ? new Problem('lease_expired', `The lease was lost, and the run has ended: ${run.state}.`)
    : new Problem('illegal_transition', `The run has ended: ${run.state}.`);
}

function noSuchMove(run: RunStateRow, to: RunState): Problem {
  const byReport = run.suiteId !== null && hasMove(run.state, to) && to !== 'lost';
  return new Problem(
    'illegal_transition',
    byReport
      ? `A claimed run becomes ${to} by its report, through POST /test-runs.`
      : `A run that is ${run.state} cannot become ${to} by its agent.`,
  );
}
