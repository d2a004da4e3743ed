// Whether the results of a page are flaky: in their run, or against other runs at their place.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import type { ResultStatus } from '../../src/quality/reports/model.ts';
import { isFailing } from '../../src/quality/runs/flaky.ts';
import { RESULT_STATUSES } from '../../src/quality/runs/model.ts';
import { flakyOf, RUNS_COMPARED } from '../../src/quality/runs/results.ts';
import { testResults, testRuns, tests } from '../../src/store/tables/quality.ts';
import { type Instance, openInstance } from '../support/instance.ts';
import { type MadeRun, makeRun, results } from './made-runs.ts';

let instance: Instance;
let projects = 0;

beforeAll(async () => {
  instance = await openInstance();
  await instance.makeProject('default');
});

afterAll(() => instance.close());

/** Every result of a project that was made of these runs, with its test, run, and whether it is flaky. */
async function judged(made: readonly MadeRun[]) {
  const { database } = instance.evidence;
  projects += 1;
  const { id: projectId } = await instance.makeProject(`p${projects}`);
  for (const run of made) await makeRun(database, projectId, run);
  const rows = await database.read
    .select({ result: testResults, run: testRuns, test: tests })
    .from(tests)
    .innerJoin(testResults, eq(testResults.testSeq, tests.seq))
    .innerJoin(testRuns, eq(testRuns.projectId, tests.projectId))
    .where(eq(tests.projectId, projectId));
  const own = rows.filter(({ result, run }) => Math.floor(result.seq / 131_072) === run.batch);
  const placed = own.map(({ result, run: { counts, commitId, environment } }) => ({
    ...result,
    ...{ counts, commitId, environment },
  }));
  const flaky = await flakyOf(database.read, projectId, placed);
  return own.map((row, at) => ({ ...row, flaky: flaky[at] }));
}

const flakyNames = (rows: Awaited<ReturnType<typeof judged>>) =>
  [...new Set(rows.filter(({ flaky }) => flaky).map(({ test }) => test.name))].sort();

describe('a result is flaky', () => {
  const at = { commitId: 'c', environment: 'e' };

  test('where its test passed and failed at one commit in one environment [PQRS-44]', async () => {
    const rows = await judged([
      { ...at, results: [...results('passed', 'a', 'b', 'c', 'd'), ...results('failed', 'e')] },
      { ...at, results: [...results('failed', 'a', 'e'), ...results('broken', 'b')] },
      { ...at, results: results('skipped', 'a', 'c') },
      { ...at, environment: 'other', results: results('failed', 'c') },
      { ...at, environment: null, results: results('failed', 'd') },
    ]);
    expect(flakyNames(rows)).toEqual(['a', 'b']);
    const skipped = rows.filter(({ result }) => result.status === 'skipped');
    expect(skipped.map(({ flaky }) => flaky)).toEqual([false, false]);
  });

  test('where it was tried more than once, wherever that was', async () => {
    const tried = { test: 'a', flaky: true };
    expect(flakyNames(await judged([{ results: [tried] }]))).toEqual(['a']);
  });

  test('against runs that count alone', async () => {
    const rows = await judged([
      { ...at, results: results('passed', 'a', 'b') },
      { ...at, results: results('failed', 'a'), late: true },
      { ...at, results: results('failed', 'b'), counts: false },
      { ...at, results: results('failed', 'a', 'b'), receiving: true },
      { results: results('passed', 'c') },
      { results: results('failed', 'c') },
    ]);
    expect(flakyNames(rows)).toEqual([]);
  });

  test('against its own place too, where that has many runs', async () => {
    const later = Array.from({ length: RUNS_COMPARED }, () => ({
      ...at,
      results: results('passed', 'a'),
    }));
    const rows = await judged([{ ...at, results: results('failed', 'a') }, ...later]);
    expect(rows.filter(({ flaky }) => flaky).map(({ result }) => result.status)).toEqual([
      'failed',
    ]);
  });

  test('just as reading all runs says', async () => {
    const result = fc.record({
      test: fc.constantFrom('a', 'b', 'c'),
      status: fc.constantFrom(...RESULT_STATUSES),
      flaky: fc.boolean(),
    });
    const run = fc.record({
      commitId: fc.constantFrom('1', '2', null),
      environment: fc.constantFrom('1', null),
      counts: fc.boolean(),
      results: fc.uniqueArray(result, { selector: (one) => one.test, maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(run, { maxLength: 8 }), async (made) => {
        for (const { result, run, test, flaky } of await judged(made)) {
          const failing = isFailing(result.status as ResultStatus);
          const opposite = made.some(
            (other) =>
              other.counts &&
              other.commitId === run.commitId &&
              other.environment === run.environment &&
              other.results.some(
                (one) =>
                  one.test === test.name &&
                  (failing ? one.status === 'passed' : isFailing(one.status)),
              ),
          );
          const ran = failing || result.status === 'passed';
          const across = run.counts && run.commitId !== null && ran && opposite;
          expect(flaky).toBe(result.flaky || across);
        }
      }),
      { numRuns: 60 },
    );
  });
});
