// How lists of issues and log entries find what a filter names: through the search index, newest first, so
// that a page costs the same whatever is behind it; and the same rows before and after they are indexed.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Instance, openInstance } from '../support/instance.ts';
import { queryPlans } from '../support/query-plans.ts';

let instance: Instance;
let token: string;

beforeAll(async () => {
  instance = await openInstance();
  token = (await instance.makeProject('default')).token;
});

afterAll(() => instance.close());

const LONG = 'é'.repeat(30);
const ISSUE = {
  ...{ severity: 'major', priority: 'p1', assignee: 'ann', reporter: 'bob', build: LONG },
  ...{
    url: 'https://shop.example/a?b=1',
    route: 'GET /a/{id}',
    environment: 'lab 1',
    runId: 'run_1',
  },
};
const LISTS = { storyIds: ['US-1', 'US/2'], labels: ['ui', "it's"] };
const ENTRY = { level: 'warn', source: 'app', route: '/a', runId: 'run_1', issueId: 'iss_1' };

async function list(path: string, filters: object): Promise<object[]> {
  const search = new URLSearchParams(filters as Record<string, string>);
  const response = await instance.fetch(`/api/${path}?${search}`, { token });
  expect(response.status).toBe(200);
  return ((await response.json()) as { items: object[] }).items;
}

const send = (path: string, body: object) =>
  instance.fetch(`/api/${path}`, {
    method: 'POST',
    token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** How many are found, three unless named; what the service notes itself is in a range. */
const FOUND: Record<string, number> = {
  ...{ nothing: 6, status: 6, possibleRegression: 6, since: 6, until: 6, range: 8, duplicateOf: 0 },
};

describe('a filter [PQRS-58]', () => {
  const issueFilters: [string, object][] = [
    ['nothing', {}],
    ...Object.entries(ISSUE).map(([name, value]): [string, object] => [name, { [name]: value }]),
    ...Object.entries(LISTS).flatMap(([name, values]) =>
      values.map((value): [string, object] => [`${name} ${value}`, { [name]: value }]),
    ),
    ['status', { status: 'open' }],
    ['possibleRegression', { possibleRegression: false }],
    ['duplicateOf', { duplicateOf: 'iss_1' }],
    ['since', { since: '2020-01-01T00:00:00Z' }],
    ['until', { until: '2100-01-01T00:00:00Z' }],
    ['several', { build: LONG, severity: 'major', labels: 'ui' }],
  ];
  const logFilters: [string, object][] = [
    ...Object.entries(ENTRY).map(([name, value]): [string, object] => [name, { [name]: value }]),
    ['minLevel', { minLevel: 'warn' }],
    ['range', { since: '2020-01-01T00:00:00Z', until: '2100-01-01T00:00:00Z' }],
  ];

  test('finds the same by the table and by the index, and no other', async () => {
    for (const at of [1, 2, 3]) {
      await send('issues', { title: `one ${at}`, dedupe: false, ...ISSUE, ...LISTS });
      await send('issues', {
        title: `other ${at}`,
        dedupe: false,
        severity: 'minor',
        build: `${LONG}x`,
      });
      await send('system-logs', { message: `one ${at}`, ...ENTRY });
      await send('system-logs', { message: `other ${at}`, level: 'debug' });
    }
    const all = [
      ...issueFilters.map(([name, filters]) => ['issues', name, filters] as const),
      ...logFilters.map(([name, filters]) => ['system-logs', name, filters] as const),
    ];
    const fresh: object[][] = [];
    for (const [path, , filters] of all) fresh.push(await list(path, filters));
    await instance.evidence.issuesIndex.upToDate();
    await instance.evidence.logsIndex.upToDate();
    for (const [at, [path, name, filters]] of all.entries()) {
      const found = await list(path, filters);
      expect(found, `${path} by ${name}`).toEqual(fresh[at]!);
      expect(found.length, `${path} by ${name}`).toBe(FOUND[name] ?? 3);
    }
    const none = [
      { build: 'absent' },
      { labels: 'u' },
      { storyIds: 'us-1' },
      { severity: 'trivial' },
    ];
    for (const filters of none) expect(await list('issues', filters)).toEqual([]);
    expect(await list('system-logs', { level: 'warn', minLevel: 'error' })).toEqual([]);
  });

  test('follows what an issue becomes', async () => {
    const made = (await (await send('issues', { title: 'moved', dedupe: false })).json()) as {
      id: string;
    };
    await instance.evidence.issuesIndex.upToDate();
    const patched = await instance.fetch(`/api/issues/${made.id}`, {
      method: 'PATCH',
      token,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ labels: ['late'], assignee: 'cy' }),
    });
    expect(patched.status).toBe(200);
    for (const filters of [{ labels: 'late' }, { assignee: 'cy' }])
      expect(await list('issues', filters)).toMatchObject([{ id: made.id }]);
  });

  test('finds duplicates, indexed or not', async () => {
    const again = (await (await send('issues', { title: 'one 9', ...ISSUE })).json()) as {
      id: string;
      duplicateOf: string;
    };
    const filters = { duplicateOf: again.duplicateOf };
    expect(await list('issues', filters)).toMatchObject([{ id: again.id }]);
    await instance.evidence.issuesIndex.upToDate();
    expect(await list('issues', filters)).toMatchObject([{ id: again.id }]);
  });

  test('of entries by state goes down its index', async () => {
    const steps = await queryPlans(instance, async () => {
      expect(await list('system-logs', { state: 'open,resolved' })).toHaveLength(8);
    });
    expect(steps.filter((step) => /log_entries_state/.test(step))).toHaveLength(2);
    expect(steps.filter((step) => /^SCAN log_entries/.test(step))).toEqual([]);
  });

  // Last: what explains a statement keeps its connection at the state that it saw.
  test.each([
    ...issueFilters.map(([name, filters]) => ['issues', name, filters] as const),
    ...logFilters.map(([name, filters]) => ['system-logs', name, filters] as const),
  ])('of %s by %s goes through no table', async (path, _name, filters) => {
    for (const more of [{}, { q: 'one' }]) {
      const steps = await queryPlans(instance, async () => {
        await list(path, { ...filters, ...more });
      });
      expect(steps.filter((step) => /VIRTUAL TABLE INDEX/.test(step)).length).toBeGreaterThan(0);
      const tables = steps.filter((step) => /^(?:SCAN|SEARCH) (?:issues|log_entries)\b/.test(step));
      // By its place, or the last of all.
      expect(tables.filter((step) => !/INTEGER PRIMARY KEY|^SEARCH \w+$/.test(step))).toEqual([]);
    }
  });
});

test('the overview, the gate and the handoff find issues by an index, counts none [PQRS-58]', async () => {
  const steps = await queryPlans(instance, async () => {
    for (const view of ['overview', 'gate'])
      await instance.fetch(`/api/project-traceability?view=${view}`, { token });
    for (const path of ['issues?view=counts', 'project-handoff'])
      await instance.fetch(`/api/${path}`, { token });
  });
  const own = steps.filter((step) => / issues\b/.test(step) && !/INDEX issues_[ur]/.test(step));
  // The state reads those that stories name, by their ids.
  expect(own.filter((step) => !/sqlite_autoindex_issues_1/.test(step))).toEqual([]);
  expect(steps.filter((step) => /INDEX issues_urgent/.test(step))).toHaveLength(4);
  expect(steps.filter((step) => /INDEX issues_reported/.test(step))).toHaveLength(3);
});
