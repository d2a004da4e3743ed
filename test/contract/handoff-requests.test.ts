// The requests that a handoff leads on with: each is taken as it is, and does what it says.
import { describe, expect } from 'bun:test';
import fc from 'fast-check';
import type { Handoff, HandoffAction } from '../../src/operations/handoff/model.ts';
import type { Answer } from '../support/answer.ts';
import type { Client } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { makeRequirementProject, type RequirementProject } from '../support/requirement-project.ts';

const OWN = { ownBecause: 'it makes a project', compare: false };

const source = (...ids: string[]) =>
  JSON.stringify({
    ...{ format: 'pqrs-srs', version: 1, edges: [] },
    nodes: ids.map((id) => ({
      ...{ id, kind: 'requirement', title: `${id} t`, statement: `It shall ${id}.` },
    })),
  });

async function begin(api: Client, settings: object, ...ids: string[]): Promise<RequirementProject> {
  const project = await makeRequirementProject(api, settings);
  await project.bring({ 'a.json': source(...ids) });
  return project;
}

async function actionsOf({ get }: RequirementProject): Promise<HandoffAction[]> {
  return (await get<Handoff>('/project-handoff')).nextActions;
}

const named = async (project: RequirementProject, name: string) =>
  (await actionsOf(project)).find(({ action }) => action === name);

async function sendIt(
  api: Client,
  { as }: RequirementProject,
  { action, request }: HandoffAction,
): Promise<Answer> {
  const { method, path, headers, body } = request;
  const answer = await api.follow(path, {
    method,
    headers: { ...as.headers, ...headers },
    ...(body === null ? {} : { body: JSON.stringify(body) }),
  });
  if (![200, 201].includes(answer.status))
    throw new Error(`${action} was answered ${answer.status}: ${answer.text}`);
  return answer;
}

/** Sends the action of a name, which must be offered. */
async function send(api: Client, project: RequirementProject, name: string): Promise<Answer> {
  const action = await named(project, name);
  if (!action) throw new Error(`${name} is not offered`);
  return sendIt(api, project, action);
}

const coverageOf = async ({ get }: RequirementProject, storyId: string) =>
  (await get<{ items: { status: string }[] }>('/project-traceability', { storyId })).items[0];

async function addCommand(api: Client, { as }: RequirementProject, over: object = {}) {
  const body = { key: 'c1', kind: 'shell', argv: ['true'], ...over };
  return (await api.post('/test-commands', body, as)).must(201).json<{ id: string }>();
}

describe('what a handoff offers for stories that nothing covers [PQRS-81]', () => {
  flow('writes no scenario over another, in whatever state that is', OWN, async (api) => {
    const project = await begin(api, { needs: ['scenario'] }, 'A', 'B');
    const steps = [{ keyword: 'Given', text: 'precious' }];
    const others = ['A-first', 'A / A t', 'B / B t'].map((key, at) => ({
      ...{ key, title: 'mine', steps, storyIds: [], state: at === 2 ? 'archived' : 'active' },
    }));
    (await api.post('/project-scenarios', others, project.as)).must(201);
    for (const id of ['A', 'B']) {
      expect((await send(api, project, 'write_scenario')).json()).toMatchObject({
        created: 1,
        items: [{ scenario: { key: `${id} / ${id} t 2`, storyIds: [id], state: 'active' } }],
      });
    }
    expect(await named(project, 'write_scenario')).toBeUndefined();
    for (const { key, state } of others)
      expect(await project.get('/project-scenarios', { key })).toMatchObject({ steps, state });
  });

  flow('is what the project needs, one request for each need', OWN, async (api) => {
    const project = await begin(api, { needs: ['test', 'scenario'] }, 'A');
    await addCommand(api, project, { storyIds: ['A'] });
    expect(await named(project, 'link_test')).toBeUndefined();
    const { why } = (await named(project, 'write_scenario')) ?? {};
    expect(why).toStartWith(
      'Stories that lack what they need: 1, A first: no scenario verifies it.',
    );
    await send(api, project, 'write_scenario');
    expect(await coverageOf(project, 'A')).toMatchObject({ status: 'unexecuted' });
  });

  for (const [settings, states, says, wanted] of [
    [{}, ['disabled'], {}, 'create_test_command'],
    [{}, ['active'], {}, 'create_test_command'],
    [{}, ['active'], { name: 'all of A-2', tags: ['AB'] }, 'create_test_command'],
    [{}, ['disabled'], { name: 'verify A' }, 'create_test_command'],
    [{}, ['disabled', 'active'], { name: 'verify A' }, 'link_test'],
    [{}, ['active'], { argv: ['test', '--only=A'] }, 'link_test'],
    [{}, ['active'], { tags: ['A'] }, 'link_test'],
    [{ needs: ['scenario'] }, ['active'], { name: 'verify A' }, 'write_scenario'],
  ] as const) {
    const title = `is ${wanted} with commands ${states.join(', ')} ${JSON.stringify([says, settings])}`;
    flow(title, OWN, async (api) => {
      const project = await begin(api, settings, 'A');
      for (const [at, state] of states.entries()) {
        const { id } = await addCommand(api, project, { key: `c${at}`, ...says });
        (await api.patch('/test-commands', { id, state }, project.as)).must(200);
      }
      const covering = ['link_test', 'create_test_command', 'write_scenario'];
      const offered = (await actionsOf(project)).filter(({ action }) => covering.includes(action));
      expect(offered.map(({ action }) => action)).toEqual([wanted]);
      await send(api, project, wanted);
      expect(await coverageOf(project, 'A')).toMatchObject({ status: 'unexecuted' });
    });
  }
});

describe('a command that ran a scenario of a story [PQRS-81]', () => {
  flow('is offered to be linked to it', OWN, async (api) => {
    const project = await begin(api, { needs: ['test', 'scenario'] }, 'A');
    const { as } = project;
    const { id: commandId } = await addCommand(api, project);
    expect(await named(project, 'link_test')).toBeUndefined();
    const steps = [{ keyword: 'Given', text: 'x' }];
    const scenario = { key: 'F / S', title: 'S', feature: 'F', steps, storyIds: ['A'] };
    (await api.post('/project-scenarios', scenario, as)).must(201);
    const results = [{ name: 'S', path: ['F'], status: 'passed' }];
    (await api.post('/test-runs', { commandId, results }, as)).must(201);
    expect((await named(project, 'link_test'))?.request.body).toMatchObject({
      add: [{ storyId: 'A', target: { kind: 'command', id: commandId } }],
    });
    await send(api, project, 'link_test');
    expect(await named(project, 'link_test')).toBeUndefined();
  });
});

describe('a command that a handoff offers to declare [PQRS-81]', () => {
  flow('has a key that no command has, an archived one neither', OWN, async (api) => {
    const project = await begin(api, {}, 'A');
    for (const key of ['unit', 'unit 2']) {
      const answer = await send(api, project, 'declare_command');
      const { id } = answer.json<{ id: string }>();
      expect(answer.json()).toMatchObject({ key });
      expect(await named(project, 'declare_command')).toBeUndefined();
      (await api.patch('/test-commands', { id, state: 'archived' }, project.as)).must(200);
    }
  });
});

describe('what a handoff offers for stories that fail [PQRS-81]', () => {
  flow('plans what failed of late, where a command ran it, and once', OWN, async (api) => {
    const project = await begin(api, {}, 'A');
    const { as } = project;
    const { id: commandId } = await addCommand(api, project);
    const report = async (name: string, status: string, over: object = {}) =>
      (await api.post('/test-runs', { results: [{ name, status }], ...over }, as)).must(201);
    await report('u', 'passed', { commandId });
    await report('t [A]', 'failed');
    expect(await coverageOf(project, 'A')).toMatchObject({ status: 'failing' });
    expect(await named(project, 'plan_failures')).toBeUndefined();
    expect((await named(project, 'read_workflow'))?.request.path).toBe('/api/srs-workflow/A');
    await report('t [A]', 'failed', { commandId });
    const plan = (await send(api, project, 'plan_failures')).json();
    expect(plan).toMatchObject({ items: [{ commandId }], covered: ['A'] });
    expect(await named(project, 'plan_failures')).toBeUndefined();
    // While an agent has its item, no other plan is offered.
    await send(api, project, 'claim_suite');
    const offered = (await actionsOf(project)).map(({ action }) => action);
    for (const name of ['plan_failures', 'plan_runs', 'claim_suite'])
      expect(offered).not.toContain(name);
  });
});

describe('a verdict that a handoff asks for [PQRS-81]', () => {
  flow('is of a story that nobody has judged as it is', OWN, async (api) => {
    const project = await begin(api, {}, 'A', 'B');
    const { as } = project;
    const results = ['A', 'B'].map((id) => ({ name: `t [${id}]`, status: 'passed' }));
    (await api.post('/test-runs', { results }, as)).must(201);
    const failed = { mode: 'record', results: [{ storyId: 'A', verdict: 'failed' }] };
    (await api.post('/validation-transfer', failed, as)).must(200);
    await send(api, project, 'record_verdict');
    expect(await coverageOf(project, 'B')).toMatchObject({ status: 'validated' });
    expect(await named(project, 'record_verdict')).toBeUndefined();
  });
});

describe('a verdict on a story that was renamed [PQRS-81] [PQRS-22] [PQRS-35]', () => {
  const text = (...ids: string[]) =>
    ids.map((id) => `## ${id}: Audit\nS.\n\nAcceptance criteria:\n- a\n`).join('\n');

  async function renamed(
    api: Client,
    from: string[],
    to: string[],
    said: string,
  ): Promise<RequirementProject> {
    const project = await makeRequirementProject(api, { autoValidate: true });
    const { as, bring } = project;
    await bring({ 's.md': text(...from) });
    const results = from.map((storyId) => ({
      storyId,
      verdict: said,
      evidence: 'wrong time zone',
    }));
    (await api.post('/validation-transfer', { mode: 'record', results }, as)).must(200);
    await bring({ 's.md': text(...to) });
    const runs = to.map((id) => ({ name: `t [${id}]`, status: 'passed' }));
    (await api.post('/test-runs', { results: runs }, as)).must(201);
    return project;
  }

  interface Workflow {
    stages: { missing: string[] }[];
    next: { action: string; path: string; body?: object; why: string }[];
  }
  const leadOf = async ({ get }: RequirementProject, id: string) => {
    const { stages, next } = await get<Workflow>(`/srs-workflow/${id}`);
    return { missing: stages.at(-1)?.missing.join(' '), first: next[0] };
  };

  flow('is carried as it is, and no other is asked for', OWN, async (api) => {
    const project = await renamed(api, ['US-5'], ['US-55'], 'failed');
    expect(await named(project, 'record_verdict')).toBeUndefined();
    const { missing, first } = await leadOf(project, 'US-55');
    expect(missing).toMatch(
      /^The verdict val_\w+ of US-5, which was renamed to it, waits to be carried: failed\.$/,
    );
    const body = { mode: 'carry', storyIds: ['US-5'] };
    expect(first).toMatchObject({ action: 'carry_verdict', body, why: missing });
    const offered = await named(project, 'carry_verdicts');
    expect(offered?.request.body).toEqual(body);
    expect(offered?.why).toContain('US-5 is US-55 now, failed.');
    expect((await send(api, project, 'carry_verdicts')).json()).toMatchObject({ applied: 1 });
    expect(await project.get('/srs-story/US-55')).toMatchObject({
      validation: { verdict: 'failed', evidence: 'wrong time zone' },
    });
    for (const name of ['carry_verdicts', 'record_verdict'])
      expect(await named(project, name)).toBeUndefined();
    expect((await leadOf(project, 'US-55')).missing).toMatch(/^The verdict val_\w+ is failed\.$/);
  });

  flow(
    'stays with its gone story once the one with that text was judged itself',
    OWN,
    async (api) => {
      const project = await renamed(api, ['US-5'], ['US-55'], 'failed');
      const results = [{ storyId: 'US-55', verdict: 'passed' }];
      (await api.post('/validation-transfer', { mode: 'record', results }, project.as)).must(200);
      expect(await named(project, 'carry_verdicts')).toBeUndefined();
      expect(await project.get('/validation-transfer', { storyId: 'US-5' })).toMatchObject({
        items: [
          {
            disposition: 'orphaned',
            why: 'It is gone, and no new story has its text that was not judged itself.',
          },
        ],
      });
    },
  );

  flow('asks for a person where it may be of several', OWN, async (api) => {
    const project = await renamed(api, ['US-5'], ['US-55', 'US-56'], 'failed');
    for (const name of ['carry_verdicts', 'record_verdict'])
      expect(await named(project, name)).toBeUndefined();
    const { missing, first } = await leadOf(project, 'US-56');
    expect(missing).toMatch(
      /^Nobody has judged it\. The verdict val_\w+ of US-5, which is gone and said the same, is failed: whether that is of this story is for a person to say\.$/,
    );
    expect(first).toMatchObject({ action: 'record_verdict', why: missing });
    expect(first?.body).toBeUndefined();
  });
});

describe('an edit that a handoff asks to decide [PQRS-81]', () => {
  const needs = { ...OWN, needs: ['srs'] as const };
  flow('is decided on the story as it is, by whoever may', needs, async (api) => {
    const offered = async (as: 'owner' | 'srs') =>
      (await api.get('/project-handoff', { as }))
        .must(200)
        .json<Handoff>()
        .nextActions.find(({ action }) => action === 'decide_edit');
    const { items } = (await api.get('/projects')).json<{ items: { slug: string }[] }>();
    const policy = async (editPolicy: string) =>
      (await api.post('/projects', { slug: items[0]?.slug, settings: { editPolicy } })).must(200);
    await policy('review');
    try {
      const storyId = `HO-${api.unique}`;
      (await api.post('/story-additions', { storyId, title: 'One' })).must(201);
      const set = { title: 'Two' };
      const { edit } = (await api.post('/story-edits', { storyId, set }, { as: 'srs' }))
        .must(201)
        .json<{ edit: { id: string } }>();
      // What the edit does not set changes under it.
      const other = { storyId, set: { statement: 'It says more.' } };
      (await api.post('/story-edits', other)).must(201);
      expect(await offered('srs')).toBeUndefined();
      const decided: unknown[] = [];
      for (let next = await offered('owner'); next; next = await offered('owner')) {
        const { method, path, body } = next.request;
        const answer = await api.follow(path, {
          ...{ as: 'owner', method, body: JSON.stringify(body) },
          headers: { 'content-type': 'application/json' },
        });
        decided.push((answer.must(200).json() as { id: string }).id);
      }
      expect(decided).toContain(edit.id);
      expect((await api.get(`/srs-story/${storyId}`)).json()).toMatchObject(set);
    } finally {
      await policy('direct');
    }
  });
});

describe('an edit that a newer one has overtaken [PQRS-81] [PQRS-24]', () => {
  const needs = { ...OWN, needs: ['srs'] as const };
  flow('is not offered to be accepted, but to be read beside it', needs, async (api) => {
    const offered = async (name: string) =>
      (await api.get('/project-handoff'))
        .must(200)
        .json<Handoff>()
        .nextActions.find(({ action }) => action === name);
    const { items } = (await api.get('/projects')).json<{ items: { slug: string }[] }>();
    const policy = async (editPolicy: string) =>
      (await api.post('/projects', { slug: items[0]?.slug, settings: { editPolicy } })).must(200);
    const edit = async (storyId: string, title: string, as: 'owner' | 'srs') =>
      (await api.post('/story-edits', { storyId, set: { title } }, { as }))
        .must(201)
        .json<{ edit: { id: string } }>().edit.id;
    await policy('review');
    try {
      const [storyId, other] = [`HP-${api.unique}`, `HQ-${api.unique}`];
      for (const id of [storyId, other])
        (await api.post('/story-additions', { storyId: id, title: 'One' })).must(201);
      const proposed = await edit(storyId, 'Of the editor', 'srs');
      const newer = await edit(storyId, 'Of the owner', 'owner');
      // What is safe is offered first, though it was made later.
      const safe = await edit(other, 'Two', 'srs');
      const decided: unknown[] = [];
      for (let next = await offered('decide_edit'); next; next = await offered('decide_edit')) {
        const { method, path, body } = next.request;
        const answer = await api.follow(path, {
          ...{ as: 'owner', method, body: JSON.stringify(body) },
          headers: { 'content-type': 'application/json' },
        });
        decided.push((answer.must(200).json() as { id: string }).id);
      }
      expect(decided).toContain(safe);
      expect(decided).not.toContain(proposed);
      const toRead = await offered('read_edits');
      expect(toRead?.request).toMatchObject({ method: 'GET', path: `/api/srs-story/${storyId}` });
      expect(toRead?.why).toContain(`overwrite what was accepted since: title of ${newer}`);
      const shown = await api.follow(toRead?.request.path ?? '', { as: 'owner' });
      const { title, overlays } = shown.must(200).json<{ title: string; overlays: object[] }>();
      expect(title).toBe('Of the owner');
      for (const id of [proposed, newer])
        expect(overlays).toContainEqual(expect.objectContaining({ id }));
      (await api.patch('/story-edits', { id: proposed, state: 'rejected' })).must(200);
      expect(await offered('read_edits')).toBeUndefined();
    } finally {
      await policy('direct');
    }
  });

  flow('is not offered to be rebased either', OWN, async (api) => {
    const project = await begin(api, {}, 'A');
    const { as, bring, get } = project;
    const edit = async (title: string) =>
      (await api.post('/story-edits', { storyId: 'A', set: { title } }, as))
        .must(201)
        .json<{ edit: { id: string } }>().edit.id;
    const first = await edit('First');
    await bring({ 'a.json': source('A').replace('A t', 'Changed') });
    const rebase = await named(project, 'rebase_edit');
    expect(rebase?.request.body).toMatchObject({ id: first, state: 'accepted' });
    const newer = await edit('Newer');
    expect(await named(project, 'rebase_edit')).toBeUndefined();
    await send(api, project, 'read_edits');
    // Once the newer one is taken back, nothing is overwritten.
    (await api.patch('/story-edits', { id: newer, state: 'withdrawn' }, as)).must(200);
    expect(await named(project, 'read_edits')).toBeUndefined();
    await send(api, project, 'rebase_edit');
    expect(await get('/srs-story/A')).toMatchObject({ title: 'First' });
  });
});

describe('the sources that a handoff offers to import [PQRS-81] [PQRS-27]', () => {
  flow('take the place of no story that somebody has added', OWN, async (api) => {
    const project = await makeRequirementProject(api);
    const { as, get } = project;
    const mine = { title: 'Mine', statement: 'My own' };
    for (const storyId of ['US-1', 'US-2'])
      (await api.post('/story-additions', { storyId, ...mine }, as)).must(201);
    expect((await named(project, 'import_sources'))?.why).toBe('The project has no sources yet.');
    await send(api, project, 'import_sources');
    for (const id of ['US-1', 'US-2']) expect(await get(`/srs-story/${id}`)).toMatchObject(mine);
    expect(await get('/srs-story/US-3')).toMatchObject({ title: 'A first story' });
    const { items } = await get<{ items: object[] }>('/srs-graph', { view: 'overlays' });
    expect(items).toMatchObject([{ state: 'active' }, { state: 'active' }]);
    expect(await named(project, 'import_sources')).toBeUndefined();
  });
});

/** What may have happened in a project before somebody reads its handoff. */
const PAST: Record<string, (api: Client, project: RequirementProject) => Promise<unknown>> = {
  activeCommand: (api, project) => addCommand(api, project, { key: 'a' }),
  linkedCommand: (api, project) => addCommand(api, project, { key: 'b', storyIds: ['A'] }),
  async disabledCommand(api, project) {
    const { id } = await addCommand(api, project, { key: 'unit', storyIds: ['B'] });
    return api.patch('/test-commands', { id, state: 'disabled' }, project.as);
  },
  async archivedCommand(api, project) {
    const { id } = await addCommand(api, project, { key: 'verify A' });
    return api.patch('/test-commands', { id, state: 'archived' }, project.as);
  },
  async failedCommand(api, project) {
    const { id: commandId } = await addCommand(api, project, { key: 'f' });
    const results = [{ name: 't [B]', status: 'failed' }];
    return api.post('/test-runs', { commandId, results }, project.as);
  },
  failure: (api, { as }) =>
    api.post('/test-runs', { results: [{ name: 'u [A]', status: 'failed' }] }, as),
  success: (api, { as }) =>
    api.post('/test-runs', { results: [{ name: 'v [B]', status: 'passed' }] }, as),
  scenario: (api, { as }) => {
    const steps = [{ keyword: 'Given', text: 'precious' }];
    return api.post('/project-scenarios', { key: 'A / A t', title: 'Mine', steps }, as);
  },
  blocker: (api, { as }) =>
    api.post('/issues', { title: 'No', severity: 'blocker', storyIds: ['A'] }, as),
  async suspectLink(api, { as }) {
    const add = [{ storyId: 'C', type: 'verifies', target: { kind: 'test', id: 'w' } }];
    await api.post('/project-traceability', { add }, as);
    return api.post('/story-edits', { storyId: 'C', set: { title: 'Another' } }, as);
  },
  async conflict(api, { as, bring }) {
    await api.post('/story-edits', { storyId: 'B', set: { statement: 'It is mine.' } }, as);
    await bring({ 'a.json': source('A', 'B', 'C').replace('It shall B.', 'It shall not B.') });
    return { status: 200 };
  },
  verdict: (api, { as }) => {
    const results = [{ storyId: 'B', verdict: 'failed' }];
    return api.post('/validation-transfer', { mode: 'record', results }, as);
  },
};

const ROUNDS = 25;
let made = 0;

describe('every request of a handoff is taken as it is, and not offered again for what it has done [PQRS-81]', () => {
  flow('whatever happened before, and in whatever order they are sent', OWN, (api) =>
    fc.assert(
      fc.asyncProperty(
        fc.subarray(['test', 'scenario'], { minLength: 1 }),
        fc.shuffledSubarray(Object.keys(PAST)),
        fc.array(fc.nat(), { minLength: ROUNDS, maxLength: ROUNDS }),
        async (needs, past, choices) => {
          made += 1;
          const project = await makeRequirementProject(api, { needs }, `-${made}`);
          await project.bring({ 'a.json': source('A', 'B', 'C') });
          for (const name of past) {
            const answer = (await PAST[name]?.(api, project)) as { status?: number };
            expect(answer.status ?? 200).toBeLessThan(300);
          }
          for (const choice of choices) {
            const offered = (await actionsOf(project)).filter(
              ({ request }) => request.method !== 'GET',
            );
            const action = offered[choice % offered.length];
            if (!action) return;
            await sendIt(api, project, action);
            const after = (await actionsOf(project)).map(({ request }) => request);
            expect(after).not.toContainEqual(action.request);
          }
        },
      ),
      { numRuns: 6 },
    ),
  );
});
