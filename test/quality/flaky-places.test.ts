// Whether the results of a page are flaky: in their run, or against other runs at their place.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import type { ResultStatus } from '../../src/quality/reports/model.ts';
import { RESULT_STATUSES } from '../../src/quality/reports/model.ts';
import { isFailing } from '../../src/quality/runs/flaky.ts';
import { flakyOf } from '../../src/quality/runs/results.ts';
import { testResults, testRuns, tests } from '../../src/store/tables/quality.ts';
import { type Instance, openInstance } from '../support/instance.ts';
import { type MadeRun, makeRun } from './made-runs.ts';

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

describe('a result is flaky', () => {
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
