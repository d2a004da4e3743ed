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
  return (await api.post('/test-commands', body, as)).must(201);
}

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

describe('a story that passes and has no verdict [PQRS-81]', () => {
  flow('is offered to be judged, and not once a verdict holds', OWN, async (api) => {
    const project = await begin(api, {}, 'A');
    const { as } = project;
    const results = [{ name: 't [A]', status: 'passed' }];
    (await api.post('/test-runs', { results }, as)).must(201);
    const path = (await named(project, 'judge_story'))?.request.path ?? '';
    expect(path).toBe('/api/srs-workflow/A');
    const verdict = { mode: 'record', results: [{ storyId: 'A', verdict: 'passed' }] };
    (await api.post('/validation-transfer', verdict, as)).must(200);
    expect(await named(project, 'judge_story')).toBeUndefined();
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
    const { missing, first } = await leadOf(project, 'US-55');
    expect(missing).toMatch(/on US-5 .*: failed/);
    const body = { mode: 'carry', storyIds: ['US-5'] };
    expect(first).toMatchObject({ action: 'carry_verdict', body, why: missing });
    const carried = (await api.post('/validation-transfer', body, project.as)).must(200);
    expect(carried.json()).toMatchObject({ applied: 1 });
    expect(await project.get('/srs-story/US-55')).toMatchObject({
      validation: { verdict: 'failed', evidence: 'wrong time zone' },
    });
    expect((await leadOf(project, 'US-55')).missing).toMatch(/revision \d+ is failed/);
  });

  flow('asks for a person where it may be of several', OWN, async (api) => {
    const project = await renamed(api, ['US-5'], ['US-55', 'US-56'], 'failed');
    const { missing, first } = await leadOf(project, 'US-56');
    expect(missing).toBe('Nobody has judged it.');
    expect(first).toMatchObject({ action: 'record_verdict', why: missing });
    expect(first?.body).toBeUndefined();
  });
});

describe('what waits for a decision [PQRS-81] [PQRS-24]', () => {
  flow('is offered to be read, edits and additions alike', OWN, async (api) => {
    const project = await begin(api, {}, 'A');
    const { as, bring } = project;
    expect(await named(project, 'read_overlays')).toBeUndefined();
    const edit = { storyId: 'A', set: { title: 'First' } };
    (await api.post('/story-edits', edit, as)).must(201);
    await bring({ 'a.json': source('A').replace('A t', 'Changed') });
    const shown = await send(api, project, 'read_overlays');
    expect(shown.json()).toMatchObject({ items: [{ storyId: 'A', state: 'conflicted' }] });
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

describe('every request of a handoff is taken as it is, once [PQRS-81]', () => {
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
      { numRuns: 3 },
    ),
  );
});
