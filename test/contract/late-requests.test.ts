// The requests that handoff and workflow lead on with, sent late: somebody has done something else
// meanwhile, and they undo nothing of it.
import { describe, expect } from 'bun:test';
import type { Handoff, HandoffAction } from '../../src/operations/handoff/model.ts';
import type { Answer } from '../support/answer.ts';
import type { Client } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { makeRequirementProject, type RequirementProject } from '../support/requirement-project.ts';

const OWN = { ownBecause: 'it makes a project', compare: false };
const SOURCE =
  '# S\n\n## US-1: One\n\nAs a user I see it.\n\nAcceptance criteria:\n\n- It is there\n';

interface Offer {
  why: string;
  /** Sends it as it was offered. */
  send(): Promise<Answer>;
}

interface Next {
  action: string;
  method: string;
  path: string;
  why: string;
  headers?: Record<string, string>;
  body?: unknown;
}

function offerOf(
  api: Client,
  { as }: RequirementProject,
  { why, method, path, headers, body }: Omit<Next, 'action'>,
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

const passes = async (api: Client, { as }: RequirementProject) =>
  (await api.post('/test-runs', { results: [{ name: 't [US-1]', status: 'passed' }] }, as)).must(
    201,
  );

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

  flow('no verdict is given of another text', OWN, async (api) => {
    const project = await begin(api);
    await passes(api, project);
    const late = await ofHandoff(api, project, 'record_verdict');
    await edit(api, project, { statement: 'Something else.' });
    await passes(api, project);
    expect((await late.send()).must(200).json()).toMatchObject({
      applied: 0,
      items: [{ why: 'The story says something else here: its fingerprint differs.' }],
    });
    const fresh = await ofHandoff(api, project, 'record_verdict');
    expect((await fresh.send()).must(200).json()).toMatchObject({ applied: 1 });
  });

  flow('no verdict is given over one of somebody else', OWN, async (api) => {
    const project = await begin(api);
    await passes(api, project);
    const late = await ofHandoff(api, project, 'record_verdict');
    await judge(api, project, 'failed');
    const told = (await late.send()).must(200).json<{ items: { why: string }[] }>();
    expect(told).toMatchObject({ applied: 0 });
    expect(told.items[0]?.why).toMatch(/^Its last verdict is val_\w+ by now\.$/);
    expect(await project.get('/srs-story/US-1')).toMatchObject({
      validation: { verdict: 'failed' },
    });
    const results = [{ storyId: 'US-1', verdict: 'passed', replaces: 'val_none' }];
    (await api.post('/validation-transfer', { mode: 'record', results }, project.as)).must(200);
    expect(await project.get('/srs-story/US-1')).toMatchObject({
      validation: { verdict: 'failed' },
    });
  });

  for (const [offered, name] of [
    [ofHandoff, 'review_traces'],
    [ofWorkflow, 'review_trace'],
  ] as const) {
    flow(`${name} is not for a text that nobody looked at`, OWN, async (api) => {
      const project = await begin(api);
      const add = [{ storyId: 'US-1', type: 'verifies', target: { kind: 'test', id: 't' } }];
      (await api.post('/project-traceability', { add }, project.as)).must(200);
      await edit(api, project, { title: 'Two' });
      const late = await offered(api, project, name);
      await edit(api, project, { title: 'Three' });
      expect((await late.send()).must(409).json()).toMatchObject({
        code: 'conflict',
        errors: [{ pointer: '/review/0/fingerprint' }],
      });
      const { items } = await project.get<{ items: object[] }>('/project-traceability', {
        view: 'traces',
      });
      expect(items).toMatchObject([{ state: 'suspect' }]);
      (await (await offered(api, project, name)).send()).must(200);
    });
  }

  for (const offered of [ofHandoff, ofWorkflow]) {
    flow(`a scenario that somebody has gone on with stays, ${offered.name}`, OWN, async (api) => {
      const project = await begin(api, { needs: ['scenario'] });
      const late = await offered(api, project, 'write_scenario');
      (await (await offered(api, project, 'write_scenario')).send()).must(201);
      const key = 'US-1 / One';
      const better = { title: 'Better', steps: [{ keyword: 'Then', text: 'worked on' }] };
      (await api.post('/project-scenarios', { key, ...better }, project.as)).must(200);
      (await late.send()).must(412);
      expect(await project.get('/project-scenarios', { key })).toMatchObject(better);
    });
  }

  flow('a command that somebody has disabled stays so', OWN, async (api) => {
    const project = await begin(api);
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const quarantine = { owner: 'me', reason: 'unstable', until };
    const command = { key: 'unit', argv: ['true'], storyIds: ['US-1'], quarantine };
    const { id } = (
      await api.post('/test-commands', { ...command, state: 'quarantined' }, project.as)
    )
      .must(201)
      .json<{ id: string }>();
    const late = await ofWorkflow(api, project, 'end_quarantine');
    (await api.patch('/test-commands', { id, state: 'disabled' }, project.as)).must(200);
    (await late.send()).must(412);
    expect(await project.get('/test-commands', { id })).toMatchObject({ state: 'disabled' });
  });

  flow('an issue goes on from where somebody has brought it', OWN, async (api) => {
    const project = await begin(api);
    const { as } = project;
    const wish = { title: 'No', severity: 'blocker', storyIds: ['US-1'] };
    const { id } = (await api.post('/issues', wish, as)).must(201).json<{ id: string }>();
    const triage = await ofHandoff(api, project, 'triage_issue');
    const move = async (patch: object) => (await api.patch(`/issues/${id}`, patch, as)).must(200);
    await move({ status: 'triaged' });
    await move({ status: 'in_progress' });
    (await triage.send()).must(412);
    await passes(api, project);
    await judge(api, project, 'passed');
    const resolve = await ofWorkflow(api, project, 'resolve_issue');
    await move({ status: 'resolved', resolution: 'wont_fix' });
    (await resolve.send()).must(412);
    expect(await project.get('/issues', { id })).toMatchObject({ resolution: 'wont_fix' });
  });
});

describe('what waits for a decision [PQRS-81] [PQRS-24] [PQRS-25]', () => {
  const needs = { ...OWN, needs: ['srs'] as const };
  flow('is offered and decided as it was looked at', needs, async (api) => {
    const get = async (path: string) => (await api.get(path)).must(200).json();
    const project = { as: {}, get } as RequirementProject;
    const offered = async (name: string): Promise<HandoffAction | undefined> =>
      ((await get('/project-handoff')) as unknown as Handoff).nextActions.find(
        ({ action }) => action === name,
      );
    const send = ({ request }: HandoffAction) =>
      api.follow(request.path, {
        ...{ as: 'owner', method: request.method, headers: request.headers },
        body: JSON.stringify(request.body),
      });
    const { items } = (await api.get('/projects')).json<{ items: { slug: string }[] }>();
    const policy = async (editPolicy: string) =>
      (await api.post('/projects', { slug: items[0]?.slug, settings: { editPolicy } })).must(200);
    await policy('review');
    try {
      for (const name of ['decide_addition', 'decide_edit'])
        for (let one = await offered(name); one; one = await offered(name))
          (await send(one)).must(200);
      const storyId = `LR-${api.unique}`;
      const addition = { storyId, title: 'An addition of mine' };
      const { id } = (await api.post('/story-additions', addition, { as: 'srs' }))
        .must(201)
        .json<{ id: string }>();
      const activation = await offered('decide_addition');
      expect(activation).toMatchObject({
        why: `An addition waits for a decision: ${addition.title}. With this request it is a story in force.`,
        request: { body: { id, state: 'active' }, headers: { 'If-Match': '"1"' } },
      });
      if (activation) (await send(activation)).must(200);
      expect(await offered('decide_addition')).toBeUndefined();
      expect(await project.get(`/srs-story/${storyId}`)).toMatchObject({ title: addition.title });
      const set = { statement: 'Good words.' };
      const made = await api.post('/story-edits', { storyId, set }, { as: 'srs' });
      const { edit: proposed } = made.must(201).json<{ edit: { id: string } }>();
      const late = await offered('decide_edit');
      expect(late?.request.body).toMatchObject({ id: proposed.id });
      const other = { id: proposed.id, set: { statement: 'Other words.' } };
      (await api.patch('/story-edits', other, { as: 'srs' })).must(200);
      if (late) (await send(late)).must(412);
      expect(await project.get(`/srs-story/${storyId}`)).toMatchObject({ statement: '' });
    } finally {
      await policy('direct');
    }
  });
});

describe('an addition that depends on what has left [PQRS-81] [PQRS-25]', () => {
  const needs = { ...OWN, needs: ['srs'] as const };
  flow('is not activated, and not offered to be', needs, async (api) => {
    const offered = async () =>
      (await api.get('/project-handoff'))
        .must(200)
        .json<Handoff>()
        .nextActions.find(({ action }) => ['decide_addition', 'read_addition'].includes(action));
    const { items } = (await api.get('/projects')).json<{ items: { slug: string }[] }>();
    const policy = async (editPolicy: string) =>
      (await api.post('/projects', { slug: items[0]?.slug, settings: { editPolicy } })).must(200);
    const add = async (body: object, as: 'owner' | 'srs') =>
      (await api.post('/story-additions', { title: 'T', ...body }, { as }))
        .must(201)
        .json<{ id: string; version: number }>().id;
    const activate = (id: string) => api.post('/story-additions', { id, state: 'active' });
    const remove = async (id: string) =>
      (await api.send('DELETE', '/story-additions', { query: { id } })).must(204);
    await policy('review');
    try {
      for (let one = await offered(); one; one = await offered()) {
        const { id } = one.request.body as { id: string };
        (await activate(id)).must(200);
      }
      const [to, storyId] = ['LT', 'LA'].map((name) => `${name}-${api.unique}`);
      const target = await add({ storyId: to }, 'owner');
      const proposed = await add({ storyId, links: [{ type: 'depends', to }] }, 'srs');
      expect(await offered()).toMatchObject({ action: 'decide_addition' });
      await remove(target);
      const left = `depends ${to}`;
      const refused = (await activate(proposed)).mustBe(409, 'conflict');
      expect(refused.json<{ detail: string }>().detail).toBe(
        `${storyId} ${left}: no longer in the graph.`,
      );
      const read = await offered();
      expect(read).toMatchObject({ action: 'read_addition', request: { method: 'GET' } });
      expect(read?.why).toContain(`It cannot be activated: it ${left}, no longer in the graph.`);
      const shown = await api.follow(read?.request.path ?? '', { as: 'owner' });
      expect(shown.must(200).json()).toMatchObject({ id: proposed, state: 'proposed' });
      // What can be decided is offered before what cannot.
      const whole = await add({ storyId: `LB-${api.unique}` }, 'srs');
      expect(await offered()).toMatchObject({ request: { body: { id: whole } } });
      await remove(whole);
      await remove(proposed);
      expect(await offered()).toBeUndefined();
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
    (await (await ofHandoff(api, project, 'link_test')).send()).must(200);
  });
});
