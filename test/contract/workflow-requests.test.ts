// The requests that a story's workflow leads on with: what has a body can be sent as it is.
import { describe, expect } from 'bun:test';
import type { Client } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { makeRequirementProject, type RequirementProject } from '../support/requirement-project.ts';
import type { Workflow } from '../support/shapes.ts';

const OWN = { ownBecause: 'it makes a project', compare: false };

const item = (id: string, refines?: string) =>
  `## ${id}: Title of ${id}\n\nAs a user I have ${id}.\n\nAcceptance criteria:\n\n- It is there\n${
    refines ? `\nRefines: ${refines}\n` : ''
  }`;
const SOURCE = [
  item('US-1'),
  item('US-2', 'US-1'),
  item('US-3', 'US-2'),
  item('US-4', 'US-2'),
].join('\n');

type Next = Workflow['next'][number];

async function begin(api: Client, needs = ['test']): Promise<RequirementProject> {
  const project = await makeRequirementProject(api, { needs });
  await project.bring({ 'stories.md': SOURCE });
  return project;
}

const nextOf = async ({ get }: RequirementProject, id: string) =>
  (await get<{ next: Next[] }>(`/srs-workflow/${id}`)).next;

/** Sends every request that has a body, from where the story stands; gives their actions. */
async function sendAll(api: Client, project: RequirementProject, id: string): Promise<string[]> {
  const sent: string[] = [];
  for (const { action, method, path, body } of await nextOf(project, id)) {
    if (!body) continue;
    const answer = await api.send(method, path.replace(/^\/api/, ''), {
      ...project.as,
      json: body,
    });
    if (![200, 201].includes(answer.status))
      throw new Error(`${action} was answered ${answer.status}: ${answer.text}`);
    sent.push(action);
  }
  return sent;
}

async function link(api: Client, { as }: RequirementProject, storyId: string, id: string) {
  const add = [{ storyId, type: 'verifies', target: { kind: 'test', id } }];
  (await api.post('/project-traceability', { add }, as)).must(200);
}

async function edit(api: Client, { as }: RequirementProject, storyId: string) {
  (await api.post('/story-edits', { storyId, set: { title: `Other ${storyId}` } }, as)).must(201);
}

describe('every request of a workflow with a body succeeds as it is [PQRS-22]', () => {
  flow('for a story of which nothing is done, and what then comes', OWN, async (api) => {
    const project = await begin(api);
    expect(await sendAll(api, project, 'US-3')).toEqual(['create_test_command']);
    expect(await sendAll(api, project, 'US-3')).toEqual(['plan_tests', 'claim_suite']);
  });

  flow('for one that inherits that nothing covers it', OWN, async (api) => {
    const project = await begin(api, ['test', 'scenario']);
    expect(await sendAll(api, project, 'US-1')).toEqual(['create_test_command']);
  });

  flow('for one that inherits that nothing has run', OWN, async (api) => {
    const project = await begin(api);
    await link(api, project, 'US-3', 'a');
    await link(api, project, 'US-4', 'b');
    expect(await sendAll(api, project, 'US-1')).toEqual([]);
    expect((await nextOf(project, 'US-1'))[0]).toMatchObject({
      action: 'run_tests',
      why: 'What refines it is unexecuted.',
    });
  });

  flow('for one with suspect links', OWN, async (api) => {
    const project = await begin(api);
    await link(api, project, 'US-3', 'a');
    await edit(api, project, 'US-3');
    expect(await sendAll(api, project, 'US-3')).toEqual(['review_trace']);
    expect((await nextOf(project, 'US-3'))[0]?.action).toBe('run_tests');
  });
});

describe('a story in which the audit has found an error [PQRS-22]', () => {
  const dangling = `${item('US-1')}\nDepends on: US-77\n\n## US-2: Bare\n\nIt is.\n\nDepends on: US-77\n`;

  flow('is led on by an import, and by an edit where it lacks a text', OWN, async (api) => {
    const project = await makeRequirementProject(api);
    await project.bring({ 'stories.md': dangling });
    const toldOf = async (id: string) =>
      (await nextOf(project, id)).map(({ action, path, why }) => [action, path, why]);
    const found = (id: string) => `dangling_reference: ${id} depends US-77, which is in no source.`;
    const lead = (id: string) => ['import_sources', '/api/projects', found(id)];
    expect((await toldOf('US-1')).slice(0, -1)).toEqual([lead('US-1')]);
    expect((await toldOf('US-2')).slice(0, -1)).toEqual([
      ['edit_story', '/api/story-edits', 'It has no acceptance criteria.'],
      lead('US-2'),
    ]);
  });

  flow('of an edit in conflict is told where edits are settled', OWN, async (api) => {
    const project = await begin(api);
    const { as, get, bring } = project;
    const wish = { storyId: 'US-2', set: { statement: 'It is mine.' } };
    (await api.post('/story-edits', wish, as)).must(201);
    await bring({ 'stories.md': SOURCE.replace('I have US-2', 'I had US-2') });
    expect(await get('/srs-source-audit', { severity: 'error' })).toMatchObject({
      findings: [{ code: 'edit_conflicted', itemId: 'US-2' }],
    });
    const { stage, stages } = await get<{ stage: string; stages: object[] }>('/srs-workflow/US-2');
    expect(stage).toBe('agreed');
    expect(stages.slice(0, 2)).toMatchObject([
      { name: 'specified', state: 'done' },
      { name: 'agreed', state: 'blocked' },
    ]);
    expect((await nextOf(project, 'US-2')).map(({ action }) => action)).toEqual([
      'settle_edit',
      'read_story',
    ]);
  });
});
