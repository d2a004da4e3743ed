// The write transactions of a libSQL server, one after the other. What needs no answer (begin,
// savepoints) travels with the statement that follows it, and statements that are asked for
// together travel together. A transaction that the server has ended goes on with nothing, and a
// commit whose answer was lost is looked up.

import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import type { ResultSet } from '@libsql/client';
import { StoreUnavailable } from '../errors.ts';
import {
  type Condition,
  type HranaClient,
  inOrder,
  type Outcome,
  type Statement,
  type Step,
  type Stream,
} from './hrana.ts';
import type { TransactionControl } from './write-queue.ts';

export interface TransactionOptions {
  hrana: HranaClient;
  lease: LeaseStatements;
  /** For how long a commit whose answer was lost is looked up before it is reported as failed. */
  lookUpMs?: number | undefined;
  onLost(): void;
  /** A transaction that was reported as failed is found to be committed. */
  onRecovered(): void;
}

export type RemoteTransactions = ReturnType<typeof createRemoteTransactions>;

interface Waiting {
  statement: Statement;
  /** Missing for what needs no answer. */
  settle?: { resolve(result: ResultSet): void; reject(error: unknown): void };
}

const BEGIN = 'begin immediate';
const ROLLBACK_ONE = 'rollback to one';
const REQUEST_BYTES = 2 * 1024 * 1024;
const REQUEST_STEPS = 500;

interface Open {
  stream: Stream;
  waiting: Waiting[];
  begun: boolean;
  number: number;
  lost: Error | undefined;
  sending: Promise<void> | undefined;
}

const LOOK_UP_MS = 10_000;
const LOOK_UP_PAUSE_MS = 250;
const ROLLBACK_MS = 1000;

class LeaseLost extends Error {}

export function createRemoteTransactions(options: TransactionOptions) {
  const { hrana, lease, lookUpMs = LOOK_UP_MS } = options;
  let committed = 0;
  let open: Open | undefined;

  function current(): Open {
    if (!open) throw new Error('no transaction is open');
    return open;
  }

  function lose(transaction: Open, cause: unknown, sent: Waiting[]): void {
    const lost = cause instanceof StoreUnavailable ? cause : new StoreUnavailable(cause);
    transaction.lost ??= lost;
    // Where the server still has it, nobody need wait for its end.
    const over = transaction.stream.batch([{ sql: 'rollback' }], true).catch(() => {});
    if (cause instanceof LeaseLost)
      Promise.race([over, setTimeout(ROLLBACK_MS)]).then(options.onLost);
    for (const { settle } of [...sent, ...transaction.waiting.splice(0)]) settle?.reject(lost);
  }

  async function sendAll(transaction: Open): Promise<void> {
    // A moment later, so that what is asked for in the same step goes along.
    await undefined;
    while (transaction.waiting.some(({ settle }) => settle)) {
      await sendSome(transaction, takeSome(transaction.waiting));
    }
    // In the same step as the last look at the list: what is added later starts anew.
    transaction.sending = undefined;
  }

  async function sendSome(transaction: Open, some: Waiting[]): Promise<void> {
    transaction.begun = true;
    try {
      const { outcomes, autocommit } = await transaction.stream.batch(stepsOf(some));
      for (const [index, { statement, settle }] of some.entries()) {
        const outcome = outcomes[index] ?? notExecuted(statement);
        if (statement === lease.renew) readNumber(transaction, outcome);
        if (!(outcome instanceof Error)) settle?.resolve(outcome);
        else if (settle) settle.reject(outcome);
        else throw outcome;
      }
      if (autocommit) throw new Error('the server has ended the transaction');
    } catch (error) {
      lose(transaction, error, some);
    }
  }

  function readNumber(transaction: Open, outcome: Outcome): void {
    if (outcome === undefined || outcome instanceof Error) return;
    const number = outcome.rows[0]?.[0];
    if (number === undefined) throw new LeaseLost('another process has the lease of the database');
    transaction.number = Number(number);
    // The one before, whose outcome could not be learnt, was committed after all.
    if (transaction.number > committed + 1) options.onRecovered();
    committed = transaction.number - 1;
  }

  async function commit(): Promise<void> {
    const transaction = current();
    open = undefined;
    await transaction.sending;
    if (transaction.lost) throw transaction.lost;
    if (!transaction.begun) return;
    const last = [...transaction.waiting, { statement: { sql: 'commit' } }];
    let outcomes: Outcome[] = [];
    try {
      ({ outcomes } = await transaction.stream.batch(stepsOf(last), true));
    } catch {
      // Whether it was committed is looked up.
    }
    const failure = outcomes.find((outcome) => outcome instanceof Error);
    if (failure) throw failure;
    if (!outcomes[last.length - 1] && !(await isCommitted(transaction.number))) {
      throw new StoreUnavailable(new Error('the transaction was not committed'));
    }
    committed = transaction.number;
  }

  /**
   * Looks up whether a transaction was committed. Its own transaction gets its turn only when the
   * other has ended, however it did.
   */
  async function isCommitted(number: number): Promise<boolean> {
    const end = performance.now() + lookUpMs;
    for (;;) {
      try {
        const steps = [{ sql: BEGIN }, lease.confirm, { sql: 'commit' }];
        const { outcomes } = await hrana.stream().batch(inOrder(steps), true);
        const [, last, done] = outcomes;
        if (!done || !last || done instanceof Error || last instanceof Error) {
          throw new StoreUnavailable(last ?? 'no answer');
        }
        if (last.rows.length === 0) options.onLost();
        return Number(last.rows[0]?.[0] ?? 0) >= number;
      } catch (error) {
        if (performance.now() > end) throw error;
        await setTimeout(LOOK_UP_PAUSE_MS);
      }
    }
  }

  function execute(statement: Statement): Promise<ResultSet> {
    const transaction = current();
    if (transaction.lost) return Promise.reject(transaction.lost);
    return new Promise((resolve, reject) => {
      transaction.waiting.push({ statement, settle: { resolve, reject } });
      transaction.sending ??= sendAll(transaction);
    });
  }

  function add(sql: string): void {
    current().waiting.push({ statement: { sql } });
  }

  const control: TransactionControl = {
    begin() {
      const waiting = [{ statement: { sql: BEGIN } }, { statement: lease.renew }];
      const stream = hrana.stream();
      open = { stream, waiting, begun: false, number: 0, lost: undefined, sending: undefined };
    },
    commit,
    async rollback() {
      const { begun, lost, stream } = current();
      open = undefined;
      if (begun && !lost) await stream.batch([{ sql: 'rollback' }], true);
    },
    savepoint: () => add('savepoint one'),
    release: () => add('release one'),
    rollbackToSavepoint() {
      add(ROLLBACK_ONE);
      add('release one');
    },
    inTransaction: () => open !== undefined && open.lost === undefined,
  };
  return {
    control,
    execute,
    committed: () => committed,
  };
}

function notExecuted({ sql }: Statement): Error {
  return new StoreUnavailable(new Error(`not executed: ${sql.slice(0, 60)}`));
}

const IN_TRANSACTION: Condition = { type: 'not', cond: { type: 'is_autocommit' } };

function stepsOf(waiting: Waiting[]): Step[] {
  return waiting.map(({ statement }, index) => {
    if (statement.sql === BEGIN) return statement;
    if (index === 0 || statement.sql === ROLLBACK_ONE) {
      return { ...statement, condition: IN_TRANSACTION };
    }
    const conds: Condition[] = [{ type: 'ok', step: index - 1 }, IN_TRANSACTION];
    return { ...statement, condition: { type: 'and', conds } };
  });
}

function takeSome(waiting: Waiting[]): Waiting[] {
  let bytes = 0;
  let count = 0;
  let answered = false;
  for (const { statement, settle } of waiting) {
    bytes += sizeOf(statement);
    if (answered && (bytes > REQUEST_BYTES || count >= REQUEST_STEPS)) break;
    answered ||= settle !== undefined;
    count += 1;
  }
  return waiting.splice(0, count);
}

function sizeOf({ sql, args = [] }: Statement): number {
  let bytes = sql.length;
  for (const value of args) {
    if (typeof value === 'string') bytes += Buffer.byteLength(value);
    else if (value instanceof Uint8Array || value instanceof ArrayBuffer) bytes += value.byteLength;
    else bytes += 8;
  }
  return bytes;
}

export const LEASE_MS = 20_000;
export const RENEWED_AFTER = 0.25;

export type LeaseStatements = ReturnType<typeof leaseStatements>;

const NOW = "cast(unixepoch('subsec') * 1000 as integer)";

/**
 * The lease of a new holder.
 * @param dataDir - the process's own data folder, which it has locked: a lease that names the folder
 *   is that of an earlier process, which is gone, and need not be waited for
 */
export function leaseStatements(dataDir: string, folderId: string, leaseMs: number) {
  const holder = randomUUID();
  // A copy of the folder has its id, and a lock of its own.
  const folder = `${folderId} ${statSync(dataDir).ino}`;
  const end = `${NOW} + ${Math.round(leaseMs)}`;
  return {
    create: {
      sql: `create table if not exists lease (
        one integer primary key check (one = 1),
        holder text not null,
        folder text not null,
        host text not null,
        process integer not null,
        commits integer not null,
        ends_at integer not null
      ) strict`,
    },
    /** Takes it, where it is free, ended or this data folder's; gives a row if so. */
    take: {
      sql: `insert into lease (one, holder, folder, host, process, commits, ends_at)
        values (1, ?, ?, ?, ?, 0, ${end})
        on conflict (one) do update set
          holder = excluded.holder, folder = excluded.folder, host = excluded.host,
          process = excluded.process, commits = 0, ends_at = excluded.ends_at
        where lease.ends_at <= ${NOW} or lease.folder = excluded.folder or lease.holder = excluded.holder
        returning commits`,
      args: [holder, folder, hostname(), process.pid],
    },
    /** Who holds it: a row of host, process, and milliseconds until it ends. */
    holder: { sql: `select host, process, ends_at - ${NOW} from lease` },
    /** Renews it and numbers the transaction; gives the number, or no row where it is lost. */
    renew: {
      sql: `update lease set commits = commits + 1, ends_at = ${end} where holder = ? returning commits`,
      args: [holder],
    },
    /** Renews it; gives the number of the last transaction, or no row where it is lost. */
    confirm: {
      sql: `update lease set ends_at = ${end} where holder = ? returning commits`,
      args: [holder],
    },
    /** Reads the number of the last transaction; gives no row where the lease is lost. */
    mark: { sql: 'select commits from lease where holder = ?', args: [holder] },
    release: { sql: 'delete from lease where holder = ?', args: [holder] },
  };
}
