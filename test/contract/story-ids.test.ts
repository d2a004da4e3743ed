// A story's id is the one its source gave it: whatever names a story takes it, however long.
import { describe, expect } from 'bun:test';
import { MAX_ID_LENGTH } from '../../src/limits.ts';
import type { Client } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { ONE_WORD, storiesOf, WORDY } from '../support/long-ids.ts';
import { makeRequirementProject, type RequirementProject } from '../support/requirement-project.ts';

const OWN = { ownBecause: 'it makes a project', compare: false };
const IDS = [WORDY, ONE_WORD];
const LONGER = `${'x'.repeat(MAX_ID_LENGTH)}y`;

type Answered = Record<string, unknown> & { items: Record<string, unknown>[] };

async function begin(api: Client, settings: object = {}): Promise<RequirementProject> {
  const project = await makeRequirementProject(api, settings);
  await project.bring({ 'a.json': storiesOf(...IDS) });
  return project;
}

const steps = [{ keyword: 'Given', text: 'x' }];
const target = { kind: 'test', id: 'a' };

describe('an id of a thousand characters', () => {
  flow('is that of a story with an address [PQRS-21] [PQRS-22]', OWN, async (api) => {
    const { get } = await begin(api);
    for (const id of IDS) {
      expect(id).toHaveLength(MAX_ID_LENGTH);
      expect(await get(`/srs-story/${encodeURIComponent(id)}`)).toMatchObject({ id });
      const { storyId } = await get<Answered>(`/srs-workflow/${encodeURIComponent(id)}`);
      expect(storyId).toBe(id);
    }
  });

  flow('is edited, and refined by additions [PQRS-23] [PQRS-27]', OWN, async (api) => {
    const { as, get } = await begin(api);
    for (const [at, storyId] of IDS.entries()) {
      const wish = { storyId, set: { title: 'Other' } };
      (await api.post('/story-edits', { ...wish, dryRun: true }, as)).must(200);
      (await api.post('/story-edits', wish, as)).must(201);
      const more = { parentId: storyId, links: [{ type: 'refines', to: storyId }] };
      const addition = { storyId: `ADD-${at}`, title: 'More', ...more };
      (await api.post('/story-additions', addition, as)).must(201);
      const shown = await get<Answered>(`/srs-story/${encodeURIComponent(storyId)}`);
      expect(shown).toMatchObject({ title: 'Other', overlays: [{ storyId }] });
    }
  });

  flow('is linked and found in every view [PQRS-28] [PQRS-31] [PQRS-32]', OWN, async (api) => {
    const { as, get } = await begin(api, { needs: ['test', 'scenario'] });
    const changes = {
      add: IDS.map((storyId) => ({ storyId, type: 'verifies', target })),
      justify: IDS.map((storyId) => ({ storyId, need: 'scenario', reason: 'Not here.' })),
    };
    (await api.post('/project-traceability', changes, as)).must(200);
    for (const storyId of IDS) {
      for (const view of ['stories', 'traces']) {
        const { items } = await get<Answered>('/project-traceability', { storyId, view });
        expect(items).toMatchObject([{ storyId }]);
      }
      const impact = await get<Answered>('/project-traceability', { storyId, view: 'impact' });
      expect(impact).toMatchObject({ storyIds: [storyId] });
    }
    const { items, nextCursor } = await get<Answered>('/project-traceability', { limit: 1 });
    expect(items).toMatchObject([{ storyId: WORDY }]);
    const behind = { limit: 1, cursor: String(nextCursor) };
    expect((await get<Answered>('/project-traceability', behind)).items).toMatchObject([
      { storyId: ONE_WORD },
    ]);
    for (const format of ['csv', 'html', 'lobster']) {
      const query = { format };
      expect((await api.get('/project-traceability', { ...as, query })).must(200).text).toContain(
        ONE_WORD,
      );
    }
  });

  flow('is judged and carried [PQRS-33] [PQRS-35] [PQRS-36]', OWN, async (api) => {
    const { as, get, slug } = await begin(api);
    const post = async (body: object) =>
      (await api.post('/validation-transfer', body, as)).must(200).json<Answered>();
    const results = IDS.map((storyId) => ({ storyId, verdict: 'passed' }));
    expect(await post({ mode: 'record', results })).toMatchObject({ applied: 2 });
    expect((await post({ mode: 'carry', storyIds: IDS })).items).toMatchObject(
      IDS.map((storyId) => ({ storyId })),
    );
    for (const storyId of IDS) {
      const { items } = await get<Answered>('/validation-transfer', { storyId, view: 'history' });
      expect(items).toMatchObject([{ storyId }]);
    }
    const bundle = await get<Answered>('/validation-transfer', { format: 'bundle' });
    const settings = { trustedKeys: [bundle.publicKey] };
    (await api.post('/projects', { slug, settings }, as)).must(200);
    expect((await post({ mode: 'bundle', bundle })).items).toMatchObject(
      IDS.map((storyId) => ({ storyId })),
    );
  });

  flow('is named by issues [PQRS-55] [PQRS-58]', OWN, async (api) => {
    const { as, get } = await begin(api);
    const filed = (await api.post('/issues', { title: 'No', storyIds: [WORDY] }, as)).must(201);
    const { id } = filed.json();
    (await api.patch(`/issues/${id}`, { storyIds: IDS }, as)).must(200);
    for (const storyIds of IDS)
      expect((await get<Answered>('/issues', { storyIds })).items).toMatchObject([{ id }]);
  });

  flow('is named by commands, plans and suites [PQRS-38] [PQRS-49] [PQRS-50]', OWN, async (api) => {
    const { as, get } = await begin(api);
    const wish = { key: 'c', argv: ['true'], storyIds: [WORDY] };
    const { id } = (await api.post('/test-commands', wish, as)).must(201).json();
    (await api.patch('/test-commands', { id, storyIds: IDS }, as)).must(200);
    for (const storyIds of IDS)
      expect((await get<Answered>('/test-commands', { storyIds })).items).toMatchObject([{ id }]);
    const items = [{ commandId: id, storyIds: IDS }];
    for (const body of [{ storyIds: IDS }, { plan: { items } }]) {
      const made = (await api.post('/agent/plan', body, as)).must(201).json<Answered>();
      expect(made.items).toMatchObject(items);
    }
    const own = { suite: { items: [{ argv: ['true'], storyIds: IDS }] }, agent: { name: 'a' } };
    const suite = (await api.post('/agent/suite', own, as)).must(201).json<Answered>();
    expect(suite.items).toMatchObject([{ storyIds: IDS }]);
  });

  flow('is named by scenarios, and by their tags [PQRS-52]', OWN, async (api) => {
    const { as, get } = await begin(api);
    const tagged = { key: 'tagged', steps, tags: [ONE_WORD] };
    (
      await api.post('/project-scenarios', [{ key: 'named', steps, storyIds: IDS }, tagged], as)
    ).must(201);
    const gherkin = `Feature: F\n  @${ONE_WORD}\n  Scenario: S\n    Given x\n`;
    const headers = { ...as.headers, 'content-type': 'text/x-gherkin' };
    (await api.send('POST', '/project-scenarios', { headers, body: gherkin })).must(201);
    const keysOf = async (storyIds: string) =>
      (await get<Answered>('/project-scenarios', { storyIds })).items.map(({ key }) => key).sort();
    expect(await keysOf(WORDY)).toEqual(['named']);
    expect(await keysOf(ONE_WORD)).toEqual(['F / S', 'named', 'tagged']);
  });

  flow('is told by results, whatever their report [PQRS-45]', OWN, async (api) => {
    const { as, get } = await begin(api);
    const xml = (text: string) => text.replace(/[<&"]/g, (one) => `&#${one.charCodeAt(0)};`);
    const long = 'a name that says a lot '.repeat(10);
    const given = (storyIds: readonly string[]) => ({ name: 'a', status: 'passed', storyIds });
    for (const [type, told] of [
      ['application/json', (id: string) => JSON.stringify({ results: [given([id])] })],
      [
        'application/json',
        (id: string) => JSON.stringify({ results: [{ ...given([]), name: `${long}[${id}]` }] }),
      ],
      [
        'application/json',
        (id: string) => JSON.stringify({ results: [{ ...given([]), path: [`${long}[${id}]`] }] }),
      ],
      [
        'application/xml',
        (id: string) =>
          `<testsuite><testcase name="a"><properties><property name="story" value="${xml(id)}"/></properties></testcase></testsuite>`,
      ],
      [
        'application/xml',
        (id: string) => `<testsuite><testcase name="${xml(`${long}[${id}]`)}"/></testsuite>`,
      ],
      [
        'application/xml',
        (id: string) =>
          `<testsuite name="${xml(`${long}[${id}]`)}"><testcase name="a"/></testsuite>`,
      ],
      ['application/vnd.ctrf+json', (id: string) => ctrf({ name: 'a', tags: [`story:${id}`] })],
      ['application/vnd.ctrf+json', (id: string) => ctrf({ name: `${long}[${id}]` })],
      ['text/tap', (id: string) => `TAP version 14\n1..1\nok 1 - ${tapText(`${long}[${id}]`)}\n`],
    ] as const) {
      for (const storyId of IDS) {
        const headers = { ...as.headers, 'content-type': type };
        const body = told(storyId);
        const { id } = (await api.send('POST', '/test-runs', { headers, body })).must(201).json();
        const { results } = await get<{ results: Answered }>('/test-runs', { id: String(id) });
        expect(results.items).toMatchObject([{ storyIds: [storyId] }]);
      }
    }
    const { items } = await get<Answered>('/project-traceability');
    expect(items).toMatchObject(IDS.map((storyId) => ({ storyId, status: 'passing' })));
  });

  flow('is the most that any of them takes [PQRS-79]', OWN, async (api) => {
    const { as } = await begin(api);
    for (const [path, body, pointer] of [
      ['/story-edits', { storyId: LONGER, set: { title: 'x' } }, '/storyId'],
      ['/issues', { title: 'No', storyIds: [LONGER] }, '/storyIds/0'],
      ['/test-commands', { key: 'c', argv: ['x'], storyIds: [LONGER] }, '/storyIds/0'],
      ['/project-scenarios', { key: 'k', steps, storyIds: [LONGER] }, '/storyIds/0'],
      [
        '/project-traceability',
        { add: [{ storyId: LONGER, type: 'verifies', target }] },
        '/add/0/storyId',
      ],
    ] as const) {
      expect((await api.post(path, body, as)).mustBe(422, 'invalid').json()).toMatchObject({
        errors: [{ pointer, detail: `must have at most ${MAX_ID_LENGTH} characters` }],
      });
    }
  });
});

const ctrf = (test: object) =>
  JSON.stringify({
    ...{ reportFormat: 'CTRF', specVersion: '0.0.0' },
    results: { tool: { name: 't' }, tests: [{ status: 'passed', duration: 1, ...test }] },
  });

const tapText = (text: string) => text.replace(/[\\#]/g, '\\$&');
