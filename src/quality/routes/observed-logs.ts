// Routes that log entries tell of. What the service itself notes concerns no route of the project.
import { and, asc, count, desc, eq, gt, isNotNull, lte, max, min, sql } from 'drizzle-orm';
import { OWN_SOURCE } from '../../evidence/logs/model.ts';
import type { Db } from '../../store/database.ts';
import { logEntries } from '../../store/tables/evidence.ts';
import type { RowSource } from '../runs/row-window.ts';
import { createSightings, seenRoute } from './observations.ts';

/** The log entries of a project, by their `seq`. */
export function logSource(db: Db, projectId: string): RowSource {
  const own = eq(logEntries.projectId, projectId);
  const inProject = () => db.select({ seq: logEntries.seq }).from(logEntries);
  return {
    partRows: 1000,
    async bounds() {
      const [first] = await inProject().where(own).orderBy(asc(logEntries.seq)).limit(1);
      const [last] = await inProject().where(own).orderBy(desc(logEntries.seq)).limit(1);
      return first && last && { first: first.seq, last: last.seq };
    },
    async behindNewest(rows) {
      const [row] = await inProject()
        .where(own)
        .orderBy(desc(logEntries.seq))
        .limit(1)
        .offset(rows);
      return row?.seq ?? 0;
    },
    async read(from, to, most) {
      const range = and(own, gt(logEntries.seq, from), lte(logEntries.seq, to));
      const rows = await inProject()
        .where(range)
        .orderBy(asc(logEntries.seq))
        .limit(Math.min(most, 100_000));
      const [first, last] = [rows[0], rows.at(-1)];
      if (!first || !last) return undefined;
      const routes = await db
        .select({
          route: logEntries.route,
          count: count(),
          at: min(logEntries.at),
          lastAt: max(logEntries.at),
        })
        .from(logEntries)
        .where(
          and(
            ...[own, gt(logEntries.seq, from), lte(logEntries.seq, last.seq)],
            isNotNull(logEntries.route),
            sql`${logEntries.source} is not ${OWN_SOURCE}`,
          ),
        )
        .groupBy(logEntries.route);
      const sightings = createSightings();
      for (const { route, at, lastAt, ...seen } of routes) {
        const named = seenRoute(route);
        if (named) sightings.add('log', { ...named, ...seen, at: at ?? 0, lastAt: lastAt ?? 0 });
      }
      const rowCount = rows.length;
      return { from, to: last.seq, first: first.seq, rows: rowCount, seen: sightings.list() };
    },
  };
}
