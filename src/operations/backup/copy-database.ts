// A consistent copy of a database that is being written, page by page in one read transaction, and
// whether a database is sound. Both take long: they run in a worker, or in a command of their own.
import { createHash } from 'node:crypto';
import { openEmbeddedClient } from '../../store/embedded-client.ts';
import { createFile, type Pace } from './files.ts';
import { BackupError } from './manifest.ts';

const PAGES_PER_BATCH = 128;
/** `query_only`, and no checkpoint: the server's one writing connection alone makes those. */
const READER = ['pragma query_only = 1', 'pragma wal_autocheckpoint = 0'];

export interface DatabaseCopy {
  bytes: number;
  sha256: string;
}

interface CopyOptions {
  pace: Pace;
  /** Is called with the size before anything is written; may throw. */
  onSize(bytes: number): Promise<void>;
  /** In pages. */
  onProgress(done: number, total: number): void;
}

/**
 * Copies a database file that other connections write.
 *
 * @param from - the live file, read through libSQL alone: file functions would drop SQLite's locks
 * @param to - a path where nothing lies
 */
export async function copyDatabase(
  from: string,
  to: string,
  { pace, onSize, onProgress }: CopyOptions,
): Promise<DatabaseCopy> {
  const client = openEmbeddedClient(from, READER);
  try {
    client.exec('begin');
    const [pages, pageBytes] = [
      await numberOf(client, 'pragma page_count'),
      await numberOf(client, 'pragma page_size'),
    ];
    const bytes = pages * pageBytes;
    await onSize(bytes);
    const hash = createHash('sha256');
    await createFile(to, async (write) => {
      for (let first = 1; first <= pages; first += PAGES_PER_BATCH) {
        const last = Math.min(pages, first + PAGES_PER_BATCH - 1);
        // By number: sqlite_dbpage answers `pgno =` alone without walking through all pages.
        const { rows } = await client.execute(
          `with recursive page(number) as (select ?1 union all select number + 1 from page where number < ?2)
           select data from page cross join sqlite_dbpage on pgno = number`,
          [first, last],
        );
        const batch = Buffer.concat(rows.map((row) => row[0] as unknown as Uint8Array));
        // File format 1, not 2 (WAL): the copy is whole by itself (sqlite.org/fileformat2.html, 1.3).
        if (first === 1) batch.fill(1, 18, 20);
        hash.update(batch);
        await write(batch);
        onProgress(last, pages);
        await pace();
      }
    });
    return { bytes, sha256: hash.digest('hex') };
  } finally {
    if (client.inTransaction) client.exec('rollback');
    client.close();
  }
}

async function numberOf(client: ReturnType<typeof openEmbeddedClient>, sql: string) {
  return Number((await client.execute(sql)).rows[0]?.[0]);
}

const MAX_FINDINGS = 20;

/**
 * Looks for damage in a database that nobody writes.
 *
 * @param check - `quick_check` passes over what indexes say of their tables, and is some times faster
 * @returns what is wrong, a line each; nothing where it is sound
 */
export async function verifyDatabase(
  path: string,
  check: 'integrity_check' | 'quick_check' = 'integrity_check',
): Promise<string[]> {
  const findings: string[] = [];
  try {
    const client = openEmbeddedClient(path, READER);
    try {
      const { rows } = await client.execute(`pragma ${check}(${MAX_FINDINGS})`);
      findings.push(...rows.map((row) => String(row[0])).filter((text) => text !== 'ok'));
      const foreign = await client.execute('pragma foreign_key_check');
      for (const row of foreign.rows.slice(0, MAX_FINDINGS))
        findings.push(`row ${row[1]} of ${row[0]} names a row of ${row[2]} that is not there`);
    } finally {
      client.close();
    }
  } catch (error) {
    findings.push(error instanceof Error ? error.message : String(error));
  }
  return findings;
}

/** @throws BackupError with the first finding */
export async function requireSound(
  path: string,
  check: 'integrity_check' | 'quick_check',
): Promise<void> {
  const [first, ...more] = await verifyDatabase(path, check);
  if (first === undefined) return;
  const others = more.length > 0 ? ` (and ${more.length} more)` : '';
  throw new BackupError(`the database is damaged, see pqrs doctor: ${first}${others}`);
}
