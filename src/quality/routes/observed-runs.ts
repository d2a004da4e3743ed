// Routes that results tell of: tests named after one, such as `GET /users/1 is refused`, and properties
// of a run that name routes.
import { and, asc, desc, eq, gt, gte, lt, lte, sql } from 'drizzle-orm';
import type { Db } from '../../store/database.ts';
import { testResults, testRuns, tests } from '../../store/tables/quality.ts';
import { BATCH_SPAN } from '../runs/result-rows.ts';
import type { RowSource } from '../runs/row-window.ts';
import { runTime } from '../runs/test-runs.ts';
import { nextTurn } from '../turns.ts';
import { ROWS_MOST } from './candidate-model.ts';
import { createSightings, type Sightings, seenRoute } from './observations.ts';
import { type NamedRoute, routesNamedIn } from './route-text.ts';

/** Places of results that are looked at in one query. */
const PLACES_AT_A_TIME = 2000;
const RUNS_AT_A_TIME = 50;

/** The runs of a project, by their `seq`; the rows of a part are results. */
export function runSource(db: Db, projectId: string): RowSource {
  const own = eq(testRuns.projectId, projectId);
  const seqs = () => db.select({ seq: testRuns.seq }).from(testRuns);
  return {
    partRows: 2000,
    async bounds() {
      const [first] = await seqs().where(own).orderBy(asc(testRuns.seq)).limit(1);
      const [last] = await seqs().where(own).orderBy(desc(testRuns.seq)).limit(1);
      return first && last && { first: first.seq, last: last.seq };
    },
    async behindNewest(count) {
      let left = count;
      for (let before = Number.MAX_SAFE_INTEGER; ; ) {
        const rows = await db
          .select({ seq: testRuns.seq, batch: testRuns.batch })
          .from(testRuns)
          .where(and(own, lt(testRuns.seq, before)))
          .orderBy(desc(testRuns.seq))
          .limit(RUNS_AT_A_TIME);
        for (const { seq, batch } of rows) {
          if (left <= 0) return seq;
          left -= Math.max(1, await placesOf(db, batch));
        }
        if (rows.length < RUNS_AT_A_TIME) return 0;
        before = rows.at(-1)?.seq ?? 0;
        await nextTurn();
      }
    },
    async read(from, to, most) {
      const runs = await db
        .select()
        .from(testRuns)
        .where(and(own, gt(testRuns.seq, from), lte(testRuns.seq, to)))
        .orderBy(asc(testRuns.seq))
        .limit(Math.min(most, RUNS_AT_A_TIME));
      const sightings = createSightings();
      let rows = 0;
      let last = from;
      for (const run of runs) {
        if (rows >= most) break;
        rows += Math.max(1, await lookAt(db, run, sightings));
        last = run.seq;
      }
      const [first] = runs;
      return first && { from, to: last, first: first.seq, rows, seen: sightings.list() };
    },
  };
}

/** How many results a batch has at most: their places rise from 0. */
async function placesOf(db: Db, batch: number): Promise<number> {
  const [row] = await db
    .select({ seq: testResults.seq })
    .from(testResults)
    .where(
      and(gte(testResults.seq, batch * BATCH_SPAN), lt(testResults.seq, (batch + 1) * BATCH_SPAN)),
    )
    .orderBy(desc(testResults.seq))
    .limit(1);
  return row ? row.seq - batch * BATCH_SPAN + 1 : 0;
}

type Run = typeof testRuns.$inferSelect;

/** Looks at the results of a run; gives how many there are. */
async function lookAt(db: Db, run: Run, sightings: Sightings): Promise<number> {
  const at = runTime(run);
  for (const route of routesOfProperties(run.properties)) sightings.add('run', { ...route, at });
  const places = Math.min(await placesOf(db, run.batch), ROWS_MOST);
  for (let place = 0; place < places; place += PLACES_AT_A_TIME) {
    if (place > 0) await nextTurn();
    const from = run.batch * BATCH_SPAN + place;
    const end = run.batch * BATCH_SPAN + Math.min(places, place + PLACES_AT_A_TIME);
    const rows = await db
      .select({ name: tests.name, path: tests.path, storyIds: testResults.storyIds })
      .from(testResults)
      .innerJoin(tests, eq(tests.seq, testResults.testSeq))
      .where(
        and(
          ...[gte(testResults.seq, from), lt(testResults.seq, end)],
          sql`(instr(${tests.name}, '/') > 0 or instr(${tests.path}, '/') > 0)`,
        ),
      );
    for (const { name, path, storyIds } of rows) {
      const routes = routesOfTest(name, path);
      if (routes.length === 0) continue;
      for (const route of routes) sightings.add('run', { ...route, at, storyIds: storyIds ?? [] });
    }
  }
  return places;
}

/** The routes that a test's name has, else those of the innermost suite that has one. */
export function routesOfTest(name: string, path: readonly string[]): NamedRoute[] {
  for (const text of [name, ...path.toReversed()]) {
    const routes = routesNamedIn(text);
    if (routes.length > 0) return routes;
  }
  return [];
}

const PROPERTY = /^(?:http[-_. ]?)?(?:routes?|endpoints?)$/i;

/** The routes of properties that are named `route` or `endpoint`. */
export function routesOfProperties(properties: Record<string, unknown>): NamedRoute[] {
  return Object.entries(properties).flatMap(([name, value]) => {
    if (typeof value !== 'string' || !PROPERTY.test(name)) return [];
    return value.split(/[\n,;]/).flatMap((text) => seenRoute(text) ?? []);
  });
}
