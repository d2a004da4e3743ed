// The gate: whether a project, or a part of it, may be released.
import { describe, expect } from 'bun:test';
import type { GateAnswer } from '../../src/assurance/gate/model.ts';
import type { Client } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { makeRequirementProject, type RequirementProject } from '../support/requirement-project.ts';
import { begin, PATH, type Page, type Story } from '../support/traceability-project.ts';

const OWN = { ownBecause: 'it makes a project' };

const ask = (project: RequirementProject, query: object = {}) =>
  project.get<GateAnswer>(PATH, { view: 'gate', ...query });

const rulesOf = ({ reasons }: GateAnswer) =>
  reasons.map(({ rule, storyId }) => (storyId === null ? rule : `${storyId} ${rule}`));

async function run(api: Client, { as }: RequirementProject, tests: object, more: object = {}) {
  const results = Object.entries(tests).map(([name, status]) => ({ name, status }));
  (await api.post('/test-runs', { ...more, results }, as)).must(201);
}

const GREEN = { 'a [US-2]': 'passed', 'b [US-4]': 'passed' };

describe('GET /project-traceability?view=gate [PQRS-29]', () => {
  flow('is red with reasons, and green when they are gone', OWN, async (api) => {
    const project = await begin(api);
    expect(rulesOf(await ask(project))).toEqual([
      ...['no_results', 'US-1 uncovered', 'US-2 uncovered', 'US-4 uncovered'],
    ]);
    await run(api, project, { ...GREEN, 'b [US-4]': 'failed' });
    const red = await ask(project);
    expect(red).toMatchObject({ verdict: 'failed', gate: 'default', revision: 1 });
    expect(rulesOf(red)).toEqual(['US-1 failing', 'US-4 failing']);
    expect(red.reasons[1]).toMatchObject({
      ...{ title: '<b>Vouchers</b>', link: '/api/srs-workflow/US-4' },
      source: { path: 'stories.md', line: 25 },
    });
    expect(red.reasons.map(({ why }) => why.includes('US-4'))).toEqual([true, true]);
    expect(red.counts).toEqual((await project.get<Page<Story>>(PATH)).summary);
    expect(rulesOf(await ask(project, { storyId: 'US-2' }))).toEqual([]);
    expect(rulesOf(await ask(project, { failOn: 'uncovered,stale' }))).toEqual([]);
    await run(api, project, GREEN);
    expect(await ask(project)).toMatchObject({ verdict: 'passed', reasons: [] });
    expect((await ask(project, { tag: 'pay' })).counts.stories.total).toBe(1);
  });

  flow('goes by the gates of the settings, and by rules of its own', OWN, async (api) => {
    const project = await begin(api);
    const set = (gates: unknown) =>
      api.post('/projects', { slug: project.slug, settings: { gates } }, project.as);
    await run(api, project, { 'a [US-2]': 'passed' }, { commit: 'c1' });
    (
      await set({ part: { failOn: ['failing'], minCoverage: 0.3 }, default: { minCoverage: 0.9 } })
    ).must(200);
    expect((await ask(project, { gate: 'part' })).rules).toEqual({
      failOn: ['failing'],
      minCoverage: 0.3,
    });
    expect(rulesOf(await ask(project, { gate: 'part' }))).toEqual([]);
    expect(rulesOf(await ask(project, { gate: 'part', minCoverage: 0.5 }))).toEqual([
      'min_coverage',
    ]);
    expect(rulesOf(await ask(project))).toEqual([
      'US-1 uncovered',
      'US-4 uncovered',
      'min_coverage',
    ]);
    (await set({ default: null, part: null })).must(200);
    expect((await ask(project)).rules.minCoverage).toBeUndefined();
    for (const [gates, pointer] of [
      [{ part: { failOn: ['fine'] } }, '/settings/gates/part/failOn/0'],
      [{ part: { minCoverage: 2 } }, '/settings/gates/part/minCoverage'],
      [{ part: { other: 1 } }, '/settings/gates/part/other'],
    ] as const)
      (await set(gates)).mustBe(422, 'invalid', pointer);
    (await set({ 'a b': {} })).mustBe(422, 'invalid');
  });

  flow('counts failures that are new since a commit or a baseline', OWN, async (api) => {
    const project = await begin(api);
    const rules = { failOn: 'blockers' };
    await run(api, project, { ...GREEN, 'a [US-2]': 'failed' }, { commit: 'c1' });
    const baseline = { name: 'v1' };
    (await api.post('/projects', { slug: project.slug, baseline }, project.as)).must(200);
    await run(api, project, { 'a [US-2]': 'failed', 'b [US-4]': 'failed' }, { commit: 'c2' });
    for (const newFailuresSince of ['c1', 'v1'])
      expect(rulesOf(await ask(project, { ...rules, newFailuresSince }))).toEqual([
        'US-4 new_failures',
      ]);
    expect(rulesOf(await ask(project, { ...rules, newFailuresSince: 'c2' }))).toEqual([]);
    const flaky = { ...rules, maxFlakyRate: 0.1 };
    expect(rulesOf(await ask(project, flaky))).toEqual([]);
    await run(api, project, GREEN, { commit: 'c2' });
    expect(rulesOf(await ask(project, flaky))).toEqual(['US-2 flaky_tests', 'US-4 flaky_tests']);
    expect((await ask(project, { baseline: 'v1' })).verdict).toBe('passed');
  });

  flow('is closed by triaged blockers, and by errors of the audit', OWN, async (api) => {
    const project = await begin(api);
    await run(api, project, GREEN);
    const { as } = project;
    const issue = { title: 'Charged twice', severity: 'blocker' };
    const { id } = (await api.post('/issues', issue, as)).must(201).json<{ id: string }>();
    expect(rulesOf(await ask(project))).toEqual([]);
    (await api.patch(`/issues/${id}`, { status: 'triaged' }, as)).must(200);
    const found = await ask(project);
    expect(found.reasons).toMatchObject([
      { rule: 'blockers', storyId: null, link: `/api/issues?id=${id}` },
    ]);
    expect(rulesOf(await ask(project, { storyId: 'US-2' }))).toEqual([]);
    (await api.patch(`/issues/${id}`, { storyIds: ['US-2'] }, as)).must(200);
    expect(rulesOf(await ask(project, { storyId: 'US-2' }))).toEqual(['US-2 blockers']);
    (await api.patch(`/issues/${id}`, { status: 'resolved', resolution: 'fixed' }, as)).must(200);
    expect(rulesOf(await ask(project))).toEqual([]);
    await project.bring(
      { 'more.md': '## US-9: More\n\nIt is.\n\nRefines: US-99\n' },
      { mode: 'merge' },
    );
    expect(rulesOf(await ask(project, { failOn: 'audit_errors' }))).toEqual(['US-9 audit_errors']);
    expect(rulesOf(await ask(project, { failOn: 'audit_errors', storyId: 'US-2' }))).toEqual([]);
  });

  flow('is never green about what is not there', OWN, async (api) => {
    const project = await begin(api);
    await run(api, project, GREEN);
    for (const [query, status, pointer] of [
      [{ tag: 'none' }, 422, '/tag'],
      [{ tag: ['pay', 'none'] }, 422, '/tag'],
      [{ kind: 'requirement' }, 422, '/kind'],
      [{ storyId: ['US-2', 'US-99'] }, 404, '/storyId'],
      [{ storyId: 'stories.md' }, 404, '/storyId'],
      [{ root: 'none.md' }, 404, '/root'],
      [{ gate: 'none' }, 404, '/gate'],
      [{ baseline: 'none' }, 404, '/baseline'],
      [{ newFailuresSince: 'none' }, 422, '/newFailuresSince'],
      [{ failOn: 'fine' }, 422],
      [{ minCoverage: 90 }, 422, '/minCoverage'],
      [{ maxFlakyRate: 'often' }, 422, '/maxFlakyRate'],
      [{ limit: 1 }, 422, '/limit'],
      [{ status: 'failing' }, 422, '/status'],
    ] as const) {
      const answer = await api.get(PATH, { ...project.as, query: { view: 'gate', ...query } });
      answer.mustBe(status, status === 404 ? 'not_found' : 'invalid', pointer);
    }
    (await api.get(PATH, { ...project.as, query: { gate: 'default' } })).mustBe(422, 'invalid');
    expect(rulesOf(await ask(project, { storyId: 'US-3' }))).toEqual(['no_stories']);
    const empty = await makeRequirementProject(api, {}, '-empty');
    expect(rulesOf(await ask(empty))).toEqual(['no_stories']);
  });
});
