// The figures of the traceability: the same wherever they are read, and of as many stories whatever runs.
import { describe, expect } from 'bun:test';
import type { Client } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { makeRequirementProject, type RequirementProject } from '../support/requirement-project.ts';
import { begin, link, PATH, type Page, type Story } from '../support/traceability-project.ts';

const OWN = { ownBecause: 'it makes a project' };
const [GOALS, STORIES] = [20, 50];

/** Goals without links of their own, each refined by stories. */
const SOURCE = Array.from({ length: GOALS }, (_, goal) =>
  [
    `# G-${goal}: Goal ${goal}\n\nIt shall do ${goal}.\n`,
    ...Array.from(
      { length: STORIES },
      (_one, at) =>
        `## US-${goal * STORIES + at}: Story\n\nAs a user I have it.\n\nRefines: G-${goal}\n\nTags: goal-${goal}\n`,
    ),
  ].join('\n'),
).join('\n');

type Summary = Page<Story>['summary'];

const readSummary = async (project: RequirementProject, query: object = {}) =>
  (await project.get<Page<Story>>(PATH, { limit: 1, ...query })).summary;

function sumsOf({ stories, statuses, inherited, needs }: Summary) {
  const sum = (shares: Summary['statuses']) =>
    Object.values(shares).reduce((all, { count }) => all + count, 0);
  const met = needs.map((one) => one.met + one.justified + one.unmet);
  return [stories.total, sum(statuses), ...met, sum(inherited) - stories.inherited];
}

/** The counts of each status as every form of the traceability has them. */
async function figuresEverywhere(api: Client, project: RequirementProject, query: object = {}) {
  const text = async (format: string) =>
    (await api.get(PATH, { ...project.as, query: { format, ...query } })).must(200).text;
  const rows = (await text('csv')).trim().split('\r\n').slice(1);
  const cells = (await text('html')).matchAll(
    /<th scope="row"><span class="tag (\w+)">\w+<\/span><\/th><td>(\d+) of/g,
  );
  const { statuses } = await readSummary(project, query);
  const known = Object.entries(statuses).map(([status, { count }]) => [status, count] as const);
  return {
    api: Object.fromEntries(known),
    csv: Object.fromEntries(
      known.map(([status]) => [status, rows.filter((row) => row.includes(`,${status},`)).length]),
    ),
    html: Object.fromEntries([...cells].map(([, status, count]) => [status, Number(count)])),
  };
}

describe('the figures of the traceability [PQRS-29]', () => {
  flow('are of as many stories before, between and after runs', OWN, async (api) => {
    const project = await makeRequirementProject(api);
    await project.bring({ 'goals.md': SOURCE });
    const seen: Summary[] = [await readSummary(project)];
    for (const failing of [0, 500]) {
      const results = Array.from({ length: GOALS * STORIES }, (_, at) => ({
        // Some goals have a test of their own, and inherit no longer.
        name: `holds [US-${at}]${at % 200 === 0 ? ` [G-${at / 200}]` : ''}`,
        status: at < failing ? 'failed' : 'passed',
      }));
      (await api.post('/test-runs', { results }, project.as)).must(201);
      seen.push(await readSummary(project));
    }
    const total = GOALS * (STORIES + 1);
    for (const summary of seen) expect(sumsOf(summary)).toEqual([total, total, total, 0]);
    expect(seen.map(({ stories }) => stories.inherited)).toEqual([GOALS, 15, 15]);
    expect(seen.map(({ covered }) => covered.count)).toEqual([0, total, total]);
    expect(seen.at(-1)?.statuses.failing.count).toBe(500 + 5 + 3);
    const { api: figures, csv, html } = await figuresEverywhere(api, project);
    expect([csv, html]).toEqual([figures, figures]);
    const handoff = await project.get<{ counts: { statuses: object } }>('/project-handoff');
    expect(handoff.counts.statuses).toEqual(figures);
  });

  flow('are of what the filters leave', OWN, async (api) => {
    const project = await makeRequirementProject(api);
    await project.bring({ 'goals.md': SOURCE, 'other.md': '# US-9999: Other\n\nIt is.\n' });
    for (const [query, total] of [
      [{}, 1021],
      [{ tag: ['goal-1', 'goal-2'] }, 100],
      [{ root: 'other.md' }, 1],
      [{ root: 'goals.md', kind: 'requirement' }, 20],
      [{ storyId: ['US-1', 'G-1', 'none'] }, 2],
      [{ status: 'passing', tag: 'goal-1' }, 50],
      [{ tag: 'none' }, 0],
    ] as const) {
      const summary = await readSummary(project, query);
      expect([query, ...sumsOf(summary)]).toEqual([query, total, total, total, 0]);
      if ('status' in query || total === 0) continue;
      const { api: figures, csv, html } = await figuresEverywhere(api, project, query);
      expect([csv, html]).toEqual([figures, figures]);
    }
  });

  flow('are those of a baseline where it is asked for', OWN, async (api) => {
    const project = await begin(api);
    await link(api, project, 'US-4');
    const baseline = { name: 'v1' };
    (await api.post('/projects', { slug: project.slug, baseline }, project.as)).must(200);
    const results = [{ name: 'a [US-2]', status: 'passed' }];
    (await api.post('/test-runs', { results }, project.as)).must(201);
    await project.bring({ 'stories.md': '## US-2: A receipt\n\nAnother text.\n' });
    const at = async (query: object) => {
      const { summary, items } = await project.get<Page<Story>>(PATH, { ...query });
      return [summary.stories.total, ...items.map(({ storyId, status }) => `${storyId} ${status}`)];
    };
    expect(await at({})).toEqual([1, 'US-2 stale']);
    const then = [3, 'US-1 unexecuted', 'US-2 passing', 'US-4 unexecuted'];
    expect(await at({ baseline: 'v1' })).toEqual(then);
    (await api.get(PATH, { ...project.as, query: { baseline: 'v2' } })).mustBe(404, 'not_found');
  });
});
