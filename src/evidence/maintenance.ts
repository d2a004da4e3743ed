// What keeps the evidence tidy: files that no row names, and logs that are older than their
// project keeps them.
import type { Services } from '../services.ts';
import type { SweepOptions, SweepResult } from '../store/files/files.ts';
import { referencedContents } from '../store/references.ts';
import type { Evidence } from './evidence.ts';
import { removeOldLogEntries } from './logs/entries.ts';

const BATCH_SIZE = 500;
const DAY_MS = 24 * 3600 * 1000;

const SWEEP_CHECK = 'files:sweep';

/**
 * Moves files without a row to the trash. Where these are so many that the database may be the
 * wrong one nothing is moved, and readiness fails, until a sweep with `force`.
 */
export async function sweepFiles(
  { files, database, log, faults, clock }: Pick<Evidence, keyof Services>,
  options: Pick<SweepOptions, 'force' | 'minAgeMs'> = {},
): Promise<SweepResult> {
  const referenced = referencedContents(database.read);
  const result = await files.sweep(referenced, { ...options, now: clock() });
  const { unused, isStopped, moved, bytes } = result;
  if (isStopped) {
    const output =
      `${unused} of ${result.files} files are named by nothing in the database, and were left: ` +
      'is it the right one? pqrs doctor --repair --sweep moves them to files/trash';
    faults.report(SWEEP_CHECK, { status: 'fail', output });
    log.error({ unused, files: result.files }, output);
  } else faults.clear(SWEEP_CHECK);
  if (moved > 0) log.info({ moved, bytes }, 'files without a row were moved to files/trash');
  return result;
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
        const gone = await removeOldLogEntries(db, id, before, BATCH_SIZE);
        await logsIndex.removed(db, gone);
        return gone;
      });
      removed += seqs.length;
      more = seqs.length === BATCH_SIZE;
    }
  }
  return removed;
}
