// One look at everything. It changes nothing, and goes on where the database is damaged.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openEmbeddedClient } from '../../store/client/embedded.ts';
import { isDamaged, StoreRefused } from '../../store/errors.ts';
import { openIdentity } from '../../store/identity.ts';
import {
  addDamage,
  checkForeignKeys,
  checkIntegrity,
  checkMigrations,
  type Query,
} from './check-database.ts';
import { checkFiles } from './check-files.ts';
import { checkDisk, checkFolder } from './check-folder.ts';
import { checkKeys } from './check-keys.ts';
import { checkSearch } from './check-search.ts';
import { checkCounters } from './counters.ts';
import { createFindings, type Finding } from './findings.ts';

export interface Inspection {
  /** Absolute. */
  dataDir: string;
  /** Fewer free bytes than this are too few. */
  freeDiskBytes: number;
  /** Milliseconds since the epoch. */
  now: number;
}

/** The server's writing connection alone makes checkpoints. */
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
  const findings = createFindings();

  async function check(subject: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (isDamaged(error)) addDamage(findings, subject, error);
      else
        findings.add(
          'check_failed',
          subject,
          (error as Error).message,
          'mend what it says, and run it again',
        );
    }
  }

  let rows: Query | undefined;
  async function checkDatabase(query: Query): Promise<void> {
    // A server looks after its own pages, and takes few pragmas.
    if (!server) {
      await check('database', () => checkIntegrity(query, findings));
      await check('foreign keys', () => checkForeignKeys(query, findings));
    }
    await check('migrations', async () => {
      if (await checkMigrations(query, findings)) rows = query;
    });
    if (!rows) return;
    await check('counters', () => checkCounters(query, findings));
    await check('search', () => checkSearch(query, findings));
  }

  async function checkRest(): Promise<void> {
    // Rows of which some cannot be read say nothing of the files.
    const sound = findings.list.some(({ code }) => code === 'database_damaged') ? undefined : rows;
    await check('keys', () => checkKeys(join(dataDir, 'keys'), sound, findings));
    await check('files', () => checkFiles(join(dataDir, 'files'), now, sound, findings));
    await check('folder', () => checkFolder(dataDir, now, findings));
    await check('disk', () => checkDisk(dataDir, freeDiskBytes, findings));
  }

  if (server) {
    await checkDatabase(server);
    await checkRest();
    return findings.end();
  }
  const client = openFile(join(dataDir, 'pqrs.db'));
  if (client instanceof Error) {
    if (client instanceof StoreRefused)
      findings.add(
        'database_missing',
        'pqrs.db',
        client.message,
        'put it back, or restore a backup',
      );
    else addDamage(findings, 'database', client);
    await checkRest();
    return findings.end();
  }
  try {
    await openIdentity(dataDir, 'pqrs.db')
      .check(client)
      .catch((error: Error) => {
        // What cannot be read is found below.
        if (!(error instanceof StoreRefused)) return;
        findings.add('folder_identity', '.', error.message, 'put together what belongs together');
      });
    await checkDatabase(async (sql) => (await client.execute(sql)).rows as unknown as unknown[][]);
    await checkRest();
  } finally {
    client.close();
  }
  return findings.end();
}

function openFile(path: string): ReturnType<typeof openEmbeddedClient> | Error {
  // It would be made.
  if (!existsSync(path)) return new StoreRefused('it is not there');
  try {
    return openEmbeddedClient(path, READER);
  } catch (error) {
    return error as Error;
  }
}
