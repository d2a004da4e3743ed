// Watches over the leases of an instance: those whose time is up, or whose token has ended, are lost
// within a second, and the project's log says so. Where nobody could renew one, since nobody served
// or the clock was set, all get their whole time again. Nothing is asked while no lease runs.
import type { Context } from '../../http/api/context.ts';
import type { Notice } from '../../http/api/notices.ts';
import type { Db } from '../../store/database.ts';
import type { RunEvents } from '../runs/events.ts';
import {
  dueTimes,
  extendRunning,
  type LostLease,
  loseDueLeases,
  loseLeasesOf,
} from './lose-leases.ts';

export interface LeaseWatch {
  /** To be called after the commit of a new lease. */
  opened(lease: { tokenId: string; expiresAt: number }): void;
  /** Calls back with the token whenever a lease was opened. */
  onOpened(listener: (tokenId: string) => void): void;
  /** Whether a token may hold a lease; never false of one that does. */
  mayHold(tokenId: string): boolean;
  /**
   * To be called at the beginning of a request that rests on leases: where the service stood still
   * until now, or the clock was set, what is written next finds the leases extended.
   */
  catchUp(): void;
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
/** Looks that are further apart say that nobody was served between them, or that the clock was set. */
const STILL_MS = 5000;

/** Begins to watch. The start comes after a time in which nobody served. */
export function watchLeases(
  { database, clock, tokens, notices, log, draining, whenStopping }: Watched,
  events: Pick<RunEvents, 'changed'>,
): LeaseWatch {
  /** When the first lease of a token may be due: never too late, since renewals are not counted. */
  let due = new Map<string, number>();
  /** Whether `due` knows of all that the database does. */
  let known = false;
  const listeners: ((tokenId: string) => void)[] = [];
  let timer: ReturnType<typeof setInterval> | undefined;
  let looking: Promise<void> | undefined;
  /** When it looked last, by the clock that leases go by; none while it rests. */
  let lookedAt: number | undefined;
  /** Whether the leases that run are to be extended before any is lost. */
  let graceDue = true;
  let granting: Promise<void> | undefined;

  function keepLooking(): void {
    if (timer !== undefined || draining()) return;
    lookedAt = clock();
    timer = setInterval(() => {
      watch.catchUp();
      void watch.look();
    }, EACH_MS);
    timer.unref();
  }

  function rest(): void {
    clearInterval(timer);
    timer = undefined;
    lookedAt = undefined;
  }

  /** Writes are done in the order in which they are asked for: this one before any later one. */
  function giveGrace(): Promise<void> {
    graceDue = true;
    granting ??= database
      .write((db) => extendRunning(db, clock()))
      .then(() => {
        graceDue = false;
      })
      .finally(() => {
        granting = undefined;
      });
    return granting;
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
    let lost: LostLease[];
    do {
      lost = await database.write((db) => loseDueLeases(db, now));
      watch.tell(lost);
    } while (lost.length > 0);
  }

  async function lookOnce(): Promise<void> {
    try {
      if (graceDue) await giveGrace();
      const now = clock();
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
    opened({ tokenId, expiresAt }) {
      expect(tokenId, expiresAt);
      for (const listener of listeners) listener(tokenId);
    },
    onOpened: (listener) => void listeners.push(listener),
    mayHold: (tokenId) => !known || due.has(tokenId),
    catchUp() {
      if (lookedAt === undefined) return;
      const now = clock();
      // Where this fails, the next look tries again and says so.
      if (Math.abs(now - lookedAt) > STILL_MS) giveGrace().catch(() => {});
      lookedAt = now;
    },
    settle: async (db, now) => (isAnyDue(now) ? loseDueLeases(db, now) : []),
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
  void watch.look();
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
