// What changed between two revisions, and what an import would change.
import { describe, expect } from 'bun:test';
import type { GraphDiff } from '../../src/requirements/graph/diff.ts';
import type { Client } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { makeRequirementProject } from '../support/requirement-project.ts';

const OWN = { ownBecause: 'it makes a project' };

const BEFORE = {
  'a.md': `# A\n\n## US-1: Paying once\n\nPay once.\n\n## US-2: A receipt\n\nGet a receipt.\n\nDepends on: US-1\n`,
  'b.md': '# B\n\n## US-3: Refunds\n\nGet it back.\n',
};
const AFTER = {
  'a.md': `# A\n\n## US-1: Paying once\n\nPay exactly once.\n\n## US-2: A receipt\n\nGet a receipt.\n\nDepends on: US-1\n\n## US-4: New\n\nSay so.\n`,
  'b.md': '# B\n',
};
const COSTS = [
  { storyId: 'US-1', verdict: 'passed', becomes: 'invalidated', via: 'US-1' },
  { storyId: 'US-2', verdict: 'passed', becomes: 'suspect', via: 'US-1' },
  { storyId: 'US-3', verdict: 'passed', becomes: 'orphaned', via: 'US-3' },
];

async function makeProject(api: Client) {
  const project = await makeRequirementProject(api, {}, 'diff');
  await project.bring(BEFORE);
  const results = ['US-1', 'US-2', 'US-3'].map((storyId) => ({ storyId, verdict: 'passed' }));
  const body = { mode: 'record', results };
  (await api.post('/validation-transfer', body, project.as)).must(200);
  return {
    ...project,
    diff: (query: object) => project.get<GraphDiff>('/srs-graph', { view: 'diff', ...query }),
  };
}

const ids = (items: readonly { id: string }[]) => items.map(({ id }) => id);

function expectChanges(diff: GraphDiff) {
  expect([ids(diff.added), ids(diff.removed), ids(diff.moved)]).toEqual([['US-4'], ['US-3'], []]);
  expect(diff.changed).toMatchObject([
    {
      id: 'US-1',
      source: { path: 'a.md', line: 3 },
      changes: [
        {
          field: 'statement',
          was: 'Pay once.',
          now: 'Pay exactly once.',
          words: [{ is: 'same' }, { is: 'added', text: 'exactly ' }, { is: 'same' }],
        },
      ],
    },
  ]);
  expect(diff.verdicts).toEqual(COSTS as GraphDiff['verdicts']);
}

describe('view=diff [PQRS-7]', () => {
  flow('says what changed between two revisions and what it costs', OWN, async (api) => {
    const project = await makeProject(api);
    await project.bring(AFTER, { baseline: { name: 'after' } });
    const diff = await project.diff({ from: 1, to: 'after' });
    expect(diff.from).toEqual({ revision: 1, baseline: null });
    expect(diff.to).toEqual({ revision: 2, baseline: 'after' });
    expectChanges(diff);
    expect(await project.diff({ from: 1 })).toEqual({
      ...diff,
      to: { revision: 2, baseline: null },
    });
    const back = await project.diff({ from: 2, to: 1 });
    expect([ids(back.added), ids(back.removed)]).toEqual([['US-3'], ['US-4']]);
    expect(back.verdicts).toEqual([]);
    const none = await project.diff({ from: 2, to: 2 });
    expect(none).toMatchObject({ added: [], removed: [], moved: [], changed: [], verdicts: [] });
  });

  flow('says where an item went', OWN, async (api) => {
    const project = await makeProject(api);
    await project.bring({
      ...BEFORE,
      'a.md': `${BEFORE['a.md']}\n${BEFORE['b.md']}`,
      'b.md': '# B\n',
    });
    const { moved } = await project.diff({ from: 1 });
    expect(moved.find(({ id }) => id === 'US-3')).toMatchObject({
      was: { path: 'b.md' },
      now: { path: 'a.md' },
    });
  });

  flow('is a page and Markdown too, in which nothing runs', OWN, async (api) => {
    const project = await makeProject(api);
    const title = '<script>alert(1)</script> [x](javascript:alert(1))';
    await project.bring({ 'a.md': `# A\n\n## US-1: ${title}\n\nPay.\n` });
    for (const format of ['html', 'markdown']) {
      const query = { view: 'diff', from: 1, format };
      const answer = (await api.get('/srs-graph', { ...project.as, query })).must(200);
      expect(answer.header('content-type')).toBe(`text/${format}; charset=utf-8`);
      expect(answer.text).toContain('US-1');
      expect(answer.text).not.toContain('<script>');
      if (format === 'markdown') expect(answer.text).not.toContain('](javascript:');
    }
  });

  flow('is refused where it does not say what', OWN, async (api) => {
    const project = await makeProject(api);
    const refused: [object, number, string][] = [
      [{}, 422, '/from'],
      [{ from: 1, tag: 'a' }, 422, '/tag'],
      [{ from: 1, format: 'reqif' }, 422, '/format'],
      [{ view: 'canonical', from: 1 }, 422, '/from'],
      [{ from: 'absent' }, 404, '/from'],
      [{ from: 1, to: 'absent' }, 404, '/to'],
      [{ from: 1, to: 9 }, 404, ''],
    ];
    for (const [more, status, pointer] of refused) {
      const query = { view: 'diff', ...more };
      const answer = (await api.get('/srs-graph', { ...project.as, query })).must(status);
      if (pointer !== '') expect(answer.json<object>()).toMatchObject({ errors: [{ pointer }] });
    }
  });
});

describe('dryRun [PQRS-4]', () => {
  flow('says what sources would change, and makes no revision', OWN, async (api) => {
    const project = await makeProject(api);
    const answer = (await project.send(AFTER, { dryRun: true })).must(200);
    const { change } = answer.json<{ change: GraphDiff & { findings: object[] } }>();
    expectChanges(change);
    expect(change).toMatchObject({ from: { revision: 1 }, to: { revision: 2 } });
    expect(change.findings.length).toBeGreaterThan(0);
    const same = (await project.send(BEFORE, { dryRun: true })).must(200);
    expect(same.json<object>()).toMatchObject({ change: { to: { revision: 1 }, changed: [] } });
    expect(await project.get<object>('/srs-graph')).toMatchObject({ revision: 1 });
    const { slug, as } = project;
    (await api.post('/projects', { slug, dryRun: true }, as)).mustBe(422, 'invalid');
  });
});
