// A run's state as it is stored and shown.
import { optionalTimestamp, timestamp } from '../../clock.ts';
import type { LeaseRow, RunStateRow } from '../../store/tables/agents.ts';
import type { Pins } from '../../store/tables/json.ts';
import { renewAfterMs } from '../suites/leases.ts';
import { isLive, type RunState } from './states.ts';

export type { AgentName, ClaimedItem, Progress } from '../../store/tables/json.ts';

/** What a run pins of the requirements, as its row holds it. */
export interface Pinned {
  revision: number;
  overlayClock: number;
  pins: Pins;
}

/**
 * A run's state.
 *
 * @param lease - the one that it was claimed or opened under
 */
export function runStateView(run: RunStateRow, lease: LeaseRow) {
  const held = isLive(run.state) && lease.endedAt === null;
  return {
    runId: run.id,
    suiteId: run.suiteId,
    planId: run.planId,
    position: run.position,
    commandId: run.commandId,
    name: run.item?.name ?? null,
    state: run.state as RunState,
    seq: run.stateSeq,
    attempt: run.attempt,
    progress: run.progress,
    message: run.message,
    agent: run.agent,
    heartbeatAt: optionalTimestamp(run.heartbeatAt),
    leaseExpiresAt: held ? timestamp(lease.expiresAt) : null,
    renewAfterMs: held ? renewAfterMs(lease) : null,
    cancelRequested: run.cancelRequested,
    fromWidget: run.fromWidget,
    untrusted: run.fromWidget,
    revision: run.revision,
    author: { tokenId: run.authorToken, label: run.authorLabel },
    version: run.version,
    createdAt: timestamp(run.createdAt),
    updatedAt: timestamp(run.updatedAt),
  };
}
export type RunStateView = ReturnType<typeof runStateView>;
