// Traceability: where every story stands, and the forms in which that leaves.
import { describe, expect } from 'bun:test';
import { flow } from '../support/flow.ts';
import { makeRequirementProject } from '../support/requirement-project.ts';
import {
  begin,
  link,
  PATH,
  type Page,
  type Story,
  statuses,
  tracesOf,
  write,
} from '../support/traceability-project.ts';

const OWN = { ownBecause: 'it makes a project' };

describe('GET /project-traceability [PQRS-29]', () => {
  flow('tells where every counted story stands, in source order', OWN, async (api) => {
    const project = await begin(api);
    expect(await statuses(project)).toEqual({
      ...{ 'US-1': '(uncovered)', 'US-2': 'uncovered', 'US-4': 'uncovered' },
    });
    await link(api, project, 'US-2');
    const { summary, items } = await project.get<Page<Story>>(PATH);
    expect(summary.stories).toEqual({ total: 3, own: 2, inherited: 1, notCounted: 1 });
    expect(summary.covered).toEqual({ count: 1, total: 3, share: 0.3333 });
    expect(summary.traces).toEqual({ total: 2, valid: 2, suspect: 0, broken: 0 });
    expect(items[1]).toMatchObject({
      ...{ storyId: 'US-2', status: 'unexecuted', scenarios: ['Checkout / A receipt is sent'] },
      tests: [{ kind: 'test', id: 't1:a', state: 'valid' }],
    });
    const { coverage } = await project.get<{ coverage: Story }>('/srs-story/US-2');
    expect(coverage.status).toBe('unexecuted');
  });

  flow('counts a scenario of the sources where one is needed', OWN, async (api) => {
    const project = await begin(api, { needs: ['scenario'] });
    expect((await statuses(project))['US-2']).toBe('unexecuted');
    expect((await statuses(project))['US-4']).toBe('uncovered');
  });

  flow('names the routes that scenarios and commands of a story declare', OWN, async (api) => {
    const project = await begin(api);
    const { as } = project;
    const steps = [{ keyword: 'Then', text: 'it is paid' }];
    const scenario = { key: 'pay', steps, storyIds: ['US-4'], routes: ['POST /orders'] };
    (await api.post('/project-scenarios', scenario, as)).must(201);
    const command = { key: 'read', kind: 'manual', storyIds: ['US-4'], routes: ['GET /orders'] };
    (await api.post('/test-commands', command, as)).must(201);
    const routes = ['GET /orders', 'POST /orders'];
    const { items } = await project.get<Page<{ routes: string[] }>>(PATH, { storyId: 'US-4' });
    expect([...(items[0]?.routes ?? [])].sort()).toEqual(routes);
    const { impact } = await project.get<{ impact: { routes: string[] } }>(PATH, {
      ...{ view: 'impact', storyId: 'US-4' },
    });
    expect([...impact.routes].sort()).toEqual(routes);
  });

  flow('names open issues of a story, and those that it is linked with', OWN, async (api) => {
    const project = await begin(api);
    const file = async (body: object) => (await api.post('/issues', body, project.as)).must(201).id;
    const named = await file({ title: 'Charged twice', storyIds: ['US-2'] });
    const linked = await file({ title: 'Slow' });
    const add = [{ storyId: 'US-2', type: 'affects', target: { kind: 'issue', id: linked } }];
    (await write(api, project, { add })).must(200);
    const [story] = (await project.get<Page<Story>>(PATH, { storyId: 'US-2' })).items;
    expect(story?.issues).toMatchObject([
      { id: named, number: 1 },
      { id: linked, number: 2 },
    ]);
  });

  flow('is read page by page, and filtered', OWN, async (api) => {
    const project = await begin(api);
    await link(api, project, 'US-2');
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Page<Story> = await project.get(PATH, { limit: 1, cursor: cursor ?? undefined });
      seen.push(...page.items.map(({ storyId }) => storyId));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(seen).toEqual(['US-1', 'US-2', 'US-4']);
    const idsBy = async (query: Record<string, string | boolean | string[]>) =>
      (await project.get<Page<Story>>(PATH, query)).items.map(({ storyId }) => storyId);
    expect(await idsBy({ status: 'uncovered,unexecuted', inherited: false })).toEqual([
      'US-2',
      'US-4',
    ]);
    expect(await idsBy({ storyId: ['US-4', 'US-3', 'US-2'] })).toEqual(['US-2', 'US-4']);
    expect(await idsBy({ tag: 'pay' })).toEqual(['US-1']);
    expect(await idsBy({ kind: 'requirement' })).toEqual([]);
    expect(await idsBy({ root: 'stories.md', tag: 'pay' })).toEqual(['US-1']);
    expect(await idsBy({ root: 'US-1' })).toEqual(['US-1']);
    (await api.get(PATH, { ...project.as, query: { root: 'none' } })).mustBe(404, 'not_found');
    const ids = async (query: Record<string, string>) =>
      (await tracesOf(project, query)).map(({ target }) => target.kind);
    expect(await ids({ targetKind: 'test,command' })).toEqual(['test']);
    expect(await ids({ type: 'verifies' })).toEqual(['scenario', 'test']);
    expect(await ids({ targetId: 't1:a', storyId: 'US-2' })).toEqual(['test']);
    const one = (await api.get(PATH, { ...project.as, query: { limit: 1 } })).must(200);
    expect(one.header('link')).toContain('rel="next"');
    const headers = { ...project.as.headers, 'if-none-match': one.header('etag') };
    (await api.get(PATH, { headers, query: { limit: 1 } })).must(304);
  });

  flow('shows gaps and impact', OWN, async (api) => {
    const project = await begin(api);
    const trace = await link(api, project, 'US-2');
    const gaps = await project.get<
      Page<{ storyId: string; gaps: { gap: string }[] }> & { gaps: Record<string, number> }
    >(PATH, { view: 'gaps' });
    expect(
      gaps.items.map(({ storyId, gaps: own }) => [storyId, own.map(({ gap }) => gap)]),
    ).toEqual([
      ['US-2', ['unexecuted_test']],
      ['US-4', ['unmet_need']],
    ]);
    expect(gaps.gaps).toMatchObject({ stories: 2, unmet_need: 1, unexecuted_test: 1 });
    const { impact } = await project.get<{
      impact: { stories: { id: string }[]; traces: { id: string; becomes: string }[] };
    }>(PATH, { view: 'impact', storyId: 'US-1' });
    expect(impact.stories.map(({ id }) => id)).toEqual(['US-1', 'US-2', 'US-4']);
    const own = await project.get<{ impact: typeof impact }>(PATH, {
      ...{ view: 'impact', storyId: 'US-2' },
    });
    expect(own.impact.traces).toEqual([{ id: trace.id as string, becomes: 'suspect' }]);
    const ask = (query: object) => api.get(PATH, { ...project.as, query: { ...query } });
    (await ask({ view: 'impact' })).mustBe(422, 'invalid');
    (await ask({ view: 'impact', storyId: 'US-99' })).mustBe(404, 'not_found');
  });

  flow('refuses parameters that say nothing together', OWN, async (api) => {
    const project = await begin(api);
    for (const query of [
      { view: 'all' },
      { format: 'xml' },
      { state: 'valid' },
      { view: 'gaps', targetKind: 'test' },
      { view: 'traces', status: 'failing' },
      { view: 'traces', tag: 'pay' },
      { view: 'traces', root: 'US-1' },
      { view: 'impact', storyId: 'US-1', limit: 1 },
      { view: 'gaps', format: 'csv' },
      { view: 'traces', format: 'csv' },
      { format: 'csv', limit: 1 },
      { format: 'html', cursor: 'x' },
      { status: 'fine' },
      { inherited: 'perhaps' },
      { cursor: 'x' },
    ]) {
      (await api.get(PATH, { ...project.as, query })).mustBe(422, 'invalid');
    }
    const { nextCursor } = await project.get<Page<Story>>(PATH, { limit: 1 });
    const carried = { view: 'traces', cursor: nextCursor ?? '' };
    (await api.get(PATH, { ...project.as, query: carried })).mustBe(422, 'invalid');
  });

  flow('answers for a project without sources', OWN, async (api) => {
    const project = await makeRequirementProject(api);
    const { summary, items } = await project.get<Page<Story>>(PATH);
    expect(items).toEqual([]);
    expect(summary.covered).toEqual({ count: 0, total: 0, share: null });
    for (const format of ['csv', 'html', 'lobster']) {
      (await api.get(PATH, { ...project.as, query: { format } })).must(200);
    }
  });
});

describe('what the traceability is handed out as [PQRS-32]', () => {
  flow('is a table, a page, and files for LOBSTER', OWN, async (api) => {
    const project = await begin(api);
    const add = [
      {
        ...{ storyId: 'US-4', type: 'verifies', target: { kind: 'test', id: '=cmd()' } },
        note: '@SUM(1)',
      },
    ];
    (await write(api, project, { add })).must(200);
    const ask = async (query: Record<string, string>) =>
      (await api.get(PATH, { ...project.as, query })).must(200);
    const csv = await ask({ format: 'csv' });
    expect(csv.header('content-type')).toStartWith('text/csv');
    expect(csv.text.split('\r\n').length).toBe(5);
    expect(csv.text).toContain(',test =cmd(),');
    const page = await ask({ format: 'html' });
    expect(page.header('content-type')).toStartWith('text/html');
    expect(page.header('content-security-policy')).toContain("default-src 'none'");
    expect(page.text).toContain('&lt;b&gt;Vouchers&lt;/b&gt;');
    expect(page.text).not.toContain('<b>Vouchers');
    const some = await ask({ format: 'html', storyId: 'US-4' });
    expect(some.text).not.toContain('A receipt');
    const lobster = (await ask({ format: 'lobster' })).json<{ schema: string; data: object[] }>();
    expect(lobster.schema).toBe('lobster-req-trace');
    expect(lobster.data.length).toBe(3);
  });
});
