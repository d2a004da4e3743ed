// Recording runs from within: what is seen of one that is under way, what is left of one that was
// broken off, and what the next process makes of it.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { eq, sql } from 'drizzle-orm';
import { type Agents, openAgents } from '../../src/agents/agents.ts';
import { resumeRuns } from '../../src/agents/recording/settle.ts';
import { openAssurance } from '../../src/assurance/assurance.ts';
import { openQuality } from '../../src/quality/quality.ts';
import { batchesLeft, noteUnjudged, unjudgedLeft } from '../../src/quality/runs/batches.ts';
import { openRequirements } from '../../src/requirements/requirements.ts';
import type { Tx } from '../../src/store/database.ts';
import { StoreUnavailable } from '../../src/store/errors.ts';
import { runBatches, type TestRunRow, testRuns } from '../../src/store/tables/quality.ts';
import { makeRun } from '../quality/made-runs.ts';
import { type Instance, openInstance } from '../support/instance.ts';
import { LARGE_CASES as CASES, largeReport as report } from '../support/large-report.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const TABLES = ['run_batches', 'test_runs', 'run_pins', 'tests', 'test_results', 'latest_results'];

let instance: Instance;
let agents: Agents;
let token: string;
let projectId: string;
const dataDir = temporaryFolder('data');

beforeAll(async () => {
  instance = await openInstance({}, { dataDir });
  agents = agentsOf(instance);
  // Writes are counted: none may come from the background.
  instance.evidence.issuesIndex.stop();
  instance.evidence.logsIndex.stop();
  ({ id: projectId, token } = await instance.makeProject('default'));
});
afterAll(() => instance.close());

function agentsOf({ evidence }: Instance): Agents {
  return openAgents(openAssurance(openQuality(openRequirements(evidence))));
}

const post = (body: string | ReadableStream<Uint8Array>, query = '', type = 'application/xml') =>
  instance.fetch(`/api/test-runs${query}`, {
    method: 'POST',
    token,
    body,
    headers: { 'content-type': type },
  });

const get = async (query: string) =>
  (await instance.fetch(`/api/test-runs?${query}`, { token })).json() as Promise<{
    items: { id: string }[];
    status?: number;
  }>;

/** How many rows there are in each table. */
async function counts(): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const table of TABLES) {
    const query = sql.raw(`select count(*) from ${table}`);
    found[table] = Number((await instance.evidence.database.read.values(query))[0]?.[0]);
  }
  return found;
}

/** What is stored in the folder of files. */
const files = () =>
  readdirSync(join(dataDir, 'files'), { recursive: true })
    .map((path) => join(dataDir, 'files', String(path)))
    .filter((path) => statSync(path).isFile() && !path.endsWith('folder.id'));

/**
 * Lets something happen before every write of the service from now on.
 *
 * @returns what ends that
 */
function beforeWrites(step: (count: number) => Promise<void> | void): () => void {
  const { database } = instance.evidence;
  const { write } = database;
  let count = 0;
  database.write = async <T>(work: (tx: Tx) => Promise<T>) => {
    count += 1;
    await step(count);
    return write(work);
  };
  return () => {
    database.write = write;
  };
}

describe('a run that is being received [PQRS-41]', () => {
  test('is seen by nobody, and then whole', async () => {
    const before = await counts();
    const half = Promise.withResolvers<void>();
    const on = Promise.withResolvers<void>();
    const restore = beforeWrites(async (count) => {
      if (count !== 4) return;
      half.resolve();
      await on.promise;
    });
    const answer = post(report('unseen'), '?branch=unseen');
    await half.promise;
    const during = await counts();
    expect(during.test_results).toBeGreaterThan(before.test_results!);
    expect(during).toMatchObject({ test_runs: before.test_runs, run_batches: 1 });
    expect(during.latest_results).toBe(before.latest_results!);
    expect((await get('branch=unseen')).items).toEqual([]);
    const [row] = await instance.evidence.database.read.values<[string]>(
      sql`select test_key from tests order by seq desc limit 1`,
    );
    expect((await get(`testKey=${row![0]}`)).status).toBe(404);
    // Whoever looks for what was left behind leaves it alone.
    expect(await batchesLeft(agents.database.read)).toEqual([]);
    on.resolve();
    restore();
    expect((await answer).status).toBe(201);
    expect(await counts()).toEqual({
      run_batches: 0,
      test_runs: before.test_runs! + 1,
      run_pins: before.run_pins! + 1,
      tests: before.tests! + CASES,
      test_results: before.test_results! + CASES,
      latest_results: before.latest_results! + CASES,
    });
    expect((await get('branch=unseen')).items).toHaveLength(1);
    expect(files()).toEqual([]);
  });

  test('again counts once: the latest results are the newer ones, no test twice', async () => {
    const before = await counts();
    expect((await post(report('unseen'))).status).toBe(201);
    const after = await counts();
    expect(after).toMatchObject({ tests: before.tests, latest_results: before.latest_results });
    expect(after.test_results).toBe(before.test_results! + CASES);
    const newest = await instance.evidence.database.read.values<[number]>(
      sql`select count(*) from latest_results l where result_seq = (select max(r.seq) from test_results r where r.test_seq = l.test_seq)`,
    );
    expect(newest[0]![0]).toBe(CASES);
  });
});

describe('a run that is broken off [PQRS-41]', () => {
  /** Holds that a request fails and leaves all as it was. */
  async function leavesNothing(send: () => Promise<{ status: number } | undefined>) {
    const before = await counts();
    const status = (await send())?.status;
    expect(await counts()).toEqual(before);
    expect(files()).toEqual([]);
    return status;
  }

  // Begin, eight batches of results, the run, its links.
  test.each([2, 3, 6, 9, 10])('at its write %i leaves nothing', async (at) => {
    const restore = beforeWrites((count) => {
      if (count === at) throw new StoreUnavailable(new Error('as the test wants'));
    });
    expect(await leavesNothing(() => post(report(`broken ${at}`)))).toBe(503);
    restore();
  });

  test('keeps the tests that others had before', async () => {
    const body = report('shared', 800);
    expect((await post(body)).status).toBe(201);
    const restore = beforeWrites((count) => {
      if (count === 4) throw new StoreUnavailable(new Error('as the test wants'));
    });
    expect(await leavesNothing(() => post(report('shared', CASES)))).toBe(503);
    restore();
  });

  test('by a field that is wrong near its end', async () => {
    const results: object[] = Array.from({ length: CASES }, (_, at) => ({
      name: `own ${at}`,
      status: 'passed',
      message: 'x'.repeat(100),
    }));
    results.push({ name: 'last', status: 'green' });
    const body = JSON.stringify({ results });
    expect(await leavesNothing(() => post(body, '', 'application/json'))).toBe(422);
  });

  test('by a field at its top that comes last', async () => {
    const results = Array.from({ length: CASES }, (_, at) => ({
      name: `late ${at}`,
      status: 'passed',
      message: 'x'.repeat(100),
    }));
    const body = JSON.stringify({ results, commandId: 'none' });
    expect(await leavesNothing(() => post(body, '', 'application/json'))).toBe(422);
  });

  test('by its client in the middle of the upload', async () => {
    const bytes = new TextEncoder().encode(report('aborted', 4000));
    const aborted = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(bytes.slice(0, 300_000));
        controller.error(new Error('the client is gone'));
      },
    });
    await leavesNothing(() => post(aborted).catch(() => undefined));
    const form = `--b\r\nContent-Disposition: form-data; name="f"; filename="a.bin"\r\n\r\n${'y'.repeat(200_000)}\r\n--b\r\nContent-Disposition: form-data; name="report"\r\n\r\n${report('cut form').slice(0, 200_000)}`;
    const status = await leavesNothing(() => post(form, '', 'multipart/form-data; boundary=b'));
    expect(status).toBe(400);
  });

  test('that cannot be settled at once is settled later, and its run is there', async () => {
    const before = await counts();
    // The write behind that of the run.
    const restore = beforeWrites((count) => {
      if (count === 11) throw new StoreUnavailable(new Error('as the test wants'));
    });
    expect((await post(report('later'))).status).toBe(201);
    restore();
    expect(await counts()).toMatchObject({
      ...{
        run_batches: 1,
        test_runs: before.test_runs! + 1,
        latest_results: before.latest_results,
      },
    });
    await resumeRuns(agents);
    expect(await counts()).toMatchObject({
      run_batches: 0,
      latest_results: before.latest_results! + CASES,
    });
  });
});

describe('what a process that died has left [PQRS-84]', () => {
  test('without a run goes, with one it is settled', async () => {
    const { database } = instance.evidence;
    const before = await counts();
    const results = Array.from({ length: 450 }, (_, at) => ({
      test: `left ${at}`,
      storyIds: ['US-2'],
    }));
    await makeRun(database, projectId, { results, receiving: true });
    await leaveOpen(await makeRun(database, projectId, { results, ordinal: 1 }));
    const half = await counts();
    expect(half.test_results).toBe(before.test_results! + 900);
    expect(half.run_batches).toBe(2);

    const { judged, next } = listening();
    await resumeRuns(next);
    // Nothing is judged where the project does not want it.
    expect(judged).toEqual([]);
    expect(await counts()).toMatchObject({
      run_batches: 0,
      tests: before.tests! + 450,
      test_results: before.test_results! + 450,
      latest_results: before.latest_results! + 450,
    });
  });

  test('has its stories judged once where runs do so, and later where that fails', async () => {
    const judging = await instance.makeProject('judging', { autoValidate: true });
    const { database } = instance.evidence;
    await makeRun(database, judging.id, { ordinal: 1 });
    const left = await makeRun(database, judging.id, { ordinal: 2 });
    await leaveOpen(left);
    await leaveOpen(await makeRun(database, judging.id, { late: true }));
    const failing = async () => {
      throw new StoreUnavailable(new Error('as the test wants'));
    };
    await resumeRuns({ ...agents, judge: failing });
    const { judged, next } = listening();
    await resumeRuns(next);
    await resumeRuns(next);
    expect(judged).toEqual([left.id]);
  });

  test('is forgotten where the run is gone before it is judged', async () => {
    const judging = await instance.makeProject('forgotten', { autoValidate: true });
    const { database } = instance.evidence;
    const gone = await makeRun(database, judging.id, { ordinal: 1 });
    await database.write(async (db) => {
      expect(await noteUnjudged(db, gone)).toBe(true);
      await db.delete(testRuns).where(eq(testRuns.id, gone.id));
    });
    const { judged, next } = listening();
    await resumeRuns(next);
    expect(judged).toEqual([]);
    expect(await unjudgedLeft(database.read)).toEqual([]);
  });
});

/** Says of a run that it is not settled yet. */
async function leaveOpen({ batch, projectId, id: runId }: TestRunRow): Promise<void> {
  await instance.evidence.database.write(async (db) => {
    await db.insert(runBatches).values({ batch, projectId, runId, createdAt: 0 });
  });
}

/** The agents, and the runs that they judge. */
function listening(): { judged: string[]; next: Agents } {
  const judged: string[] = [];
  return { judged, next: { ...agents, judge: async (_, { id }) => void judged.push(id) } };
}
