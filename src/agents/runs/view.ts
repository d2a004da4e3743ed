// A run's state as it is stored and shown.
import { optionalTimestamp, timestamp } from '../../clock.ts';
import type { LeaseRow, RunStateRow } from '../../store/tables/agents.ts';
import { renewAfterMs } from '../suites/leases.ts';
import { isLive, type RunState } from './states.ts';

export interface Progress {
  done: number | null;
  total: number | null;
  current: string | null;
}

export interface AgentName {
  name: string;
  version: string | null;
}

/** What an agent is to run, as it was claimed (JSON in its row). */
export interface ClaimedItem {
  name: string | null;
  kind?: string;
  argv?: string[];
  cwd?: string | null;
  env?: Record<string, string>;
  timeoutMs?: number;
  report?: { format: string; path: string | null };
  storyIds?: string[];
}

/** What a run pins of the requirements, as its row holds it. */
export interface Pinned {
  revision: number;
  overlayClock: number;
  /** `{ storyId: [fingerprint, deepFingerprint] }` as JSON. */
  pins: string;
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
    name: run.item === null ? null : (JSON.parse(run.item) as ClaimedItem).name,
    state: run.state as RunState,
    seq: run.stateSeq,
    attempt: run.attempt,
    progress: run.progress === null ? null : (JSON.parse(run.progress) as Progress),
    message: run.message,
    agent: run.agent === null ? null : (JSON.parse(run.agent) as AgentName),
    heartbeatAt: optionalTimestamp(run.heartbeatAt),
    leaseExpiresAt: held ? timestamp(lease.expiresAt) : null,
    renewAfterMs: held ? renewAfterMs(lease) : null,
    cancelRequested: run.cancelRequested === 1,
    fromWidget: run.fromWidget === 1,
    untrusted: run.fromWidget === 1,
    revision: run.revision,
    author: { tokenId: run.authorToken, label: run.authorLabel },
    version: run.version,
    createdAt: timestamp(run.createdAt),
    updatedAt: timestamp(run.updatedAt),
  };
}
export type RunStateView = ReturnType<typeof runStateView>;
