// What overlays must not lose: many at once, parts of an edit, values that the sources hold already.
import { describe, expect } from 'bun:test';
import type { Client } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { makeRequirementProject, type RequirementProject } from '../support/requirement-project.ts';
import type { Addition, Edit, Story } from '../support/shapes.ts';

const OWN = { ownBecause: 'it makes a project' };
const APART = { ...OWN, compare: false };

const STORIES = ['US-1', 'US-2', 'US-3', 'US-4']
  .map((id) => `## ${id}: Title of ${id}\n\nAs a user I have ${id}.\n`)
  .join('\n');

async function begin(api: Client): Promise<RequirementProject> {
  const project = await makeRequirementProject(api);
  await project.bring({ 'stories.md': STORIES });
  return project;
}

async function edit(api: Client, { as }: RequirementProject, storyId: string, set: object) {
  const answer = (await api.post('/story-edits', { storyId, set }, as)).must(201);
  return answer.json<{ edit: Edit }>().edit;
}

async function add(api: Client, { as }: RequirementProject, body: object) {
  return (await api.post('/story-additions', body, as)).must(201).json<Addition>();
}

async function stateOf(project: RequirementProject, id: string): Promise<string> {
  return (await project.get<{ state: string }>('/srs-graph', { view: 'overlays', id })).state;
}

describe('many at once [PQRS-23]', () => {
  flow('edits, additions and verdicts are all taken', APART, async (api) => {
    const project = await begin(api);
    const { as } = project;
    const story = (at: number) => `US-${(at % 4) + 1}`;
    const answers = await Promise.all([
      ...Array.from({ length: 24 }, (_, at) =>
        api.post('/story-edits', { storyId: story(at), set: { rationale: `r${at}` } }, as),
      ),
      ...Array.from({ length: 12 }, (_, at) =>
        api.post('/story-additions', { title: `a${at}` }, as),
      ),
      ...Array.from({ length: 12 }, (_, at) => {
        const results = [{ storyId: story(at), verdict: 'passed' }];
        return api.post('/validation-transfer', { mode: 'record', results }, as);
      }),
      ...Array.from({ length: 12 }, (_, at) => {
        const target = { kind: 'file', id: `f${at}` };
        const wish = { add: [{ storyId: story(at), type: 'implements', target }] };
        return api.post('/project-traceability', wish, as);
      }),
    ]);
    const counts = Map.groupBy(answers, ({ status }) => status);
    expect(Object.fromEntries([...counts].map(([status, all]) => [status, all.length]))).toEqual({
      200: 24,
      201: 36,
    });
    const added = answers.slice(24, 36).map((answer) => answer.json<Addition>().storyId);
    expect(new Set(added).size).toBe(12);
    const query = { view: 'history', storyId: 'US-1' };
    expect(
      (await project.get<{ items: unknown[] }>('/validation-transfer', query)).items,
    ).toHaveLength(3);
  });

  flow('edits made on one fingerprint are taken once', APART, async (api) => {
    const project = await begin(api);
    const { fingerprint } = await project.get<Story>('/srs-story/US-1');
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) => {
        const wish = { storyId: 'US-1', set: { title: `t${at}` }, baseFingerprint: fingerprint };
        return api.post('/story-edits', wish, project.as);
      }),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(11).fill(409)]);
  });
});

describe('PATCH /story-edits [PQRS-24]', () => {
  flow('says why an accepted edit was made, and accepts it twice', OWN, async (api) => {
    const project = await begin(api);
    const { id } = await edit(api, project, 'US-1', { title: 'Other' });
    const patch = async (body: object) => api.patch('/story-edits', { id, ...body }, project.as);
    (await patch({ reason: 'why' })).must(200);
    (await patch({ state: 'accepted' })).must(200);
    for (const state of ['proposed', 'superseded', 'absorbed', 'conflicted', 'rejected'])
      (await patch({ state })).mustBe(409, 'illegal_transition');
    (await patch({ state: 'gone' })).mustBe(422, 'invalid');
    expect((await project.get<Story>('/srs-story/US-1')).title).toBe('Other');
  });

  flow('gives no new words to an edit', APART, async (api) => {
    const project = await begin(api);
    const { id } = await edit(api, project, 'US-1', { title: 'Other' });
    const body = { id, set: { title: 'Never said' } };
    (await api.patch('/story-edits', body, project.as)).mustBe(422, 'invalid', '/set');
    const withdrawn = { id, state: 'withdrawn', reason: 'The sources say it better.' };
    const ended = (await api.patch('/story-edits', withdrawn, project.as)).must(200).json<Edit>();
    expect(ended).toMatchObject({ set: { title: 'Other' }, reason: withdrawn.reason });
  });

  flow('ends an edit on what its reader saw, and leaves the edit as it was', APART, async (api) => {
    const project = await begin(api);
    const made = await edit(api, project, 'US-1', { title: 'Other' });
    const { id } = made;
    await project.bring({ 'stories.md': STORIES.replace('Title of US-1', 'New title') });
    const patch = async (body: object) => api.patch('/story-edits', { id, ...body }, project.as);
    const end = { state: 'withdrawn', baseFingerprint: made.baseFingerprint };
    (await patch(end)).mustBe(409, 'conflict');
    const { fingerprint } = await project.get<Story>('/srs-story/US-1');
    const now = { state: 'withdrawn', baseFingerprint: fingerprint };
    const ended = (await patch(now)).must(200).json<Edit>();
    const { baseFingerprint, set } = made;
    expect(ended).toMatchObject({ state: 'withdrawn', set, baseFingerprint });
    // Sent again it says what is so already.
    (await patch(now)).must(200);
    const other = await edit(api, project, 'US-2', { title: 'Another' });
    const seen = (await project.get<Story>('/srs-story/US-2')).fingerprint;
    const accepted = { id: other.id, state: 'withdrawn', baseFingerprint: seen };
    (await api.patch('/story-edits', accepted, project.as)).must(200);
  });
});

describe('a new revision [PQRS-25]', () => {
  flow('that brings an addition as it is differs in nothing [PQRS-27]', APART, async (api) => {
    const project = await begin(api);
    const added = await add(api, project, {
      storyId: 'US-9',
      title: 'Round',
      statement: 'It is.',
    });
    await edit(api, project, 'US-9', { title: 'Rounder' });
    await project.bring({ 'stories.md': `${STORIES}\n## US-9: Rounder\n\nIt is.\n` });
    expect(await stateOf(project, added.id)).toBe('absorbed');
    const query = { code: 'addition_absorbed' };
    const { findings } = await project.get<{ findings: { severity: string }[] }>(
      '/srs-source-audit',
      query,
    );
    expect(findings).toMatchObject([{ severity: 'info' }]);
    // Once the sources hold it no more, it may go.
    await project.bring({ 'stories.md': STORIES });
    (await api.send('DELETE', `/story-additions?id=${added.id}`, project.as)).must(204);
  });
});

describe('DELETE /story-additions [PQRS-27]', () => {
  flow('tells of commands and tests that name the story', APART, async (api) => {
    const project = await begin(api);
    const { as } = project;
    const { id } = await add(api, project, { storyId: 'US-9', title: 'Added' });
    const command = { key: 'c', kind: 'manual', storyIds: ['US-9'] };
    (await api.post('/test-commands', command, as)).must(201);
    const results = [{ name: 'works [US-9]', status: 'passed' }];
    (await api.post('/test-runs', { results }, as)).must(201);
    const path = `/story-additions?id=${id}`;
    const { detail } = (await api.send('DELETE', path, as))
      .mustBe(409, 'conflict')
      .json<{ detail: string }>();
    expect(detail).toContain('1 commands, 1 tests');
    (await api.send('DELETE', `${path}&cascade=true`, as)).must(204);
  });

  flow('takes nothing from another addition that has the id by now', APART, async (api) => {
    const project = await begin(api);
    const { as } = project;
    const first = await add(api, project, { storyId: 'D-1', title: 'First' });
    await project.bring({ 'stories.md': `${STORIES}\n## D-1: First\n` });
    await project.bring({ 'stories.md': STORIES });
    await add(api, project, { storyId: 'D-1', title: 'Second' });
    const target = { kind: 'file', id: 'a.ts' };
    const link = [{ storyId: 'D-1', type: 'implements', target }];
    const reason = { storyId: 'D-1', need: 'test', reason: 'It is small.' };
    const body = { add: link, justify: [reason] };
    (await api.post('/project-traceability', body, as)).must(200);
    const set = await edit(api, project, 'D-1', { title: 'Second, edited' });
    (await api.send('DELETE', `/story-additions?id=${first.id}&cascade=true`, as)).must(204);
    const of = async (view: string) => {
      const query = { view, storyId: 'D-1' };
      return (await project.get<{ items: object[] }>('/project-traceability', query)).items;
    };
    expect(await of('traces')).toHaveLength(1);
    expect(await of('stories')).toMatchObject([{ storyId: 'D-1', status: 'justified' }]);
    expect(await stateOf(project, set.id)).toBe('accepted');
    const story = await project.get<Story>('/srs-story/D-1');
    expect(story.title).toBe('Second, edited');
  });
});

describe('an addition whose links or parent have left [PQRS-27] [PQRS-20] [PQRS-22]', () => {
  flow('is told by the audit, is not specified, and keeps its edges', APART, async (api) => {
    const project = await makeRequirementProject(api);
    const { as, bring, get } = project;
    const text = (id: string) => `## ${id}: Title\n\nText of ${id}.\n`;
    await bring({ 'a.md': [text('US-1'), text('US-2'), text('US-3')].join('\n') });
    const add = (storyId: string, more: object) => {
      const content = { title: 'Added', statement: 'It is.', acceptance: ['It is.'], ...more };
      return api.post('/story-additions', { storyId, ...content }, as);
    };
    const links = [{ type: 'refines', to: 'US-2' }];
    const above = (await add('ADD-1', { parentId: 'US-1', links })).must(201);
    (await add('ADD-2', { parentId: 'ADD-1' })).must(201);
    const findings = async () => {
      const found = await get<{
        findings: { itemId: string; detail: string; severity: string; fingerprint: string }[];
        summary: { errors: number };
      }>('/srs-source-audit', { code: 'dangling_reference' });
      return found.findings.filter(({ itemId }) => itemId.startsWith('ADD'));
    };
    const specified = async (id: string) => {
      const { stages } = await get<{
        stages: { name: string; state: string; evidence: string[]; missing: string[] }[];
      }>(`/srs-workflow/${id}`);
      return stages[0];
    };
    expect(await findings()).toEqual([]);
    expect((await specified('ADD-1'))?.state).toBe('done');

    await bring({ 'a.md': text('US-3') });
    const told = await findings();
    expect(told.map(({ detail, severity }) => [severity, detail])).toEqual([
      ['error', 'ADD-1 refines US-2, which is gone.'],
      ['error', 'ADD-1 stands below US-1, which is gone.'],
    ]);
    const stage = await specified('ADD-1');
    expect(stage?.state).toBe('current');
    expect(stage?.evidence.toSorted()).toEqual(told.map((one) => one.fingerprint).toSorted());
    expect(stage?.missing.toSorted()).toEqual(
      told.map(({ detail }) => `dangling_reference: ${detail}`),
    );
    expect((await specified('ADD-2'))?.state).toBe('done');
    const { edges } = await get<{ edges: object[] }>('/srs-graph', { view: 'effective' });
    expect(edges.slice(-3)).toEqual([
      { from: 'US-1', to: 'ADD-1', type: 'contains', status: 'dangling' },
      { from: 'ADD-1', to: 'US-2', type: 'refines', status: 'dangling' },
      { from: 'ADD-1', to: 'ADD-2', type: 'contains', status: 'ok' },
    ]);
    const story = await get<{ links: Record<string, object[]> }>('/srs-story/ADD-1');
    expect(story.links.incoming).toEqual([
      { type: 'contains', status: 'dangling', id: 'US-1', title: null },
    ]);

    await bring({ 'a.md': [text('US-1'), text('US-2')].join('\n') });
    expect(await findings()).toEqual([]);
    expect((await specified('ADD-1'))?.state).toBe('done');

    const path = `/story-additions?id=${above.id}&cascade=true`;
    (await api.send('DELETE', path, as)).must(204);
    expect((await findings()).map(({ detail }) => detail)).toEqual([
      'ADD-2 stands below ADD-1, which is gone.',
    ]);
  });
});

describe('an edit whose story was gone and came back as it was [PQRS-24]', () => {
  // The fingerprint of a finding on an edit holds that edit's id.
  const apart = { ...OWN, compare: false };
  flow('is in conflict by what was, and not by what the sources say', apart, async (api) => {
    const project = await makeRequirementProject(api);
    const { as, bring, get } = project;
    const sources = { 'a.md': '## US-1: One\n\nIt is.\n\n## US-2: Two\n\nIt is too.\n' };
    await bring(sources);
    const wish = { storyId: 'US-1', set: { title: 'Mine' } };
    const { edit } = (await api.post('/story-edits', wish, as))
      .must(201)
      .json<{ edit: { id: string } }>();
    const told = async () => {
      const { findings } = await get<{ findings: { code: string; relatedIds: string[] }[] }>(
        '/srs-source-audit',
      );
      return findings.flatMap(({ code, relatedIds }) =>
        code === 'edit_conflicted' ? relatedIds : [],
      );
    };
    for (const content of [
      '## US-2: Two\n\nIt is too.\n',
      sources['a.md'],
      sources['a.md'].replace('One', 'Other'),
    ]) {
      await bring({ 'a.md': content });
      expect(await told()).toEqual([edit.id]);
    }
  });
});
