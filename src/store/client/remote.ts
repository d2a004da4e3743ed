// The database on a libSQL server: the connection to a primary or one of its replicas, with the
// lease that lets one process at a time serve the database.
import { setTimeout } from 'node:timers/promises';
import type { ResultSet } from '@libsql/client';
import { ConfigError } from '../../config.ts';
import { StoreRefused, StoreUnavailable } from '../errors.ts';
import type { StoreClient } from './drizzle.ts';
import {
  createHranaClient,
  type HranaClient,
  inOrder,
  type Outcome,
  type Statement,
  serverOrigin,
} from './hrana.ts';
import { type LeaseStatements, leaseStatements } from './lease.ts';
import { ask, createRemoteReads, TO_PRIMARY } from './remote-reads.ts';
import { createRemoteTransactions, type TransactionOptions } from './remote-transactions.ts';

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
    throw new ConfigError(
      'PQRS_DATABASE_URL must be an address of libsql:, http:, https:, ws: or wss:',
    );
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
