// How the statuses of stories went, by day and by commit.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Static } from '@sinclair/typebox';
import { createApp } from '../../src/app.ts';
import type { StatusHistory } from '../../src/assurance/coverage/history.ts';
import { flow } from '../support/flow.ts';
import { type Instance, openInstance } from '../support/instance.ts';
import { queryPlans } from '../support/query-plans.ts';
import { begin, PATH } from '../support/traceability-project.ts';

const DAY_MS = 24 * 3600 * 1000;
type History = Static<typeof StatusHistory>;

describe('GET /project-traceability?view=statuses [PQRS-29]', () => {
  flow('has the last figures of each commit', { ownBecause: 'it makes a project' }, async (api) => {
    const project = await begin(api);
    const read = (query: object = {}) =>
      project.get<History>(PATH, { view: 'statuses', by: 'commit', ...query });
    expect((await read()).items).toEqual([]);
    const results = ['a [US-2]', 'b [US-4]'].map((name) => ({ name, status: 'passed' }));
    const failed = [{ ...results[0]!, status: 'failed' }];
    for (const [commit, sent] of [
      ['c1', results],
      ['c2', failed],
      ['c2', results.slice(0, 1)],
    ] as const) {
      (await api.post('/test-runs', { commit, results: sent }, project.as)).must(201);
      await read();
    }
    const { items } = await read();
    expect(items).toMatchObject([
      { commit: 'c2', day: null, revision: 1, total: 3, statuses: { passing: 3, failing: 0 } },
      { commit: 'c1', total: 3, statuses: { passing: 3 } },
    ]);
    (await api.post('/test-runs', { commit: 'c2', results: failed }, project.as)).must(201);
    const first = await read({ limit: 1 });
    expect(first.items[0]?.statuses).toMatchObject({ failing: 2, passing: 1 });
    const query = { limit: 1, cursor: first.nextCursor ?? '' };
    expect((await read(query)).items).toEqual(items.slice(1));
    for (const [wrong, pointer] of [
      [{ by: 'run' }, '/by'],
      [{ tag: 'pay' }, '/tag'],
      [{ cursor: first.nextCursor ?? '', by: 'day' }, '/cursor'],
    ] as const) {
      const answer = await api.get(PATH, { ...project.as, query: { view: 'statuses', ...wrong } });
      answer.mustBe(422, 'invalid', pointer);
    }
  });
});

describe('statuses by day [PQRS-29]', () => {
  let instance: Instance;
  let token: string;
  beforeAll(async () => {
    instance = await openInstance();
    token = (await instance.makeProject('shop')).token;
  });
  afterAll(() => instance.close());

  async function call<T>(path: string, body?: object): Promise<T> {
    const headers = { 'content-type': 'application/json' };
    const sent = body ? { method: 'POST', body: JSON.stringify(body), headers } : {};
    const answer = await instance.fetch(`/api${path}`, { token, ...sent });
    expect(answer.status).toBeLessThan(300);
    return (await answer.json()) as T;
  }
  const bring = (content: string) =>
    call('/projects', { slug: 'shop', sources: [{ path: 'a.md', content }], confirm: true });
  const totals = async () => {
    const { items } = await call<History>(`${PATH}?view=statuses`);
    return items.map(({ total, statuses }) => [total, statuses.uncovered]);
  };

  test('are counted when it is asked or now and then, and only after a change', async () => {
    expect(await totals()).toEqual([]);
    await bring('# US-1: One\n\nIt is.\n');
    expect(await totals()).toEqual([[1, 1]]);
    await bring('# US-1: One\n\nIt is.\n\n# US-2: Two\n\nIt is.\n');
    expect(await totals()).toEqual([[2, 2]]);
    instance.pass(DAY_MS);
    expect(await totals()).toEqual([[2, 2]]);
    await bring('# US-1: One\n\nIt is.\n\n# US-3: Two\n\nIt is.\n\n# US-4: Two\n\nIt is.\n');
    const app = await createApp(instance.evidence).open();
    await app.recordStatuses();
    instance.pass(DAY_MS);
    await bring('# US-1: One\n\nIt is.\n');
    expect(await totals()).toEqual([
      [1, 1],
      [3, 3],
      [2, 2],
    ]);
  });

  test('are listed by an index', async () => {
    const plans = await queryPlans(instance, async () => void (await totals()));
    const own = plans.filter((step) => step.includes('story_statuses'));
    expect(own.length).toBeGreaterThan(0);
    for (const step of own) expect(step).toContain('USING INDEX story_statuses_step');
  });
});
