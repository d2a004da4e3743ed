// Polls the leases each second: those whose time is up, or whose token has ended, are lost, and the
// project's log says so. At a start, before which nobody could renew one, all that run get their whole
// time again.
import { isNull, sql } from 'drizzle-orm';
import type { Assurance } from '../../assurance/assurance.ts';
import type { Tx } from '../../store/database.ts';
import { leases } from '../../store/tables/agents.ts';
import { type LostLease, loseDueLeases, loseLeasesOf } from '../runs/end.ts';
import type { RunEvents } from '../runs/events.ts';

export type LeaseWatch = ReturnType<typeof watchLeases>;

const POLL_MS = 1000;

export function watchLeases(
  { database, clock, tokens, notices, log, draining, whenStopping }: Assurance,
  events: Pick<RunEvents, 'changed'>,
) {
  let extensionDue = true;
  let polling = false;

  /** Writes are done in the order in which they are asked for: this one before any later one. */
  async function extendRunning(): Promise<void> {
    await database.write(async (tx) => {
      const expiresAt = sql`${leases.leaseMs} + ${clock()}`;
      await tx.update(leases).set({ expiresAt }).where(isNull(leases.endedAt));
    });
    extensionDue = false;
  }

  /** Writes lost leases to log and event streams once the caller's write is committed. */
  function report(tx: Tx, lost: readonly LostLease[]): void {
    tx.afterCommit(() => {
      for (const one of lost) {
        events.changed(one.lease.projectId);
        if (one.runs.length > 0) notices.note(`lost ${one.lease.id}`, noticeOf(one));
      }
    });
  }

  async function loseAll(some: (tx: Tx) => Promise<LostLease[]>): Promise<void> {
    let lost: LostLease[];
    do {
      lost = await database.write(async (tx) => {
        const ended = await some(tx);
        report(tx, ended);
        return ended;
      });
    } while (lost.length > 0);
  }

  async function poll(): Promise<void> {
    if (polling) return;
    polling = true;
    try {
      if (extensionDue) await extendRunning();
      const now = clock();
      const running = await database.read
        .select({ tokenId: leases.tokenId, isDue: sql<number>`min(expires_at) <= ${now}` })
        .from(leases)
        .where(isNull(leases.endedAt))
        .groupBy(leases.tokenId);
      for (const { tokenId } of running)
        if (!tokens.isGood(tokenId, now)) await loseAll((tx) => loseLeasesOf(tx, tokenId, now));
      if (running.some(({ isDue }) => isDue)) await loseAll((tx) => loseDueLeases(tx, now));
    } catch (error) {
      if (!draining()) log.warn({ err: error }, 'leases that are due were not ended; trying again');
    } finally {
      polling = false;
    }
  }

  const timer = setInterval(() => void poll(), POLL_MS);
  timer.unref();
  whenStopping(() => clearInterval(timer));
  tokens.onRevoked(() => void poll());
  void poll();
  return { report };
}

function noticeOf({ lease, runs }: LostLease) {
  const why =
    lease.endedWhy === 'token' ? 'the token has ended' : 'their lease was not renewed in time';
  return {
    projectId: lease.projectId,
    level: 'warn' as const,
    message: `Runs were lost: ${why}.`,
    fields: {
      leaseId: lease.id,
      tokenId: lease.tokenId,
      suiteId: runs[0]?.suiteId ?? null,
      runId: runs[0]?.id ?? null,
      runs: runs.length,
    },
  };
}
