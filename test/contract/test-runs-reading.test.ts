// Test runs as they are read: lists, one run with its results, the history of a test, and views.
import { describe, expect } from 'bun:test';
import type { Client, Sending } from '../support/client.ts';
import { form } from '../support/files.ts';
import { flow, scenarios } from '../support/flow.ts';
import type { History, Page, Result, Run, Share } from '../support/shapes.ts';
import { AGENT } from '../support/test-runs.ts';

type View<T> = Page<T> & { window: { runs: number; results: number }; total: number };

type Compared = Pick<Result, 'name' | 'storyIds' | 'strip' | 'failingSince'>;

interface Comparison extends Page<Compared & { change: string; from: string; to: string }> {
  from: { runs: number };
  counts: object;
}

const NONE = 'run_00000000000000000000000000';

/** A result by the name of its test: `+` passed, `-` failed, `!` broken, `.` skipped. */
function resultOf(word: string) {
  const status = { '+': 'passed', '-': 'failed', '!': 'broken', '.': 'skipped' }[word[0]!];
  return { name: word.slice(1), path: ['suite'], file: 'a.test.ts', status, durationMs: 10 };
}

/** Records a run on a branch of the test's own; results by words. */
async function record(api: Client, words = '+a', over: object = {}): Promise<Run> {
  const results = words.split(' ').filter(Boolean).map(resultOf);
  const body = { name: `Run of ${api.unique}`, branch: api.unique, results, ...over };
  return (await api.post('/test-runs', body, { as: 'agent' })).must(201).json<Run>();
}

const list = async (api: Client, query: Sending['query'] = {}) =>
  (await api.get('/test-runs', { query: { branch: api.unique, ...query } }))
    .must(200)
    .json<Page<Run>>();

const idsOf = async (api: Client, query?: Sending['query']) =>
  (await list(api, query)).items.map(({ id }) => id);

const readOne = async (api: Client, query: Sending['query']) =>
  (await api.get('/test-runs', { query })).must(200).json<Run>();

/** The keys of a run's tests by their names. */
async function keysOf(api: Client, id: string): Promise<Record<string, string>> {
  const { results } = await readOne(api, { id });
  return Object.fromEntries(results.items.map(({ name, testKey }) => [name, testKey]));
}

describe('GET /test-runs [PQRS-44]', () => {
  flow('lists runs newest first, by each filter and by any of its values', AGENT, async (api) => {
    const { unique } = api;
    const a = await record(api, '+a', {
      ...{ commit: `c1-${unique}`, environment: `live-${unique}`, externalId: `e1-${unique}` },
      agent: { name: `ann-${unique}`, version: '1' },
    });
    const b = await record(api, '-a', { commit: `c2-${unique}`, environment: `test-${unique}` });
    const c = await record(api, '.a');
    expect(await idsOf(api)).toEqual([c.id, b.id, a.id]);
    const found: [Record<string, string | string[]>, Run[]][] = [
      [{ status: 'passed' }, [a]],
      [{ status: 'failed' }, [b]],
      [{ status: 'broken' }, [c]],
      [{ status: 'passed,broken' }, [c, a]],
      [{ status: ['failed', 'broken'] }, [c, b]],
      [{ commit: `c1-${unique}` }, [a]],
      [{ commit: [`c1-${unique}`, `c2-${unique}`] }, [b, a]],
      [{ commit: `c1-${unique},c2-${unique}` }, []],
      [{ environment: `live-${unique}` }, [a]],
      [{ environment: `live-${unique}`, status: 'failed' }, []],
      [{ externalId: `e1-${unique}` }, [a]],
      [{ agent: `ann-${unique}` }, [a]],
      [{ late: 'false' }, [c, b, a]],
      [{ late: 'true' }, []],
      [{ commandId: 'cmd_none' }, []],
      [{ suiteId: 'ste_none', planId: 'pln_none' }, []],
    ];
    for (const [query, runs] of found) {
      expect(await idsOf(api, query)).toEqual(runs.map(({ id }) => id));
    }
    expect(await idsOf(api, { branch: [unique, 'none'] })).toEqual([c.id, b.id, a.id]);
  });

  flow('lists them in pages that end', AGENT, async (api) => {
    const ids: string[] = [];
    for (let at = 0; at < 5; at += 1) ids.unshift((await record(api)).id);
    const seen: string[] = [];
    let link: string | undefined = `/api/test-runs?branch=${api.unique}&limit=2`;
    while (link !== undefined) {
      const answer = (await api.follow(link, { as: 'owner' })).must(200);
      seen.push(...answer.json<Page<Run>>().items.map(({ id }) => id));
      link = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(ids);
  });

  scenarios(
    'refuses what does not go together',
    AGENT,
    [
      ...['id=x&commit=y', 'id=x&testKey=y', 'id=x&view=flaky', 'id=x&late=true', 'id=x&by=day'],
      ...['testKey=x&view=flaky', 'testKey=x&commandId=y', 'testKey=x&linkTtl=60'],
      ...['view=flaky&status=passed', 'view=flaky&by=day', 'view=slowest&linkTtl=60', 'by=day'],
      ...['view=trend&externalId=x', 'view=trend&late=false', 'view=none', 'by=week&view=trend'],
      ...['view=compare', 'view=compare&from=x', 'from=x&to=y', 'view=compare&from=x&to=y&by=day'],
      ...['view=compare&from=nothing&to=nothing'],
      ...['status=skipped', 'status=passed,unknown', 'status=green', 'limit=0', 'limit=201'],
      ...['late=maybe', 'branch=', 'cursor=x', 'nonsense=1', 'view=flaky&cursor=x'],
      'id=x&cursor=x',
    ].map((search) => ({
      ...{ name: search, method: 'GET', path: `/test-runs?${search}` },
      ...{ status: 422, code: 'invalid' },
    })),
  );
});

describe('GET /test-runs?id= [PQRS-44]', () => {
  flow('answers a run with its results in the order of the report', AGENT, async (api) => {
    const { id } = await record(api, '+e -d !c .b +a');
    const run = await readOne(api, { id });
    expect(run).toMatchObject({
      ...{ id, name: `Run of ${api.unique}`, status: 'failed', branch: api.unique },
      ...{ late: false, counts: true, version: 1, attachments: [] },
      totals: { tests: 5, passed: 2, failed: 1, broken: 1, skipped: 1, unknown: 0, flaky: 0 },
    });
    const names = async (query: Sending['query']) => {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const more: Run = await readOne(api, { id, ...query, ...(cursor ? { cursor } : {}) });
        seen.push(more.results.items.map(({ name }) => name).join(''));
        cursor = more.results.nextCursor;
      } while (cursor !== null);
      return seen;
    };
    expect(await names({})).toEqual(['edcba']);
    expect(await names({ limit: 2 })).toEqual(['ed', 'cb', 'a']);
    expect(await names({ status: 'failed,broken' })).toEqual(['dc']);
    expect(await names({ status: ['passed', 'skipped'], limit: 1 })).toEqual(['e', 'b', 'a']);
    expect(await names({ status: 'unknown' })).toEqual(['']);
    const answer = await api.get('/test-runs', { query: { id, limit: 2 } });
    expect(answer.headers.get('link')).toMatch(/^<\/api\/test-runs\?[^>]*>; rel="next"$/);
  });

  flow('carries an entity tag that changes with what is shown', AGENT, async (api) => {
    const commit = `c-${api.unique}`;
    const { id } = await record(api, '+a', { commit });
    const first = (await api.get('/test-runs', { query: { id } })).must(200);
    const etag = first.header('etag');
    expect(etag).toMatch(/^"1-[\w-]+"$/);
    const known = { query: { id }, headers: { 'if-none-match': etag } };
    expect((await api.get('/test-runs', known)).status).toBe(304);
    await record(api, '-a', { commit });
    const flaky = (await api.get('/test-runs', known)).must(200).json<Run>();
    expect(flaky.results.items[0]!.flaky).toBe(true);
  });

  flow('knows no run that is not there', { needs: ['agent', 'other'] }, async (api) => {
    const { id } = await record(api);
    (await api.get('/test-runs', { query: { id: NONE } })).mustBe(404, 'not_found');
    (await api.get('/test-runs', { query: { id }, as: 'other' })).mustBe(404, 'not_found');
    const theirs = await api.get('/test-runs', { query: { branch: api.unique }, as: 'other' });
    expect(theirs.must(200).json()).toEqual({ items: [], nextCursor: null });
  });

  flow('links to its files, as does the list', AGENT, async (api) => {
    const report = JSON.stringify({ branch: api.unique, results: [resultOf('+a')] });
    const sent = await api.send(
      'POST',
      '/test-runs',
      form([
        { name: 'report', value: report, fileName: 'report.json', type: 'application/json' },
        { name: 'files', value: 'what was seen', fileName: 'seen.txt', type: 'text/plain' },
      ]),
    );
    const { id } = sent.must(201).json<Run>();
    const shown = await readOne(api, { id, linkTtl: 60 });
    const listed = (await list(api, { linkTtl: 60 })).items[0]!;
    for (const { attachments } of [shown, listed]) {
      const seen = attachments.find(({ name }) => name === 'seen.txt')!;
      expect(seen.runId).toBe(id);
      expect((await api.follow(seen.url)).must(200).text).toBe('what was seen');
    }
  });
});

describe('GET /test-runs?testKey= [PQRS-44]', () => {
  // The key of a test is a hash of its name, which is one of this flow's own.
  const hashed = { needs: ['agent', 'other'], compare: false } as const;

  flow('answers the history of a test, newest first', hashed, async (api) => {
    const { unique } = api;
    const name = `t-${unique}`;
    const [one, two] = [{ commit: `c1-${unique}` }, { commit: `c2-${unique}` }];
    const a = await record(api, `+${name}`, one);
    const b = await record(api, `-${name}`, { ...one, finishedAt: '2026-01-31T12:00:00.000Z' });
    const c = await record(api, `+${name} +other`, { ...two, environment: 'live' });
    const testKey = (await keysOf(api, a.id))[name]!;
    const read = async (query: Sending['query'] = {}) =>
      (await api.get('/test-runs', { query: { testKey, ...query } })).must(200).json<History>();
    const { items, test, flakiness } = await read();
    expect(items.map(({ run, status, flaky }) => [run!.id, status, flaky])).toEqual([
      [c.id, 'passed', false],
      [b.id, 'failed', true],
      [a.id, 'passed', true],
    ]);
    expect(items[1]!.run).toMatchObject({ at: '2026-01-31T12:00:00.000Z', ...one, branch: unique });
    expect(test).toMatchObject({ testKey, name, path: ['suite'] });
    expect(flakiness).toMatchObject({
      ...{ flaky: true, runs: 3, passed: 2, failed: 1, withinRun: 0, acrossRuns: 1 },
      flipRate: { count: 2, total: 2, share: 1 },
    });
    const runsOf = async (query: Sending['query']) =>
      (await read(query)).items.map(({ run }) => run!.id);
    expect(await runsOf({ status: 'passed' })).toEqual([c.id, a.id]);
    expect(await runsOf(one)).toEqual([b.id, a.id]);
    expect(await runsOf({ environment: 'live' })).toEqual([c.id]);
    expect(await runsOf({ branch: 'none' })).toEqual([]);
    const { items: first, nextCursor } = await read({ limit: 1 });
    expect(first.map(({ run }) => run!.id)).toEqual([c.id]);
    expect(await runsOf({ limit: 1, cursor: nextCursor! })).toEqual([b.id]);
    for (const as of ['owner', 'other'] as const) {
      const query = { testKey: as === 'other' ? testKey : 't1:none' };
      (await api.get('/test-runs', { query, as })).mustBe(404, 'not_found');
    }
  });
});

describe('GET /test-runs?view= [PQRS-44]', () => {
  const view = async <T>(api: Client, name: string, query: Sending['query'] = {}) =>
    (await api.get('/test-runs', { query: { view: name, branch: api.unique, ...query } }))
      .must(200)
      .json<View<T>>();

  flow('flaky tells of tests that flake and of groups that fail together', AGENT, async (api) => {
    const commit = `c-${api.unique}`;
    await record(api, '+a +b +c +d', { commit });
    await record(api, '-a -b -c +d', { commit });
    await record(api, '-a -b -c +d', { commit: `d-${api.unique}` });
    type Flaky = Result & { flipRate: Share };
    const found = (await view<Flaky>(api, 'flaky')) as View<Flaky> & {
      groups: { size: number; runs: number; flaky: number; tests: Result[] }[];
    };
    expect(found.window).toEqual({ runs: 3, results: 12 });
    expect(found.items.map(({ name }) => name).sort()).toEqual(['a', 'b', 'c']);
    expect(found.items[0]).toMatchObject({ runs: 3, passed: 1, failed: 2, acrossRuns: 1 });
    expect(found.items[0]!.flipRate).toEqual({ count: 1, total: 2, share: 0.5 });
    expect(found.groups).toMatchObject([{ size: 3, runs: 2, flaky: 3 }]);
    expect(found.groups[0]!.tests.map(({ name }) => name).sort()).toEqual(['a', 'b', 'c']);
    const first = await view<Flaky>(api, 'flaky', { limit: 2 });
    const rest = await view<Flaky>(api, 'flaky', { limit: 2, cursor: first.nextCursor! });
    expect([...first.items, ...rest.items]).toEqual(found.items);
    expect(rest.nextCursor).toBeNull();
    await record(api, '+d');
    expect((await view<Flaky>(api, 'flaky')).window).toEqual({ runs: 4, results: 13 });
    const other = await view<Flaky>(api, 'flaky', { commit: `d-${api.unique}` });
    expect(other).toMatchObject({ items: [], total: 0, window: { runs: 1, results: 4 } });
  });

  flow('slowest tells of tests by how long they take', AGENT, async (api) => {
    const timed = (name: string, durationMs: number) => ({ ...resultOf(`+${name}`), durationMs });
    await record(api, '', { results: [timed('slow', 300), timed('quick', 100)] });
    await record(api, '', { results: [timed('slow', 500), timed('quick', 100)] });
    const { items, window, total } = await view<{ name: string; time: Share }>(api, 'slowest');
    expect({ window, total }).toEqual({ window: { runs: 2, results: 4 }, total: 2 });
    expect(items).toMatchObject([
      { name: 'slow', runs: 2, p50Ms: 300, p95Ms: 500, time: { share: 0.8 } },
      { name: 'quick', runs: 2, p50Ms: 100, p95Ms: 100, time: { share: 0.2 } },
    ]);
  });

  flow('trend tells how it went by run, day and commit', AGENT, async (api) => {
    const [one, two] = [`c1-${api.unique}`, `c2-${api.unique}`];
    const a = await record(api, '+a', { commit: one, finishedAt: '2026-01-30T23:59:59.000Z' });
    const b = await record(api, '+a -b', { commit: one, finishedAt: '2026-01-31T00:00:00.000Z' });
    const c = await record(api, '.a', { commit: two, finishedAt: '2026-01-31T01:00:00.000Z' });
    interface Point {
      runId: string | null;
      day: string | null;
      commit: string | null;
      runs: { total: number };
      passed: Share;
    }
    const points = async (by?: string) =>
      (await view<Point>(api, 'trend', by ? { by } : {})).items.map((point) => ({
        ...point,
        passed: point.passed.share,
        runs: point.runs.total,
      }));
    expect(await points()).toMatchObject([
      { runId: c.id, passed: null, commit: two },
      { runId: b.id, passed: 0.5, commit: one },
      { runId: a.id, passed: 1, commit: one },
    ]);
    expect(await points('day')).toMatchObject([
      { runId: null, day: '2026-01-31', runs: 2, passed: 0.5, commit: null },
      { runId: null, day: '2026-01-30', runs: 1, passed: 1, commit: one },
    ]);
    expect(await points('commit')).toMatchObject([
      { commit: two, runs: 1, passed: null },
      { commit: one, runs: 2, passed: 0.6666 },
    ]);
    const first = await view<Point>(api, 'trend', { limit: 1 });
    const second = await view<Point>(api, 'trend', { limit: 1, cursor: first.nextCursor! });
    expect(second.items.map(({ runId }) => runId)).toEqual([b.id]);
  });

  flow('compare tells what changed between runs, commits and branches', AGENT, async (api) => {
    const [one, two] = [`c1-${api.unique}`, `c2-${api.unique}`];
    const a = await record(api, '+same -fails -mends +breaks +goes', { commit: one });
    await record(api, '+shard', { commit: one });
    const b = await record(api, '+same -fails +mends -breaks +comes -bad', { commit: two });
    const compare = async (from: string, to: string, over: Sending['query'] = {}) => {
      const query = { view: 'compare', from, to, ...over };
      return (await api.get('/test-runs', { query })).must(200).json<Comparison>();
    };
    const lines = ({ items }: Comparison) =>
      items.map(({ name, change, from, to }) => [change, name, from, to].join(' '));
    const changes = [
      'newly_failing breaks passed failed',
      'newly_failing bad  failed',
      'still_failing fails failed failed',
      'newly_passing mends failed passed',
      'new comes  passed',
      'gone goes passed ',
    ];
    const runs = await compare(a.id, b.id);
    expect(lines(runs)).toEqual(changes);
    expect(runs).toMatchObject({
      ...{ from: { runs: 1, results: 5 }, to: { runs: 1, results: 6 }, total: 6 },
      counts: { newly_failing: 2, still_failing: 1, newly_passing: 1, new: 1, gone: 1 },
    });
    const gone = [...changes, 'gone shard passed '];
    expect(lines(await compare(one, two))).toEqual(gone);
    // The branch before the run.
    expect(lines(await compare(api.unique, b.id))).toEqual(gone);
    expect(lines(await compare(b.id, api.unique))).toEqual([
      'still_failing fails failed failed',
      'still_failing breaks failed failed',
      'still_failing bad failed failed',
      'new goes  passed',
      'new shard  passed',
    ]);
    const first = await compare(a.id, b.id, { limit: 2 });
    const rest = await compare(a.id, b.id, { cursor: first.nextCursor! });
    expect([...lines(first), ...lines(rest)]).toEqual(changes);
    const chosen = await compare(a.id, b.id, { change: 'gone,new' });
    expect(lines(chosen)).toEqual(changes.slice(-2));
    expect(chosen).toMatchObject({ total: 2, counts: runs.counts });
    const [breaks] = runs.items;
    expect(breaks).toMatchObject({ storyIds: [], failingSince: { runId: b.id } });
    expect(breaks!.strip.slice(-2).map(({ runId, status }) => [runId, status])).toEqual([
      [a.id, 'passed'],
      [b.id, 'failed'],
    ]);
    const none = { view: 'compare', from: NONE, to: b.id };
    (await api.get('/test-runs', { query: none })).must(422);
  });
});
