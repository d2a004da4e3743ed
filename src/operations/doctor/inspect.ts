// One look at everything. It changes nothing, and goes on where the database is damaged.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type EmbeddedClient, openEmbeddedClient } from '../../store/client/embedded.ts';
import { isDamaged, StoreRefused } from '../../store/errors.ts';
import { openIdentity } from '../../store/identity.ts';
import {
  checkCounters,
  checkDisk,
  checkFiles,
  checkFolder,
  checkForeignKeys,
  checkIntegrity,
  checkKeys,
  checkMigrations,
  checkSearch,
  type Query,
} from './checks.ts';
import { type Finding, Findings } from './findings.ts';

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
  const findings = new Findings();
  async function check<T>(subject: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      const code = isDamaged(error) ? 'database_damaged' : 'check_failed';
      findings.add(code, subject, (error as Error).message);
      return undefined;
    }
  }
  const client = server ? undefined : await openFile(dataDir, findings);
  const inFile: Query = async (sql) =>
    ((await client?.execute(sql))?.rows ?? []) as unknown as unknown[][];
  const query = server ?? (client && inFile);
  try {
    // A server looks after its own pages, and takes few pragmas.
    if (client) {
      await check('database', () => checkIntegrity(inFile, findings));
      await check('foreign keys', () => checkForeignKeys(inFile, findings));
    }
    const isCurrent = query && (await check('migrations', () => checkMigrations(query, findings)));
    if (isCurrent) {
      await check('search', () => checkSearch(query, findings));
      await check('counters', () => checkCounters(query, findings));
    }
    // Rows of which some cannot be read say nothing of the files.
    const rows = isCurrent && !findings.has('database_damaged') ? query : undefined;
    await check('keys', () => checkKeys(join(dataDir, 'keys'), rows, findings));
    await check('files', () => checkFiles(join(dataDir, 'files'), now, rows, findings));
    await check('folder', () => checkFolder(dataDir, now, findings));
    await check('disk', () => checkDisk(dataDir, freeDiskBytes, findings));
  } finally {
    client?.close();
  }
  return findings.list;
}

async function openFile(dataDir: string, findings: Findings): Promise<EmbeddedClient | undefined> {
  const path = join(dataDir, 'pqrs.db');
  try {
    // It would be made.
    if (!existsSync(path)) throw new StoreRefused('it is not there');
    const client = openEmbeddedClient(path, [
      'pragma query_only = 1',
      'pragma wal_autocheckpoint = 0',
    ]);
    await openIdentity(dataDir, 'pqrs.db')
      .check(client)
      .catch((error: Error) => {
        // What cannot be read is found by the checks.
        if (error instanceof StoreRefused) findings.add('folder_identity', '.', error.message);
      });
    return client;
  } catch (error) {
    const code = error instanceof StoreRefused ? 'database_missing' : 'database_damaged';
    findings.add(code, 'pqrs.db', (error as Error).message);
    return undefined;
  }
}
