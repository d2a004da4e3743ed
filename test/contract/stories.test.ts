// One story with all that is known of it, and its workflow.
import { describe, expect } from 'bun:test';
import { flow } from '../support/flow.ts';
import { makeRequirementProject } from '../support/requirement-project.ts';
import type { Story, Workflow } from '../support/shapes.ts';

const OWN = { ownBecause: 'it makes a project' };

const SOURCE = `# Checkout

## US-1: Paying once

As a customer I pay once.

Acceptance criteria:

- A second press of the button charges nothing

## US-2: A receipt

As a customer I have a receipt.

Depends on: US-1
`;

describe('GET /srs-story/:id [PQRS-21]', () => {
  flow('shows its links both ways, and the canonical text where edited', OWN, async (api) => {
    const project = await makeRequirementProject(api);
    await project.bring({ 'stories.md': SOURCE });
    const plain = await project.get<Story>('/srs-story/US-1');
    expect(plain).toMatchObject({ id: 'US-1', overlays: [], openIssues: [], validation: null });
    expect(plain.canonical).toBeUndefined();
    expect(plain.links.incoming).toContainEqual({
      ...{ type: 'depends', status: 'ok', id: 'US-2', title: 'A receipt' },
    });
    const edit = { storyId: 'US-1', set: { title: 'Paying just once' } };
    (await api.post('/story-edits', edit, project.as)).must(201);
    const edited = await project.get<Story>('/srs-story/US-1');
    expect(edited.title).toBe('Paying just once');
    expect(edited.canonical?.title).toBe('Paying once');
    expect(edited.overlays).toMatchObject([{ overlay: 'edit' }]);
  });

  flow('names its open issues, until they are resolved', OWN, async (api) => {
    const project = await makeRequirementProject(api);
    await project.bring({ 'stories.md': SOURCE });
    const issue = { title: 'Charged twice', severity: 'blocker', storyIds: ['US-1'] };
    const { id } = (await api.post('/issues', issue, project.as)).must(201);
    const open = async (story: string) =>
      (await project.get<Story>(`/srs-story/${story}`)).openIssues.map((one) => one.id);
    expect(await open('US-1')).toEqual([id]);
    (await api.patch(`/issues/${id}`, { storyIds: ['US-2'] }, project.as)).must(200);
    expect([await open('US-1'), await open('US-2')]).toEqual([[], [id]]);
    const resolved = { status: 'resolved', resolution: 'fixed' };
    (await api.patch(`/issues/${id}`, resolved, project.as)).must(200);
    expect(await open('US-2')).toEqual([]);
  });

  flow('is 304 for who has it, and 404 for what is no story of the project', OWN, async (api) => {
    const project = await makeRequirementProject(api);
    await project.bring({ 'stories.md': SOURCE });
    const etag = (await api.get('/srs-story/US-1', project.as)).must(200).header('etag') ?? '';
    const headers = { ...project.as.headers, 'if-none-match': etag };
    (await api.get('/srs-story/US-1', { headers })).must(304);
    for (const id of ['US-9', 'stories.md', '%00', 'a%2Fb']) {
      (await api.get(`/srs-story/${id}`, project.as)).mustBe(404, 'not_found');
      (await api.get(`/srs-workflow/${id}`, project.as)).mustBe(404, 'not_found');
    }
    (await api.get('/srs-story/US-1')).mustBe(404, 'not_found');
  });
});

describe('GET /srs-workflow/:id [PQRS-22]', () => {
  flow('leads from the text to the tests, by requests that are served', OWN, async (api) => {
    const project = await makeRequirementProject(api);
    await project.bring({ 'stories.md': SOURCE });
    const at = async (id: string) => project.get<Workflow>(`/srs-workflow/${id}`);
    const bare = await at('US-2');
    expect(bare.stage).toBe('specified');
    expect(bare.stages[0]).toMatchObject({
      state: 'current',
      missing: ['It has no acceptance criteria.'],
    });
    const edit = { storyId: 'US-2', set: { acceptance: ['It is printed.'] } };
    (await api.post('/story-edits', edit, project.as)).must(201);
    const written = await at('US-2');
    expect(written.stage).toBe('covered');
    expect(written.history).toMatchObject([{ event: 'edit_created', actor: { label: 'owner' } }]);
    expect(written.next[0]).toMatchObject({
      action: 'add_trace',
      path: '/api/project-traceability',
    });
    for (const { method, path } of written.next) {
      const below = path.replace(/^\/api/, '');
      const answer = await api.send(
        method,
        below,
        method === 'GET' ? project.as : { ...project.as, json: {} },
      );
      expect(answer.status).not.toBe(404);
      expect(answer.status).not.toBe(405);
    }
  });

  flow('of a rejected story shows that nothing covers it', OWN, async (api) => {
    const project = await makeRequirementProject(api);
    const rejected = SOURCE.replace('I pay once.', 'I pay once.\n\nStatus: rejected');
    await project.bring({ 'stories.md': rejected });
    const { stage, stages } = await project.get<Workflow>('/srs-workflow/US-1');
    expect(stage).toBe('covered');
    expect(stages.map(({ state }) => state)).toEqual([
      'done',
      'done',
      'current',
      'pending',
      'pending',
    ]);
  });
});
