// The overview: may the project be shipped, what needs a person, what runs; every figure has its list.
import { describe, expect } from 'bun:test';
import type { GateAnswer } from '../../src/assurance/gate/model.ts';
import type { Overview } from '../../src/assurance/overview/model.ts';
import type { Suite } from '../support/claims.ts';
import type { Client } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import type { RequirementProject } from '../support/requirement-project.ts';
import { begin, PATH, STORIES } from '../support/traceability-project.ts';

const OWN = { ownBecause: 'it makes a project' };

const read = (project: RequirementProject) => project.get<Overview>(PATH, { view: 'overview' });

const countsOf = ({ attention }: Overview) =>
  attention.flatMap(({ kind, count }) => (kind === 'no_backup' ? [] : `${kind} ${count}`));

/** How many the list that a link leads to has. */
async function listed(api: Client, { as }: RequirementProject, link: string): Promise<number> {
  const page = (await api.follow(link, as)).must(200).json<Record<string, unknown[]>>();
  expect(page.nextCursor ?? null).toBeNull();
  return (page.items ?? page.findings ?? page.reasons ?? []).length;
}

async function expectLists(api: Client, project: RequirementProject, overview: Overview) {
  for (const { kind, count, link } of overview.attention)
    if (kind !== 'no_backup')
      expect([kind, await listed(api, project, link)]).toEqual([kind, count]);
  for (const { rule, count, link } of overview.fit.reasons)
    expect([rule, await listed(api, project, link)]).toEqual([rule, count]);
}

const rulesOf = ({ fit }: Overview) => fit.reasons.map(({ rule, count }) => `${rule} ${count}`);

describe('GET /project-traceability?view=overview [PQRS-29]', () => {
  flow('counts what stands in the way and what needs a person', OWN, async (api) => {
    const project = await begin(api, { editPolicy: 'review' });
    const { as, slug } = project;
    const post = async (path: string, body: object) => (await api.post(path, body, as)).must(201);
    const run = (commit: string, results: object) => post('/test-runs', { commit, ...results });
    const before = await read(project);
    expect(before.fit).toMatchObject({ verdict: 'failed', gate: 'default' });
    expect(before.changes).toMatchObject({ from: 1, baseline: null, changed: 0 });
    expect(countsOf(before)).toEqual(['uncovered 2']);
    expect(before.attention[0]).toMatchObject({
      items: [{ id: 'US-2', title: 'A receipt' }, { id: 'US-4' }],
      documents: [{ id: 'stories.md', count: 2 }],
      action: 'cover_or_justify',
    });
    const [green, red] = [
      { name: 'a [US-2]', status: 'passed' },
      { name: 'b [US-4]', status: 'failed' },
    ];
    await run('c1', { results: [green, { ...red, status: 'passed' }] });
    await run('c1', { results: [green, red] });
    const judged = { mode: 'record', results: [{ storyId: 'US-2', verdict: 'passed' }] };
    (await api.post('/validation-transfer', judged, as)).must(200);
    const severities = ['critical', 'blocker', 'minor'];
    for (const severity of severities)
      await post('/issues', { title: `It is ${severity}`, severity });
    const blocker = (await api.get('/issues', { ...as, query: { severity: 'blocker' } })).json<{
      items: { id: string }[];
    }>().items[0];
    (await api.patch(`/issues/${blocker?.id}`, { status: 'triaged' }, as)).must(200);
    (await api.patch(`/issues/${blocker?.id}`, { storyIds: ['US-2', 'US-4'] }, as)).must(200);
    await project.bring({
      'stories.md': STORIES.replace('I have a receipt', 'I have two receipts'),
      'more.md': '# More\n\n## US-9: More\n\nIt is.\n\nRefines: US-99\n',
    });
    const edit = { storyId: 'US-4', set: { priority: 'high' } };
    const create = { capabilities: ['srs:edit'], label: 'editor' };
    const made = await api.post(
      '/projects',
      { slug, tokens: { create } },
      { ...as, tokenShown: true },
    );
    const authorization = `Bearer ${made.must(200).json<{ token: string }>().token}`;
    (await api.post('/story-edits', edit, { headers: { authorization } })).must(201);
    const overview = await read(project);
    expect(rulesOf(overview)).toEqual(['failing 2', 'uncovered 1', 'stale 1', 'blockers 1']);
    expect(countsOf(overview)).toEqual([
      ...['failing 1', 'urgent_issues 2', 'uncovered 1', 'verdicts 1', 'stale 1'],
      ...['source_errors 1', 'proposals 1'],
    ]);
    expect(overview.attention[1]?.items).toMatchObject([
      { severity: 'blocker', status: 'triaged', title: 'It is blocker', untrusted: false },
      { severity: 'critical', status: 'open' },
    ]);
    expect(overview.attention[5]?.items).toMatchObject([{ id: 'US-9', path: 'more.md', line: 7 }]);
    await expectLists(api, project, overview);
    expect(overview).toMatchObject({
      revision: { number: 2, baselines: [], overlays: 0 },
      issues: { all: { total: 3 }, open: { total: 3, blocker: 1 }, duplicates: 0 },
      findings: { errors: 1 },
      verdicts: { invalidated: 1 },
      runs: { newest: [{ status: 'failed', commit: 'c1' }, { status: 'passed' }], running: 0 },
      unstable: { total: 1, items: [{ name: 'b [US-4]', runs: 2, failed: 1 }], groups: 0 },
      changes: { from: 1, added: 2, changed: 1 },
    });
    expect(overview.summary).toEqual(
      (await project.get<{ summary: Overview['summary'] }>(PATH)).summary,
    );
    (await api.post('/projects', { slug, baseline: { name: 'v2' } }, as)).must(200);
    const { revision, changes } = await read(project);
    expect(revision.baselines).toEqual(['v2']);
    expect(changes).toMatchObject({ from: 2, baseline: 'v2', added: 0, changed: 0 });
  });

  flow('goes by the default gate of the project', OWN, async (api) => {
    const project = await begin(api);
    const { as, slug } = project;
    await api.post('/test-runs', { results: [{ name: 'a [US-2]', status: 'passed' }] }, as);
    const gates = { default: { failOn: ['failing', 'suspect_verdicts'], minCoverage: 0.9 } };
    (await api.post('/projects', { slug, settings: { gates } }, as)).must(200);
    const overview = await read(project);
    expect(rulesOf(overview)).toEqual(['min_coverage 1']);
    const { rules, verdict } = await project.get<GateAnswer>(PATH, { view: 'gate' });
    expect(overview.fit).toMatchObject({ rules, verdict });
    const rule = { failOn: ['blockers'], minCoverage: null, newFailuresSince: 'none' };
    (await api.post('/projects', { slug, settings: { gates: { default: rule } } }, as)).must(200);
    expect(rulesOf(await read(project))).toEqual(['new_failures 1']);
    (await api.get(PATH, { ...as, query: { view: 'gate' } })).mustBe(422, 'invalid');
  });

  flow('shows the agents that are at work', OWN, async (api) => {
    const project = await begin(api);
    const { as } = project;
    const command = { key: 'unit', name: 'Unit', kind: 'shell', argv: ['true'] };
    const { id } = (await api.post('/test-commands', command, as)).must(201);
    const asked = { commandIds: [id], agent: { name: 'ci-2', version: '1' } };
    const suite = (await api.post('/agent/suite', asked, as)).must(201).json<Suite>();
    const [{ runId, attempt } = { runId: '', attempt: 0 }] = suite.items;
    const lease = { id: suite.lease.id, token: suite.lease.token };
    const progress = { done: 3, total: 9, current: 'pays' };
    const beat = { runId, attempt, lease, seq: 1, state: 'running', progress };
    (await api.post('/run-state', beat, as)).must(200);
    const { runs, agents } = await read(project);
    expect([runs.queued, runs.running, agents.leases]).toEqual([0, 1, 1]);
    expect(agents.items).toMatchObject([
      { name: 'ci-2', total: 1, runs: [{ runId, name: 'Unit', state: 'running', progress }] },
    ]);
  });

  flow('is answered to who may read it', { needs: ['demo', 'widget'] }, async (api) => {
    const ask = (more: object = {}) => api.get(PATH, { query: { view: 'overview' }, ...more });
    expect((await ask({ as: 'demo' })).must(200).json<Overview>().backup).toBeNull();
    (await ask({ as: 'widget' })).mustBe(403, 'forbidden');
    (await ask({ query: { view: 'overview', tag: 'pay' } })).mustBe(422, 'invalid', '/tag');
  });

  flow('is the same until something changes', OWN, async (api) => {
    const { as } = await begin(api);
    const ask = (headers: object = {}) =>
      api.get(PATH, { query: { view: 'overview' }, headers: { ...as.headers, ...headers } });
    const same = { 'if-none-match': (await ask()).header('etag') };
    (await ask(same)).must(304);
    (await api.post('/issues', { title: 'It is' }, as)).must(201);
    (await ask(same)).must(200);
  });
});
