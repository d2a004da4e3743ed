// Results that are looked up when they are asked for: of tests by their keys, and the tests of a run.
import { setImmediate } from 'node:timers/promises';
import { and, eq, gt, inArray, lt, sql } from 'drizzle-orm';
import { BATCH_SPAN } from '../../quality/runs/result-rows.ts';
import type { Db } from '../../store/database.ts';
import { testResults, tests } from '../../store/tables/quality.ts';
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
