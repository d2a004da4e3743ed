// The requests that handoff and workflow lead on with, sent late: somebody has done something else
// meanwhile, and they undo nothing of it.
import { describe, expect } from 'bun:test';
import type { Handoff } from '../../src/operations/handoff/model.ts';
import type { Answer } from '../support/answer.ts';
import type { Client } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { makeRequirementProject, type RequirementProject } from '../support/requirement-project.ts';
import type { Workflow } from '../support/shapes.ts';

const OWN = { ownBecause: 'it makes a project', compare: false };
const SOURCE =
  '# S\n\n## US-1: One\n\nAs a user I see it.\n\nAcceptance criteria:\n\n- It is there\n';

interface Offer {
  why: string;
  /** Sends it as it was offered. */
  send(): Promise<Answer>;
}

type Next = Workflow['next'][number];

function offerOf(
  api: Client,
  { as }: RequirementProject,
  {
    why,
    method,
    path,
    headers,
    body,
  }: Pick<Next, 'why' | 'method' | 'path'> & { headers?: Record<string, string>; body?: unknown },
): Offer {
  const all = { ...as.headers, 'Content-Type': 'application/json', ...headers };
  const send = () => api.follow(path, { method, headers: all, body: JSON.stringify(body) });
  return { why, send };
}

async function ofHandoff(api: Client, project: RequirementProject, name: string): Promise<Offer> {
  const { nextActions } = await project.get<Handoff>('/project-handoff');
  const found = nextActions.find(({ action }) => action === name);
  if (!found) throw new Error(`${name} is not offered: ${nextActions.map((one) => one.action)}`);
  return offerOf(api, project, { why: found.why, ...found.request });
}

async function ofWorkflow(api: Client, project: RequirementProject, name: string): Promise<Offer> {
  const { next } = await project.get<{ next: Next[] }>('/srs-workflow/US-1');
  const found = next.find(({ action }) => action === name);
  if (!found) throw new Error(`${name} is not offered: ${next.map((one) => one.action)}`);
  return offerOf(api, project, found);
}

async function begin(api: Client, settings: object = {}): Promise<RequirementProject> {
  const project = await makeRequirementProject(api, settings);
  await project.bring({ 's.md': SOURCE });
  return project;
}

const edit = async (api: Client, { as }: RequirementProject, set: object) =>
  (await api.post('/story-edits', { storyId: 'US-1', set }, as))
    .must(201)
    .json<{ edit: { id: string } }>().edit.id;

const judge = async (api: Client, { as }: RequirementProject, verdict: string) =>
  (
    await api.post(
      '/validation-transfer',
      { mode: 'record', results: [{ storyId: 'US-1', verdict }] },
      as,
    )
  ).must(200);

describe('a request that is sent late undoes nothing [PQRS-81] [PQRS-22]', () => {
  flow('sources that somebody has brought meanwhile stay', OWN, async (api) => {
    const project = await makeRequirementProject(api);
    const late = await ofHandoff(api, project, 'import_sources');
    await project.bring({ 's.md': SOURCE });
    (await late.send()).must(409);
    expect(await project.get('/srs-story/US-1')).toMatchObject({ title: 'One' });
  });

  flow('no verdict is given of another text, nor over one of somebody else', OWN, async (api) => {
    const project = await begin(api);
    const record = async (over: object) => {
      const results = [{ storyId: 'US-1', verdict: 'passed', ...over }];
      return (await api.post('/validation-transfer', { mode: 'record', results }, project.as))
        .must(200)
        .json<{ applied: number; items: { why: string }[] }>();
    };
    const { fingerprint } = await project.get<{ fingerprint: string }>('/srs-story/US-1');
    await edit(api, project, { statement: 'Something else.' });
    expect(await record({ fingerprint })).toMatchObject({
      applied: 0,
      items: [{ why: 'Its fingerprint differs here.' }],
    });
    await judge(api, project, 'failed');
    for (const replaces of [null, 'val_none'])
      expect(await record({ replaces })).toMatchObject({ applied: 0 });
    expect(await project.get('/srs-story/US-1')).toMatchObject({
      validation: { verdict: 'failed' },
    });
  });

  flow('a review is not for a text that nobody looked at', OWN, async (api) => {
    const project = await begin(api);
    const add = [{ storyId: 'US-1', type: 'verifies', target: { kind: 'test', id: 't' } }];
    (await api.post('/project-traceability', { add }, project.as)).must(200);
    await edit(api, project, { title: 'Two' });
    const late = await ofWorkflow(api, project, 'review_trace');
    await edit(api, project, { title: 'Three' });
    expect((await late.send()).must(409).json()).toMatchObject({
      code: 'conflict',
      errors: [{ pointer: '/review/0/fingerprint' }],
    });
    const { items } = await project.get<{ items: object[] }>('/project-traceability', {
      view: 'traces',
    });
    expect(items).toMatchObject([{ state: 'suspect' }]);
    (await (await ofWorkflow(api, project, 'review_trace')).send()).must(200);
  });

  flow('an issue goes on from where somebody has brought it', OWN, async (api) => {
    const project = await begin(api);
    const { as } = project;
    const wish = { title: 'No', severity: 'blocker', storyIds: ['US-1'] };
    const { id } = (await api.post('/issues', wish, as)).must(201);
    const triage = await ofHandoff(api, project, 'triage_issue');
    const move = async (patch: object) => (await api.patch(`/issues/${id}`, patch, as)).must(200);
    await move({ status: 'triaged' });
    await move({ status: 'in_progress' });
    (await triage.send()).must(412);
    expect(await project.get('/issues', { id })).toMatchObject({ status: 'in_progress' });
  });
});

describe('an addition that depends on what has left [PQRS-25]', () => {
  flow('is activated, and the audit names its link', { ...OWN, needs: ['srs'] }, async (api) => {
    const { items } = (await api.get('/projects')).json<{ items: { slug: string }[] }>();
    const policy = async (editPolicy: string) =>
      (await api.post('/projects', { slug: items[0]?.slug, settings: { editPolicy } })).must(200);
    const add = async (body: object, as: 'owner' | 'srs') =>
      (await api.post('/story-additions', { title: 'T', ...body }, { as })).must(201).id;
    const remove = async (id: string) =>
      (await api.send('DELETE', '/story-additions', { query: { id } })).must(204);
    await policy('review');
    try {
      const [to, storyId] = ['LT', 'LA'].map((name) => `${name}-${api.unique}`);
      const target = await add({ storyId: to }, 'owner');
      const proposed = await add({ storyId, links: [{ type: 'depends', to }] }, 'srs');
      await remove(target);
      const activation = { id: proposed, state: 'active' };
      (await api.post('/story-additions', activation)).must(200);
      const query = { code: 'dangling_reference' };
      const { findings } = (await api.get('/srs-source-audit', { query }))
        .must(200)
        .json<{ findings: { itemId: string; relatedIds: string[] }[] }>();
      expect(findings).toContainEqual(
        expect.objectContaining({ itemId: storyId, relatedIds: [to] }),
      );
      await remove(proposed);
    } finally {
      await policy('direct');
    }
  });
});

describe('what a handoff does not show it looks at [PQRS-81]', () => {
  flow('a blocker behind twenty others, a command behind a hundred', OWN, async (api) => {
    const project = await begin(api);
    const { as } = project;
    const issue = async (title: string) =>
      (await api.post('/issues', { title, severity: 'blocker' }, as))
        .must(201)
        .json<{ id: string; number: number }>();
    for (let at = 0; at < 20; at += 1) {
      const { id } = await issue(`old ${at}`);
      (await api.patch(`/issues/${id}`, { status: 'triaged' }, as)).must(200);
    }
    const { number } = await issue('new');
    expect((await ofHandoff(api, project, 'triage_issue')).why).toStartWith(`Issue ${number} is`);
    for (let at = 0; at < 101; at += 1) {
      const key = `c${String(at).padStart(3, '0')}`;
      const state = at < 100 ? 'disabled' : 'active';
      const command = { key, name: `${key} of US-1`, argv: ['true'], state };
      (await api.post('/test-commands', command, as)).must(201);
    }
    expect((await ofHandoff(api, project, 'plan_runs')).why).toBe('Commands that never ran: 1.');
  });
});
