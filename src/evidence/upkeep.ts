// What keeps the evidence tidy: files that no row names, and logs that are older than their
// project keeps them.

import { referencedContents } from '../store/references.ts';
import type { Evidence } from './evidence.ts';
import { removeOldLogEntries } from './log-entries.ts';

const ROWS_AT_A_TIME = 500;
const DAY_MS = 24 * 3600 * 1000;

/** Removes files without a row; gives how many. */
export async function sweepFiles({ files, database, log }: Evidence): Promise<number> {
  const { removed, bytes, aliens } = await files.sweep(referencedContents(database.read));
  if (removed > 0) log.info({ removed, bytes }, 'files without a row were removed');
  if (aliens.length > 0)
    log.warn({ aliens: aliens.length }, 'the folder of files holds what is not ours');
  return removed;
}

/** Removes log entries past the retention of their projects; gives how many. */
export async function expireLogs({
  database,
  clock,
  tokens,
  logsIndex,
}: Evidence): Promise<number> {
  let removed = 0;
  for (const { id, retentionDays } of tokens.projects()) {
    if (retentionDays === null) continue;
    const before = clock() - retentionDays * DAY_MS;
    for (let more = true; more; ) {
      const seqs = await database.write(async (db) => {
        const gone = await removeOldLogEntries(db, id, before, ROWS_AT_A_TIME);
        await logsIndex.removed(db, gone);
        return gone;
      });
      removed += seqs.length;
      more = seqs.length === ROWS_AT_A_TIME;
    }
  }
  return removed;
}
