// Routes that issues tell of: of the page where they were seen, and of the requests that it made.
import { and, asc, desc, eq, gt, lte, sql } from 'drizzle-orm';
import type { Db } from '../../store/database.ts';
import { issueChanges, issues } from '../../store/tables/evidence.ts';
import type { RowPart, RowSource } from '../runs/row-window.ts';
import { nextTurn } from '../turns.ts';
import { createSightings, requestedRoute, type Sightings, seenRoute } from './observations.ts';

/** Issues may bring large contexts: so many are read at a time. */
const ROWS_AT_A_TIME = 50;

const columns = {
  number: issues.number,
  route: issues.route,
  url: issues.url,
  at: issues.occurredAt,
  storyIds: issues.storyIds,
  fromWidget: issues.fromWidget,
  pageUrl: sql<unknown>`json_extract(${issues.context}, '$.page.url')`,
  pageRoute: sql<unknown>`json_extract(${issues.context}, '$.page.route')`,
  network: sql<unknown>`json_extract(${issues.context}, '$.network')`,
};
type IssueSeen = Pick<
  typeof issues.$inferSelect,
  'number' | 'route' | 'url' | 'storyIds' | 'fromWidget'
> & {
  at: number;
  pageUrl: unknown;
  pageRoute: unknown;
  network: unknown;
};

/** The issues of a project, by their numbers; duplicates are sightings too. */
export function issueSource(db: Db, projectId: string): RowSource {
  const own = eq(issues.projectId, projectId);
  const numbers = () => db.select({ number: issues.number }).from(issues);

  async function* rowsOf(from: number, to: number, most: number): AsyncGenerator<IssueSeen[]> {
    let [behind, left] = [from, most];
    while (left > 0) {
      const rows = await db
        .select(columns)
        .from(issues)
        .where(and(own, gt(issues.number, behind), lte(issues.number, to)))
        .orderBy(asc(issues.number))
        .limit(Math.min(left, ROWS_AT_A_TIME));
      if (rows.length > 0) yield rows;
      if (rows.length < ROWS_AT_A_TIME) return;
      behind = rows.at(-1)?.number ?? to;
      left -= rows.length;
      await nextTurn();
    }
  }

  return {
    partRows: 200,
    async bounds() {
      const [first] = await numbers().where(own).orderBy(asc(issues.number)).limit(1);
      const [last] = await numbers().where(own).orderBy(desc(issues.number)).limit(1);
      return first && last && { first: first.number, last: last.number };
    },
    async behindNewest(count) {
      const [row] = await numbers().where(own).orderBy(desc(issues.number)).limit(1).offset(count);
      return row?.number ?? 0;
    },
    async read(from, to, most) {
      const sightings = createSightings();
      let part: Omit<RowPart, 'seen'> | undefined;
      for await (const rows of rowsOf(from, to, most)) {
        for (const row of rows) lookAt(row, sightings);
        const last = rows.at(-1)?.number ?? to;
        const first = part?.first ?? rows[0]?.number ?? from;
        part = { from, to: last, first, rows: (part?.rows ?? 0) + rows.length };
      }
      return part && { ...part, seen: sightings.list() };
    },
  };
}

function lookAt(issue: IssueSeen, sightings: Sightings): void {
  const { at, storyIds } = issue;
  const pageUrl = textOf(issue.pageUrl);
  // The route is what the application itself calls the page; its URL says the same in other words.
  const page = [issue.route, issue.url, textOf(issue.pageRoute), pageUrl];
  const seen = page.map(seenRoute).find((route) => route !== null);
  const of = { at, storyIds, untrusted: issue.fromWidget };
  if (seen) sightings.add('issue', { ...seen, ...of });
  if (typeof issue.network !== 'string') return;
  const requests: unknown = JSON.parse(issue.network);
  if (!Array.isArray(requests)) return;
  for (const request of requests) {
    const route = requestedRoute(request ?? {}, issue.url ?? pageUrl);
    if (route) sightings.add('issue', { ...route, ...of });
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The newest change of any issue of the instance. */
export async function newestIssueChange(db: Db): Promise<number> {
  const [row] = await db
    .select({ seq: issueChanges.seq })
    .from(issueChanges)
    .orderBy(desc(issueChanges.seq))
    .limit(1);
  return row?.seq ?? 0;
}

/** The numbers of a project's issues that were changed since a change. */
export async function changedIssues(
  db: Db,
  projectId: string,
  since: number,
): Promise<ReadonlySet<number>> {
  const rows = await db
    .selectDistinct({ number: issues.number })
    .from(issueChanges)
    .innerJoin(issues, eq(issues.id, issueChanges.issueId))
    .where(and(gt(issueChanges.seq, since), eq(issues.projectId, projectId)));
  return new Set(rows.map(({ number }) => number));
}
