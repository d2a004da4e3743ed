// Pages of results that end early where their texts grow large.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { decodeCursor } from '../../src/model/pages.ts';
import { PAGE_BYTES, resultsOfRun } from '../../src/quality/runs/results.ts';
import type { Db } from '../../src/store/database.ts';
import type { TestRunRow } from '../../src/store/tables/quality.ts';
import { type Instance, openInstance } from '../support/instance.ts';
import { makeRun } from './made-runs.ts';

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
async function namesOf(run: TestRunRow, limit: number) {
  const names: string[] = [];
  let pages = 0;
  let behind: number | undefined;
  do {
    const page = await resultsOfRun(db, run, { behind, limit, hash: '' });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    names.push(...page.items.map(({ name }) => name));
    pages += 1;
    behind = decodeCursor('', page.nextCursor ?? undefined);
  } while (behind !== undefined);
  return { names, pages };
}

describe('the results of a run', () => {
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
