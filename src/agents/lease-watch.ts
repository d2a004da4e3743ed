// Watches over the leases of an instance: those whose time is up, or whose token has ended, are lost
// within a second, and the project's log says so. Nothing is asked while no lease runs.
import type { Context } from '../http/context.ts';
import type { Notice } from '../http/notices.ts';
import type { Db } from '../store/database.ts';
import {
  dueTimes,
  endDueLoans,
  extendRunning,
  type LostLease,
  loseDueLeases,
  loseLeasesOf,
} from './lose-leases.ts';
import type { RunEvents } from './run-events.ts';

export interface LeaseWatch {
  /** To be called after the commit of a new lease. */
  opened(lease: { tokenId: string; expiresAt: number }): void;
  /**
   * Ends leases whose time is up, at the beginning of a claim, inside its write; what it gives is
   * for `tell` after the commit.
   */
  settle(db: Db, now: number): Promise<LostLease[]>;
  /** Says that leases were lost, to the project's log and its listeners. */
  tell(lost: readonly LostLease[]): void;
  /** Looks once, as the timer does each second. */
  look(): Promise<void>;
}

type Watched = Pick<
  Context,
  'database' | 'clock' | 'tokens' | 'notices' | 'log' | 'draining' | 'whenStopping'
>;

const EACH_MS = 1000;
/** A write ends so many leases at most: others wait for it. */
const A_WRITE = 20;

/**
 * Begins to watch. Leases that run are given their whole time again first: nobody could renew one
 * while nobody served.
 */
export function watchLeases(
  { database, clock, tokens, notices, log, draining, whenStopping }: Watched,
  events: Pick<RunEvents, 'changed'>,
): LeaseWatch {
  /** When the first lease of a token may be due: never too late, since renewals are not counted. */
  let due = new Map<string, number>();
  /** Whether `due` knows of all that the database does. */
  let known = false;
  let timer: ReturnType<typeof setInterval> | undefined;
  let looking: Promise<void> | undefined;

  function keepLooking(): void {
    if (timer !== undefined || draining()) return;
    timer = setInterval(() => void watch.look(), EACH_MS);
    timer.unref();
  }

  function rest(): void {
    clearInterval(timer);
    timer = undefined;
  }

  function expect(tokenId: string, at: number): void {
    due.set(tokenId, Math.min(at, due.get(tokenId) ?? at));
    keepLooking();
  }

  function isAnyDue(now: number): boolean {
    for (const at of due.values()) if (at <= now) return true;
    return false;
  }

  function endedTokens(now: number): string[] {
    return [...due.keys()].filter((tokenId) => !tokens.isGood(tokenId, now));
  }

  async function readTimes(): Promise<void> {
    // What is opened meanwhile adds to what is read.
    due = new Map();
    known = false;
    for (const { tokenId, at } of await dueTimes(database.read)) expect(tokenId, at);
    known = true;
    if (due.size === 0) rest();
  }

  async function loseEnded(now: number): Promise<void> {
    for (const tokenId of endedTokens(now))
      watch.tell(await database.write((db) => loseLeasesOf(db, tokenId, now)));
    for (let left = A_WRITE; left === A_WRITE; ) {
      const lost = await database.write(async (db) => {
        await endDueLoans(db, now);
        return loseDueLeases(db, now, A_WRITE);
      });
      watch.tell(lost);
      left = lost.length;
    }
  }

  async function lookOnce(): Promise<void> {
    const now = clock();
    try {
      if (!known) await readTimes();
      if (!isAnyDue(now) && endedTokens(now).length === 0) return;
      await readTimes();
      if (isAnyDue(now) || endedTokens(now).length > 0) {
        await loseEnded(now);
        await readTimes();
      }
    } catch (error) {
      known = false;
      keepLooking();
      if (!draining()) log.warn({ err: error }, 'leases that are due were not ended; trying again');
    }
  }

  const watch: LeaseWatch = {
    opened: ({ tokenId, expiresAt }) => expect(tokenId, expiresAt),
    settle: async (db, now) => (isAnyDue(now) ? loseDueLeases(db, now, A_WRITE) : []),
    tell(lost) {
      for (const one of lost) {
        events.changed(one.lease.projectId);
        if (one.runs.length > 0) notices.note(`lost ${one.lease.id}`, noticeOf(one));
      }
    },
    look() {
      looking ??= lookOnce().finally(() => {
        looking = undefined;
      });
      return looking;
    },
  };

  whenStopping(rest);
  tokens.onRevoked(() => void watch.look());
  database.onRecovered(readTimes);
  // Asked for before any other write, and thus done before any.
  database
    .write((db) => extendRunning(db, clock()))
    .then(watch.look, (error) => {
      keepLooking();
      log.warn({ err: error }, 'leases that run were not extended');
    });
  return watch;
}

const WHY: Record<string, string> = {
  expired: 'Runs were lost: their lease was not renewed in time.',
  token: 'Runs were lost: the token that held them is good no more.',
};

function noticeOf({ lease, runs }: LostLease): Notice {
  const [first] = runs;
  return {
    projectId: lease.projectId,
    level: 'warn',
    message: WHY[lease.endedWhy ?? ''] ?? 'Runs were lost.',
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
