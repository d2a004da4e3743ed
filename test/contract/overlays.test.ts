// Overlays: edits of stories and stories that are added, and what new revisions do to them.
import { describe, expect } from 'bun:test';
import type { Client } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { makeRequirementProject, type RequirementProject } from '../support/requirement-project.ts';
import type { Addition, Edit, Impact, Node } from '../support/shapes.ts';

const OWN = { ownBecause: 'it makes a project' };
const APART = { ...OWN, compare: false };

const STORIES = `# Checkout

## US-1: Paying once

As a customer I pay once.

Acceptance criteria:

- A second press of the button charges nothing

## US-2: A receipt

As a customer I have a receipt.

Depends on: US-1
`;

async function begin(api: Client, settings: object = {}): Promise<RequirementProject> {
  const project = await makeRequirementProject(api, settings);
  await project.bring({ 'stories.md': STORIES });
  return project;
}

async function editStory(api: Client, { as }: RequirementProject, storyId: string, set: object) {
  return (await api.post('/story-edits', { storyId, set }, as))
    .must(201)
    .json<{ edit: Edit; impact: Impact }>();
}

async function titles(project: RequirementProject, view: string) {
  const { nodes } = await project.get<{ nodes: Node[] }>('/srs-graph', { view });
  return Object.fromEntries(nodes.map(({ id, title }) => [id, title]));
}

const overlay = (project: RequirementProject, id: string) =>
  project.get<Edit | Addition>('/srs-graph', { view: 'overlays', id });

describe('POST /story-edits [PQRS-23]', () => {
  flow('is accepted under direct, and shows in the effective graph', OWN, async (api) => {
    const project = await begin(api);
    const { edit, impact } = await editStory(api, project, 'US-1', { title: 'Paying just once' });
    expect(edit).toMatchObject({
      storyId: 'US-1',
      state: 'accepted',
      base: { title: 'Paying once' },
    });
    expect(impact.stories).toEqual([
      { id: 'US-1', distance: 0, via: null },
      { id: 'US-2', distance: 1, via: 'US-1' },
    ]);
    expect((await titles(project, 'effective'))['US-1']).toBe('Paying just once');
    expect((await titles(project, 'canonical'))['US-1']).toBe('Paying once');
  });

  flow('with dryRun stores nothing and answers the impact alone [PQRS-26]', OWN, async (api) => {
    const project = await begin(api);
    const body = { storyId: 'US-1', set: { statement: 'Another.' }, dryRun: true };
    const answer = (await api.post('/story-edits', body, project.as)).must(200).json<object>();
    expect(Object.keys(answer)).toEqual(['impact']);
    expect((answer as { impact: Impact }).impact.stories.map(({ id }) => id)).toEqual([
      'US-1',
      'US-2',
    ]);
    const { items } = await project.get<{ items: Edit[] }>('/srs-graph', { view: 'overlays' });
    expect(items).toEqual([]);
  });

  flow('refuses what it cannot mean, and names the field', OWN, async (api) => {
    const project = await begin(api);
    const refused = async (body: object, pointer: string) => {
      const answer = (await api.post('/story-edits', body, project.as)).mustBe(422, 'invalid');
      const { errors } = answer.json<{ errors: { pointer: string }[] }>();
      expect(errors.map((one) => one.pointer)).toEqual([pointer]);
    };
    await refused({ storyId: 'US-9', set: { title: 'x' } }, '/storyId');
    await refused({ storyId: 'US-1', set: {} }, '/set');
    await refused({ storyId: 'US-1', set: { title: 'Paying  once' } }, '/set');
    await refused({ storyId: 'US-1', set: { title: '' } }, '/set/title');
    await refused({ storyId: 'US-1', set: { kind: 'story' } }, '/set/kind');
    await refused({ storyId: 'US-1' }, '/set');
    const { items } = await project.get<{ items: Edit[] }>('/srs-graph', { view: 'overlays' });
    expect(items).toEqual([]);
  });

  flow('is refused when the story is no longer what its author saw', OWN, async (api) => {
    const project = await begin(api);
    const { edit } = await editStory(api, project, 'US-1', { title: 'First' });
    const late = {
      storyId: 'US-1',
      set: { title: 'Second' },
      baseFingerprint: edit.baseFingerprint,
    };
    (await api.post('/story-edits', late, project.as)).mustBe(409, 'conflict');
    const { nodes } = await project.get<{ nodes: Node[] }>('/srs-graph', { view: 'effective' });
    const seen = nodes.find(({ id }) => id === 'US-1')?.fingerprint;
    (await api.post('/story-edits', { ...late, baseFingerprint: seen }, project.as)).must(201);
  });
});

describe('PATCH /story-edits [PQRS-24]', () => {
  flow('withdraws, once, and the story is as before', OWN, async (api) => {
    const project = await begin(api);
    const { edit } = await editStory(api, project, 'US-1', { title: 'New' });
    const body = { id: edit.id, state: 'withdrawn' };
    const stale = { ...project.as.headers, 'if-match': '"7"' };
    (await api.patch('/story-edits', body, { headers: stale })).mustBe(412, 'precondition_failed');
    const moved = (await api.patch('/story-edits', body, project.as)).must(200).json<Edit>();
    expect(moved).toMatchObject({ state: 'withdrawn', version: 2 });
    expect((await titles(project, 'effective'))['US-1']).toBe('Paying once');
    const again = { id: edit.id, state: 'accepted' };
    (await api.patch('/story-edits', again, project.as)).mustBe(409, 'illegal_transition');
  });

  flow('needs an id, and one of this project', OWN, async (api) => {
    const project = await begin(api);
    (await api.patch('/story-edits', { state: 'withdrawn' }, project.as)).mustBe(
      422,
      'invalid',
      '/id',
    );
    const { edit } = await editStory(api, project, 'US-1', { title: 'New' });
    const body = { id: edit.id, state: 'withdrawn' };
    (await api.patch('/story-edits', body)).mustBe(404, 'not_found');
  });
});

describe('a new revision [PQRS-25]', () => {
  flow('absorbs an edit, and lets a conflict be rebased', APART, async (api) => {
    const project = await begin(api);
    const taken = await editStory(api, project, 'US-2', { title: 'A printed receipt' });
    const other = await editStory(api, project, 'US-1', { title: 'Paying just once' });
    const kept = await editStory(api, project, 'US-1', { tags: ['payment'] });
    const next = STORIES.replace('A receipt', 'A printed receipt').replace(
      'Paying once',
      'Pay once',
    );
    await project.bring({ 'stories.md': next });
    expect((await overlay(project, taken.edit.id)).state).toBe('absorbed');
    expect((await overlay(project, kept.edit.id)).state).toBe('accepted');
    expect((await overlay(project, other.edit.id)).state).toBe('conflicted');
    expect((await titles(project, 'effective'))['US-1']).toBe('Pay once');
    const audit = await project.get<{
      findings: { code: string; itemId: string; severity: string }[];
    }>('/srs-source-audit');
    expect(audit.findings.find(({ code }) => code === 'edit_conflicted')).toMatchObject({
      itemId: 'US-1',
      severity: 'error',
    });
    const rebase = { id: other.edit.id, state: 'accepted' };
    (await api.patch('/story-edits', rebase, project.as)).mustBe(
      422,
      'invalid',
      '/baseFingerprint',
    );
    const old = { ...rebase, baseFingerprint: other.edit.baseFingerprint };
    (await api.patch('/story-edits', old, project.as)).mustBe(409, 'conflict');
    const { nodes } = await project.get<{ nodes: Node[] }>('/srs-graph', { view: 'effective' });
    const seen = nodes.find(({ id }) => id === 'US-1')?.fingerprint;
    const rebased = (
      await api.patch('/story-edits', { ...rebase, baseFingerprint: seen }, project.as)
    )
      .must(200)
      .json<Edit>();
    expect(rebased).toMatchObject({ state: 'accepted', base: { title: 'Pay once' } });
    expect((await titles(project, 'effective'))['US-1']).toBe('Paying just once');
  });

  flow('absorbs an addition, and says where texts differ [PQRS-27]', APART, async (api) => {
    const project = await begin(api);
    const body = { storyId: 'US-3', title: 'Refund', statement: 'As a clerk I refund.' };
    const added = (await api.post('/story-additions', body, project.as)).must(201).json<Addition>();
    expect(added.state).toBe('active');
    expect((await titles(project, 'effective'))['US-3']).toBe('Refund');
    await project.bring({
      'stories.md': `${STORIES}\n## US-3: Refunds\n\nAs a clerk I refund.\n`,
    });
    expect((await overlay(project, added.id)).state).toBe('absorbed');
    expect((await titles(project, 'effective'))['US-3']).toBe('Refunds');
    const { findings } = await project.get<{
      findings: { code: string; severity: string; detail: string }[];
    }>('/srs-source-audit', { code: 'addition_absorbed' });
    expect(findings).toMatchObject([{ severity: 'warning' }]);
    expect(findings[0]?.detail).toContain('title');
    const removed = await api.send('DELETE', `/story-additions?id=${added.id}`, project.as);
    removed.mustBe(409, 'illegal_transition');
  });
});

describe('story additions [PQRS-27]', () => {
  flow('are numbered unless told, can be edited, and are deleted once', OWN, async (api) => {
    const project = await begin(api);
    const { as } = project;
    const wish = { title: 'Refund', parentId: 'US-1', links: [{ type: 'depends', to: 'US-1' }] };
    const added = (await api.post('/story-additions', wish, as)).must(201).json<Addition>();
    expect(added.storyId).toBe('ADD-1');
    const { edit } = await editStory(api, project, 'ADD-1', { title: 'Refunds' });
    expect(edit.base).toEqual({ title: 'Refund' });
    const kept = (await api.send('DELETE', `/story-additions?id=${added.id}`, as)).mustBe(
      409,
      'conflict',
    );
    const { impact, detail } = kept.json<{ impact: Impact; detail: string }>();
    expect(detail).toContain('1 edits');
    expect(impact.stories[0]?.id).toBe('ADD-1');
    const named = { ...as, json: { id: 'add_other' } };
    (await api.send('DELETE', `/story-additions?id=${added.id}`, named)).mustBe(422, 'invalid');
    (await api.send('DELETE', `/story-additions?id=${added.id}&cascade=true`, as)).must(204);
    (await api.send('DELETE', '/story-additions', { ...as, json: { id: added.id } })).mustBe(
      404,
      'not_found',
    );
    expect((await overlay(project, edit.id)).state).toBe('withdrawn');
    expect((await titles(project, 'effective'))['ADD-1']).toBeUndefined();
  });

  flow('refuse a taken id, and links to nothing', OWN, async (api) => {
    const { as } = await begin(api);
    const refused = async (body: object, status: number, code: string, pointer: string) => {
      const answer = (await api.post('/story-additions', body, as)).mustBe(status, code);
      expect(answer.json<{ errors: { pointer: string }[] }>().errors[0]?.pointer).toBe(pointer);
    };
    await refused({ storyId: 'US-1', title: 'x' }, 409, 'conflict', '/storyId');
    await refused({ storyId: 'a b', title: 'x' }, 422, 'invalid', '/storyId');
    const long = (
      await api.post('/story-additions', { storyId: 'a'.repeat(1001), title: 'x' }, as)
    ).mustBe(422, 'invalid');
    expect(long.text).toMatch(/must have at most \d+ characters/);
    await refused({ title: 'x', parentId: 'US-9' }, 422, 'invalid', '/parentId');
    await refused(
      { title: 'x', links: [{ type: 'depends', to: 'US-9' }] },
      422,
      'invalid',
      '/links/0/to',
    );
    await refused({ storyId: 'US-7' }, 422, 'invalid', '/title');
    await refused({ id: 'add_1', state: 'active', title: 'x' }, 422, 'invalid', '/title');
    (await api.send('DELETE', '/story-additions', as)).mustBe(422, 'invalid');
  });
});

describe('what is wrong with a request is told before what it meets [PQRS-23] [PQRS-27]', () => {
  type Refusal = { errors: { pointer: string }[] };
  const pointerOf = (answer: { json<T>(): T }) => answer.json<Refusal>().errors[0]?.pointer;

  flow('an edit that sets nothing, or what is so, on an older text', OWN, async (api) => {
    const { as } = await begin(api);
    for (const set of [{}, { title: 'Paying once' }]) {
      const wish = { storyId: 'US-1', set, baseFingerprint: 'zz' };
      expect(pointerOf((await api.post('/story-edits', wish, as)).mustBe(422, 'invalid'))).toBe(
        '/set',
      );
    }
    const stale = { storyId: 'US-1', set: { title: 'z' }, baseFingerprint: 'zz' };
    (await api.post('/story-edits', stale, as)).mustBe(409, 'conflict');
  });

  flow('an addition of a taken id that points at nothing, or at itself', OWN, async (api) => {
    const { as } = await begin(api);
    const link = (to: string) => ({ links: [{ type: 'depends', to }] });
    for (const [wrong, pointer] of [
      [{ parentId: 'US-9' }, '/parentId'],
      [{ parentId: 'US-1' }, '/parentId'],
      [link('US-9'), '/links/0/to'],
      [link('US-1'), '/links/0/to'],
    ] as const) {
      const answer = await api.post(
        '/story-additions',
        { storyId: 'US-1', title: 'z', ...wrong },
        as,
      );
      expect(pointerOf(answer.mustBe(422, 'invalid'))).toBe(pointer);
    }
    const own = { storyId: 'US-8', title: 'z', parentId: 'US-8' };
    const { errors } = (await api.post('/story-additions', own, as))
      .mustBe(422, 'invalid')
      .json<{ errors: object[] }>();
    expect(errors).toEqual([{ pointer: '/parentId', detail: 'is the story itself' }]);
  });
});

describe('under review [PQRS-24]', () => {
  const needs = {
    needs: ['srs'] as const,
    ownBecause: "it changes the project's policy",
    compare: false,
  };
  const policyOf = async (api: Client) => {
    const page = (await api.get('/projects')).json<{ items: { slug: string }[] }>();
    const slug = page.items[0]?.slug;
    return async (editPolicy: string) =>
      (await api.post('/projects', { slug, settings: { editPolicy } })).must(200);
  };

  flow('an editor proposes and an owner decides', needs, async (api) => {
    const policy = await policyOf(api);
    await policy('review');
    try {
      const storyId = `RV-${api.unique}`;
      const said = { statement: 'As a user I review.', acceptance: ['It is reviewed'] };
      const body = { storyId, title: 'Reviewed', ...said };
      const added = (await api.post('/story-additions', body, { as: 'srs' }))
        .must(201)
        .json<Addition>();
      expect(added.state).toBe('proposed');
      const activate = { id: added.id, state: 'active' };
      (await api.post('/story-additions', activate, { as: 'srs' })).mustBe(403, 'forbidden');
      (await api.post('/story-additions', activate)).must(200);
      const wish = { storyId, set: { title: 'Reviewed twice' } };
      const { edit } = (await api.post('/story-edits', wish, { as: 'srs' }))
        .must(201)
        .json<{ edit: Edit }>();
      expect(edit).toMatchObject({ state: 'proposed', decidedBy: null });
      const accept = { id: edit.id, state: 'accepted' };
      (await api.patch('/story-edits', accept, { as: 'srs' })).mustBe(403, 'forbidden');
      // Who may not is told so first, whatever the version.
      const stale = { as: 'srs' as const, headers: { 'if-match': '"0"' } };
      for (const state of ['accepted', 'rejected'])
        (await api.patch('/story-edits', { ...accept, state }, stale)).mustBe(403, 'forbidden');
      (await api.post('/story-additions', activate, { as: 'srs' })).mustBe(403, 'forbidden');
      interface Next {
        action: string;
        capability: string;
      }
      const { next } = (await api.get(`/srs-workflow/${storyId}`))
        .must(200)
        .json<{ next: Next[] }>();
      const settle = next.find(({ action }) => action === 'settle_edit');
      expect(settle?.capability).toBe('project:owner');
      const moved = (await api.patch('/story-edits', accept)).must(200).json<Edit>();
      expect(moved.state).toBe('accepted');
      const story = (await api.get(`/srs-story/${storyId}`)).must(200).json<{ title: string }>();
      expect(story.title).toBe('Reviewed twice');
      (
        await api.send('DELETE', `/story-additions?id=${added.id}&cascade=true`, { as: 'srs' })
      ).must(204);
      const others = (await api.post('/story-additions', { title: 'Of an owner' }))
        .must(201)
        .json<Addition>();
      const justify = [{ storyId: others.storyId, need: 'test', reason: 'It is small.' }];
      (await api.post('/project-traceability', { justify })).must(200);
      const path = `/story-additions?id=${others.id}`;
      // Who may not is told so, whatever hangs on it.
      const refused = (await api.send('DELETE', path, { as: 'srs' })).mustBe(403, 'forbidden');
      expect(refused.json<object>()).toMatchObject({
        detail: 'Under review only its author or an owner may delete an addition.',
        errors: [],
      });
      (await api.send('DELETE', path)).mustBe(409, 'conflict');
      (await api.send('DELETE', `${path}&cascade=true`)).must(204);
    } finally {
      await policy('direct');
    }
  });

  flow('an editor is refused what is not its own before anything else', needs, async (api) => {
    const policy = await policyOf(api);
    const srs = { as: 'srs' as const };
    await policy('review');
    try {
      const storyId = `RF-${api.unique}`;
      const added = (await api.post('/story-additions', { storyId, title: 'One' }, srs))
        .must(201)
        .json<Addition>();
      const activate = { id: added.id, state: 'active' };
      const pointer = (answer: { json<T>(): T }) =>
        answer.json<{ errors: { pointer: string }[] }>().errors[0]?.pointer;
      for (const body of [
        activate,
        { ...activate, id: 'add_nope' },
        { ...activate, title: 'z' },
        { ...activate, title: '' },
        { ...activate, id: 'a\u0000' },
        { state: 'active', title: 'New' },
      ]) {
        const answer = (await api.post('/story-additions', body, srs)).mustBe(403, 'forbidden');
        expect(pointer(answer)).toBe('/state');
      }
      (await api.post('/story-additions', { id: added.id }, srs)).mustBe(422, 'invalid');
      (await api.post('/story-additions', { ...activate, title: 'z' })).mustBe(422, 'invalid');
      (await api.post('/story-additions', activate)).must(200);

      const wish = (title: string) => ({ storyId, set: { title } });
      const propose = async (title: string) =>
        (await api.post('/story-edits', wish(title), srs)).must(201).json<{ edit: Edit }>().edit.id;
      const id = await propose('Two');
      for (const body of [
        { id, state: 'accepted', set: { title: '' } },
        { id, state: 'rejected', nope: 1 },
        { id, state: 'accepted', baseFingerprint: 'f1.ktsal:0' },
        { id: 'edt_nope', state: 'rejected' },
        { id: 'edt_nope', state: 'accepted' },
        { state: 'accepted' },
      ]) {
        const answer = (await api.patch('/story-edits', body, srs)).mustBe(403, 'forbidden');
        expect(pointer(answer)).toBe('/state');
      }
      // What an editor may ask for of an edit of its own is refused for what is wrong with it.
      const none = { id: 'edt_nope', state: 'withdrawn' };
      (await api.patch('/story-edits', none, srs)).mustBe(404, 'not_found');
      const rebase = { id: 'edt_nope', state: 'accepted', baseFingerprint: 'f1.ktsal:0' };
      (await api.patch('/story-edits', rebase, srs)).mustBe(404, 'not_found');
      const bad = { id, state: 'withdrawn', set: { title: '' } };
      (await api.patch('/story-edits', bad, srs)).mustBe(422, 'invalid');
      const reworded = { id, state: 'withdrawn', set: { title: 'Never said' } };
      (await api.patch('/story-edits', reworded, srs)).mustBe(422, 'invalid');
      (await api.patch('/story-edits', { id, state: 'withdrawn' }, srs)).must(200);
      (await api.patch('/story-edits', { id, state: 'accepted' })).mustBe(
        409,
        'illegal_transition',
      );
      const { edit } = (await api.post('/story-edits', wish('Three')))
        .must(201)
        .json<{ edit: Edit }>();
      const others = { id: edit.id, state: 'withdrawn' };
      (await api.patch('/story-edits', others, srs)).mustBe(403, 'forbidden');
      const path = `/story-additions?id=${added.id}&cascade=true`;
      (await api.send('DELETE', path)).must(204);
    } finally {
      await policy('direct');
    }
  });
});
