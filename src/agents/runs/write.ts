// What an agent writes: a run of its own, which it opens, and to runs that it holds or held heartbeats,
// progress and ends. A run that was lost resumes while nobody else has its item.
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { eq, sql } from 'drizzle-orm';
import type { Actor } from '../../access/caller.ts';
import { Problem } from '../../errors.ts';
import { nullable, prepared } from '../../store/client/prepared.ts';
import type { Db } from '../../store/database.ts';
import { type LeaseRow, type RunStateRow, runStates, suites } from '../../store/tables/agents.ts';
import type { AgentName, ClaimedItem, Progress } from '../../store/tables/json.ts';
import type { TestCommandRow } from '../../store/tables/quality.ts';
import { resumeCredentialLeases } from '../credentials/leases.ts';
import type { Pinned } from '../suites/items.ts';
import { itemOfCommand } from '../suites/items.ts';
import { type OpenedLease, openLease, renewLease } from '../suites/leases.ts';
import { type Claim, requireClaim } from './claims.ts';
import { type LostLease, loseLease, settleEnd } from './end.ts';
import { insertRuns, itemOf, type LeasedRun, moveItem, newestChange } from './rows.ts';
import {
  canAgentWrite,
  canTransition,
  isCurrent,
  isEnded,
  isLive,
  judgeSequence,
  type RunState,
} from './states.ts';

export interface OwnRunInput {
  projectId: string;
  name: string | undefined;
  command: TestCommandRow | undefined;
  agent: AgentName | null;
  state: RunState;
  progress: Progress | null;
  message: string | null;
  leaseMs: number;
  fromWidget: boolean;
  pinned: Pinned;
  actor: Actor;
  now: number;
}

/**
 * Opens a run without a plan, under a lease of its own; inside the caller's write.
 *
 * @throws Problem `illegal_transition` for a state in which none begins
 */
export async function openRun(
  db: Db,
  { projectId, name, command, state, actor, leaseMs, now, ...input }: OwnRunInput,
): Promise<{ run: RunStateRow; lease: OpenedLease }> {
  if (!isLive(state))
    throw new Problem('illegal_transition', `A run begins queued or running, not ${state}.`);
  const lease = await openLease(db, { projectId, tokenId: actor.tokenId, leaseMs, now });
  const [run] = await insertRuns(db, projectId, [
    {
      projectId,
      attempt: 1,
      state,
      commandId: command?.id ?? null,
      item: ownItem(name, command),
      progress: input.progress,
      message: input.message,
      agent: input.agent,
      leaseId: lease.row.id,
      fromWidget: input.fromWidget,
      heartbeatAt: now,
      ...input.pinned,
      authorToken: actor.tokenId,
      authorLabel: actor.label,
      createdAt: now,
    },
  ]);
  return { run: run as RunStateRow, lease };
}

function ownItem(name: string | undefined, command: TestCommandRow | undefined): ClaimedItem {
  if (!command) return { name: name ?? null };
  const { name: own, kind, argv, cwd, report } = itemOfCommand(command);
  return { name: name ?? own, kind, argv, cwd, report };
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
  /** The lease, where its time was up before this write came. */
  lost: LostLease[];
}

/**
 * Writes to a run, inside the caller's write.
 *
 * @throws Problem `not_found`, `conflict` as `requireClaim`; `stale_sequence`; `lease_expired` where
 * the item was taken or has ended; `illegal_transition`
 */
export async function writeRun(db: Db, write: RunWrite): Promise<WrittenRun> {
  const { seq, now } = write;
  let { run, lease } = await requireClaim(db, write);
  const sha256 = bodyHash(write);
  const known = { seq: run.stateSeq, sha256: run.stateSha256 };
  const sequence = judgeSequence(known, { seq, sha256 });
  if (sequence === 'replay') return { run, lease, changed: false, lost: [] };
  if (sequence === 'stale') {
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
  if (!canAgentWrite(run.state, to, run.suiteId !== null)) throw noTransition(run, to);
  if (wasLost) await resume(db, run, lease, isLive(to), now);
  const row = await update(db, run, to, write, sha256);
  return {
    run: row,
    lease: isLive(to) ? await renewLease(db, lease, now) : await settleEnd(db, row, lease, now),
    changed: row.change !== run.change,
    lost,
  };
}

/** Of what a write says; the secret of its lease is not part of that. */
function bodyHash({ state, progress, message }: RunWrite): string {
  const body = [
    state ?? null,
    progress === undefined ? 0 : progress && [progress.done, progress.total, progress.current],
    message === undefined ? 0 : message,
  ];
  return hash('sha256', JSON.stringify(body), 'base64url');
}

const p = sql.placeholder;

const heartbeat = {
  stateSeq: sql`${p('stateSeq')}`,
  stateSha256: sql`${p('stateSha256')}`,
  heartbeatAt: sql`${p('now')}`,
  version: sql`${runStates.version} + 1`,
  updatedAt: sql`${p('now')}`,
};

// A statement writes the index of every column that it names, so a heartbeat names none of them.
const setHeartbeat = prepared((db) =>
  db
    .update(runStates)
    .set(heartbeat)
    .where(eq(runStates.seq, p('seq')))
    .prepare(),
);
const setChanged = prepared((db) =>
  db
    .update(runStates)
    .set({
      ...heartbeat,
      state: sql`${p('state')}`,
      progress: nullable(runStates.progress, 'progress'),
      message: sql`${p('message')}`,
      change: sql`${p('change')}`,
    })
    .where(eq(runStates.seq, p('seq')))
    .prepare(),
);

async function update(
  db: Db,
  run: RunStateRow,
  state: RunState,
  { seq: stateSeq, now, ...write }: RunWrite,
  stateSha256: string,
): Promise<RunStateRow> {
  const progress = write.progress === undefined ? run.progress : write.progress;
  const message = write.message === undefined ? run.message : write.message;
  const isChanged =
    state !== run.state || !isDeepStrictEqual(progress, run.progress) || message !== run.message;
  const row: RunStateRow = {
    ...run,
    state,
    stateSeq,
    stateSha256,
    progress,
    message,
    heartbeatAt: now,
    updatedAt: now,
    version: run.version + 1,
    change: isChanged ? (await newestChange(db, run.projectId)) + 1 : run.change,
  };
  await (isChanged ? setChanged : setHeartbeat)(db).run({ ...row, now });
  return row;
}

/**
 * Takes up a lost run again for its agent, which goes on with it or ends it now.
 *
 * @throws Problem `lease_expired` where the item was claimed again, or has ended
 */
async function resume(
  db: Db,
  run: RunStateRow,
  lease: LeaseRow,
  goesOn: boolean,
  now: number,
): Promise<void> {
  const item = await itemOf(db, run);
  if (!isCurrent(run.id, item)) {
    const how = item?.state === 'ended' ? 'has ended' : 'was claimed again';
    throw new Problem('lease_expired', `The lease was lost, and the item of the run ${how}.`);
  }
  if (!goesOn) return;
  if (item) await moveItem(db, item, 'claimed', now);
  await db.update(suites).set({ endedAt: null }).where(eq(suites.leaseId, lease.id));
  await resumeCredentialLeases(db, lease);
}

function endedBefore(run: RunStateRow, lease: LeaseRow): Problem {
  return lease.endedWhy === 'expired' || lease.endedWhy === 'token'
    ? new Problem('lease_expired', `The lease was lost, and the run has ended: ${run.state}.`)
    : new Problem('illegal_transition', `The run has ended: ${run.state}.`);
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
