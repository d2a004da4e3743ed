// Runs that a caller opens of its own, without a plan: under a lease like any other.
import type { Actor } from '../../access/caller.ts';
import { Problem } from '../../errors.ts';
import type { Db } from '../../store/database.ts';
import type { RunStateRow } from '../../store/tables/agents.ts';
import type { TestCommandRow } from '../../store/tables/quality.ts';
import { itemOfCommand } from '../suites/claim-items.ts';
import { type OpenedLease, openLease } from '../suites/leases.ts';
import { insertRun } from './rows.ts';
import type { RunState } from './states.ts';
import type { AgentName, ClaimedItem, Progress } from './view.ts';

export interface NewOwnRun {
  projectId: string;
  name: string | undefined;
  command: TestCommandRow | undefined;
  agent: AgentName | null;
  state: RunState;
  progress: Progress | null;
  message: string | null;
  leaseMs: number;
  /** What its results do not count for anything. */
  fromWidget: boolean;
  /** Of the requirements as they are now. */
  pinned: { revision: number; overlayClock: number; pins: string };
  actor: Actor;
  now: number;
}

/**
 * Opens a run, inside the caller's write.
 *
 * @throws Problem `illegal_transition` for a state in which none begins
 */
export async function openRun(
  db: Db,
  wanted: NewOwnRun,
): Promise<{ run: RunStateRow; lease: OpenedLease }> {
  const { projectId, state, actor, leaseMs, now, command, pinned, agent, progress } = wanted;
  if (state !== 'queued' && state !== 'running')
    throw new Problem('illegal_transition', `A run begins queued or running, not ${state}.`);
  const lease = await openLease(db, { projectId, tokenId: actor.tokenId, leaseMs, now });
  const run = await insertRun(db, {
    ...{ projectId, suiteId: null, planId: null, position: null, attempt: 1, state },
    commandId: command?.id ?? null,
    item: JSON.stringify(itemOf(wanted)),
    progress: progress && JSON.stringify(progress),
    message: wanted.message,
    agent: agent && JSON.stringify(agent),
    leaseId: lease.row.id,
    fromWidget: wanted.fromWidget ? 1 : 0,
    heartbeatAt: now,
    ...pinned,
    ...{ authorToken: actor.tokenId, authorLabel: actor.label, createdAt: now },
  });
  return { run, lease };
}

/** What is run: of a command what its fingerprint is made of, for it may be changed before the report. */
function itemOf({ name, command }: Pick<NewOwnRun, 'name' | 'command'>): ClaimedItem {
  if (!command) return { name: name ?? null };
  const { name: own, kind, argv, cwd, report } = itemOfCommand(command);
  return { name: name ?? own, kind, argv, cwd, report };
}
