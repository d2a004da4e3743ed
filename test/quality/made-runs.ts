// Test runs as rows, made of a few words, for tests of how they are read.
import { eq } from 'drizzle-orm';
import type { Attempt, ResultStatus, ResultTotals } from '../../src/quality/reports/model.ts';
import type { KeyedResult } from '../../src/quality/reports/read.ts';
import { insertRows, rowBatches } from '../../src/quality/runs/rows.ts';
import type { Database } from '../../src/store/database.ts';
import { newId } from '../../src/store/ids.ts';
import { attachments } from '../../src/store/tables/evidence.ts';
import { runBatches, type TestRunRow, testRuns } from '../../src/store/tables/quality.ts';

export interface MadeResult {
  /** The name of its test. */
  test: string;
  /** Where its test is called otherwise. */
  called?: string;
  status?: ResultStatus;
  durationMs?: number | null;
  flaky?: boolean;
  message?: string;
  trace?: string;
  attempts?: Attempt[];
  storyIds?: string[];
}

export interface MadeRun extends Partial<TestRunRow> {
  results?: readonly MadeResult[];
  /** Its report is being received: there is no run yet. */
  receiving?: boolean;
}

const AT = Date.UTC(2026, 0, 31, 12);

/** The key of a test by its name. */
export function keyOf(test: string): string {
  return `t1:${test}`;
}

/** Results of one status by the names of their tests. */
export function results(status: ResultStatus, ...names: string[]): MadeResult[] {
  return names.map((test) => ({ test, status }));
}

/** Makes a run and its results; gives the run's row, or of one that is being received what it will be. */
export async function makeRun(
  database: Pick<Database, 'write'>,
  projectId: string,
  made: MadeRun = {},
): Promise<TestRunRow> {
  const { results = [], late = false, counts = !late, receiving = false, ...over } = made;
  const id = newId('run');
  return database.write(async (db) => {
    const [received] = await db
      .insert(runBatches)
      .values({ projectId, runId: id, createdAt: AT })
      .returning();
    const { batch } = received!;
    for (const rows of rowBatches(results.map(keyedResult), 0)) {
      await insertRows(db, { projectId, batch }, rows);
    }
    const row = {
      ...{ id, projectId, batch, bodySha256: id, name: 'a run', status: statusOf(results) },
      ...{ late, counts, revision: 0, totals: totalsOf(results) },
      ...{ harnessErrors: [], authorToken: 'tok_made', authorLabel: 'made' },
      createdAt: AT + batch * 1000,
      ...over,
    };
    if (receiving) return { ...row, seq: 0 } as unknown as TestRunRow;
    const [run] = await db.insert(testRuns).values(row).returning();
    await db.delete(runBatches).where(eq(runBatches.batch, batch));
    return run!;
  });
}

/** Attaches a file to a run, without its content. */
export async function attachToRun(
  database: Pick<Database, 'write'>,
  run: Pick<TestRunRow, 'id' | 'projectId'>,
  name: string,
): Promise<string> {
  const id = newId('att');
  await database.write((db) =>
    db.insert(attachments).values({
      ...{ id, key: `key-of-${id}`, projectId: run.projectId, runId: run.id, name, kind: 'log' },
      ...{ mediaType: 'text/plain', bytes: 3, sha256: 'abc', authorToken: 'tok_made' },
      createdAt: AT,
    }),
  );
  return id;
}

function keyedResult(made: MadeResult): KeyedResult {
  return {
    ...{
      testKey: keyOf(made.test),
      name: made.called ?? made.test,
      path: ['suite'],
      file: 'a.test.ts',
      line: null,
    },
    parameters: null,
    status: made.status ?? 'passed',
    durationMs: made.durationMs === undefined ? 10 : made.durationMs,
    attempts: made.attempts ?? [],
    flaky: made.flaky ?? false,
    ...{ message: made.message ?? null, trace: made.trace ?? null, contentSha256: null },
    storyIds: made.storyIds ?? [],
  };
}

function statusOf(results: readonly MadeResult[]): string {
  if (results.length === 0) return 'broken';
  const failing = results.some(({ status }) => status === 'failed' || status === 'broken');
  return failing ? 'failed' : 'passed';
}

function totalsOf(results: readonly MadeResult[]): ResultTotals {
  const count = (wanted: ResultStatus) =>
    results.filter(({ status = 'passed' }) => status === wanted).length;
  return {
    tests: results.length,
    ...{ passed: count('passed'), failed: count('failed'), broken: count('broken') },
    ...{ skipped: count('skipped'), unknown: count('unknown') },
    flaky: results.filter(({ flaky }) => flaky).length,
  };
}
