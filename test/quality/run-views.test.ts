// What the newest runs say together: flaky tests, groups that fail together, slow tests, the trend.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Static } from '@sinclair/typebox';
import fc from 'fast-check';
import { percentile } from '../../src/quality/commands/rows.ts';
import { noTotals, RESULT_STATUSES, type ResultStatus } from '../../src/quality/reports/model.ts';
import type { Test } from '../../src/quality/runs/model.ts';
import { findFlaky, findSlowest, followTrend } from '../../src/quality/runs/views.ts';
import { WINDOW_RESULTS, WINDOW_RUNS } from '../../src/quality/runs/window.ts';
import type { Db } from '../../src/store/database.ts';
import { type Instance, openInstance } from '../support/instance.ts';
import { type MadeRun, makeRun, results } from './made-runs.ts';

let instance: Instance;
let db: Db;
let projects = 0;

beforeAll(async () => {
  instance = await openInstance();
  await instance.makeProject('default');
  db = instance.evidence.database.read;
});

afterAll(() => instance.close());

/** A project of these runs. */
async function projectOf(made: readonly MadeRun[]): Promise<string> {
  projects += 1;
  const { id } = await instance.makeProject(`p${projects}`);
  for (const run of made) await makeRun(instance.evidence.database, id, run);
  return id;
}

/** The items of a view, with the names of their tests alone. */
function named<T extends object>({ items }: { items: { item: T }[] }) {
  return items.map(({ item }) => {
    const { testKey, name, path, file, line, parameters, ...rest } = item as T &
      Static<typeof Test>;
    return { test: name, ...rest };
  });
}

describe('flaky tests', () => {
  const at = { commitId: 'c', environment: 'e' };

  test('are those that pass and fail where nothing has changed, the worst first [PQRS-44]', async () => {
    const id = await projectOf([
      {
        ...at,
        results: [...results('passed', 'once', 'steady', 'wild'), ...results('failed', 'bad')],
      },
      {
        ...at,
        results: [...results('failed', 'once', 'wild', 'bad'), ...results('passed', 'steady')],
      },
      {
        ...at,
        results: [...results('failed', 'once', 'bad'), ...results('passed', 'wild', 'steady')],
      },
      { commitId: 'd', results: results('failed', 'steady') },
      { results: [{ test: 'tried', flaky: true }] },
      { ...at, late: true, results: results('failed', 'steady') },
      { ...at, receiving: true, results: results('failed', 'steady') },
    ]);
    const found = await findFlaky(db, id, {});
    expect(found.window).toEqual({ runs: 5, results: 14 });
    expect(found.total).toBe(3);
    expect(named(found)).toEqual([
      {
        ...{ test: 'wild', flaky: true, runs: 3, passed: 2, failed: 1 },
        ...{ withinRun: 0, acrossRuns: 1, flipRate: { count: 2, total: 2, share: 1 } },
      },
      {
        ...{ test: 'once', flaky: true, runs: 3, passed: 1, failed: 2 },
        ...{ withinRun: 0, acrossRuns: 1, flipRate: { count: 1, total: 2, share: 0.5 } },
      },
      {
        ...{ test: 'tried', flaky: true, runs: 1, passed: 1, failed: 0 },
        ...{ withinRun: 1, acrossRuns: 0, flipRate: { count: 0, total: 0, share: null } },
      },
    ]);
  });
});

describe('the window', () => {
  test('ends with so many runs', async () => {
    const old = { commitId: 'c', results: results('failed', 'a') };
    const made = Array.from({ length: WINDOW_RUNS - 1 }, (_, at) => ({ commitId: `${at}` }));
    const id = await projectOf([
      old,
      old,
      ...made,
      { commitId: 'c', results: results('passed', 'a') },
    ]);
    expect((await findFlaky(db, id, {})).window).toEqual({ runs: WINDOW_RUNS, results: 1 });
    expect((await findFlaky(db, id, {})).total).toBe(0);
    expect((await findFlaky(db, id, { commit: ['c'] })).total).toBe(1);
  });

  test('ends before it holds too many results, but holds the newest run', async () => {
    const totals = (count: number) => ({ ...noTotals(), tests: count });
    const first = { results: results('passed', 'a'), totals: totals(1) };
    const second = { results: results('passed', 'b'), totals: totals(WINDOW_RESULTS - 5) };
    const third = { results: results('passed', 'c'), totals: totals(5) };
    const seen = async (...made: MadeRun[]) => {
      const { items, window } = await findSlowest(db, await projectOf(made), {});
      expect(items).toHaveLength(window.runs);
      return window;
    };
    expect(await seen(first, second, third)).toEqual({ runs: 2, results: WINDOW_RESULTS });
    const huge = { ...third, totals: totals(WINDOW_RESULTS + 1) };
    expect(await seen(first, huge)).toEqual({ runs: 1, results: WINDOW_RESULTS + 1 });
  });
});

test('others have their turn while results are read', async () => {
  const names = Array.from({ length: 1500 }, (_, at) => `t${at}`);
  const made = { results: results('failed', ...names) };
  const id = await projectOf([made, made, made]);
  for (const find of [findFlaky, findSlowest]) {
    let turns = 0;
    let found = false;
    const turn = () => {
      turns += 1;
      if (!found) setImmediate(turn);
    };
    setImmediate(turn);
    const { window } = await find(db, id, {});
    found = true;
    expect(window).toEqual({ runs: 3, results: 4500 });
    // Each run is read in two slices.
    expect(turns).toBeGreaterThanOrEqual(6);
  }
});

describe('the trend', () => {
  const DAY = 86_400_000;
  test('loses no run and no result, whatever a point is of', async () => {
    const run = fc.record({
      commitId: fc.constantFrom('a', 'b', null),
      finishedAt: fc.integer({ min: 0, max: 5 }).map((days) => days * DAY),
      results: fc.uniqueArray(
        fc.record({
          test: fc.constantFrom('a', 'b', 'c'),
          status: fc.constantFrom(...RESULT_STATUSES),
        }),
        { selector: ({ test }) => test },
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(run, { maxLength: 8 }), async (runs) => {
        const id = await projectOf(runs);
        for (const by of ['run', 'day', 'commit'] as const) {
          const { items, window } = await followTrend(db, id, {}, by);
          const sum = (of: (point: (typeof items)[0]['item']) => number) =>
            items.reduce((so, { item }) => so + of(item), 0);
          expect(sum(({ runs: { total } }) => total)).toBe(runs.length);
          expect(sum(({ totals }) => totals.tests)).toBe(window.results);
          for (const { item } of items) {
            const { share, count, total } = item.passed;
            expect(share === 1).toBe(total > 0 && count === total);
          }
        }
      }),
      { numRuns: 30 },
    );
  });
});

test('slow and flaky tests are what all results say', async () => {
  const result = fc.record({
    test: fc.constantFrom('a', 'b', 'c', 'd'),
    status: fc.constantFrom(...RESULT_STATUSES),
    durationMs: fc.option(fc.nat(1000)),
    flaky: fc.boolean(),
  });
  const run = fc.record({
    commitId: fc.constantFrom('1', '2', null),
    results: fc.uniqueArray(result, { selector: ({ test }) => test }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(run, { maxLength: 10 }), async (runs) => {
      const id = await projectOf(runs);
      const all = runs.flatMap(({ commitId, results: held }) =>
        held.map((one) => ({ commitId, ...one })),
      );
      const ran = (status: ResultStatus) => status !== 'skipped' && status !== 'unknown';
      const slow = named(await findSlowest(db, id, {}));
      for (const { test: name, runs: count, p50Ms, p95Ms, time } of slow) {
        const times = all
          .filter((one) => one.test === name && ran(one.status) && one.durationMs !== null)
          .map(({ durationMs }) => durationMs!);
        expect(count).toBe(times.length);
        expect([p50Ms, p95Ms]).toEqual([percentile(times, 0.5)!, percentile(times, 0.95)!]);
        expect(time.count).toBe(times.reduce((so, ms) => so + ms, 0));
      }
      const both = (name: string, commit: string) => {
        const here = all.filter((one) => one.test === name && one.commitId === commit);
        return (
          here.some(({ status }) => status === 'passed') &&
          here.some(({ status }) => status === 'failed' || status === 'broken')
        );
      };
      const flaky = ['a', 'b', 'c', 'd'].filter(
        (name) =>
          all.some((one) => one.test === name && one.flaky && ran(one.status)) ||
          ['1', '2'].some((commit) => both(name, commit)),
      );
      const found = named(await findFlaky(db, id, {}));
      expect(found.map(({ test: name }) => name).sort()).toEqual(flaky);
    }),
    { numRuns: 60 },
  );
});
