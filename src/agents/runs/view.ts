// A run's state as it is shown.
import { optionalTimestamp, timestamp } from '../../clock.ts';
import type { LeaseRow, RunStateRow } from '../../store/tables/agents.ts';
import { renewAfterMs } from '../suites/leases.ts';
import type { RunStateView } from './model.ts';
import { isLive, type RunState } from './states.ts';

export function runStateView(run: RunStateRow, lease: LeaseRow): RunStateView {
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
