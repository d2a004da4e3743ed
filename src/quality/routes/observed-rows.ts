// Routes that the newest issues, log entries and results of a project name.
import { and, desc, eq, isNotNull, lt, sql } from 'drizzle-orm';
import { OWN_SOURCE } from '../../evidence/logs/model.ts';
import type { Db } from '../../store/database.ts';
import { issues, logEntries } from '../../store/tables/evidence.ts';
import { type TestRunRow, testResults, testRuns, tests } from '../../store/tables/quality.ts';
import { BATCH_SPAN } from '../runs/result-rows.ts';
import { runTime } from '../runs/test-runs.ts';
import { yieldToEventLoop } from '../scheduler.ts';
import { MAX_PATHS, MAX_ROWS } from './candidate-model.ts';
import { type Observations, requestedRoute, seenRoute } from './observations.ts';
import { type NamedRoute, routesNamedIn } from './route-text.ts';

const ISSUE_BATCH = 50;
const RUN_BATCH = 50;
const RESULT_BATCH = 2000;
const LOG_BATCH = 2000;

export async function rowVersion(db: Db, projectId: string): Promise<string> {
  const [row = []] = await db.values<(number | null)[]>(sql`select
    (select max(seq) from issue_changes),
    (select max(number) from issues where project_id = ${projectId}),
    (select min(seq) from log_entries where project_id = ${projectId}),
    (select max(seq) from log_entries where project_id = ${projectId}),
    (select min(seq) from test_runs where project_id = ${projectId}),
    (select max(seq) from test_runs where project_id = ${projectId})`);
  return row.join();
}

export async function observeIssues(
  db: Db,
  projectId: string,
  observations: Observations,
): Promise<void> {
  let before = Number.MAX_SAFE_INTEGER;
  for (let rows = 0; rows < MAX_ROWS && observations.size < MAX_PATHS; rows += ISSUE_BATCH) {
    const batch = await db
      .select({
        number: issues.number,
        route: issues.route,
        url: issues.url,
        at: issues.occurredAt,
        storyIds: issues.storyIds,
        untrusted: issues.fromWidget,
        pageUrl: sql<unknown>`json_extract(${issues.context}, '$.page.url')`,
        pageRoute: sql<unknown>`json_extract(${issues.context}, '$.page.route')`,
        network: sql<unknown>`json_extract(${issues.context}, '$.network')`,
      })
      .from(issues)
      .where(and(eq(issues.projectId, projectId), lt(issues.number, before)))
      .orderBy(desc(issues.number))
      .limit(ISSUE_BATCH);
    for (const { number, route, url, at, storyIds, untrusted, network, ...page } of batch) {
      before = number;
      const [pageRoute, pageUrl] = [page.pageRoute, page.pageUrl].map((value) =>
        typeof value === 'string' ? value : null,
      );
      // The route is what the application itself calls the page; its URL says the same in other words.
      const seen = [route, url, pageRoute, pageUrl].map(seenRoute).find((one) => one !== null);
      if (seen) observations.add('issue', { ...seen, at, storyIds, untrusted });
      for (const request of requestsOf(network)) {
        const asked = requestedRoute(request ?? {}, url ?? pageUrl ?? null);
        if (asked) observations.add('issue', { ...asked, at, storyIds, untrusted });
      }
    }
    if (batch.length < ISSUE_BATCH) return;
    await yieldToEventLoop();
  }
}

function requestsOf(network: unknown): { method?: unknown; url?: unknown }[] {
  const requests: unknown = typeof network === 'string' ? JSON.parse(network) : [];
  return Array.isArray(requests) ? requests : [];
}

export async function observeLogs(
  db: Db,
  projectId: string,
  observations: Observations,
): Promise<void> {
  let before = Number.MAX_SAFE_INTEGER;
  for (let rows = 0; rows < MAX_ROWS && observations.size < MAX_PATHS; rows += LOG_BATCH) {
    const own = and(eq(logEntries.projectId, projectId), lt(logEntries.seq, before));
    const batch = db
      .select({
        seq: logEntries.seq,
        route: logEntries.route,
        source: logEntries.source,
        at: logEntries.at,
      })
      .from(logEntries)
      .where(own)
      .orderBy(desc(logEntries.seq))
      .limit(LOG_BATCH)
      .as('batch');
    const routes = await db
      .select({
        route: batch.route,
        count: sql<number>`count(*)`,
        at: sql<number>`min(${batch.at})`,
        lastAt: sql<number>`max(${batch.at})`,
      })
      .from(batch)
      .where(and(isNotNull(batch.route), sql`${batch.source} is not ${OWN_SOURCE}`))
      .groupBy(batch.route);
    for (const { route, ...seen } of routes) {
      const named = seenRoute(route);
      if (named) observations.add('log', { ...named, ...seen });
    }
    const [next] = await db
      .select({ seq: logEntries.seq })
      .from(logEntries)
      .where(own)
      .orderBy(desc(logEntries.seq))
      .limit(1)
      .offset(LOG_BATCH - 1);
    if (!next) return;
    before = next.seq;
    await yieldToEventLoop();
  }
}

export async function observeRuns(
  db: Db,
  projectId: string,
  observations: Observations,
): Promise<void> {
  let left = MAX_ROWS;
  let before = Number.MAX_SAFE_INTEGER;
  while (left > 0 && observations.size < MAX_PATHS) {
    const runs = await db
      .select()
      .from(testRuns)
      .where(and(eq(testRuns.projectId, projectId), lt(testRuns.seq, before)))
      .orderBy(desc(testRuns.seq))
      .limit(RUN_BATCH);
    for (const run of runs) {
      if (left <= 0) return;
      const at = runTime(run);
      for (const route of routesOfProperties(run.properties))
        observations.add('run', { ...route, at });
      left -= Math.max(1, await observeResults(db, run, left, observations));
    }
    if (runs.length < RUN_BATCH) return;
    before = runs.at(-1)?.seq ?? 0;
  }
}

async function observeResults(
  db: Db,
  run: TestRunRow,
  limit: number,
  observations: Observations,
): Promise<number> {
  const at = runTime(run);
  const count = Math.min(run.totals.tests, limit);
  for (let place = 0; place < count; place += RESULT_BATCH) {
    const from = run.batch * BATCH_SPAN + place;
    const end = run.batch * BATCH_SPAN + Math.min(count, place + RESULT_BATCH);
    const rows = await db
      .select({ name: tests.name, path: tests.path, storyIds: testResults.storyIds })
      .from(testResults)
      .innerJoin(tests, eq(tests.seq, testResults.testSeq))
      .where(
        sql`${testResults.seq} >= ${from} and ${testResults.seq} < ${end} and (instr(${tests.name}, '/') > 0 or instr(${tests.path}, '/') > 0)`,
      );
    for (const { name, path, storyIds } of rows) {
      for (const route of routesOfTest(name, path))
        observations.add('run', { ...route, at, storyIds: storyIds ?? [] });
    }
    await yieldToEventLoop();
  }
  return count;
}

export function routesOfTest(name: string, path: readonly string[]): NamedRoute[] {
  for (const text of [name, ...path.toReversed()]) {
    const routes = routesNamedIn(text);
    if (routes.length > 0) return routes;
  }
  return [];
}

const PROPERTY = /^(?:http[-_. ]?)?(?:routes?|endpoints?)$/i;

export function routesOfProperties(properties: Record<string, unknown>): NamedRoute[] {
  return Object.entries(properties).flatMap(([name, value]) => {
    if (typeof value !== 'string' || !PROPERTY.test(name)) return [];
    return value.split(/[\n,;]/).flatMap((text) => seenRoute(text) ?? []);
  });
}
