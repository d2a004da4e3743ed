// Pages of results: of one run in the order of its report, of one test the newest first.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { decodeCursor } from '../../src/model/pages.ts';
import type { ResultStatus } from '../../src/quality/reports/model.ts';
import { PAGE_BYTES, resultsOfRun, testHistory } from '../../src/quality/runs/results.ts';
import type { Db } from '../../src/store/database.ts';
import { type TestRunRow, tests } from '../../src/store/tables/quality.ts';
import { type Instance, openInstance } from '../support/instance.ts';
import { keyOf, type MadeResult, makeRun, results } from './made-runs.ts';

let instance: Instance;
let projectId: string;
let db: Db;

beforeAll(async () => {
  instance = await openInstance();
  ({ id: projectId } = await instance.makeProject('default'));
  db = instance.evidence.database.read;
});

afterAll(() => instance.close());

const make = (made: Parameters<typeof makeRun>[2]) =>
  makeRun(instance.evidence.database, projectId, made);

/** All of a run's results by name, read in pages. */
async function namesOf(run: TestRunRow, limit: number, status?: ResultStatus[]) {
  const names: string[] = [];
  let pages = 0;
  let behind: number | undefined;
  do {
    const page = await resultsOfRun(db, run, { status, behind, limit, hash: '' });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    names.push(...page.items.map(({ name }) => name));
    pages += 1;
    behind = decodeCursor('', page.nextCursor ?? undefined);
  } while (behind !== undefined);
  return { names, pages };
}

describe('the results of a run', () => {
  const many = (count: number, status: (at: number) => ResultStatus): MadeResult[] =>
    Array.from({ length: count }, (_, at) => ({ test: `t${at}`, status: status(at) }));

  test('stand in the order of its report, and are its own', async () => {
    const before = await make({ results: results('failed', 'x', 'b') });
    const run = await make({ results: results('passed', 'b', 'a', 'c', 'x', 'd') });
    await make({ results: results('passed', 'e') });
    const own = ['b', 'a', 'c', 'x', 'd'];
    expect(await namesOf(run, 2)).toEqual({ names: own, pages: 3 });
    expect(await namesOf(run, 5)).toEqual({ names: own, pages: 1 });
    expect(await namesOf(before, 9)).toEqual({ names: ['x', 'b'], pages: 1 });
    const behindAll = { behind: (run.batch + 1) * 131_072, limit: 5, hash: '' };
    expect(await resultsOfRun(db, run, behindAll)).toEqual({ items: [], nextCursor: null });
  });

  test('are found by status wherever they stand', async () => {
    const rare = new Set([0, 4095, 4096, 8999]);
    const run = await make({
      results: many(9000, (at) => (rare.has(at) ? 'failed' : at === 5000 ? 'broken' : 'passed')),
    });
    const failed = ['t0', 't4095', 't4096', 't8999'];
    for (const limit of [1, 2, 4, 50]) {
      expect((await namesOf(run, limit, ['failed'])).names).toEqual(failed);
    }
    expect((await namesOf(run, 50, ['failed', 'broken'])).names).toEqual([
      ...['t0', 't4095', 't4096', 't5000', 't8999'],
    ]);
    expect((await namesOf(run, 50, ['skipped'])).names).toEqual([]);
  });

  test('of a run without any are none', async () => {
    expect(await namesOf(await make({}), 50)).toEqual({ names: [], pages: 1 });
  });

  test('end a page early where their texts grow large, and miss none', async () => {
    const half = 'x'.repeat(PAGE_BYTES / 2);
    const large = [
      { test: 'l1', trace: half },
      { test: 'l2', message: half },
      { test: 'l3', message: half, trace: half },
      { test: 'l4' },
      { test: 'l5', trace: 'é'.repeat(PAGE_BYTES / 2 + 1) },
      { test: 'l6' },
    ];
    const run = await make({ results: large });
    expect(await namesOf(run, 50)).toEqual({
      names: ['l1', 'l2', 'l3', 'l4', 'l5', 'l6'],
      pages: 4,
    });
  });
});

describe('the results of a test', () => {
  test('come newest first with their runs; reports under way are not seen', async () => {
    const runs: string[] = [];
    for (let at = 0; at < 6; at += 1) {
      const receiving = at % 3 === 2;
      const made = { results: results(at % 2 ? 'failed' : 'passed', 'h'), receiving };
      const { id } = await make({ ...made, branch: at < 3 ? 'old' : 'new' });
      if (!receiving) runs.unshift(id);
    }
    const read = async (filters: object, status?: ResultStatus[]) => {
      const ids: string[] = [];
      let behind: number | undefined;
      do {
        const bounds = { status, behind, limit: 2, hash: '' };
        const page = await testHistory(db, projectId, keyOf('h'), filters, bounds);
        ids.push(...page.items.map(({ run }) => run.id));
        behind = decodeCursor('', page.nextCursor ?? undefined);
      } while (behind !== undefined);
      return ids;
    };
    const [third, second, first, zeroth] = runs as [string, string, string, string];
    expect(runs).toHaveLength(4);
    expect(await read({})).toEqual(runs);
    expect(await read({ branch: ['old'] })).toEqual([first, zeroth]);
    expect(await read({ branch: ['old', 'new'], environment: ['none'] })).toEqual([]);
    expect(await read({}, ['failed'])).toEqual([second, first]);
    expect(await read({ branch: ['new'] }, ['passed', 'skipped'])).toEqual([third]);
  });

  test('are found by filters behind many that do not fit', async () => {
    const first = await make({ branch: 'rare', results: results('failed', 'often') });
    const rows = await db.select().from(tests);
    const { seq } = rows.find(({ testKey }) => testKey === keyOf('often'))!;
    // Rows of runs that are long gone would not be seen: these are of one that is.
    const later = await make({ results: [] });
    await instance.evidence.database.write(async (write) => {
      await write.run(
        `with recursive n (i) as (select 0 union all select i + 1 from n where i < 9999)
          insert into test_results (seq, test_seq, status, flaky)
          select ${later.batch * 131_072} + i, ${seq}, 'passed', 0 from n`,
      );
    });
    const read = async (filters: object, status?: ResultStatus[]) => {
      const bounds = { status, behind: undefined, limit: 3, hash: '' };
      const page = await testHistory(db, projectId, keyOf('often'), filters, bounds);
      expect(page.nextCursor).toBeNull();
      return page.items.map(({ run }) => run.id);
    };
    expect(await read({}, ['failed'])).toEqual([first.id]);
    expect(await read({ branch: ['rare'] })).toEqual([first.id]);
  });
});
