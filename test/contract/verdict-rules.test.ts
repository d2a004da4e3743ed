// What verdicts must not lose: pages while others judge, newer verdicts, what was judged of a text.
import { describe, expect } from 'bun:test';
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { canonicalJson } from '../../src/assurance/validation/decide.ts';
import type { Client } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { makeRequirementProject, type RequirementProject } from '../support/requirement-project.ts';
import type { Applied, Transfer, Verdict } from '../support/shapes.ts';

const APART = { ownBecause: 'it makes a project', compare: false };

const IDS = ['US-1', 'US-2', 'US-3', 'US-4', 'US-5', 'US-6'];
const story = (id: string, text = `Text of ${id}.`) => `## ${id}: Title of ${id}\n\n${text}\n`;
const SOURCE = IDS.map((id) => story(id)).join('\n');

async function begin(api: Client, settings: object = {}): Promise<RequirementProject> {
  const project = await makeRequirementProject(api, settings);
  await project.bring({ 'a.md': SOURCE });
  return project;
}

const send = async (api: Client, { as }: RequirementProject, body: object) =>
  (await api.post('/validation-transfer', body, as)).must(200).json<Applied>();

const judge = (api: Client, project: RequirementProject, storyId: string, verdict = 'passed') =>
  send(api, project, { mode: 'record', results: [{ storyId, verdict }] });

const transfer = (project: RequirementProject, query: object) =>
  project.get<Transfer>('/validation-transfer', query as Record<string, string>);

const historyOf = async (project: RequirementProject, storyId: string) =>
  (await project.get<{ items: Verdict[] }>('/validation-transfer', { view: 'history', storyId }))
    .items;

describe('pages [PQRS-34]', () => {
  flow('of a history go on behind the last verdict seen', APART, async (api) => {
    const project = await begin(api);
    for (const verdict of ['passed', 'failed', 'blocked', 'passed'])
      await judge(api, project, 'US-1', verdict);
    const query = { view: 'history', storyId: 'US-1', limit: 2 };
    const get = (more = {}) =>
      project.get<{ items: Verdict[]; nextCursor: string }>('/validation-transfer', {
        ...query,
        ...more,
      });
    const first = await get();
    await judge(api, project, 'US-1', 'inconclusive');
    const second = await get({ cursor: first.nextCursor });
    expect([...first.items, ...second.items].map(({ verdict }) => verdict)).toEqual([
      'passed',
      'blocked',
      'failed',
      'passed',
    ]);
  });
});

describe('carrying [PQRS-35]', () => {
  flow('leaves a newer verdict on what the story says today', APART, async (api) => {
    const project = await begin(api);
    await judge(api, project, 'US-2');
    await project.bring({ 'a.md': `${SOURCE}\n${story('US-7')}` });
    await judge(api, project, 'US-2', 'failed');
    for (const storyIds of [['US-2'], 'transferable']) {
      const carried = await send(api, project, { mode: 'carry', from: 1, storyIds });
      expect(carried.applied).toBe(0);
      expect(carried.items[0]?.why).toContain('newer');
    }
    expect((await historyOf(project, 'US-2')).map(({ verdict }) => verdict)).toEqual([
      'failed',
      'passed',
    ]);
    (await api.get('/validation-transfer', { ...project.as, query: { from: 9 } })).mustBe(
      404,
      'not_found',
    );
    const { items } = await transfer(project, { from: 1, storyId: 'US-3' });
    expect(items[0]?.why).toBe('Nobody judged it on revision 1.');
  });
});

describe('a story that is gone [PQRS-34]', () => {
  flow('is told with the first of many that it may be', APART, async (api) => {
    const project = await makeRequirementProject(api);
    const many = (name: string) =>
      Array.from({ length: 30 }, (_, at) => `## ${name}-${at}: The same\n\nOne text.\n`).join('\n');
    await project.bring({ 'a.md': many('OLD') });
    await judge(api, project, 'OLD-7');
    await judge(api, project, 'OLD-8');
    await project.bring({ 'a.md': many('NEW') });
    for (const storyId of ['OLD-7', 'OLD-8']) {
      const { items } = await transfer(project, { storyId });
      expect(items[0]).toMatchObject({
        ...{ disposition: 'ambiguous', renamedTo: null },
        why: expect.stringContaining('NEW-0, NEW-1'),
      });
    }
  });
});

flow('a title is that of what verdicts are held against [PQRS-34]', APART, async (api) => {
  const project = await makeRequirementProject(api);
  const titled = (id: string, title: string) => `## ${id}: ${title}\n\nOne text.\n`;
  await project.bring({ 'a.md': `${titled('US-1', 'First')}\n${titled('US-3', 'Old')}` });
  await project.bring({ 'a.md': `${titled('US-2', 'Second')}\n${titled('US-3', 'New')}` });
  await judge(api, project, 'US-2');
  const titles = async (to: string) => {
    const { items } = await project.get<{ items: { storyId: string; title: string | null }[] }>(
      '/validation-transfer',
      { to },
    );
    return Object.fromEntries(items.map(({ storyId, title }) => [storyId, title]));
  };
  expect(await titles('1')).toEqual({ 'US-1': 'First', 'US-2': null, 'US-3': 'Old' });
  expect(await titles('effective')).toEqual({ 'US-2': 'Second', 'US-3': 'New' });
});

describe('a text that comes back [PQRS-34]', () => {
  flow('has its verdict again, wherever one looks', APART, async (api) => {
    const project = await begin(api);
    const report = async () => {
      const results = [{ name: 'works [US-3]', status: 'passed' }];
      (await api.post('/test-runs', { results }, project.as)).must(201);
    };
    const other = SOURCE.replace('Text of US-3', 'Another text');
    for (const content of [SOURCE, other]) {
      await project.bring({ 'a.md': content });
      await judge(api, project, 'US-3');
    }
    await project.bring({ 'a.md': `${SOURCE}\n` });
    await report();
    const { items } = await transfer(project, { storyId: 'US-3' });
    expect(items[0]?.disposition).toBe('restored');
    const [, first] = await historyOf(project, 'US-3');
    const trace = await project.get<{ items: { status: string; validation: object }[] }>(
      '/project-traceability',
      { storyId: 'US-3' },
    );
    expect(trace.items[0]?.validation).toMatchObject({ id: first?.id, standing: 'valid' });
    const { stages } = await project.get<{
      stages: { name: string; state: string; evidence: string[] }[];
    }>('/srs-workflow/US-3');
    expect(stages.at(-1)).toMatchObject({ name: 'validated', evidence: [first?.id] });
    const { findings } = await project.get<{ findings: unknown[] }>('/srs-source-audit', {
      code: 'changed_since_validation',
    });
    expect(findings).toEqual([]);
    const { results } = await project.get<{ results: { id: string }[] }>('/validation-transfer', {
      format: 'bundle',
    });
    expect(results.map(({ id }) => id)).toEqual([first?.id as string]);
  });
});

describe('a bundle [PQRS-36]', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const told = `ed25519:${publicKey.export({ format: 'jwk' }).x}`;
  const signed = (results: object[]) => {
    const unsigned = {
      ...{ format: 'pqrs-validation-bundle', version: 1, project: 'elsewhere', revision: 1 },
      ...{ exportedAt: '2026-01-01T00:00:00.000Z', publicKey: told, results },
    };
    const bytes = Buffer.from(canonicalJson(unsigned));
    return { ...unsigned, signature: sign(null, bytes, privateKey).toString('base64url') };
  };

  async function trusting(api: Client) {
    const project = await begin(api, { trustedKeys: [told] });
    const { nodes } = await project.get<{
      nodes: { id: string; fingerprint: string; deepFingerprint: string }[];
    }>('/srs-graph');
    const { fingerprint, deepFingerprint } = nodes.find(
      ({ id }) => id === 'US-4',
    ) as (typeof nodes)[0];
    const result = {
      ...{ id: 'val_1', storyId: 'US-4', title: '', verdict: 'passed', method: 'test' },
      evidence: null,
      ...{ tests: [] as object[], by: 'somebody', at: '2026-06-01T00:00:00.000Z', revision: 1 },
      ...{ fingerprint, deepFingerprint },
    };
    const take = async (over: object = {}) =>
      send(api, project, { mode: 'bundle', bundle: signed([{ ...result, ...over }]) });
    return { project, result, take };
  }

  flow('replaces nothing newer, in whatever order verdicts were filed', APART, async (api) => {
    const { project, take } = await trusting(api);
    await judge(api, project, 'US-4', 'failed');
    expect((await take()).applied).toBe(0);
    const late = { storyId: 'US-4', verdict: 'inconclusive', at: '2026-05-01T00:00:00Z' };
    await send(api, project, { mode: 'record', results: [late] });
    expect((await take()).applied).toBe(0);
  });

  flow('may be of long ago', APART, async (api) => {
    const { take } = await trusting(api);
    const taken = await take({ at: '1969-12-31T23:59:59.000Z' });
    expect(taken.items).toMatchObject([{ applied: true }]);
    expect((await take({ at: '1969-12-31T23:59:59.000Z' })).applied).toBe(0);
    expect((await take({ at: '1969-12-31T23:59:58.000Z' })).applied).toBe(0);
    expect((await take({ at: '1970-01-01T00:00:00.000Z' })).applied).toBe(1);
  });

  flow('is refused where a fingerprint is not of what it stands for', APART, async (api) => {
    const { result, take } = await trusting(api);
    const empty = '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a';
    for (const over of [
      { deepFingerprint: result.fingerprint },
      { fingerprint: result.deepFingerprint },
      { fingerprint: `f1.:${empty}` },
    ]) {
      const taken = await take(over);
      expect(taken.applied).toBe(0);
      expect(taken.items[0]?.why).toContain('fingerprint');
    }
    expect((await take()).applied).toBe(1);
  });

  flow('may be as large as what is judged', APART, async (api) => {
    const { take } = await trusting(api);
    const tests = Array.from({ length: 1200 }, (_, at) => ({
      ...{ kind: 'scenario', id: `${at} ${'long '.repeat(300)}`, fingerprint: null },
    }));
    expect((await take({ tests, by: 'a label '.repeat(60) })).applied).toBe(1);
  });

  flow('names commands by their keys, which are held against those here', APART, async (api) => {
    const from = await begin(api);
    const there = { ...from, ...(await begin({ ...api, unique: `${api.unique}z` })) };
    const commandOf = async ({ as }: RequirementProject, argv: string) => {
      const body = { key: 'unit', argv: [argv], storyIds: ['US-4'] };
      return (await api.post('/test-commands', body, as)).must(201).id;
    };
    const first = await commandOf(from, 'x');
    await judge(api, from, 'US-4');
    type Judged = { tests: { kind: string; id: string; fingerprint: string }[] };
    const own = await from.get<{ items: Judged[] }>('/validation-transfer', {
      ...{ view: 'history', storyId: 'US-4' },
    });
    expect(own.items[0]?.tests).toMatchObject([{ kind: 'command', id: first }]);
    const bundle = await from.get<{ publicKey: string; results: Judged[] }>(
      '/validation-transfer',
      { format: 'bundle' },
    );
    expect(bundle.results[0]?.tests).toMatchObject([{ kind: 'command', id: 'unit' }]);
    const settings = { trustedKeys: [bundle.publicKey] };
    (await api.post('/projects', { slug: there.slug, settings }, there.as)).must(200);
    expect((await send(api, there, { mode: 'bundle', bundle })).applied).toBe(1);
    const standing = async () => {
      const { items } = await transfer(there, { storyId: 'US-4' });
      return [items[0]?.disposition, items[0]?.why];
    };
    expect(await standing()).toEqual(['suspect_test', 'The command unit is gone.']);
    const second = await commandOf(there, 'x');
    expect((await standing())[0]).toBe('transferable');
    (await api.patch('/test-commands', { id: second, argv: ['y'] }, there.as)).must(200);
    expect((await standing())[0]).toBe('suspect_test');
  });

  flow('is of no private key', APART, async (api) => {
    const { slug, as } = await begin(api);
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(createPrivateKey(pem).asymmetricKeyType).toBe('ed25519');
    const body = { slug, settings: { trustedKeys: [pem] } };
    (await api.post('/projects', body, as)).mustBe(422, 'invalid', '/settings/trustedKeys/0');
  });
});

describe('what a verdict is said to rest on [PQRS-33]', () => {
  flow('is refused where there is no such scenario or command', APART, async (api) => {
    const project = await makeRequirementProject(api);
    await project.bring({ 'a.md': '## US-1: One\n\nIt is.\n' });
    const record = (tests: object[]) =>
      api.post(
        '/validation-transfer',
        { mode: 'record', results: [{ storyId: 'US-1', verdict: 'passed', tests }] },
        project.as,
      );
    const test = { kind: 'test', id: 'yet to come' };
    const none = [test, { kind: 'scenario', id: 'never' }, { kind: 'command', id: 'no' }];
    expect((await record(none)).mustBe(422, 'invalid').json()).toMatchObject({
      errors: [
        { pointer: '/results/0/tests/1/id', detail: 'is not a scenario of this project' },
        { pointer: '/results/0/tests/2/id', detail: 'is not a command of this project' },
      ],
    });
    expect((await record([test])).must(200).json()).toMatchObject({ applied: 1 });
  });
});
