// Verdicts on stories, and what becomes of them when the requirements change.
import { describe, expect } from 'bun:test';
import type { Client } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { makeRequirementProject, type RequirementProject } from '../support/requirement-project.ts';
import type { Applied, Transfer, Verdict } from '../support/shapes.ts';

const OWN = { ownBecause: 'it makes a project' };
const APART = { ...OWN, compare: false };

const story = (id: string, title: string, more = '') =>
  `## ${id}: ${title}\n\nText of ${title}.\n${more}\n`;
const SOURCE = [
  '# Shop\n',
  story('US-1', 'Paying'),
  story('US-2', 'Receipt', '\nDepends on: US-1\n'),
  story('US-3', 'Refund'),
].join('\n');

async function begin(api: Client, source = SOURCE): Promise<RequirementProject> {
  const project = await makeRequirementProject(api);
  await project.bring({ 'shop.md': source });
  return project;
}

const send = async (api: Client, { as }: RequirementProject, body: object) =>
  (await api.post('/validation-transfer', body, as)).must(200).json<Applied>();

const judge = (api: Client, project: RequirementProject, ...results: object[]) =>
  send(api, project, { mode: 'record', results });

async function dispositions(project: RequirementProject, query = {}) {
  const { items } = await project.get<Transfer>('/validation-transfer', query);
  return Object.fromEntries(items.map(({ storyId, disposition }) => [storyId, disposition]));
}

const historyOf = async (project: RequirementProject, storyId: string) =>
  (await project.get<{ items: Verdict[] }>('/validation-transfer', { view: 'history', storyId }))
    .items;

describe('recording verdicts [PQRS-33]', () => {
  flow('keeps them on what the stories say, and says why another is refused', OWN, async (api) => {
    const project = await begin(api);
    const { nodes } = await project.get<{ nodes: { id: string; fingerprint: string }[] }>(
      '/srs-graph',
    );
    const fingerprint = nodes.find(({ id }) => id === 'US-1')?.fingerprint;
    const answer = await judge(
      api,
      project,
      { storyId: 'US-1', verdict: 'passed', fingerprint, evidence: 'Minutes' },
      { storyId: 'US-2', verdict: 'failed', fingerprint },
      { storyId: 'US-9', verdict: 'passed' },
      { storyId: 'US-3', verdict: 'passed', at: '2999-01-01T00:00:00.000Z' },
    );
    expect([answer.applied, answer.refused]).toEqual([1, 3]);
    expect(answer.items.map(({ applied }) => applied)).toEqual([true, false, false, false]);
    expect(answer.items[1]?.why).toContain('fingerprint');
    expect(answer.items[3]?.why).toContain('future');
    const [verdict] = await historyOf(project, 'US-1');
    expect(verdict).toMatchObject({
      verdict: 'passed',
      revision: 1,
      fingerprint,
      by: { label: 'owner' },
    });
    expect(await dispositions(project)).toEqual({
      ...{ 'US-1': 'transferable', 'US-2': 'missing', 'US-3': 'missing' },
    });
    const shown = await project.get<{ validation: { standing: string } }>('/srs-story/US-1');
    expect(shown.validation.standing).toBe('valid');
  });

  flow('refuses a body that cannot be meant, and keeps nothing of it', OWN, async (api) => {
    const project = await begin(api);
    const refused = async (body: object, pointer: string) => {
      (await api.post('/validation-transfer', body, project.as)).mustBe(422, 'invalid', pointer);
    };
    await refused({ mode: 'record' }, '/results');
    await refused({ mode: 'carry' }, '/storyIds');
    await refused({ mode: 'bundle' }, '/bundle');
    await refused({ mode: 'other' }, '/mode');
    await refused({ mode: 'carry', storyIds: 'all' }, '/storyIds');
    await refused(
      { mode: 'record', results: [{ storyId: 'US-1', verdict: 'good' }] },
      '/results/0/verdict',
    );
    await refused(
      { mode: 'record', results: [{ storyId: 'US-1', verdict: 'passed' }], from: 1 },
      '/from',
    );
    const counts = (await project.get<Transfer>('/validation-transfer')).counts;
    expect(counts).toMatchObject({ total: 3, missing: 3 });
  });
});

describe('a new revision [PQRS-34, PQRS-35]', () => {
  flow('says what was judged and what it is now, where they differ', OWN, async (api) => {
    const project = await begin(api);
    const all = ['US-1', 'US-2', 'US-3'].map((storyId) => ({ storyId, verdict: 'passed' }));
    const edit = async (storyId: string, statement: string) =>
      (await api.post('/story-edits', { storyId, set: { statement } }, project.as)).must(201);
    await edit('US-1', 'Edited once.');
    await judge(api, project, ...all);
    const texts = async (query = {}) => {
      const { items } = await project.get<Transfer>('/validation-transfer', query);
      return Object.fromEntries(
        items.map(({ storyId, was, now, via }) => [
          storyId,
          [was?.statement, now?.statement, via?.storyId, via?.was?.statement, via?.now?.statement],
        ]),
      );
    };
    const same = [undefined, undefined, undefined, undefined, undefined];
    expect(await texts()).toEqual({ 'US-1': same, 'US-2': same, 'US-3': same });
    await edit('US-1', 'Edited twice.');
    const changed = ['Edited once.', 'Edited twice.'];
    const rests = [undefined, undefined, 'US-1', ...changed];
    expect(await texts()).toEqual({
      ...{ 'US-1': [...changed, undefined, undefined, undefined], 'US-2': rests, 'US-3': same },
    });
    expect((await texts({ to: 'canonical' }))['US-1']!.slice(0, 2)).toEqual([
      ...['Edited once.', 'Text of Paying.'],
    ]);
    await project.bring({ 'shop.md': SOURCE.replace(story('US-3', 'Refund'), '') });
    expect((await texts())['US-3']).toEqual(['Text of Refund.', ...same.slice(1)]);
    expect((await texts())['US-2']).toEqual(rests);
  });

  flow('gives each verdict its disposition, and the counts add up', OWN, async (api) => {
    const project = await begin(api);
    await judge(
      api,
      project,
      ...['US-1', 'US-2', 'US-3'].map((storyId) => ({ storyId, verdict: 'passed' })),
    );
    await project.bring({
      'shop.md': SOURCE.replace('Text of Paying', 'New text').replace('## US-3:', '## US-30:'),
    });
    const { counts, items } = await project.get<Transfer>('/validation-transfer');
    expect(await dispositions(project)).toEqual({
      ...{ 'US-1': 'invalidated', 'US-2': 'suspect', 'US-3': 'renamed' },
    });
    expect(items.find(({ storyId }) => storyId === 'US-3')?.renamedTo).toBe('US-30');
    expect(counts.total! - counts.missing!).toBe(3);
    expect(counts.total! - counts.orphaned! - counts.ambiguous!).toBe(3);
    const audit = await project.get<{ findings: { code: string; itemId: string }[] }>(
      '/srs-source-audit',
      {
        code: 'changed_since_validation',
      },
    );
    expect(audit.findings.map(({ itemId }) => itemId)).toEqual(['US-1']);
    await project.bring({ 'shop.md': SOURCE });
    expect(await dispositions(project, { to: 'canonical' })).toEqual({
      ...{ 'US-1': 'transferable', 'US-2': 'transferable', 'US-3': 'transferable' },
    });
    expect((await dispositions(project, { to: '2' }))['US-1']).toBe('invalidated');
    expect(await dispositions(project, { from: 2 })).toEqual({
      ...{ 'US-1': 'missing', 'US-2': 'missing', 'US-3': 'missing' },
    });
    (await api.get('/validation-transfer', { ...project.as, query: { to: '9' } })).mustBe(
      404,
      'not_found',
    );
    const carry = { mode: 'carry', from: 9, storyIds: ['US-1'] };
    (await api.post('/validation-transfer', carry, project.as)).mustBe(404, 'not_found');
    (await api.get('/validation-transfer', { ...project.as, query: { to: 'now' } })).mustBe(
      422,
      'invalid',
    );
  });

  flow('lets verdicts be carried: the sure, the doubtful if wished', OWN, async (api) => {
    const project = await begin(api);
    await judge(
      api,
      project,
      { storyId: 'US-1', verdict: 'passed' },
      { storyId: 'US-2', verdict: 'failed' },
      { storyId: 'US-3', verdict: 'passed' },
    );
    await project.bring({
      'shop.md': SOURCE.replace('Text of Paying', 'New text').replace('## US-3:', '## US-30:'),
    });
    const carry = { mode: 'carry', storyIds: 'transferable' };
    const carriable = async () =>
      (await project.get<{ carriable: number }>('/validation-transfer')).carriable;
    expect(await carriable()).toBe(1);
    const sure = await send(api, project, carry);
    expect(sure.items.filter(({ applied }) => applied).map(({ storyId }) => storyId)).toEqual([
      'US-30',
    ]);
    const again = await send(api, project, carry);
    expect(again.applied).toBe(0);
    expect(await carriable()).toBe(0);
    const doubtful = { mode: 'carry', storyIds: ['US-2', 'US-1', 'US-9'], acceptSuspect: true };
    const { items } = await send(api, project, doubtful);
    expect(items.map(({ applied }) => applied)).toEqual([true, false, false]);
    const [failed, first] = await historyOf(project, 'US-2');
    expect(failed).toMatchObject({ verdict: 'failed', revision: 2, transferredFrom: first?.id });
    const [renamed] = await historyOf(project, 'US-30');
    const [old] = await historyOf(project, 'US-3');
    expect(renamed?.transferredFrom).toBe(old?.id as string);
  });
});

describe('a bundle [PQRS-36]', () => {
  flow('carries verdicts to where its key is trusted', APART, async (api) => {
    const from = await begin(api);
    const two = { ...from, ...(await secondProject(api)) };
    await judge(
      api,
      from,
      { storyId: 'US-1', verdict: 'passed' },
      { storyId: 'US-3', verdict: 'failed' },
    );
    const bundle = await from.get<{ publicKey: string; results: { storyId: string }[] }>(
      '/validation-transfer',
      { format: 'bundle' },
    );
    expect(bundle.results.map(({ storyId }) => storyId)).toEqual(['US-1', 'US-3']);
    const submit = { mode: 'bundle', bundle };
    (await api.post('/validation-transfer', submit, two.as)).mustBe(422, 'untrusted_key');
    const settings = { trustedKeys: [bundle.publicKey] };
    (await api.post('/projects', { slug: two.slug, settings }, two.as)).must(200);
    const tampered = { ...bundle, results: bundle.results.slice(1) };
    (await api.post('/validation-transfer', { mode: 'bundle', bundle: tampered }, two.as)).mustBe(
      422,
      'invalid',
    );
    await two.bring({ 'shop.md': SOURCE.replace('Text of Refund', 'Other text') });
    const taken = await send(api, two, submit);
    expect(taken.items.map(({ applied }) => applied)).toEqual([true, false]);
    expect(taken.items[1]?.why).toContain('fingerprint');
    expect((await send(api, two, submit)).applied).toBe(0);
  });
});

/** Another project of the same client. */
async function secondProject(api: Client): Promise<RequirementProject> {
  return makeRequirementProject({ ...api, unique: `${api.unique}z` });
}
