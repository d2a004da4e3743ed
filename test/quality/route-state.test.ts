// Scenarios, catalog and candidates as they are kept in memory, over a database.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { timestamp } from '../../src/clock.ts';
import { learnFromRun } from '../../src/quality/commands/rows.ts';
import { openQuality, type Quality } from '../../src/quality/quality.ts';
import type { RunStatus } from '../../src/quality/runs/verdict.ts';
import { openRequirements } from '../../src/requirements/requirements.ts';
import { newId } from '../../src/store/ids.ts';
import { scenarios, testCommands, testRuns } from '../../src/store/tables/quality.ts';
import { type Instance, openInstance } from '../support/instance.ts';
import { makeRun } from './made-runs.ts';

let instance: Instance;
let quality: Quality;
let projects = 0;

beforeAll(async () => {
  instance = await openInstance();
  quality = openQuality(openRequirements(instance.evidence));
});
afterAll(() => instance.close());

const AUTHOR = { authorToken: 'tok_made', authorLabel: 'made' };

async function newProject() {
  const { id, token } = await instance.makeProject(`p${++projects}`);
  const { database } = quality;
  const now = instance.evidence.clock;

  async function command(key: string, routes: string[], over: object = {}): Promise<string> {
    const commandId = newId('cmd');
    await database.write((db) =>
      db.insert(testCommands).values({
        ...{ id: commandId, projectId: id, key, name: key, kind: 'shell', argv: ['x'] },
        ...{
          cwd: null,
          env: {},
          timeoutMs: 1,
          report: { format: 'none', path: null },
          storyIds: [],
          tags: [],
        },
        ...{ routes, credentials: [], onLeaseLost: 'retry' },
        ...{ maxAttempts: 3, state: 'active', fingerprint: `c1:${key}`, ...AUTHOR },
        ...{ createdAt: now(), updatedAt: now(), ...over },
      }),
    );
    return commandId;
  }

  async function ran(commandId: string, status: RunStatus, at: number, fingerprint: string) {
    await database.write((db) =>
      learnFromRun(db, {
        ...{ projectId: id, commandId, lastRunId: newId('run'), lastBatch: at, flaky: false },
        ...{ lastStatus: status, lastAt: at, lastDurationMs: 1, lastOrdinal: at },
        lastFingerprint: fingerprint,
      }),
    );
  }

  async function scenario(key: string, over: object = {}): Promise<string> {
    const scenarioId = newId('scn');
    await database.write((db) =>
      db.insert(scenarios).values({
        ...{ id: scenarioId, projectId: id, key, title: key, steps: [], examples: [] },
        ...{ storyIds: [], routes: [], tags: [], state: 'active', fingerprint: 's1:' },
        ...{ ...AUTHOR, createdAt: now(), updatedAt: now(), ...over },
      }),
    );
    return scenarioId;
  }

  const standing = async () => {
    const { routes } = await quality.routeCatalogs.of(id);
    return Object.fromEntries(
      routes.map(({ method, template, status }) => [`${method} ${template}`, status]),
    );
  };
  const candidates = async () => {
    const items = await quality.routeCandidates.of(id);
    return items.map(
      ({ method, template, observations }) => `${method} ${template} ${observations}`,
    );
  };
  const post = async (path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const sent = { method: 'POST', token, headers, body: JSON.stringify(body) };
    expect((await instance.fetch(path, sent)).status).toBeLessThan(300);
  };
  return { id, command, ran, scenario, standing, candidates, post };
}

describe('the catalog of a project [PQRS-53]', () => {
  test('says how routes stand by the newest runs of their commands', async () => {
    const { command, ran, standing } = await newProject();
    const good = await command('good', ['GET /a', 'GET /b']);
    const bad = await command('bad', ['GET /b', 'GET /c']);
    await command('never', ['GET /d']);
    await ran(good, 'passed', 1, 'c1:good');
    await ran(bad, 'passed', 2, 'c1:bad');
    expect(await standing()).toEqual({
      ...{ 'GET /a': 'covered', 'GET /b': 'covered', 'GET /c': 'covered', 'GET /d': 'untested' },
    });
    await ran(bad, 'broken', 3, 'c1:bad');
    expect(await standing()).toMatchObject({
      ...{ 'GET /a': 'covered', 'GET /b': 'failing', 'GET /c': 'failing' },
    });
    await ran(bad, 'passed', 4, 'c1:bad');
    expect(await standing()).toMatchObject({ 'GET /b': 'covered' });
  });

  test('takes no run for one of a command that runs something else by now', async () => {
    const { id, command, ran, standing } = await newProject();
    const one = await command('one', ['GET /a']);
    await ran(one, 'failed', 5, 'c1:before');
    expect(await standing()).toEqual({ 'GET /a': 'untested' });
    const { routes } = await quality.routeCatalogs.of(id);
    expect(routes[0]?.lastExercisedAt).toBe(timestamp(5));
    const off = await command('off', ['GET /b'], { state: 'disabled' });
    await ran(off, 'passed', 6, 'c1:off');
    expect(await standing()).toEqual({ 'GET /a': 'untested', 'GET /b': 'untested' });
  });

  test('counts failures in quarantine again once it is over [PQRS-39]', async () => {
    const { command, ran, standing } = await newProject();
    const until = instance.evidence.clock() + 60_000;
    const quarantine = { owner: 'Ada', reason: 'flaky', until };
    const one = await command('one', ['GET /a'], { state: 'quarantined', quarantine });
    await ran(one, 'failed', 1, 'c1:one');
    expect(await standing()).toEqual({ 'GET /a': 'untested' });
    instance.pass(60_001);
    expect(await standing()).toEqual({ 'GET /a': 'failing' });
  });
});

describe('the candidates of a project [PQRS-54]', () => {
  const seen = (...names: string[]) => names.map((name) => ({ test: name }));

  test('are those of many runs, and of large ones', async () => {
    const { id, candidates } = await newProject();
    for (let at = 0; at < 120; at++)
      await makeRun(quality.database, id, { results: seen(`GET /a/${at}`) });
    const large = Array.from(
      { length: 5000 },
      (_, at) => `${at % 2 ? 'POST' : 'sends to'} /b/${at}`,
    );
    await makeRun(quality.database, id, { results: seen(...large) });
    expect(await candidates()).toEqual(['POST /b/{id} 2500', 'GET /a/{id} 120']);
    await quality.database.write((db) => db.delete(testRuns).where(eq(testRuns.projectId, id)));
    expect(await candidates()).toEqual([]);
  });
});
