// Plans of a project as it stands in the database: what is read of commands, runs and stories.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { asc, eq } from 'drizzle-orm';
import { learnFromRun } from '../../src/quality/commands/rows.ts';
import { noTotals } from '../../src/quality/reports/model.ts';
import type { RunStatus } from '../../src/quality/runs/verdict.ts';
import { planItems, plans } from '../../src/store/tables/agents.ts';
import { runPins, testCommands } from '../../src/store/tables/quality.ts';
import { type MadeRun, makeRun } from '../quality/made-runs.ts';
import { type Instance, openInstance } from '../support/instance.ts';

const STORIES = `# Shop

## US-1: Paying

As a customer I pay.

Priority: high

## US-2: A receipt

As a customer I have a receipt.

## US-3: A refund

As a customer I have my money back.
`;

interface PlanAnswer {
  id: string;
  revision: number;
  items: { commandId: string; reasons: { code: string }[]; estimateMs: number; score: number }[];
  covered: string[];
  uncovered: { storyId: string; why: string }[];
  evaluation: {
    runs: number;
    raw: { cycles: number; apfd: Record<string, number | null> };
    withoutFlaky: { cycles: number };
  };
}

let instance: Instance;
let projects = 0;
let project: { id: string; token: string };
let ordinal = 0;

beforeAll(async () => {
  instance = await openInstance();
  await instance.makeProject('default');
});
afterAll(() => instance.close());

/** A new project with three stories and commands by their keys. */
async function begin(commands: Record<string, object>): Promise<Record<string, string>> {
  projects += 1;
  ordinal = 0;
  project = await instance.makeProject(`p${projects}`);
  await bring(STORIES);
  const ids: Record<string, string> = {};
  for (const [key, over] of Object.entries(commands)) {
    const made = await post('/test-commands', { key, argv: ['true'], ...over });
    ids[key] = made.id as string;
  }
  return ids;
}

async function bring(content: string): Promise<void> {
  const sources = [{ path: 'stories.md', content }];
  await post('/projects', { slug: `p${projects}`, sources }, 200);
}

async function post(path: string, body: object, status = 201): Promise<Record<string, unknown>> {
  const response = await instance.fetch(`/api${path}`, {
    method: 'POST',
    token: project.token,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  const answer = (await response.json()) as Record<string, unknown>;
  expect([response.status, answer.errors]).toEqual([status, undefined]);
  return answer;
}

const plan = async (body: object = {}) =>
  (await post('/agent/plan', body)) as unknown as PlanAnswer;

/** Records a run of a command, as it is when its report has been settled. */
async function ran(commandId: string, status: RunStatus, over: MadeRun & { flaky?: boolean } = {}) {
  const { flaky = false, durationMs = 1000, ...row } = over;
  const { database } = instance.evidence;
  ordinal += 1;
  const totals = { ...noTotals(), flaky: flaky ? 1 : 0 };
  const made = { commandId, status, durationMs, totals, ordinal, ...row };
  const { id: runId, batch } = await makeRun(database, project.id, made);
  const { nodes } = (await graph()) as { nodes: Record<string, string>[] };
  const pins = Object.fromEntries(
    nodes.map(({ id, fingerprint, deepFingerprint }) => [id, [fingerprint, deepFingerprint]]),
  );
  await database.write(async (db) => {
    const [command] = await db.select().from(testCommands).where(eq(testCommands.id, commandId));
    await db.insert(runPins).values({ batch, pins: JSON.stringify(pins) });
    await learnFromRun(db, {
      ...{ projectId: project.id, commandId, lastRunId: runId, lastBatch: batch, flaky },
      ...{ lastStatus: status, lastAt: 0, lastDurationMs: durationMs, lastOrdinal: ordinal },
      lastFingerprint: command?.fingerprint ?? '',
    });
  });
}

async function graph(): Promise<unknown> {
  return (await instance.fetch('/api/srs-graph', { token: project.token })).json();
}

const codesOf = ({ items }: PlanAnswer, id: string | undefined) =>
  items.find(({ commandId }) => commandId === id)?.reasons.map(({ code }) => code) ?? [];

describe('a plan is made of [PQRS-49]', () => {
  test('how the runs of commands ended, and how long the newest fifteen took', async () => {
    const { a = '', b = '', c = '' } = await begin({ a: {}, b: {}, c: {} });
    for (let at = 0; at < 5; at += 1) await ran(a, 'passed', { durationMs: 900_000 });
    for (let at = 0; at < 15; at += 1) await ran(a, 'passed', { durationMs: 2000 + at });
    await ran(b, 'failed', { flaky: true });
    const made = await plan();
    expect(made.items.map(({ commandId }) => commandId)).toEqual([b, c, a]);
    expect(made.items.map(({ estimateMs }) => estimateMs)).toEqual([1000, 2007, 2007]);
    expect(codesOf(made, b)).toEqual(['failed_last', 'failed_recently', 'flaky']);
    expect(codesOf(made, c)).toEqual(['never_ran']);
  });

  test('what changed of a command or of its stories since it last ran', async () => {
    const { a = '', b = '' } = await begin({
      a: { storyIds: ['US-1'] },
      b: { storyIds: ['US-2'] },
    });
    await ran(a, 'passed');
    await ran(b, 'passed');
    expect(codesOf(await plan(), a)).not.toContain('changed');
    await bring(STORIES.replace('As a customer I pay.', 'As a customer I pay once.'));
    const changed = await plan({ strategy: 'changed' });
    expect(changed.items.map(({ commandId }) => commandId)).toEqual([a]);
    expect(codesOf(changed, a)).toContain('changed');
    expect(changed.revision).toBe(2);
    await ran(a, 'passed');
    expect((await plan({ strategy: 'changed' })).items).toEqual([]);
    const since = await plan({ strategy: 'changed', sinceRevision: 1 });
    expect(since.items.map(({ commandId }) => commandId)).toEqual([a]);
    expect(codesOf(since, a)).toContain('story_changed');
    await instance.fetch('/api/test-commands', {
      ...{
        method: 'PATCH',
        token: project.token,
        body: JSON.stringify({ id: b, argv: ['false'] }),
      },
      headers: { 'content-type': 'application/json' },
    });
    const other = await plan({ strategy: 'changed' });
    expect(other.items.map(({ commandId }) => commandId)).toEqual([b]);
    expect(other.uncovered).toContainEqual({ storyId: 'US-1', why: 'not_selected' });
  });

  test('a story that a command names newly is one that it has not run for', async () => {
    const { a = '' } = await begin({ a: { storyIds: ['US-1'] } });
    await ran(a, 'passed');
    const { database } = instance.evidence;
    const [{ batch = 0 } = {}] = await database.read.select().from(runPins).orderBy(runPins.batch);
    expect(batch).toBeGreaterThan(0);
    await database.write(async (db) => {
      await db.update(runPins).set({ pins: '{}' });
    });
    expect(codesOf(await plan(), a)).toContain('changed');
  });

  test('priorities, open issues and links of stories', async () => {
    const { a = '', b = '' } = await begin({ a: { storyIds: ['US-1'] }, b: {} });
    await post('/issues', { title: 'It fails', storyIds: ['US-1'] });
    const target = { kind: 'command', id: b };
    await post(
      '/project-traceability',
      { add: [{ storyId: 'US-2', type: 'verifies', target }] },
      200,
    );
    const made = await plan();
    expect(codesOf(made, a)).toEqual(expect.arrayContaining(['priority', 'open_issues']));
    expect(made.covered).toEqual(['US-1', 'US-2']);
    expect(made.uncovered).toEqual([{ storyId: 'US-3', why: 'no_command' }]);
  });

  test('the stories of the tests that a command was the last to report', async () => {
    const { a = '', b = '' } = await begin({ a: {}, b: {} });
    const report = (commandId: string, names: string[]) =>
      post('/test-runs', { commandId, results: names.map((name) => ({ name, status: 'passed' })) });
    await report(a, ['pays [US-1]', 'prints [US-2]']);
    await report(b, ['prints [US-2]']);
    const made = await plan({ storyIds: ['US-2'] });
    expect(made.items).toMatchObject([{ commandId: b, storyIds: ['US-2'] }]);
    expect(made.covered).toEqual(['US-2']);
    expect((await plan()).uncovered).toEqual([{ storyId: 'US-3', why: 'no_command' }]);
    expect((await plan({ strategy: 'changed' })).items).toEqual([]);
    await post('/story-edits', {
      storyId: 'US-1',
      set: { statement: 'As a customer I pay cash.' },
    });
    expect((await plan({ strategy: 'changed' })).items).toMatchObject([{ commandId: a }]);
  });

  test('commands whose quarantine is over', async () => {
    const quarantine = { owner: 'Ada', reason: 'Flaky.', until: '2099-01-01T00:00:00.000Z' };
    const { a = '' } = await begin({
      a: { storyIds: ['US-1'], state: 'quarantined', quarantine },
      b: { storyIds: ['US-2'], state: 'disabled' },
    });
    const made = await plan();
    expect(codesOf(made, a)).toContain('quarantined');
    expect(made.uncovered.slice(0, 2)).toEqual([
      { storyId: 'US-1', why: 'quarantined' },
      { storyId: 'US-2', why: 'disabled' },
    ]);
    await instance.evidence.database.write(async (db) => {
      await db
        .update(testCommands)
        .set({ quarantine: { ...quarantine, until: 1 } })
        .where(eq(testCommands.id, a));
    });
    expect((await plan()).covered).toEqual(['US-1']);
  });

  test('more commands than are read at once, none of another project', async () => {
    await begin({ stranger: {} });
    await begin({});
    const [row] = await instance.evidence.database.read.select().from(testCommands).limit(1);
    const count = 1203;
    await instance.evidence.database.write(async (db) => {
      const { seq: _seq, ...like } = row!;
      for (let at = 0; at < count; at += 1) {
        const own = { id: `cmd_${project.id}_${at}`, key: `k${at}`, projectId: project.id };
        await db.insert(testCommands).values({ ...like, ...own, storyIds: [] });
      }
    });
    const made = await plan();
    expect(new Set(made.items.map(({ commandId }) => commandId)).size).toBe(count);
    const stored = await instance.evidence.database.read
      .select()
      .from(planItems)
      .where(eq(planItems.planId, made.id))
      .orderBy(asc(planItems.position));
    expect(stored.map(({ commandId }) => commandId)).toEqual(
      made.items.map(({ commandId }) => commandId),
    );
    expect(stored.map(({ position }) => position)).toEqual(stored.map((_, at) => at + 1));
    expect(stored.every(({ state, attempts }) => state === 'open' && attempts === 0)).toBe(true);
    const [kept] = await instance.evidence.database.read
      .select()
      .from(plans)
      .where(eq(plans.id, made.id));
    expect(kept).toMatchObject({ id: made.id, revision: made.revision, origin: 'produced' });
  });
});

describe('an evaluation replays [PQRS-49]', () => {
  const DAY = 24 * 3600 * 1000;
  const AT = Date.UTC(2026, 0, 31, 23);

  test('runs by their plan, commit and environment, suite, or day', async () => {
    const { a = '', b = '' } = await begin({ a: {}, b: {} });
    const both = async (over: MadeRun, other: MadeRun = over) => {
      await ran(a, 'passed', over);
      await ran(b, 'failed', other);
    };
    await both(
      { planId: 'pln_1', commitId: '1', createdAt: AT },
      { planId: 'pln_1', createdAt: AT },
    );
    await both({ commitId: '2', environment: 'ci', suiteId: 'ste_1', createdAt: AT });
    // Neither of these says anything by itself.
    await both({ commitId: '3', environment: 'ci' }, { commitId: '3', environment: 'other' });
    await both({ suiteId: 'ste_2', createdAt: AT }, { suiteId: 'ste_2', createdAt: AT + DAY });
    await both({ createdAt: AT }, { createdAt: AT + 59 * 60_000 });
    await both({ createdAt: AT + 2 * DAY }, { createdAt: AT + 3 * DAY });
    const { evaluation } = await plan({ evaluate: true });
    expect(evaluation.runs).toBe(12);
    expect(evaluation.raw.cycles).toBe(4);
    expect(evaluation.raw.apfd).toMatchObject({ random: 0.5, optimal: 0.75 });
    // Only the first of them was ordered without knowing that b fails.
    expect(evaluation.raw.apfd.planned).toBeCloseTo((0.25 + 3 * 0.75) / 4, 10);
  });

  test('runs that count, are of a command, and not flaky', async () => {
    const { a = '', b = '' } = await begin({ a: {}, b: {} });
    await ran(a, 'passed', { commitId: '1', durationMs: null });
    await ran(b, 'failed', { commitId: '1', flaky: true });
    await ran(a, 'passed', { commitId: '2' });
    await ran(b, 'failed', { commitId: '2', late: true });
    await makeRun(instance.evidence.database, project.id, { status: 'failed', commitId: '2' });
    const { evaluation } = await plan({ evaluate: true });
    expect(evaluation).toMatchObject({ runs: 3, raw: { cycles: 1 }, withoutFlaky: { cycles: 0 } });
    expect(await plan()).not.toHaveProperty('evaluation');
  });
});
