// The database on a libSQL server: the connection to a primary or one of its replicas, with the
// lease that lets one process at a time serve the database.
import type { Client, InArgs, InStatement, ResultSet } from '@libsql/client';
import { ConfigError } from '../../config.ts';
import { StoreRefused, StoreUnavailable } from '../errors.ts';
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
import { createRemoteTransactions } from './remote-transactions.ts';
import type { TransactionControl } from './write-queue.ts';

export interface Remote {
  /** Sees what is committed, and always what this process has committed. */
  reader: Client;
  /** Executes each statement by itself, on the primary. */
  primary: Client;
  /** Executes in the transaction that the write queue has open. */
  writer: Client;
  control: TransactionControl;
  /** Gives the lease back. */
  close(): Promise<void>;
}

export interface RemoteOptions {
  url: string;
  /** Its authentication token, if it wants one. */
  token: string | undefined;
  /** The data folder of this process, which holds its lock. */
  dataDir: string;
  /**
   * Says whether the database belongs to the folder, before anything is written; gives the folder's id.
   * @throws StoreRefused where it does not
   */
  check(database: Client): Promise<string>;
  /** How long the lease holds unless it is renewed. */
  leaseMs: number;
  /** For how long a commit whose answer was lost is looked up before it is reported as failed. */
  lookUpMs?: number;
  /** Called once when another process has taken the lease. */
  onLost(): void;
  /** Called when a transaction that was reported as failed turns out to be committed. */
  onRecovered(): void;
}

const RELEASE_MS = 3000;

/**
 * Connects to a libSQL server and takes the lease of its database.
 *
 * @throws ConfigError for an address that cannot be one; StoreRefused when the server cannot be
 *   reached, or another process holds the lease
 */
export async function openRemote(options: RemoteOptions): Promise<Remote> {
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
    reader: clientOf(read),
    primary: clientOf(executeOnPrimary, (sql) => hrana.stream().sequence(sql)),
    writer: clientOf(transactions.execute),
    control: transactions.control,
    async close() {
      held = false;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const tooLong = new Promise((resolve) => {
        timer = setTimeout(resolve, RELEASE_MS);
      });
      await Promise.race([executeOnPrimary(lease.release).catch(() => {}), tooLong]);
      clearTimeout(timer);
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

/** @throws StoreRefused where the server cannot be used */
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

function clientOf(
  execute: (statement: Statement) => Promise<ResultSet>,
  executeMultiple?: (sql: string) => Promise<void>,
): Client {
  function unsupported(): never {
    throw new Error('not supported on this connection');
  }
  return {
    protocol: 'http',
    closed: false,
    execute: (statement: InStatement, args?: InArgs) => execute(statementOf(statement, args)),
    batch: (list) =>
      Promise.all(
        list.map((one) =>
          execute(Array.isArray(one) ? { sql: one[0], args: one[1] } : statementOf(one)),
        ),
      ),
    executeMultiple: executeMultiple ?? unsupported,
    migrate: unsupported,
    transaction: unsupported,
    sync: unsupported,
    reconnect: unsupported,
    close: unsupported,
  };
}

function statementOf(statement: InStatement, args?: InArgs): Statement {
  return typeof statement === 'string' ? { sql: statement, args } : statement;
}
