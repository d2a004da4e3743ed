// Traceability: links, justifications, where every story stands, and the forms in which it leaves.
import { describe, expect } from 'bun:test';
import type { Client } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { makeRequirementProject, type RequirementProject } from '../support/requirement-project.ts';

const OWN = { ownBecause: 'it makes a project' };

const STORIES = `# Checkout

## US-1: Paying once

As a customer I pay once.

Tags: pay

Acceptance criteria:

- A second press of the button charges nothing

## US-2: A receipt

As a customer I have a receipt.

Refines: US-1

## US-3: =A refund

As a customer I have my money back.

Status: rejected

## US-4: <b>Vouchers</b>

As a customer I pay with a voucher.

Refines: US-1
`;

const FEATURE = `Feature: Checkout

  @US-2
  Scenario: A receipt is sent
    Given a paid order
    Then a receipt is sent
`;

interface Trace {
  id: string | null;
  storyId: string;
  type: string;
  target: { kind: string; id: string };
  origin: string;
  state: string;
  fingerprint: string | null;
  reviewedAt: string | null;
  reviewedBy: unknown;
  version: number | null;
}
interface Written {
  added: Trace[];
  unchanged: Trace[];
  removed: string[];
  reviewed: Trace[];
  justified: { storyId: string; need: string; reason: string | null }[];
}
interface Story {
  storyId: string;
  status: string;
  inherited: boolean;
  scenarios: string[];
  tests: { kind: string; id: string; state: string }[];
  issues: { id: string; number: number | null }[];
  needs: { need: string; state: string; reason: string | null }[];
}
interface Share {
  count: number;
  total: number;
  share: number | null;
}
interface Page<T> {
  summary: {
    stories: { total: number; own: number; inherited: number; notCounted: number };
    covered: Share;
    traces: Record<string, number>;
  };
  items: T[];
  nextCursor: string | null;
}

async function begin(api: Client, settings: object = {}): Promise<RequirementProject> {
  const project = await makeRequirementProject(api, settings);
  await project.bring({ 'stories.md': STORIES, 'checkout.feature': FEATURE });
  return project;
}

const PATH = '/project-traceability';

const write = (api: Client, { as }: RequirementProject, changes: object) =>
  api.post(PATH, changes, as);

async function link(api: Client, project: RequirementProject, storyId: string, id = 't1:a') {
  const add = [{ storyId, type: 'verifies', target: { kind: 'test', id } }];
  const { added } = (await write(api, project, { add })).must(200).json<Written>();
  return added[0] as Trace;
}

async function statuses(project: RequirementProject) {
  const { items } = await project.get<Page<Story>>(PATH);
  return Object.fromEntries(
    items.map(({ storyId, status, inherited }) => [storyId, inherited ? `(${status})` : status]),
  );
}

const tracesOf = async (project: RequirementProject, query: object = {}) =>
  (await project.get<Page<Trace>>(PATH, { view: 'traces', ...query })).items;

describe('POST /project-traceability [PQRS-28]', () => {
  flow('adds links at the fingerprints of today, each once', OWN, async (api) => {
    const project = await begin(api);
    const trace = await link(api, project, 'US-1');
    const story = await project.get<{ fingerprint: string }>('/srs-story/US-1');
    expect(trace).toMatchObject({
      ...{ storyId: 'US-1', type: 'verifies', target: { kind: 'test', id: 't1:a' } },
      ...{ origin: 'declared', state: 'valid', fingerprint: story.fingerprint, version: 1 },
      ...{ reviewedAt: null, reviewedBy: null },
    });
    expect(trace.id).toMatch(/^trc_/);
    const add = [
      { storyId: 'US-1', type: 'verifies', target: { kind: 'test', id: 't1:a' }, note: 'again' },
      { storyId: 'US-1', type: 'implements', target: { kind: 'commit', id: 'c0ffee' } },
      { storyId: 'US-1', type: 'implements', target: { kind: 'commit', id: 'c0ffee' } },
    ];
    const again = (await write(api, project, { add })).must(200).json<Written>();
    expect(again.unchanged.map(({ id }) => id)).toEqual([trace.id]);
    expect(again.added.map(({ target }) => target.id)).toEqual(['c0ffee']);
    const { removed } = (await write(api, project, { remove: [trace.id, trace.id] }))
      .must(200)
      .json<Written>();
    expect(removed).toEqual([trace.id as string]);
    expect((await tracesOf(project, { storyId: 'US-1' })).map(({ target }) => target.id)).toEqual([
      'c0ffee',
    ]);
  });

  flow('makes all changes or none, and points at each that cannot be', OWN, async (api) => {
    const project = await begin(api);
    const good = { storyId: 'US-1', type: 'verifies', target: { kind: 'test', id: 't1:a' } };
    const answer = await write(api, project, {
      add: [
        good,
        { ...good, storyId: 'US-99' },
        { ...good, target: { kind: 'issue', id: 'iss_00000000000000000000000000' } },
      ],
      remove: ['trc_00000000000000000000000000'],
      review: ['nothing'],
      justify: [
        { storyId: 'US-2', need: 'test', reason: 'by inspection' },
        { storyId: 'US-2', need: 'test', reason: 'twice' },
        { storyId: 'US-98', need: 'test', reason: null },
      ],
    });
    const { errors } = answer.mustBe(422, 'invalid').json<{ errors: { pointer: string }[] }>();
    expect(errors.map(({ pointer }) => pointer)).toEqual([
      ...['/add/1/storyId', '/add/2/target/id', '/remove/0', '/review/0'],
      ...['/justify/1', '/justify/2/storyId'],
    ]);
    expect((await tracesOf(project)).map(({ origin }) => origin)).toEqual(['import']);
    const trace = await link(api, project, 'US-1');
    (await write(api, project, { remove: [trace.id], review: [trace.id] })).mustBe(422, 'invalid');
    for (const wrong of [
      {},
      { add: [] },
      { plus: [] },
      { add: [{ ...good, type: 'proves' }] },
      { add: [{ ...good, target: { kind: 'test', id: ' ' } }] },
      { add: [{ ...good, target: 'test t1:a' }] },
      { justify: [{ storyId: 'US-1', need: 'test' }] },
      { justify: [{ storyId: 'US-1', need: 'test', reason: '' }] },
      {
        add: Array.from({ length: 501 }, (_, at) => ({
          ...good,
          target: { kind: 'test', id: `t${at}` },
        })),
        remove: Array(500).fill('x'),
      },
    ]) {
      (await write(api, project, wrong)).mustBe(422, 'invalid');
    }
  });

  flow('takes 1,000 links at once', OWN, async (api) => {
    const project = await begin(api);
    const add = Array.from({ length: 1000 }, (_, at) => ({
      ...{ storyId: 'US-1', type: 'verifies', target: { kind: 'test', id: `t1:${at}` } },
    }));
    const { added } = (await write(api, project, { add })).must(200).json<Written>();
    expect(added.map(({ target }) => target.id)).toEqual(add.map(({ target }) => target.id));
    const { unchanged } = (await write(api, project, { add })).must(200).json<Written>();
    expect(unchanged.map(({ id }) => id)).toEqual(added.map(({ id }) => id));
    const ids = added.map(({ id }) => id);
    const { reviewed } = (await write(api, project, { review: ids })).must(200).json<Written>();
    expect(reviewed.map(({ id, version }) => [id, version])).toEqual(ids.map((id) => [id, 2]));
    const { removed } = (await write(api, project, { remove: ids })).must(200).json<Written>();
    expect(removed.length).toBe(1000);
  });

  flow('is replayed under its idempotency key', OWN, async (api) => {
    const project = await begin(api);
    const headers = { ...project.as.headers, 'idempotency-key': api.unique };
    const add = [{ storyId: 'US-1', type: 'verifies', target: { kind: 'test', id: 't1:a' } }];
    const first = (await api.post(PATH, { add }, { headers })).must(200);
    const second = (await api.post(PATH, { add }, { headers })).must(200);
    expect(second.header('idempotency-replayed')).toBe('true');
    expect(second.text).toBe(first.text);
  });
});

describe('a link [PQRS-30]', () => {
  flow('turns suspect with its story, and valid again with a review', OWN, async (api) => {
    const project = await begin(api);
    const trace = await link(api, project, 'US-2');
    await project.bring({
      'stories.md': STORIES.replace('a receipt.', 'a receipt by mail.'),
      'checkout.feature': FEATURE,
    });
    expect(await tracesOf(project, { state: 'suspect' })).toMatchObject([{ id: trace.id }]);
    expect((await statuses(project))['US-2']).toBe('suspect');
    const { reviewed } = (await write(api, project, { review: [trace.id] }))
      .must(200)
      .json<Written>();
    expect(reviewed[0]).toMatchObject({ id: trace.id, state: 'valid', version: 2 });
    expect(reviewed[0]?.reviewedAt).not.toBeNull();
    expect(reviewed[0]?.reviewedBy).toMatchObject({ tokenId: expect.any(String) });
    expect((await statuses(project))['US-2']).toBe('unexecuted');
    await project.bring({ 'stories.md': STORIES, 'checkout.feature': FEATURE });
    expect((await statuses(project))['US-2']).toBe('suspect');
  });

  flow('turns suspect with an edit, and is broken with its story or scenario', OWN, async (api) => {
    const project = await begin(api);
    const trace = await link(api, project, 'US-2');
    const add = [
      { storyId: 'US-4', type: 'verifies', target: { kind: 'scenario', id: 'of no source' } },
    ];
    (await write(api, project, { add })).must(200);
    (
      await api.post(
        '/story-edits',
        { storyId: 'US-2', set: { statement: 'Another.' } },
        project.as,
      )
    ).must(201);
    expect(await tracesOf(project, { state: ['suspect', 'broken'] })).toMatchObject([
      { id: trace.id, state: 'suspect' },
      { storyId: 'US-4', state: 'broken' },
    ]);
    await project.bring({ 'stories.md': '## US-9: Only this\n\nIt is.\n' });
    expect(await tracesOf(project)).toMatchObject([
      { id: trace.id, state: 'broken' },
      { storyId: 'US-4', state: 'broken' },
    ]);
    (await write(api, project, { review: [trace.id] })).mustBe(422, 'invalid');
    (await write(api, project, { remove: [trace.id] })).must(200);
  });
});

describe('a justification [PQRS-31]', () => {
  flow('excuses a need until it is taken back', OWN, async (api) => {
    const project = await begin(api);
    const justify = [{ storyId: 'US-4', need: 'test', reason: 'Verified by inspection.' }];
    const { justified } = (await write(api, project, { justify })).must(200).json<Written>();
    expect(justified).toEqual(justify);
    const [story] = (await project.get<Page<Story>>(PATH, { storyId: 'US-4' })).items;
    expect(story).toMatchObject({
      ...{ status: 'justified', inherited: false },
      needs: [{ need: 'test', state: 'justified', reason: 'Verified by inspection.' }],
    });
    const other = [{ ...justify[0], reason: 'Another.' }];
    (await write(api, project, { justify: other })).must(200);
    const again = await project.get<Page<Story>>(PATH, { storyId: 'US-4' });
    expect(again.items[0]?.needs[0]?.reason).toBe('Another.');
    const back = [{ ...justify[0], reason: null }];
    (await write(api, project, { justify: back })).must(200);
    expect((await statuses(project))['US-4']).toBe('uncovered');
  });
});

describe('GET /project-traceability [PQRS-29]', () => {
  flow('tells where every counted story stands, in source order', OWN, async (api) => {
    const project = await begin(api);
    expect(await statuses(project)).toEqual({
      ...{ 'US-1': '(uncovered)', 'US-2': 'uncovered', 'US-4': 'uncovered' },
    });
    await link(api, project, 'US-2');
    const { summary, items } = await project.get<Page<Story>>(PATH);
    expect(summary.stories).toEqual({ total: 3, own: 2, inherited: 1, notCounted: 1 });
    expect(summary.covered).toEqual({ count: 1, total: 2, share: 0.5 });
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

  flow('names open issues of a story, and those that it is linked with', OWN, async (api) => {
    const project = await begin(api);
    const file = async (body: object) =>
      (await api.post('/issues', body, project.as)).must(201).json<{ id: string }>().id;
    const named = await file({ title: 'Charged twice', storyIds: ['US-2'] });
    const linked = await file({ title: 'Slow' });
    const add = [{ storyId: 'US-2', type: 'affects', target: { kind: 'issue', id: linked } }];
    (await write(api, project, { add })).must(200);
    const [story] = (await project.get<Page<Story>>(PATH, { storyId: 'US-2' })).items;
    expect(story?.issues).toMatchObject([
      { id: named, number: 1 },
      { id: linked, number: null },
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

  flow('shows matrix, gaps and impact', OWN, async (api) => {
    const project = await begin(api);
    const trace = await link(api, project, 'US-2');
    const matrix = await project.get<{
      rows: { storyId: string }[];
      columns: { kind: string; id: string }[];
      cells: { row: number; column: number; traceId: string | null }[];
    }>(PATH, { view: 'matrix' });
    expect(matrix.rows.map(({ storyId }) => storyId)).toEqual(['US-1', 'US-2', 'US-4']);
    expect(matrix.columns.map(({ kind }) => kind)).toEqual(['scenario', 'test']);
    expect(matrix.cells).toMatchObject([
      { row: 1, column: 0, traceId: null },
      { row: 1, column: 1, traceId: trace.id },
    ]);
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
      { view: 'impact', storyId: 'US-1', limit: 1 },
      { view: 'gaps', format: 'csv' },
      { view: 'traces', format: 'html' },
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
    const links = await ask({ format: 'csv', view: 'traces' });
    expect(links.text).toContain(",'=cmd(),");
    expect(links.text).toContain(",'@SUM(1),");
    const page = await ask({ format: 'html' });
    expect(page.header('content-type')).toStartWith('text/html');
    expect(page.header('content-security-policy')).toContain("default-src 'none'");
    expect(page.text).toContain('&lt;b&gt;Vouchers&lt;/b&gt;');
    expect(page.text).not.toContain('<b>Vouchers');
    const some = await ask({ format: 'html', storyId: 'US-4' });
    expect(some.text).not.toContain('A receipt');
    const lobster = (await ask({ format: 'lobster' })).json<{ schema: string; data: object[] }>();
    expect(lobster.schema).toBe('lobster-req-trace');
    expect(lobster.data.length).toBe(4);
    const tests = (await ask({ format: 'lobster', view: 'traces' })).json<typeof lobster>();
    expect(tests.schema).toBe('lobster-act-trace');
    expect(tests.data.length).toBe(2);
  });
});
