// Tests that are named by something else than their own results: by links that people made, and by
// the scenarios that they are runs of.
import { setImmediate } from 'node:timers/promises';
import { and, eq, gt, inArray, lt, sql } from 'drizzle-orm';
import { testKey } from '../../quality/reports/test-key.ts';
import { BATCH_SPAN } from '../../quality/runs/result-rows.ts';
import type { Catalog } from '../../requirements/import/read-sources.ts';
import type { Db } from '../../store/database.ts';
import type { TraceRow } from '../../store/tables/assurance.ts';
import { testResults, tests } from '../../store/tables/quality.ts';
import type { StoredScenario } from '../coverage/story-scenarios.ts';
import { chunksOf } from '../state/chunks.ts';

/** The newest result of a test, with the test. */
export interface NamedTest {
  seq: number;
  testKey: string;
  name: string;
  path: string[];
  own: {
    resultSeq: number;
    status: string;
    durationMs: number | null;
    contentSha256: string | null;
  };
}

/** By its index, from the newest result back to the first that counts. */
function newestOf(branches: readonly string[] | null) {
  const ofBranch = branches === null ? sql`` : sql`and ${inArray(sql`u.branch`, [...branches])}`;
  return sql<number | null>`(
    select r.seq from test_results r where r.test_seq = tests.seq and exists (
      select 1 from test_runs u where u.batch = r.seq / 131072 and u.counts = 1 ${ofBranch}
    ) order by r.seq desc limit 1
  )`;
}

/**
 * Finds tests by their keys, with their newest results that count; those without are left out.
 *
 * @param branches - of which the results are to be; null for any
 */
export async function* readNamedTests(
  db: Db,
  projectId: string,
  keys: readonly string[],
  branches: readonly string[] | null = null,
): AsyncGenerator<NamedTest[]> {
  for (const some of chunksOf(keys)) {
    const found = await db
      .select({ newest: newestOf(branches) })
      .from(tests)
      .where(and(eq(tests.projectId, projectId), inArray(tests.testKey, some)));
    const newest = found.flatMap((row) => row.newest ?? []);
    if (newest.length > 0) {
      yield await db
        .select({
          ...{ seq: tests.seq, testKey: tests.testKey, name: tests.name, path: tests.path },
          own: {
            resultSeq: testResults.seq,
            status: testResults.status,
            durationMs: testResults.durationMs,
            contentSha256: testResults.contentSha256,
          },
        })
        .from(testResults)
        .innerJoin(tests, eq(tests.seq, testResults.testSeq))
        .where(inArray(testResults.seq, newest));
    }
    await setImmediate();
  }
}

const KEYS_AT_ONCE = 2000;

/** The keys of the tests of a batch, part by part. */
export async function* readTestKeys(db: Db, batch: number): AsyncGenerator<string[]> {
  let behind = batch * BATCH_SPAN - 1;
  for (;;) {
    const rows = await db
      .select({ seq: testResults.seq, key: tests.testKey })
      .from(testResults)
      .innerJoin(tests, eq(tests.seq, testResults.testSeq))
      .where(and(gt(testResults.seq, behind), lt(testResults.seq, (batch + 1) * BATCH_SPAN)))
      .orderBy(testResults.seq)
      .limit(KEYS_AT_ONCE);
    yield rows.map(({ key }) => key);
    if (rows.length < KEYS_AT_ONCE) return;
    behind = rows.at(-1)?.seq ?? behind;
    await setImmediate();
  }
}

export interface WantedTests {
  /** The keys of tests, and what else links call them by. */
  ids: ReadonlySet<string>;
  /** The keys of the tests that may be a scenario's runs, by its key. */
  ofScenario: ReadonlyMap<string, readonly string[]>;
}

const SCENARIOS_A_TURN = 500;

/** The tests that links and scenarios name. */
export async function wantedTests(
  traces: readonly Pick<TraceRow, 'targetKind' | 'targetId'>[],
  { scenarios }: Catalog,
  stored: readonly Pick<StoredScenario, 'key' | 'feature' | 'title'>[],
): Promise<WantedTests> {
  const ids = new Set<string>();
  for (const { targetKind, targetId } of traces) {
    if (targetKind === 'test') ids.add(targetId);
  }
  const ofScenario = new Map<string, readonly string[]>();
  for (const [at, scenario] of [...scenarios, ...stored].entries()) {
    if (at > 0 && at % SCENARIOS_A_TURN === 0) await setImmediate();
    const own = scenarioTests(scenario);
    ofScenario.set(scenario.key, own);
    for (const key of own) ids.add(key);
  }
  return { ids, ofScenario };
}

/**
 * The keys that a test has which is a scenario's run: it has the scenario's title, and stands in a
 * suite that is called as the feature, as cucumber and its kin report it.
 */
export function scenarioTests({
  feature,
  title,
  path,
}: {
  feature: string | null;
  title: string;
  path?: string;
}): string[] {
  const suite = feature === null || feature === '' ? [] : [feature];
  const places: [file: string | null, path: string[]][] = [
    [null, suite],
    [null, ['cucumber-js', ...suite]],
    [null, ['Cucumber', ...suite]],
  ];
  if (path !== undefined) places.push([path, suite]);
  return places.map(([file, suites]) =>
    testKey({ file, path: suites, name: title, parameters: null }),
  );
}
