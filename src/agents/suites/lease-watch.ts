// Polls the leases each second: those whose time is up, or whose token has ended, are lost, and the
// project's log says so. Where nobody could renew one, since nobody served or the clock was set, all
// that run get their whole time again.
import { isNull, min, sql } from 'drizzle-orm';
import type { Assurance } from '../../assurance/assurance.ts';
import type { Tx } from '../../store/database.ts';
import { leases } from '../../store/tables/agents.ts';
import { type LostLease, loseDueLeases, loseLeasesOf } from '../runs/end.ts';
import type { RunEvents } from '../runs/events.ts';

export interface LeaseWatch {
  /**
   * To be called at the beginning of a request of a token that rests on leases: where the service
   * stood still until now, or the clock was set, what is written next finds the leases extended.
   */
  enter(tokenId: string): void;
  /** Writes lost leases to the project's log and event streams once the caller's write is committed. */
  report(tx: Tx, lost: readonly LostLease[]): void;
  poll(): Promise<void>;
}

const POLL_MS = 1000;
const GAP_MS = 5000;

export function watchLeases(
  {
    database,
    clock,
    tokens,
    notices,
    log,
    draining,
    whenStopping,
  }: Pick<
    Assurance,
    'database' | 'clock' | 'tokens' | 'notices' | 'log' | 'draining' | 'whenStopping'
  >,
  events: Pick<RunEvents, 'changed'>,
): LeaseWatch {
  /** Tokens that held a lease since the start. */
  const holders = new Set<string>();
  let seeded = false;
  let lastSeenAt = clock();
  let extensionDue = true;
  let extending: Promise<void> | undefined;
  let polling: Promise<void> | undefined;

  /** Writes are done in the order in which they are asked for: this one before any later one. */
  function extendRunning(): Promise<void> {
    extensionDue = true;
    extending ??= database
      .write(async (tx) => {
        const expiresAt = sql`${leases.leaseMs} + ${clock()}`;
        await tx.update(leases).set({ expiresAt }).where(isNull(leases.endedAt));
        tx.afterCommit(() => {
          extensionDue = false;
        });
      })
      .finally(() => {
        extending = undefined;
      });
    return extending;
  }

  function checkGap(): void {
    const now = clock();
    // Where this fails, the next poll tries again and logs it.
    if (Math.abs(now - lastSeenAt) > GAP_MS) extendRunning().catch(() => {});
    lastSeenAt = now;
  }

  function lose(work: (tx: Tx) => Promise<LostLease[]>): Promise<LostLease[]> {
    return database.write(async (tx) => {
      const lost = await work(tx);
      report(tx, lost);
      return lost;
    });
  }

  function report(tx: Tx, lost: readonly LostLease[]): void {
    tx.afterCommit(() => {
      for (const one of lost) {
        events.changed(one.lease.projectId);
        if (one.runs.length > 0) notices.note(`lost ${one.lease.id}`, noticeOf(one));
      }
    });
  }

  async function pollOnce(): Promise<void> {
    try {
      if (extensionDue) await extendRunning();
      if (seeded && holders.size === 0) return;
      const running = await database.read
        .select({ tokenId: leases.tokenId, dueAt: min(leases.expiresAt) })
        .from(leases)
        .where(isNull(leases.endedAt))
        .groupBy(leases.tokenId);
      seeded = true;
      const now = clock();
      for (const { tokenId } of running) {
        holders.add(tokenId);
        if (!tokens.isGood(tokenId, now)) await lose((tx) => loseLeasesOf(tx, tokenId, now));
      }
      if (!running.some(({ dueAt }) => dueAt !== null && dueAt <= now)) return;
      while ((await lose((tx) => loseDueLeases(tx, now))).length > 0);
    } catch (error) {
      if (!draining()) log.warn({ err: error }, 'leases that are due were not ended; trying again');
    }
  }

  function poll(): Promise<void> {
    polling ??= pollOnce().finally(() => {
      polling = undefined;
    });
    return polling;
  }

  const timer = setInterval(() => {
    checkGap();
    void poll();
  }, POLL_MS);
  timer.unref();
  whenStopping(() => clearInterval(timer));
  tokens.onRevoked(() => void poll());
  void poll();
  return {
    enter(tokenId) {
      holders.add(tokenId);
      checkGap();
    },
    report,
    poll,
  };
}

function noticeOf({ lease, runs }: LostLease) {
  const [first] = runs;
  const why =
    lease.endedWhy === 'token'
      ? 'the token that held them has ended'
      : 'their lease was not renewed in time';
  return {
    projectId: lease.projectId,
    level: 'warn' as const,
    message: `Runs were lost: ${why}.`,
    fields: {
      leaseId: lease.id,
      tokenId: lease.tokenId,
      suiteId: first?.suiteId ?? null,
      runId: first?.id ?? null,
      commandId: first?.commandId ?? null,
      attempt: first?.attempt ?? null,
      runs: runs.length,
    },
  };
}
