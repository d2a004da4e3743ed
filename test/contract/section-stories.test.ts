// A story that is a section by now: every view takes it for gone.
import { describe, expect } from 'bun:test';
import { flow } from '../support/flow.ts';
import { makeRequirementProject } from '../support/requirement-project.ts';

const OWN = { ownBecause: 'it makes a project', compare: false };

const srs = (kind: string) => ({
  'a.json': JSON.stringify({
    ...{ format: 'pqrs-srs', version: 1, edges: [] },
    nodes: [
      { id: 'REQ-1', kind, title: 'Pump', statement: 'The pump stops.' },
      { id: 'REQ-2', kind: 'requirement', title: 'Lamp', statement: 'The lamp is red.' },
    ],
  }),
});

describe('a story that became a section [PQRS-34] [PQRS-29]', () => {
  flow('has no links by itself, and no verdict to change since', OWN, async (api) => {
    const { as, bring, get } = await makeRequirementProject(api);
    await bring(srs('requirement'));
    const results = [{ storyId: 'REQ-1', verdict: 'passed' }];
    (await api.post('/validation-transfer', { mode: 'record', results }, as)).must(200);
    const run = { results: [{ name: 'stops [REQ-1]', status: 'passed' }] };
    (await api.post('/test-runs', run, as)).must(201);
    const steps = [{ keyword: 'Then', text: 'it stops' }];
    const scenario = { key: 'stop', title: 'Stop', steps, storyIds: ['REQ-1'] };
    (await api.post('/project-scenarios', scenario, as)).must(201);
    const target = { kind: 'test', id: 'declared' };
    const add = [{ storyId: 'REQ-1', type: 'verifies', target }];
    (await api.post('/project-traceability', { add }, as)).must(200);
    const traces = async () => {
      const query = { view: 'traces', storyId: 'REQ-1' };
      const { items } = await get<{ items: { state: string; target: { id: string } }[] }>(
        '/project-traceability',
        query,
      );
      const { summary } = await get<{ summary: { traces: object } }>('/project-traceability');
      return { states: items.map(({ state }) => state), counts: summary.traces };
    };
    expect((await traces()).states).toEqual(['valid', 'valid', 'valid']);

    await bring(srs('section'));
    expect(await traces()).toEqual({
      states: ['broken'],
      counts: { total: 1, valid: 0, suspect: 0, broken: 1 },
    });
    const transfer = await get<{ items: { disposition: string; why: string }[] }>(
      '/validation-transfer',
      { storyId: 'REQ-1' },
    );
    expect(transfer.items).toMatchObject([{ disposition: 'orphaned' }]);
    const { findings } = await get<{ findings: { code: string }[] }>('/srs-source-audit');
    expect(findings.map(({ code }) => code)).not.toContain('changed_since_validation');
    const wish = { storyId: 'REQ-1', title: 'Another' };
    (await api.post('/story-additions', wish, as)).mustBe(409, 'conflict');
  });
});

describe('an edit of a story that has left, or is a section by now [PQRS-25] [PQRS-17]', () => {
  const left = (how: 'gone' | 'section') => {
    const { nodes, ...rest } = JSON.parse(srs('section')['a.json']);
    const kept = nodes.filter(({ id }: { id: string }) => how === 'section' || id !== 'REQ-1');
    return { 'a.json': JSON.stringify({ ...rest, nodes: kept }) };
  };

  for (const how of ['gone', 'section'] as const) {
    flow(`is in conflict, in force nowhere and cannot be rebased: ${how}`, OWN, async (api) => {
      const { as, bring, get } = await makeRequirementProject(api);
      await bring(srs('requirement'));
      const statement = 'It starts.';
      const wish = { storyId: 'REQ-1', set: { statement } };
      const { edit } = (await api.post('/story-edits', wish, as))
        .must(201)
        .json<{ edit: { id: string } }>();
      const { id } = edit;
      const overlay = () => get<{ state: string }>('/srs-graph', { view: 'overlays', id });
      expect((await overlay()).state).toBe('accepted');

      await bring(left(how));
      expect((await overlay()).state).toBe('conflicted');
      const { nodes } = await get<{
        nodes: { id: string; statement: string; fingerprint: string }[];
      }>('/srs-graph', { view: 'effective' });
      const node = nodes.find((one) => one.id === 'REQ-1');
      expect(node?.statement).toBe(how === 'gone' ? undefined : 'The pump stops.');
      const { findings } = await get<{ findings: { itemId: string; relatedIds: string[] }[] }>(
        '/srs-source-audit',
        { code: 'edit_conflicted' },
      );
      expect(findings).toMatchObject([{ itemId: 'REQ-1', relatedIds: [id] }]);
      for (const body of [{}, { state: 'accepted' }]) {
        const rebase = { id, ...body, baseFingerprint: node?.fingerprint ?? 'f1.ktsal:0' };
        (await api.patch('/story-edits', rebase, as)).mustBe(409, 'conflict');
      }

      await bring(srs('requirement'));
      expect((await overlay()).state).toBe('conflicted');
      const story = await get<{ fingerprint: string; statement: string }>('/srs-story/REQ-1');
      expect(story.statement).toBe('The pump stops.');
      const rebase = { id, baseFingerprint: story.fingerprint };
      (await api.patch('/story-edits', rebase, as)).must(200);
      expect((await get<{ statement: string }>('/srs-story/REQ-1')).statement).toBe(statement);
    });
  }
});
