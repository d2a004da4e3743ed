// The database on a libSQL server: the connection to a primary or one of its replicas, with the
// lease that lets one process at a time serve the database. A replica may lag behind what this process
// has written, or start anew from an older state: each request looks whether it has seen the last write,
// and goes to the primary where it has not. What is asked for together shares a request.
import { setTimeout } from 'node:timers/promises';
import type { ResultSet } from '@libsql/client';
import { ConfigError } from '../../config.ts';
import { StoreRefused, StoreUnavailable } from '../errors.ts';
import type { StoreClient } from './drizzle.ts';
import {
  createHranaClient,
  DatabaseError,
  type HranaClient,
  inOrder,
  type Outcome,
  type Statement,
  type Step,
  serverOrigin,
} from './hrana.ts';
import {
  createRemoteTransactions,
  type LeaseStatements,
  leaseStatements,
  type RemoteTransactions,
  type TransactionOptions,
} from './remote-transactions.ts';

export interface RemoteOptions extends Omit<TransactionOptions, 'hrana' | 'lease'> {
  url: string;
  token: string | undefined;
  dataDir: string;
  /**
   * Says whether the database belongs to the folder, before anything is written; gives the folder's id.
   * @throws StoreRefused where it does not
   */
  check(database: StoreClient): Promise<string>;
  leaseMs: number;
}

const RELEASE_MS = 3000;

/** @throws ConfigError; StoreRefused when it cannot be reached, or another process holds the lease */
export async function openRemote(options: RemoteOptions) {
  const origin = serverOrigin(options.url);
  if (!origin) {
    throw new ConfigError('PQRS_DATABASE_URL must be an address of libsql:, http: or https:');
  }
  const hrana = createHranaClient(origin, options.token);
  async function executeOnPrimary(statement: Statement): Promise<ResultSet> {
    return resultOf((await ask(hrana, [statement, TO_PRIMARY]))[0]);
  }

  const folderId = await orRefused(origin, () => options.check(clientOf(executeOnPrimary)));
  const lease = leaseStatements(options.dataDir, folderId, options.leaseMs);
  let held = true;
  const events = {
    onLost() {
      if (held) options.onLost();
      held = false;
    },
    onRecovered: options.onRecovered,
  };
  await orRefused(origin, () => takeLease(hrana, lease));
  const transactions = createRemoteTransactions({
    ...events,
    hrana,
    lease,
    lookUpMs: options.lookUpMs,
  });
  const read = createRemoteReads({ ...transactions, hrana, lease, onLost: events.onLost });

  return {
    /** Sees what is committed, and always what this process has committed. */
    reader: clientOf(read),
    /** Executes each statement by itself, on the primary. */
    primary: {
      ...clientOf(executeOnPrimary),
      exec: (sql: string) => hrana.stream().sequence(sql),
    },
    /** Executes in the transaction that the write queue has open. */
    writer: clientOf(transactions.execute),
    control: transactions.control,
    async close(): Promise<void> {
      held = false;
      const released = executeOnPrimary(lease.release).catch(() => {});
      await Promise.race([released, setTimeout(RELEASE_MS, undefined, { ref: false })]);
    },
  };
}

async function takeLease(hrana: HranaClient, lease: LeaseStatements): Promise<void> {
  const steps = inOrder([lease.create, lease.take, lease.holder]);
  const [, taken, holder] = (await ask(hrana, steps)).map(resultOf);
  if (taken?.rows.length === 1) return;
  const [host = '?', process = '?', endsInMs = 0] = Array.from(holder?.rows[0] ?? []);
  throw new StoreRefused(
    `another pqrs process (${process} on ${host}) serves this database; its lease ends in ${Math.ceil(Number(endsInMs) / 1000)} s unless it is renewed`,
  );
}

async function orRefused<T>(origin: URL, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreRefused) throw error;
    const { message } = (error instanceof StoreUnavailable ? error.cause : error) as Error;
    throw new StoreRefused(`the libSQL server at ${origin.host} cannot be used: ${message}`);
  }
}

/** @throws what the server said against the statement */
function resultOf(outcome: Outcome): ResultSet {
  if (outcome instanceof Error) throw outcome;
  if (outcome === undefined) throw new StoreUnavailable(new Error('a statement was not executed'));
  return outcome;
}

function clientOf(execute: (statement: Statement) => Promise<ResultSet>): StoreClient {
  return {
    execute: (statement, args) =>
      execute(typeof statement === 'string' ? { sql: statement, args } : statement),
  };
}

type ReadOptions = Pick<TransactionOptions, 'hrana' | 'lease' | 'onLost'> &
  Pick<RemoteTransactions, 'committed'>;

interface Waiting {
  statement: Statement;
  resolve(result: ResultSet): void;
  reject(error: unknown): void;
}

const REQUESTS_AT_ONCE = 8;
const STATEMENTS_A_REQUEST = 8;
const RETRY_WITHIN_MS = 1000;

/**
 * A step that would write makes a replica hand the whole request on to its primary. It takes no
 * lock, as it is not executed: the first step would have to fail.
 */
const TO_PRIMARY: Step = {
  sql: 'delete from lease where false',
  condition: { type: 'error', step: 0 },
};

/** Gives a function that rejects with what the server says against a statement, else StoreUnavailable. */
function createRemoteReads({ hrana, lease, committed, onLost }: ReadOptions) {
  const waiting: Waiting[] = [];
  let underWay = 0;

  async function read(some: Waiting[]): Promise<void> {
    try {
      const outcomes = await readFresh(some.map(({ statement }) => statement));
      for (const [index, { resolve, reject }] of some.entries()) {
        const outcome = outcomes[index];
        if (outcome instanceof Error) reject(outcome);
        else if (outcome) resolve(outcome);
        else reject(new StoreUnavailable(new Error('a statement was not executed')));
      }
    } catch (error) {
      // Too large together, or one of them is no SQL: that is for each by itself to learn.
      const maySplit = some.length > 1 && error instanceof DatabaseError;
      if (maySplit) for (const one of some) await read([one]);
      else for (const { reject } of some) reject(error);
    }
  }

  async function readFresh(statements: Statement[]): Promise<Outcome[]> {
    const wanted = committed();
    const steps = [lease.mark, ...statements];
    const [mark, ...outcomes] = await ask(hrana, steps);
    if (isFresh(mark, wanted)) return outcomes;
    const [markThere, ...outcomesThere] = await ask(hrana, [...steps, TO_PRIMARY]);
    if (isFresh(markThere, wanted)) return outcomesThere;
    if (markThere instanceof Error) throw markThere;
    if (markThere?.rows.length === 0) onLost();
    throw new StoreUnavailable(new Error('the database is not as this process has left it'));
  }

  function start(): void {
    while (underWay < REQUESTS_AT_ONCE && waiting.length > 0) {
      underWay += 1;
      void read(waiting.splice(0, STATEMENTS_A_REQUEST)).finally(() => {
        underWay -= 1;
        start();
      });
    }
  }

  return (statement: Statement) =>
    new Promise<ResultSet>((resolve, reject) => {
      if (waiting.length === 0) setImmediate(start);
      waiting.push({ statement, resolve, reject });
    });
}

/**
 * Executes steps that may be executed twice: they are sent again where the connection breaks, as
 * one does that was kept while the server restarted.
 */
async function ask(hrana: HranaClient, steps: Step[]): Promise<Outcome[]> {
  const began = performance.now();
  try {
    return (await hrana.stream().batch(steps, true)).outcomes;
  } catch (error) {
    const mayRetry = error instanceof StoreUnavailable;
    if (!mayRetry || performance.now() - began > RETRY_WITHIN_MS) throw error;
    return (await hrana.stream().batch(steps, true)).outcomes;
  }
}

function isFresh(mark: Outcome, wanted: number): boolean {
  if (mark === undefined || mark instanceof Error) return false;
  const [row] = mark.rows;
  return row !== undefined && Number(row[0]) >= wanted;
}
