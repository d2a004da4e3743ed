// The newest results of a project as they are read: those of what has come since, added to what was
// known, are what reading all of it anew gives.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { loadResults } from '../../src/assurance/results/load-results.ts';
import type { ResultIndex } from '../../src/assurance/results/model.ts';
import { learnFromRun } from '../../src/quality/commands/rows.ts';
import { settleLinks } from '../../src/quality/runs/batches.ts';
import type { RunStatus } from '../../src/quality/runs/verdict.ts';
import {
  runBatches,
  runPins,
  type TestRunRow,
  testCommands,
} from '../../src/store/tables/quality.ts';
import { keyOf, type MadeResult, makeRun } from '../quality/made-runs.ts';
import { type Instance, openInstance } from '../support/instance.ts';

let instance: Instance;
let projects = 0;
beforeAll(async () => {
  instance = await openInstance();
});
afterAll(() => instance.close());

interface Wish {
  results: readonly MadeResult[];
  commandId?: string;
  counts?: boolean;
  pins?: Record<string, [string, string]>;
}

/** A run that is recorded, and not yet settled: its batch is still open. */
async function record(projectId: string, { results, commandId, counts, pins = {} }: Wish) {
  const { database } = instance.evidence;
  const run = await makeRun(database, projectId, {
    results,
    commandId: commandId ?? null,
    ...(counts === undefined ? {} : { counts }),
  });
  await database.write(async (db) => {
    const { batch, id: runId, createdAt } = run;
    await db.insert(runBatches).values({ batch, projectId, runId, createdAt });
    await db.insert(runPins).values({ batch: run.batch, pins: JSON.stringify(pins) });
  });
  return run;
}

async function settle(run: TestRunRow): Promise<void> {
  const { database } = instance.evidence;
  if (run.commandId !== null && run.counts) {
    const { projectId, commandId, id: runId, batch } = run;
    const status = run.status as RunStatus;
    await database.write((db) =>
      learnFromRun(db, {
        ...{ projectId, commandId, lastRunId: runId, lastBatch: batch, flaky: false },
        ...{ lastStatus: status, lastAt: run.createdAt, lastDurationMs: 7, lastOrdinal: 1 },
        lastFingerprint: 'c1:then',
      }),
    );
  }
  await settleLinks(database, run, { throttle: { wait: async () => {} } });
}

async function makeProject(): Promise<string> {
  projects += 1;
  const { id } = await instance.makeProject(`results-${projects}`);
  return id;
}

async function makeCommand(projectId: string, key: string): Promise<string> {
  const id = `cmd_${projectId}_${key}`;
  await instance.evidence.database.write((db) =>
    db.insert(testCommands).values({
      ...{ id, projectId, key, name: key, kind: 'manual', argv: [], env: {}, timeoutMs: 1 },
      ...{
        report: { format: 'none', path: null },
        storyIds: [],
        routes: [],
        tags: [],
        credentials: [],
      },
      ...{ onLeaseLost: 'retry', maxAttempts: 3, state: 'active', fingerprint: 'c1:now' },
      ...{ authorToken: 'tok_1', createdAt: 0, updatedAt: 0 },
    }),
  );
  return id;
}

const load = (projectId: string, before?: ResultIndex, wanted: Iterable<string> = []) =>
  loadResults(instance.evidence.database.read, projectId, new Set(wanted), before);

/** What an index says, for comparing. */
function told({ tests, linksOf, commands }: ResultIndex) {
  const results = [...tests.values()].map(({ key, storyIds, result }) => [
    ...[key, storyIds, result?.status, result?.runId, result?.commandId],
    storyIds.map((id) => [result?.fingerprintOf(id), result?.deepFingerprintOf(id)]),
  ]);
  return {
    tests: results.sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1)),
    links: Object.fromEntries(
      [...linksOf].sort().map(([id, links]) => [id, links.map(({ target }) => target.id)]),
    ),
    commands: Object.fromEntries(
      [...commands].sort().map(([id, { status, runId }]) => [id, [status, runId]]),
    ),
  };
}

describe('the results of a project [PQRS-45]', () => {
  test('are those of its newest runs that count, with what these pinned', async () => {
    const projectId = await makeProject();
    const commandId = await makeCommand(projectId, 'unit');
    const first = [
      { test: 'a', storyIds: ['US-1', 'US-2'] },
      { test: 'b', status: 'failed' as const },
    ];
    const run = await record(projectId, {
      ...{ results: first, commandId },
      pins: { 'US-1': ['f1', 'd1'] },
    });
    await settle(run);
    const late = [{ test: 'a', status: 'failed' as const, storyIds: ['US-3'] }];
    await settle(await record(projectId, { results: late, counts: false }));

    const { tests, linksOf, commands } = await load(projectId, undefined, [keyOf('b')]);
    const a = tests.get(keyOf('a'));
    expect(a).toMatchObject({ name: 'suite > a', storyIds: ['US-1', 'US-2'] });
    expect(a?.result).toMatchObject({ status: 'passed', runId: run.id, commandId, durationMs: 10 });
    expect(a?.result?.fingerprintOf('US-1')).toBe('f1');
    expect(a?.result?.deepFingerprintOf('US-1')).toBe('d1');
    expect(a?.result?.fingerprintOf('US-2')).toBeUndefined();
    expect(a?.result?.fingerprintOf('constructor')).toBeUndefined();
    expect(linksOf.get('US-2')).toEqual([
      {
        ...{ id: null, storyId: 'US-2', type: 'verifies', origin: 'tag', state: 'valid' },
        row: undefined,
        target: { kind: 'test', id: keyOf('a') },
      },
    ]);
    expect(linksOf.has('US-3')).toBe(false);
    expect(tests.get(keyOf('b'))).toMatchObject({ storyIds: [] });
    expect(tests.get(keyOf('b'))?.result?.status).toBe('failed');
    expect(commands.get(commandId)).toMatchObject({
      ...{ status: 'failed', runId: run.id, durationMs: 7, ownFingerprint: 'c1:then' },
    });
  });
});

const STATUSES = ['passed', 'failed', 'broken', 'skipped', 'unknown'] as const;
const NAMES = ['a', 'b', 'c', 'd'];
const STORIES = ['US-1', 'US-2', 'US-3'];

type Step =
  | { do: 'record'; results: MadeResult[]; command: number; counts: boolean }
  | { do: 'settle'; which: number }
  | { do: 'load'; wanted: string[] };

const steps = fc.array(
  fc.oneof(
    fc.record({
      do: fc.constant('record' as const),
      results: fc.uniqueArray(
        fc.record({
          test: fc.constantFrom(...NAMES),
          called: fc.constantFrom('one', 'two'),
          status: fc.constantFrom(...STATUSES),
          storyIds: fc.subarray(STORIES),
        }),
        { selector: ({ test: name }) => name, maxLength: 4 },
      ),
      command: fc.integer({ min: -1, max: 1 }),
      counts: fc.boolean(),
    }),
    fc.record({ do: fc.constant('settle' as const), which: fc.nat(10) }),
    fc.record({ do: fc.constant('load' as const), wanted: fc.subarray(NAMES) }),
  ),
  { maxLength: 12 },
);

describe('whatever comes, in whatever order it is settled [PQRS-45]', () => {
  test('what is added to what was known is what all of it gives', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (todo: Step[]) => {
        const projectId = await makeProject();
        const commands = [await makeCommand(projectId, 'x'), await makeCommand(projectId, 'y')];
        const open: TestRunRow[] = [];
        let known: ResultIndex | undefined;
        for (const step of [...todo, { do: 'load' as const, wanted: NAMES }]) {
          if (step.do === 'record') {
            const { results, command, counts } = step;
            const commandId = commands[command];
            const pins = { 'US-1': [`f${open.length}`, 'd'] as [string, string] };
            const wish = { results, counts, pins, ...(commandId ? { commandId } : {}) };
            open.push(await record(projectId, wish));
          } else if (step.do === 'settle') {
            const [one] = open.splice(step.which % Math.max(open.length, 1), 1);
            if (one) await settle(one);
          } else {
            const wanted = step.wanted.map(keyOf);
            known = await load(projectId, known, wanted);
            const settled = open.length === 0;
            const fresh = await load(projectId, undefined, wanted);
            if (settled) expect(onlyWanted(known, wanted)).toEqual(onlyWanted(fresh, wanted));
          }
        }
        for (const run of open) await settle(run);
        const wanted = NAMES.map(keyOf);
        known = await load(projectId, known, wanted);
        expect(told(known)).toEqual(told(await load(projectId, undefined, wanted)));
      }),
      { numRuns: 60 },
    );
  }, 120_000);
});

/** What an index says of tests that are linked or wanted: what was wanted once may still be there. */
function onlyWanted(index: ResultIndex, wanted: readonly string[]) {
  const tests = new Map(
    [...index.tests].filter(([key, one]) => one.storyIds.length > 0 || wanted.includes(key)),
  );
  return told({ ...index, tests });
}
