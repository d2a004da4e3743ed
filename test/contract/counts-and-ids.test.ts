// What lists are asked beside their filters: ranges of time, how many there are, and one by its id.
import { describe, expect } from 'bun:test';
import type { IssueCounts } from '../../src/evidence/issues/counts.ts';
import { claim, makePlan } from '../support/claims.ts';
import type { Client, Sending } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { listLogs, writeLogs } from '../support/logs.ts';
import { fileMany, issuePage } from '../support/samples.ts';
import { PASSED, record } from '../support/test-runs.ts';
import { begin, link } from '../support/traceability-project.ts';

const hour = (at: number) => `2026-01-31T0${at}:00:00.000Z`;
const RANGES: [query: Record<string, string>, found: number[]][] = [
  [{ since: hour(2) }, [3, 2]],
  [{ until: hour(2) }, [1]],
  [{ since: hour(1), until: '2026-01-31T05:00:00+02:00' }, [2, 1]],
  [{ since: hour(4) }, []],
];

describe('a range of times [PQRS-76]', () => {
  flow('is of runs by when they started, and of entries by when they were', {}, async (api) => {
    const runs: string[] = [];
    for (const at of [1, 2, 3]) {
      const run = { commit: api.unique, startedAt: hour(at), results: [PASSED] };
      runs.push((await record(api, run, { as: 'owner' })).id);
    }
    await record(api, { commit: api.unique, results: [PASSED] }, { as: 'owner' });
    await writeLogs(
      api,
      [1, 2, 3].map((at) => ({ message: `${at}`, source: api.unique, at: hour(at) })),
    );
    for (const [range, found] of RANGES) {
      const query = { commit: api.unique, ...range };
      const { items } = (await api.get('/test-runs', { query })).json<{
        items: { id: string }[];
      }>();
      expect(items.map(({ id }) => runs.indexOf(id) + 1)).toEqual(found);
      const entries = await listLogs(api, { source: api.unique, ...range });
      expect(entries.map(({ message }) => Number(message))).toEqual(found);
    }
    const trend = { commit: api.unique, view: 'trend', until: hour(3) };
    expect((await api.get('/test-runs', { query: trend })).json()).toMatchObject({ total: 2 });
  });

  flow('is of issues by when they were filed', {}, async (api) => {
    const ids = (await fileMany(api, [{}, {}])).reverse();
    const found = async (query: Sending['query']) =>
      (await issuePage(api, { labels: api.unique, ...query })).items.map(({ id }) => id);
    expect(await found({ since: hour(1) })).toEqual(ids);
    expect(await found({ until: hour(1) })).toEqual([]);
    expect(await found({ since: hour(1), q: api.unique })).toEqual(ids);
  });

  flow('that is none is refused', {}, async (api) => {
    for (const path of ['/issues', '/test-runs', '/system-logs'])
      for (const since of ['yesterday', '2026-02-30T00:00:00Z', '2026-01-31', '1769817600'])
        expect((await api.get(path, { query: { since } })).mustBe(422, 'invalid').text).toContain(
          '"pointer":"/since"',
        );
    (await api.get('/system-logs', { query: { minLevel: 'bad' } })).mustBe(422, 'invalid');
  });

  flow('goes with the least level of entries', {}, async (api) => {
    const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];
    await writeLogs(
      api,
      levels.map((level) => ({ level, message: level, source: api.unique })),
    );
    for (const [at, minLevel] of levels.entries()) {
      const found = await listLogs(api, { source: api.unique, minLevel });
      expect(found.map(({ level }) => level as string)).toEqual(levels.slice(at).reverse());
    }
  });
});

describe('a count [PQRS-76]', () => {
  flow('comes with how many there are of each level and status', {}, async (api) => {
    const { unique } = api;
    await writeLogs(
      api,
      ['info', 'error', 'error'].map((level) => ({ level, message: unique, source: unique })),
    );
    for (const status of ['passed', 'failed', 'failed'])
      await record(api, { commit: unique, results: [{ ...PASSED, status }] }, { as: 'owner' });
    const query = { count: 'true', limit: 1 };
    const logs = await api.get('/system-logs', { query: { ...query, source: unique } });
    const { levels } = logs.must(200).json<{ levels: Record<string, number> }>();
    expect(levels).toEqual({ trace: 0, debug: 0, info: 1, warn: 0, error: 2, fatal: 0 });
    const runs = await api.get('/test-runs', { query: { ...query, commit: unique } });
    const { statuses } = runs.must(200).json<{ statuses: Record<string, number> }>();
    expect(statuses).toEqual({ passed: 1, failed: 2, broken: 0 });
  });

  const totalsOf = async (api: Client, path: string, query: object) =>
    (await api.get(path, { query: { count: 'true', limit: 1, ...query } }))
      .must(200)
      .json<{ total: number; more?: true; nextCursor: string | null }>();

  flow('is of the whole list, whatever the page', {}, async (api) => {
    const { unique } = api;
    await fileMany(api, [{ severity: 'minor' }, {}, {}]);
    await writeLogs(
      api,
      [1, 2, 3].map((at) => ({ message: `${at} ${unique}`, source: unique })),
    );
    for (const branch of ['a', 'b', 'b'])
      await record(api, { commit: unique, branch, results: [PASSED] }, { as: 'owner' });
    for (const [path, query, total] of [
      ['/issues', { labels: unique }, 3],
      ['/issues', { q: unique }, 3],
      ['/issues', { q: unique, severity: 'minor' }, 1],
      ['/issues', { q: '-' }, 0],
      ['/system-logs', { source: unique }, 3],
      ['/system-logs', { q: `2 ${unique}` }, 1],
      ['/test-runs', { commit: unique }, 3],
      ['/test-runs', { commit: unique, branch: ['a', 'b', 'c'] }, 3],
    ] as const) {
      const page = await totalsOf(api, path, query);
      expect([page.total, page.more]).toEqual([total, undefined]);
      if (page.nextCursor === null) continue;
      const { nextCursor: cursor } = page;
      expect((await totalsOf(api, path, { ...query, cursor })).total).toBe(total);
      const uncounted = await totalsOf(api, path, { ...query, cursor, count: 'false' });
      expect(uncounted.total).toBeUndefined();
    }
  });

  flow('ends at 10,000', { ownBecause: 'it writes 10,001 entries' }, async (api) => {
    const source = api.unique;
    await writeLogs(api, Array(10_000).fill({ message: 'x', source }));
    expect(await totalsOf(api, '/system-logs', { source })).toMatchObject({ total: 10_000 });
    await writeLogs(api, { message: 'x', source });
    const { total, more } = await totalsOf(api, '/system-logs', { source });
    expect([total, more]).toEqual([10_000, true]);
  });
});

describe('the counts of issues [PQRS-76]', () => {
  flow('are those of the lists', { ownBecause: 'it makes a project' }, async (api) => {
    const { as } = await begin(api);
    const file = async (body: object) => (await api.post('/issues', body, as)).must(201).id;
    const move = async (id: string, patch: object) =>
      (await api.patch(`/issues/${id}`, patch, as)).must(200);
    const ids = [];
    for (const severity of ['blocker', 'major', 'major', 'minor'])
      ids.push(await file({ title: severity, severity, route: '/a', dedupe: false }));
    await file({ title: 'minor', severity: 'minor', route: '/a' });
    await move(ids[0]!, { status: 'triaged', severity: 'critical' });
    await move(ids[1]!, { status: 'closed', resolution: 'duplicate', duplicateOf: ids[2] });
    await move(ids[3]!, { status: 'resolved', resolution: 'fixed' });
    await move(ids[3]!, { title: 'still' });
    const ask = (query: object) =>
      api.get('/issues', { ...as, query: { view: 'counts', ...query } });
    const counts = (await ask({})).must(200).json<IssueCounts>();
    expect(counts).toMatchObject({
      all: { total: 3, blocker: 0, critical: 1, major: 1, minor: 1, trivial: 0 },
      open: { total: 2, critical: 1, major: 1, minor: 0 },
      duplicates: 2,
    });
    for (const [status, { total, ...severities }] of Object.entries(counts.statuses))
      for (const [severity, count] of Object.entries({ total, ...severities })) {
        const query = { status, ...(severity === 'total' ? {} : { severity }) };
        const { items } = (await api.get('/issues', { ...as, query })).json<{ items: [] }>();
        expect([status, severity, count]).toEqual([status, severity, items.length]);
      }
    (await ask({ status: 'open' })).mustBe(422, 'invalid', '/status');
    (await ask({ id: ids[0] })).mustBe(422, 'invalid', '/id');
  });
});

describe('one of a list [PQRS-76]', () => {
  flow('is a run, a plan or a suite by its id', { needs: ['agent'] }, async (api) => {
    const { planId } = await makePlan(api, [{}]);
    const { suite, held } = await claim(api, { planId });
    const { runId } = held[0]!;
    const read = async (query: Record<string, string>, path = '/run-state') =>
      (await api.get(path, { query })).must(200).json();
    expect(await read({ id: runId })).toEqual(await read({ runId }));
    expect(await read({ view: 'plans', id: planId })).toMatchObject({ id: planId });
    expect(await read({ view: 'suites', id: suite.id })).toMatchObject({ id: suite.id, planId });
    const run = await record(api, { results: [PASSED] });
    expect(await read({ runId: run.id }, '/test-runs')).toMatchObject({ id: run.id });
    for (const path of ['/run-state', '/test-runs']) {
      (await api.get(path, { query: { id: runId, runId } })).mustBe(422, 'invalid');
      (await api.get(path, { query: { runId: 'run_none' } })).mustBe(404, 'not_found');
    }
    const none = { view: 'suites', id: planId };
    (await api.get('/run-state', { query: none })).mustBe(404, 'not_found');
  });

  flow('is a trace or a verdict by its id', { ownBecause: 'it makes a project' }, async (api) => {
    const project = await begin(api);
    const { as, get } = project;
    const trace = await link(api, project, 'US-1');
    const traces = { view: 'traces', id: trace.id as string };
    expect(await get<object>('/project-traceability', traces)).toEqual(trace);
    const results = [{ storyId: 'US-1', verdict: 'passed' }];
    (await api.post('/validation-transfer', { mode: 'record', results }, as)).must(200);
    const history = { view: 'history', storyId: 'US-1' };
    const { items } = await get<{ items: { id: string }[] }>('/validation-transfer', history);
    expect(await get<object>('/validation-transfer', { id: items[0]!.id })).toEqual(items[0]!);
    for (const path of ['/project-traceability?view=traces&id=x', '/validation-transfer?id=x'])
      (await api.get(path, as)).mustBe(404, 'not_found');
  });

  flow('is not behind its list, which says what reads it', {}, async (api) => {
    for (const [path, status] of [
      ['/issues/iss_1', 405],
      ['/test-runs/run_1', 404],
      ['/srs-story?id=US-1', 404],
    ] as const) {
      const code = status === 405 ? 'method_not_allowed' : 'not_found';
      const { text } = (await api.get(path)).mustBe(status, code);
      expect(text).toContain('?id=');
      expect(text).toContain('/api/srs-story/<id>');
    }
  });
});
