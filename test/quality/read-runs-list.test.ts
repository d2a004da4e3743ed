// Lists of runs: whatever the filters, they hold the runs that fit, the newest first, page by page.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { RunFilters } from '../../src/quality/runs/model.ts';
import { listRunRows } from '../../src/quality/runs/runs.ts';
import type { TestRunRow } from '../../src/store/tables/quality.ts';
import { type Instance, openInstance } from '../support/instance.ts';
import { type MadeRun, makeRun } from './made-runs.ts';

let instance: Instance;
let projectId: string;
let rows: TestRunRow[];

const RUNS = 80;
const pick = <T>(list: readonly T[], at: number): T => list[at % list.length]!;

/** Runs that differ in every filter, each in a rhythm of its own. */
function madeRun(at: number): MadeRun {
  const agent = pick([null, 'ann', 'bob'], at);
  return {
    status: pick(['passed', 'failed', 'broken', 'passed'], at),
    branch: pick(['main', 'next', null], at),
    commitId: pick(['c1', 'c2', 'c3', null, 'c4'], at),
    environment: pick(['live', null], at),
    suiteId: pick(['s1', null, 's2', null, null, null, null], at),
    planId: pick([null, 'p1'], at),
    externalId: at % 4 === 0 ? `e${at}` : null,
    late: at % 11 === 0,
    ...(agent === null ? {} : { agent: { name: agent, version: null } }),
  };
}

beforeAll(async () => {
  instance = await openInstance();
  ({ id: projectId } = await instance.makeProject('default'));
  const other = await instance.makeProject('other');
  rows = [];
  const { database } = instance.evidence;
  for (let at = 0; at < RUNS; at += 1) {
    rows.unshift(await makeRun(database, projectId, madeRun(at)));
    const { externalId: _, ...alike } = madeRun(at);
    await makeRun(database, other.id, alike);
    if (at % 9 === 0) await makeRun(database, projectId, { ...alike, receiving: true });
  }
});

afterAll(() => instance.close());

/** What the filters say, run by run. */
function fits(row: TestRunRow, { late, ...filters }: RunFilters): boolean {
  if (late !== undefined && row.late !== late) return false;
  const agent = row.agent === null ? null : (row.agent as { name: string }).name;
  const values: Record<string, string | null> = { ...row, commit: row.commitId, agent } as never;
  return Object.entries(filters).every(
    ([name, wanted]) => wanted === undefined || wanted.includes(values[name] as never),
  );
}

const some = (...values: string[]) =>
  fc.option(fc.array(fc.constantFrom(...values, 'none'), { minLength: 1, maxLength: 3 }), {
    nil: undefined,
    freq: 1,
  });

const anyFilters = fc.record({
  status: fc.option(fc.array(fc.constantFrom('passed', 'failed', 'broken'), { minLength: 1 }), {
    nil: undefined,
  }),
  branch: some('main', 'next'),
  commit: some('c1', 'c2', 'c3', 'c4'),
  environment: some('live'),
  suiteId: some('s1', 's2'),
  planId: some('p1'),
  externalId: some('e0', 'e4', 'e40'),
  agent: some('ann', 'bob'),
  late: fc.option(fc.boolean(), { nil: undefined }),
}) as fc.Arbitrary<RunFilters>;

describe('a list of runs', () => {
  const page = (filters: RunFilters, limit: number, behind?: number, counting = false) =>
    listRunRows(instance.evidence.database.read, projectId, filters, { behind, limit, counting });
  const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id);

  test('holds what fits all filters, the newest first', async () => {
    await fc.assert(
      fc.asyncProperty(anyFilters, fc.boolean(), async (filters, counting) => {
        const expected = rows.filter((row) => fits(row, filters) && !(counting && row.late));
        expect(ids(await page(filters, RUNS, undefined, counting))).toEqual(ids(expected));
      }),
      { numRuns: 300 },
    );
  });

  test('goes on behind what was seen', async () => {
    await fc.assert(
      fc.asyncProperty(anyFilters, fc.integer({ min: 1, max: 7 }), async (filters, limit) => {
        const seen: TestRunRow[] = [];
        for (let more = true; more; ) {
          const next = await page(filters, limit, seen.at(-1)?.seq);
          seen.push(...next);
          more = next.length === limit;
        }
        expect(ids(seen)).toEqual(ids(rows.filter((row) => fits(row, filters))));
      }),
      { numRuns: 100 },
    );
  });
});
