// One look at everything. It changes nothing, and goes on where the database is damaged.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type EmbeddedClient, openEmbeddedClient } from '../../store/client/embedded.ts';
import { isDamaged, StoreRefused } from '../../store/errors.ts';
import { openIdentity } from '../../store/identity.ts';
import {
  addDamage,
  checkCounters,
  checkForeignKeys,
  checkIntegrity,
  checkMigrations,
  checkSearch,
  type Query,
} from './check-database.ts';
import { checkFiles } from './check-files.ts';
import { checkDisk, checkFolder, checkKeys } from './check-folder.ts';
import { type Finding, Findings } from './findings.ts';

export interface Inspection {
  /** Absolute. */
  dataDir: string;
  /** Fewer free bytes than this are too few. */
  freeDiskBytes: number;
  /** Milliseconds since the epoch. */
  now: number;
}

const READER = ['pragma query_only = 1', 'pragma wal_autocheckpoint = 0'];

/**
 * Inspects a data folder. No other process may have it open, but the caller's own.
 *
 * @param server - reads the database where it is on a libSQL server; the file in the folder unless given
 */
export async function inspect(
  { dataDir, freeDiskBytes, now }: Inspection,
  server?: Query,
): Promise<Finding[]> {
  const findings = new Findings();

  async function check<T>(subject: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (isDamaged(error)) addDamage(findings, subject, error);
      else {
        const { message } = error as Error;
        findings.add('check_failed', subject, message, 'mend what it says, and run it again');
      }
      return undefined;
    }
  }

  const client = server ? undefined : await openFile(dataDir, findings);
  try {
    const query =
      server ??
      (client && (async (sql) => (await client.execute(sql)).rows as unknown as unknown[][]));
    // A server looks after its own pages, and takes few pragmas.
    if (query && !server) {
      await check('database', () => checkIntegrity(query, findings));
      await check('foreign keys', () => checkForeignKeys(query, findings));
    }
    const isCurrent = query && (await check('migrations', () => checkMigrations(query, findings)));
    if (isCurrent) {
      await check('counters', () => checkCounters(query, findings));
      await check('search', () => checkSearch(query, findings));
    }
    // Rows of which some cannot be read say nothing of the files.
    const isSound = !findings.list.some(({ code }) => code === 'database_damaged');
    const rows = isCurrent && isSound ? query : undefined;
    await check('keys', () => checkKeys(join(dataDir, 'keys'), rows, findings));
    await check('files', () => checkFiles(join(dataDir, 'files'), now, rows, findings));
    await check('folder', () => checkFolder(dataDir, now, findings));
    await check('disk', () => checkDisk(dataDir, freeDiskBytes, findings));
  } finally {
    client?.close();
  }
  return findings.end();
}

async function openFile(dataDir: string, findings: Findings): Promise<EmbeddedClient | undefined> {
  const path = join(dataDir, 'pqrs.db');
  try {
    // It would be made.
    if (!existsSync(path)) throw new StoreRefused('it is not there');
    const client = openEmbeddedClient(path, READER);
    await openIdentity(dataDir, 'pqrs.db')
      .check(client)
      .catch((error: Error) => {
        // What cannot be read is found below.
        if (!(error instanceof StoreRefused)) return;
        findings.add('folder_identity', '.', error.message, 'put together what belongs together');
      });
    return client;
  } catch (error) {
    if (!(error instanceof StoreRefused)) addDamage(findings, 'database', error);
    else {
      const repair = 'put it back, or restore a backup';
      findings.add('database_missing', 'pqrs.db', error.message, repair);
    }
    return undefined;
  }
}
