// The neighbourhood of a node, with what hangs on it.
import { describe, expect } from 'bun:test';
import type { Neighbourhood } from '../../src/assurance/graph/model.ts';
import { flow } from '../support/flow.ts';
import { makeRequirementProject, type RequirementProject } from '../support/requirement-project.ts';
import { begin } from '../support/traceability-project.ts';

const OWN = { ownBecause: 'it makes a project' };
const PATH = '/srs-graph';

const near = ({ get }: RequirementProject, root: string, query: object = {}) =>
  get<Neighbourhood>(PATH, { root, with: 'tests,issues,validations', ...query });
const stepsOf = ({ nodes }: Neighbourhood) =>
  Object.fromEntries(nodes.map(({ id, steps }) => [id, steps]));

describe('with [PQRS-17]', () => {
  flow('shows what hangs on a story and on what is near it', OWN, async (api) => {
    const project = await begin(api);
    const { as } = project;
    const results = [{ name: 'a', status: 'failed', storyIds: ['US-2'] }];
    const run = { name: 'nightly', commit: 'abc', results };
    const { id: runId } = (await api.post('/test-runs', run, as)).must(201);
    (await api.post('/issues', { title: 'Lost', storyIds: ['US-2'] }, as)).must(201);
    const verdicts = [{ storyId: 'US-2', verdict: 'passed' }];
    (await api.post('/validation-transfer', { mode: 'record', results: verdicts }, as)).must(200);
    const found = await near(project, 'US-2');
    expect(stepsOf(found)).toMatchObject({ 'US-2': 0, 'US-1': 1, 'stories.md': 1, 'US-4': 2 });
    expect(found.nodes[0]).toMatchObject({
      ...{ id: 'US-2', status: 'failing', validation: { verdict: 'passed', standing: 'valid' } },
      tests: [{ name: 'a', result: 'failed', run: { id: runId } }],
      issues: [{ number: 1, title: 'Lost', status: 'open' }],
      leftOut: { up: 0, down: 0, tests: 0, issues: 0 },
    });
    expect(found.runs).toMatchObject([{ id: runId, name: 'nightly', commit: 'abc' }]);
    expect(found.edges).toContainEqual({ from: 'US-4', to: 'US-1', type: 'refines', status: 'ok' });
    const bare = await near(project, 'US-2', { with: 'issues', depth: 0 });
    expect(bare.nodes).toHaveLength(1);
    expect(bare.nodes[0]).toMatchObject({ leftOut: { up: 2, down: 0 } });
    for (const name of ['tests', 'validation', 'runs'])
      expect(bare.nodes[0]).not.toHaveProperty(name);
  });

  flow('is bounded, and says how many it leaves out', OWN, async (api) => {
    const project = await makeRequirementProject(api);
    const story = (id: string) => `## ${id}: Title\n\nText.\n\nRefines: TOP-1, GONE-1\n\n`;
    const ids = Array.from({ length: 30 }, (_, at) => `US-${at}`);
    const top = '# A\n\n## TOP-1: Top\n\nText.\n\n';
    await project.bring({ 'a.md': `${top}${ids.map(story).join('')}` });
    const siblings = await near(project, 'US-0');
    expect(siblings.nodes.find(({ id }) => id === 'TOP-1')?.leftOut).toMatchObject({ down: 19 });
    const dangling = { from: 'US-0', to: 'GONE-1', type: 'refines', status: 'dangling' };
    expect(siblings.edges).toContainEqual(expect.objectContaining(dangling));
    const few = await near(project, 'TOP-1', { limit: 5 });
    expect([few.nodes.length, few.nodes[0]?.leftOut.down]).toEqual([5, 27]);
    const document = await near(project, 'a.md', { depth: 1 });
    expect(document.nodes).toHaveLength(32);
    const refused: [object, number, string][] = [
      [{ with: 'tests' }, 422, '/root'],
      [{ with: 'tests', root: 'none' }, 404, '/root'],
      [{ with: 'tests', root: 'US-0', tag: 'a' }, 422, '/tag'],
      [{ with: 'tests', root: 'US-0', view: 'effective' }, 422, '/with'],
    ];
    for (const [query, status, pointer] of refused) {
      const answer = (await api.get(PATH, { ...project.as, query: { ...query } })).must(status);
      expect(answer.json<object>()).toMatchObject({ errors: [{ pointer }] });
    }
  });
});
