// The database on a libSQL server, through the stock client. Writes go through one interactive
// transaction at a time, which the write queue opens and closes.
import { type Client, createClient, type Transaction } from '@libsql/client';
import type { TransactionControl } from './write-queue.ts';

export interface Remote {
  /** For reads, and for statements outside the queue. */
  client: Client;
  /** Executes in the transaction that the queue has open. */
  writer: Client;
  control: TransactionControl;
}

/**
 * Connects to a libSQL server.
 *
 * @param url - `libsql://`, `http://`, `https://`, `ws://` or `wss://`
 * @param token - its authentication token, if it wants one
 */
export async function openRemote(url: string, token: string | undefined): Promise<Remote> {
  const client = createClient({ url, ...(token ? { authToken: token } : {}) });
  await client.execute('select 1');
  let open: Transaction | undefined;

  function current(): Transaction {
    if (!open) throw new Error('no transaction is open');
    return open;
  }

  const writer = {
    get closed() {
      return client.closed;
    },
    protocol: client.protocol,
    execute: ((statement: Parameters<Transaction['execute']>[0]) =>
      current().execute(statement)) as Client['execute'],
    batch: ((list: Parameters<Transaction['batch']>[0]) =>
      current().batch(list)) as Client['batch'],
    executeMultiple: (sql: string) => current().executeMultiple(sql),
    migrate: client.migrate.bind(client),
    transaction: client.transaction.bind(client),
    sync: client.sync.bind(client),
    reconnect: client.reconnect.bind(client),
    close: client.close.bind(client),
  } satisfies Client;

  async function end(how: 'commit' | 'rollback'): Promise<void> {
    const ending = current();
    try {
      await ending[how]();
    } finally {
      ending.close();
      open = undefined;
    }
  }

  return {
    client,
    writer,
    control: {
      async begin() {
        open = await client.transaction('write');
      },
      commit: () => end('commit'),
      rollback: () => end('rollback'),
      async savepoint() {
        await current().execute('savepoint one');
      },
      async release() {
        await current().execute('release one');
      },
      async rollbackToSavepoint() {
        await current().batch(['rollback to one', 'release one']);
      },
      inTransaction: () => open !== undefined && !open.closed,
    },
  };
}
