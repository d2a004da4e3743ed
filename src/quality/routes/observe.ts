// What issues, log entries, results, scenarios and stories of a project name as routes, the newest first.
import { and, desc, eq, lt, sql } from 'drizzle-orm';
import { OWN_SOURCE } from '../../evidence/logs/model.ts';
import type { Effective } from '../../requirements/graph/effective.ts';
import { isNormative } from '../../requirements/graph/model.ts';
import { HTTP_METHODS } from '../../requirements/sources/routes.ts';
import { yieldToEventLoop } from '../../runtime/scheduler.ts';
import type { Db } from '../../store/database.ts';
import { issues, logEntries } from '../../store/tables/evidence.ts';
import { type TestRunRow, testResults, testRuns, tests } from '../../store/tables/quality.ts';
import { BATCH_SPAN } from '../runs/model.ts';
import { runTime } from '../runs/runs.ts';
import { type ProjectScenarios, routesInSteps } from '../scenarios/scenarios.ts';
import { MAX_PATHS, MAX_ROWS, type Origin } from './model.ts';
import { type NamedRoute, pathOfUrl, readRoute, routesNamedIn } from './route-text.ts';

export interface SeenRoute {
  method: string;
  path: string;
  observations: number;
  firstAt: number;
  lastAt: number;
  origins: Set<Origin>;
  storyIds: Set<string>;
  /** Whether a web page said so. */
  untrusted: boolean;
}

export type SeenRoutes = Map<string, SeenRoute>;

export interface Observation extends NamedRoute {
  origin: Origin;
  at: number;
  storyIds?: readonly string[];
  untrusted?: boolean;
}

/** Takes a route that was seen; without a method it counts as GET. */
export function observe(seen: SeenRoutes, one: Observation): void {
  const { path, origin, at, storyIds = [], untrusted = false } = one;
  const method = (one.method ?? 'GET').toUpperCase();
  const key = `${method} ${path}`;
  let route = seen.get(key);
  if (!route) {
    const none = { observations: 0, firstAt: at, lastAt: at, untrusted };
    route = { method, path, ...none, origins: new Set(), storyIds: new Set() };
    seen.set(key, route);
  }
  route.observations += 1;
  route.firstAt = Math.min(route.firstAt, at);
  route.lastAt = Math.max(route.lastAt, at);
  route.origins.add(origin);
  route.untrusted ||= untrusted;
  for (const id of storyIds) route.storyIds.add(id);
}

const ISSUE_BATCH = 50;
const RUN_BATCH = 50;
const ROW_BATCH = 2000;
const TEXT_BATCH = 200;

/** What the rows of a project are as of: another text once one of them has changed. */
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

export async function observeRows(db: Db, projectId: string, seen: SeenRoutes): Promise<void> {
  await observeIssues(db, projectId, seen);
  await observeLogs(db, projectId, seen);
  await observeRuns(db, projectId, seen);
}

/** Hands out rows from the newest on, in batches, until enough were looked at or enough was seen. */
async function* newestRows<T>(
  seen: SeenRoutes,
  size: number,
  read: (before: number) => Promise<T[]>,
  placeOf: (row: T) => number,
): AsyncGenerator<T> {
  const most = seen.size + MAX_PATHS;
  let before = Number.MAX_SAFE_INTEGER;
  for (let rows = 0; rows < MAX_ROWS && seen.size < most; rows += size) {
    const batch = await read(before);
    yield* batch;
    const last = batch.at(-1);
    if (last === undefined || batch.length < size) return;
    before = placeOf(last);
    await yieldToEventLoop();
  }
}

async function observeIssues(db: Db, projectId: string, seen: SeenRoutes): Promise<void> {
  const read = (before: number) =>
    db
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
  const found = newestRows(seen, ISSUE_BATCH, read, ({ number }) => number);
  for await (const { at, storyIds, untrusted, ...issue } of found) {
    const [pageRoute, pageUrl] = [issue.pageRoute, issue.pageUrl].map((value) =>
      typeof value === 'string' ? value : null,
    );
    // The route is what the application itself calls the page; its URL says the same in other words.
    const named = [issue.route, issue.url, pageRoute, pageUrl].map(seenRoute);
    const page = named.find((one) => one !== null) ?? null;
    const requests = requestsOf(issue.network).map((request) =>
      requestedRoute(request ?? {}, issue.url ?? pageUrl ?? null),
    );
    for (const route of [page, ...requests]) {
      if (route) observe(seen, { ...route, origin: 'issue', at, storyIds, untrusted });
    }
  }
}

function requestsOf(network: unknown): { method?: unknown; url?: unknown }[] {
  const requests: unknown = typeof network === 'string' ? JSON.parse(network) : [];
  return Array.isArray(requests) ? requests : [];
}

async function observeLogs(db: Db, projectId: string, seen: SeenRoutes): Promise<void> {
  const { seq, route, source, at } = logEntries;
  const read = (before: number) =>
    db
      .select({ seq, route, source, at })
      .from(logEntries)
      .where(and(eq(logEntries.projectId, projectId), lt(seq, before)))
      .orderBy(desc(seq))
      .limit(ROW_BATCH);
  for await (const { at, ...entry } of newestRows(seen, ROW_BATCH, read, (row) => row.seq)) {
    const named = entry.source === OWN_SOURCE ? null : seenRoute(entry.route);
    if (named) observe(seen, { ...named, origin: 'log', at });
  }
}

async function observeRuns(db: Db, projectId: string, seen: SeenRoutes): Promise<void> {
  const read = (before: number) =>
    db
      .select()
      .from(testRuns)
      .where(and(eq(testRuns.projectId, projectId), lt(testRuns.seq, before)))
      .orderBy(desc(testRuns.seq))
      .limit(RUN_BATCH);
  let left = MAX_ROWS;
  for await (const run of newestRows(seen, RUN_BATCH, read, (row) => row.seq)) {
    const count = Math.min(run.totals.tests, left);
    await observeResults(db, run, count, seen);
    left -= Math.max(1, count);
    if (left <= 0) return;
  }
}

async function observeResults(
  db: Db,
  run: TestRunRow,
  count: number,
  seen: SeenRoutes,
): Promise<void> {
  const at = runTime(run);
  const start = run.batch * BATCH_SPAN;
  for (let from = start; from < start + count; from += ROW_BATCH) {
    const end = Math.min(start + count, from + ROW_BATCH);
    const rows = await db
      .select({ name: tests.name, path: tests.path, storyIds: testResults.storyIds })
      .from(testResults)
      .innerJoin(tests, eq(tests.seq, testResults.testSeq))
      .where(
        sql`${testResults.seq} >= ${from} and ${testResults.seq} < ${end} and (instr(${tests.name}, '/') > 0 or instr(${tests.path}, '/') > 0)`,
      );
    for (const { name, path, storyIds } of rows) {
      for (const route of routesOfTest(name, path))
        observe(seen, { ...route, origin: 'run', at, storyIds: storyIds ?? [] });
    }
    await yieldToEventLoop();
  }
}

export async function observeTexts(
  { index, revision, edits, additions }: Effective,
  { inEffect }: ProjectScenarios,
  seen: SeenRoutes,
): Promise<void> {
  const times = [...edits, ...additions].map(({ updatedAt }) => updatedAt);
  const at = times.reduce((newest, one) => Math.max(newest, one), revision?.createdAt ?? 0);
  for (const [place, node] of index.graph.nodes.filter(isNormative).slice(0, MAX_ROWS).entries()) {
    if (place % TEXT_BATCH === TEXT_BATCH - 1) await yieldToEventLoop();
    for (const text of [node.title, node.statement, ...node.acceptance]) {
      for (const route of routesNamedIn(text))
        observe(seen, { ...route, origin: 'story', at, storyIds: [node.id] });
    }
  }
  for (const [place, scenario] of inEffect.slice(-MAX_ROWS).entries()) {
    if (place % TEXT_BATCH === TEXT_BATCH - 1) await yieldToEventLoop();
    if (scenario.state !== 'active') continue;
    const { updatedAt, storyIds } = scenario;
    for (const route of routesInSteps(scenario))
      observe(seen, { ...route, origin: 'scenario', at: Date.parse(updatedAt), storyIds });
  }
}

const METHODS: ReadonlySet<string | null> = new Set([...HTTP_METHODS, null]);

/** The route that somebody calls a page: with one of the methods of HTTP, or none. */
export function seenRoute(text: string | null | undefined): NamedRoute | null {
  const route = text ? readRoute(text) : null;
  return route && METHODS.has(route.method) ? route : null;
}

const ASSET =
  /\.(?:m?js|css|map|png|jpe?g|gif|svg|ico|webp|avif|woff2?|ttf|otf|eot|mp[34]|webm|wasm)$/i;

/** Null for a request to another site than `page`, and for a file that belongs to the page. */
export function requestedRoute(
  { method, url }: { method?: unknown; url?: unknown },
  page: string | null,
): NamedRoute | null {
  if (typeof url !== 'string' || !/^(?:https?:\/\/|\/)/i.test(url)) return null;
  if (page !== null && !isOwnSite(page, url)) return null;
  const path = pathOfUrl(url);
  const verb = typeof method === 'string' ? method.toUpperCase() : null;
  return ASSET.test(path) || !METHODS.has(verb) ? null : { method: verb, path };
}

/** Whether two URLs are of hosts of one domain; of a page whose URL is none, every site is its own. */
function isOwnSite(page: string, url: string): boolean {
  const domainOf = ({ hostname }: URL) => hostname.split('.').slice(-2).join('.');
  try {
    return domainOf(new URL(page)) === domainOf(new URL(url, page));
  } catch {
    return true;
  }
}

/** The routes of a test's name, else of the innermost suite that names one. */
export function routesOfTest(name: string, path: readonly string[]): NamedRoute[] {
  for (const text of [name, ...path.toReversed()]) {
    const routes = routesNamedIn(text);
    if (routes.length > 0) return routes;
  }
  return [];
}
