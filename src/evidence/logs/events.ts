// New entries of system logs as a stream.
import { and, asc, eq, gt, max, sql } from 'drizzle-orm';
import { EVENTS_READ, type EventStreams, openEventStreams } from '../../model/event-streams.ts';
import type { Services } from '../../services.ts';
import { prepared } from '../../store/client/drizzle.ts';
import { type LogEntryRow, logEntries } from '../../store/tables/evidence.ts';
import { COLUMNS, type LogFilters, OWN_SOURCE } from './model.ts';
import { levelsOf, logView, occurrencesOf } from './rows.ts';

export type LogEvents = EventStreams<LogEntryRow>;

const p = sql.placeholder;
const ofProject = eq(logEntries.projectId, p('projectId'));

const newest = prepared((db) =>
  db
    .select({ seq: max(logEntries.seq) })
    .from(logEntries)
    .where(ofProject)
    .prepare(),
);

const added = prepared((db) =>
  db
    .select()
    .from(logEntries)
    .where(and(ofProject, gt(logEntries.seq, p('seq'))))
    .orderBy(asc(logEntries.seq))
    .limit(EVENTS_READ)
    .prepare(),
);

export function openLogEvents(services: Services): LogEvents {
  const { read: db } = services.database;
  return openEventStreams<LogEntryRow>(services, {
    name: 'log entries',
    isPolled: true,
    newest: async (projectId) => (await newest(db).all({ projectId }))[0]?.seq ?? 0,
    async read(projectId, seq) {
      const rows = await added(db).all({ projectId, seq });
      const counts = await occurrencesOf(db, projectId, rows);
      return rows.map((row) => {
        const data = JSON.stringify(logView(row, counts.get(row.fingerprint) ?? 1));
        const text = `id: ${row.seq}\nevent: log-entry\ndata: ${data}\n\n`;
        return { position: row.seq, row, text };
      });
    },
  });
}

/** Which entries a list with these filters would hold, as far as a row tells. */
export function entryFilter(
  { minLevel, ...filters }: LogFilters,
  withOwn: boolean,
): (row: LogEntryRow) => boolean {
  const wanted: LogFilters = { ...filters, level: levelsOf(filters.level, minLevel) };
  const given = COLUMNS.flatMap((name) => {
    const values: readonly string[] | undefined = wanted[name];
    return values ? [{ name, values }] : [];
  });
  return (row) =>
    (withOwn || row.source !== OWN_SOURCE) &&
    given.every(({ name, values }) => values.includes(row[name] ?? ''));
}
