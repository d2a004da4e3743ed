// One look at everything. It changes nothing, and goes on where the database is damaged.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type EmbeddedClient, openEmbeddedClient } from '../../store/client/embedded.ts';
import { isDamaged, StoreRefused } from '../../store/errors.ts';
import { openIdentity } from '../../store/identity.ts';
import { READER } from '../backup/copy-database.ts';
import {
  CODES,
  type Code,
  checkCounters,
  checkDisk,
  checkFiles,
  checkFolder,
  checkForeignKeys,
  checkIntegrity,
  checkKeys,
  checkMigrations,
  checkSearch,
  type Findings,
  type Query,
} from './checks.ts';

export interface Finding {
  code: Code;
  severity: 'error' | 'warning' | 'info';
  /** What it is about: a path in the data folder, or a row. */
  subject: string;
  detail: string;
  repair: string;
}

/** Of each code the first ones are given. */
const MAX_OF_CODE = 10_000;

export interface Inspection {
  /** Absolute. */
  dataDir: string;
  freeDiskBytes: number;
  now: number;
}

/** `server` reads a database on a libSQL server. No other process may have the folder open. */
export async function inspect(
  { dataDir, freeDiskBytes, now }: Inspection,
  server?: Query,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const counts = new Map<Code, number>();

  function add(code: Code, subject: string, detail: string): void {
    const count = (counts.get(code) ?? 0) + 1;
    counts.set(code, count);
    const [severity, repair] = CODES[code];
    if (count <= MAX_OF_CODE) findings.push({ code, severity, subject, detail, repair });
  }

  /** Gives whether the check came to its end. */
  async function check(subject: string, found: Findings): Promise<boolean> {
    try {
      for await (const finding of found) add(...finding);
      return true;
    } catch (error) {
      const code = isDamaged(error) ? 'database_damaged' : 'check_failed';
      add(code, subject, (error as Error).message);
      return false;
    }
  }

  async function openFile(): Promise<EmbeddedClient | undefined> {
    try {
      const path = join(dataDir, 'pqrs.db');
      // It would be made.
      if (!existsSync(path)) throw new StoreRefused('it is not there');
      const client = openEmbeddedClient(path, READER);
      await openIdentity(dataDir, 'pqrs.db')
        .check(client)
        .catch((error: Error) => {
          // What cannot be read is found by the checks.
          if (error instanceof StoreRefused) add('folder_identity', '.', error.message);
        });
      return client;
    } catch (error) {
      const code = error instanceof StoreRefused ? 'database_missing' : 'database_damaged';
      add(code, 'pqrs.db', (error as Error).message);
      return undefined;
    }
  }

  const client = server ? undefined : await openFile();
  const inFile: Query = async (sql) =>
    ((await client?.execute(sql))?.rows ?? []) as unknown as unknown[][];
  const query = server ?? (client && inFile);
  try {
    // A server looks after its own pages, and takes few pragmas.
    if (client) {
      await check('database', checkIntegrity(inFile));
      await check('foreign keys', checkForeignKeys(inFile));
    }
    const isRead = query && (await check('migrations', checkMigrations(query)));
    const isCurrent = isRead && !counts.has('database_newer') && !counts.has('migrations_pending');
    if (isCurrent) {
      await check('search', checkSearch(query));
      await check('counters', checkCounters(query));
    }
    // Rows of which some cannot be read say nothing of the files.
    const rows = isCurrent && !counts.has('database_damaged') ? query : undefined;
    await check('keys', checkKeys(join(dataDir, 'keys'), rows));
    await check('files', checkFiles(join(dataDir, 'files'), now, rows));
    await check('folder', checkFolder(dataDir, now));
    await check('disk', checkDisk(dataDir, freeDiskBytes));
  } finally {
    client?.close();
  }
  return findings;
}
