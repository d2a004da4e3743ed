// A consistent copy of a database that is being written, page by page, and whether a database is sound.
// Both take long: they run in a worker, or in a command of their own.
import { type FileHandle, open } from 'node:fs/promises';
import { type EmbeddedClient, openEmbeddedClient } from '../../store/client/embedded.ts';
import { createFile, type Pace } from './files.ts';
import { BackupError, type OnBackupProgress } from './manifest.ts';

const PAGES_PER_BATCH = 128;
export const READER = ['pragma query_only = 1', 'pragma wal_autocheckpoint = 0'];

export async function withDatabase<T>(
  path: string,
  work: (client: EmbeddedClient) => Promise<T>,
  pragmas = READER,
): Promise<T> {
  const client = openEmbeddedClient(path, pragmas);
  try {
    return await work(client);
  } finally {
    if (client.inTransaction) client.exec('rollback');
    client.close();
  }
}

interface CopyOptions {
  pace: Pace;
  /** @throws BackupError where there is no room for so many bytes */
  requireRoom(bytes: number): Promise<void>;
  onProgress: OnBackupProgress;
}

/**
 * Copies a database file that other connections write. No checkpoint gets past a read that is open, and
 * the first one after it holds the writer up for all that has come meanwhile. So the pages are copied
 * without a transaction first, at leisure; one short transaction, which waits for no disk, then compares
 * them and copies those that have changed.
 * @param to - a path where nothing lies
 */
export function copyDatabase(from: string, to: string, options: CopyOptions): Promise<void> {
  return withDatabase(from, async (client) => {
    const pageBytes = await numberOf(client, 'pragma page_size');
    const first = await numberOf(client, 'pragma page_count');
    await options.requireRoom(first * pageBytes);
    await createFile(to, async (write) => {
      for await (const { pages, done } of batches(client, first)) {
        await write(pages);
        options.onProgress('database', done, first);
        await options.pace();
      }
    });
    const copy = await open(to, 'r+');
    try {
      client.exec('begin');
      const count = await numberOf(client, 'pragma page_count');
      for await (const { pages, at } of batches(client, count))
        await writeChanged(copy, pages, at * pageBytes, pageBytes);
      client.exec('rollback');
      await copy.truncate(count * pageBytes);
      // File format 1, not 2 (WAL): the copy is whole by itself (sqlite.org/fileformat2.html, 1.3).
      await copy.write(Buffer.from([1, 1]), 0, 2, 18);
      await copy.sync();
    } finally {
      await copy.close();
    }
  });
}

async function* batches(client: EmbeddedClient, count: number) {
  for (let at = 0; at < count; at += PAGES_PER_BATCH) {
    const done = Math.min(count, at + PAGES_PER_BATCH);
    // By number: sqlite_dbpage answers `pgno =` alone without walking through all pages.
    const { rows } = await client.execute(
      `with recursive page(number) as (select ?1 union all select number + 1 from page where number < ?2)
       select data from page cross join sqlite_dbpage on pgno = number`,
      [at + 1, done],
    );
    yield { pages: Buffer.concat(rows.map((row) => row[0] as unknown as Uint8Array)), at, done };
  }
}

async function writeChanged(copy: FileHandle, pages: Buffer, from: number, pageBytes: number) {
  const old = Buffer.alloc(pages.byteLength);
  const { bytesRead } = await copy.read(old, 0, old.byteLength, from);
  for (let at = 0; at < pages.byteLength; at += pageBytes) {
    const page = pages.subarray(at, at + pageBytes);
    if (at + pageBytes > bytesRead || !old.subarray(at, at + pageBytes).equals(page))
      await copy.write(page, 0, pageBytes, from + at);
  }
}

async function numberOf(client: EmbeddedClient, sql: string): Promise<number> {
  return Number((await client.execute(sql)).rows[0]?.[0]);
}

/** `quick_check` passes over indexes, and is some times faster. @throws BackupError with what is damaged */
export async function requireSound(
  path: string,
  check: 'integrity_check' | 'quick_check',
): Promise<void> {
  try {
    await withDatabase(path, async (client) => {
      const [found] = (await client.execute(`pragma ${check}(1)`)).rows;
      if (found?.[0] !== 'ok') throw new Error(String(found?.[0]));
      const [row] = (await client.execute('pragma foreign_key_check')).rows;
      if (row) throw new Error(`row ${row[1]} of ${row[0]} names a row of ${row[2]} not there`);
    });
  } catch (error) {
    const { message } = error as Error;
    throw new BackupError(`the database is damaged, see pqrs doctor: ${message}`);
  }
}
