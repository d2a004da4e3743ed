// Writes what the service notes about a project into that project's system log.
import type { Evidence } from '../evidence.ts';
import { writeLogEntries } from './entries.ts';
import { OWN_SOURCE } from './model.ts';

/** From now on every notice becomes a log entry of its project. */
export function keepNotices({ notices, database, logsIndex, clock }: Evidence): void {
  notices.subscribe(async ({ projectId, level, message, fields }) => {
    await database.write(async (db) => {
      const entry = { level, message, fields, source: OWN_SOURCE };
      await writeLogEntries(db, { projectId, entries: [entry], tokenId: null, now: clock() });
    });
    logsIndex.added(1);
  });
}
