// Links to tests by what they are called: every view takes the result of the test that is called so,
// whichever comes first.
import { describe, expect } from 'bun:test';
import type { Client } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { makeRequirementProject, type RequirementProject } from '../support/requirement-project.ts';
import type { Workflow } from '../support/shapes.ts';

const OWN = { ownBecause: 'it makes a project', compare: false };

const story = (id: string) =>
  `## ${id}: Title of ${id}\n\nAs a user I have ${id}.\n\nAcceptance criteria:\n\n- It is there\n`;

interface Ran {
  name: string;
  path?: string[];
  file?: string | undefined;
  status?: string;
  contentSha256?: string;
}

async function begin(api: Client): Promise<RequirementProject> {
  const project = await makeRequirementProject(api);
  await project.bring({ 'stories.md': [story('US-1'), story('US-2')].join('\n') });
  return project;
}

async function link(
  api: Client,
  { as }: RequirementProject,
  storyId: string,
  id: string,
  state = 'valid',
) {
  const add = [{ storyId, type: 'verifies', target: { kind: 'test', id } }];
  const { added } = (await api.post('/project-traceability', { add }, as))
    .must(200)
    .json<{ added: { id: string; state: string }[] }>();
  expect(added[0]?.state).toBe(state);
  return added[0]?.id ?? '';
}

async function report(api: Client, { as }: RequirementProject, ...results: Ran[]) {
  const body = { results: results.map((one) => ({ status: 'passed', ...one })) };
  (await api.post('/test-runs', body, as)).must(201);
}

/** What the views say of a story and of its one link. */
async function told({ get }: RequirementProject, storyId: string) {
  const listed = await get<{ items: { status: string; lastResult: object | null }[] }>(
    '/project-traceability',
    { storyId },
  );
  const { items: traces } = await get<{ items: { state: string; targetName: string | null }[] }>(
    '/project-traceability',
    { view: 'traces', storyId },
  );
  const shown = await get<{
    coverage: { status: string };
    lastResults: { status: string; target: { name: string | null } }[];
  }>(`/srs-story/${storyId}`);
  const { stages } = await get<Workflow>(`/srs-workflow/${storyId}`);
  const matrix = await get<{ cells: { outcome: string }[] }>('/project-traceability', {
    ...{ view: 'matrix', storyId },
  });
  return {
    status: [listed.items[0]?.status, shown.coverage.status],
    links: traces.map(({ state, targetName }) => [state, targetName]),
    results: shown.lastResults.map(({ status, target }) => [status, target.name]),
    matrix: matrix.cells.map(({ outcome }) => outcome),
    stages: stages.slice(2, 4).map(({ state }) => state),
  };
}

const PAYS: Ran = { name: 'pays once', path: ['Checkout'], file: 'checkout.test.ts' };
const OTHER: Ran = { name: 'pays twice', path: ['Checkout'], file: 'checkout.test.ts' };
const SHOWN = 'Checkout > pays once';
const FULL = `checkout.test.ts > ${SHOWN}`;
const CALLED: [name: string, ran: Ran][] = [
  [FULL, PAYS],
  [SHOWN, { ...PAYS, file: undefined }],
];

describe('a link to a test by what it is called [PQRS-30] [PQRS-45]', () => {
  for (const [name, ran] of CALLED) {
    for (const first of ['link', 'report']) {
      flow(`takes its result, ${name}, where the ${first} comes first`, OWN, async (api) => {
        const project = await begin(api);
        if (first === 'report') await report(api, project, OTHER, ran);
        await link(api, project, 'US-1', name);
        if (first === 'link') {
          expect(await told(project, 'US-1')).toMatchObject({
            status: ['unexecuted', 'unexecuted'],
            links: [['valid', null]],
            stages: ['done', 'current'],
          });
          await report(api, project, OTHER, ran);
        }
        expect(await told(project, 'US-1')).toEqual({
          status: ['passing', 'passing'],
          links: [['valid', SHOWN]],
          results: [['passed', SHOWN]],
          matrix: ['passed'],
          stages: ['done', 'done'],
        });
        await report(api, project, { ...ran, status: 'failed' });
        expect((await told(project, 'US-1')).status).toEqual(['failing', 'failing']);
      });
    }
  }

  flow('is told by the impact, the plan, the exports and the gaps', OWN, async (api) => {
    const project = await begin(api);
    const { as, get } = project;
    await link(api, project, 'US-1', FULL);
    const command = { key: 'unit', kind: 'shell', argv: ['true'] };
    const { id: commandId } = (await api.post('/test-commands', command, as)).must(201);
    const results = [{ ...PAYS, status: 'failed' }];
    (await api.post('/test-runs', { commandId, results }, as)).must(201);
    const { items } = await get<{ items: { id: string }[] }>('/test-runs');
    const { results: ran } = await get<{ results: { items: { testKey: string }[] } }>(
      '/test-runs',
      { id: items[0]?.id ?? '' },
    );
    const id = ran.items[0]?.testKey;
    expect(await get('/project-traceability', { view: 'impact', storyId: 'US-1' })).toMatchObject({
      impact: { testsToRerun: [{ kind: 'test', id }], testCommands: [commandId] },
    });
    expect(
      (await api.post('/agent/plan', { strategy: 'full', storyIds: ['US-1'] }, as))
        .must(201)
        .json(),
    ).toMatchObject({ items: [{ commandId, storyIds: ['US-1'] }] });
    expect(await get('/project-traceability', { view: 'gaps', storyId: 'US-1' })).toMatchObject({
      items: [{ gaps: [{ gap: 'failing_test', target: { name: SHOWN } }] }],
    });
    expect((await api.get('/project-traceability?format=html', as)).must(200).text).toContain(
      `test <bdi>${SHOWN.replace('>', '&gt;')}</bdi>: failed`,
    );
  });
});

describe('a link to what is not there [PQRS-30] [PQRS-29]', () => {
  const KINDS: [kind: string, id: string, path: string, body: object][] = [
    ['command', 'unit', '/test-commands', { key: 'unit', kind: 'manual' }],
    [
      'scenario',
      'pay',
      '/project-scenarios',
      { key: 'pay', title: 'Pay', steps: [{ keyword: 'Given', text: 'x' }] },
    ],
  ];
  for (const [kind, id, path, body] of KINDS) {
    flow(`is broken and covers nothing until the ${kind} comes`, OWN, async (api) => {
      const project = await makeRequirementProject(api, {
        needs: [kind === 'command' ? 'test' : kind],
      });
      await project.bring({ 'stories.md': story('US-1') });
      const add = [{ storyId: 'US-1', type: 'verifies', target: { kind, id } }];
      const { added } = (await api.post('/project-traceability', { add }, project.as))
        .must(200)
        .json<{ added: { id: string; state: string }[] }>();
      expect(added).toMatchObject([{ state: 'broken' }]);
      expect(await told(project, 'US-1')).toMatchObject({
        status: ['uncovered', 'uncovered'],
        links: [['broken', null]],
        stages: ['current', 'pending'],
      });
      const { stages } = await project.get<Workflow>('/srs-workflow/US-1');
      expect(stages[2]?.missing[1]).toContain(`${added[0]?.id} leads to no ${kind} ${id}`);
      (await api.post(path, body, project.as)).must(201);
      expect(await told(project, 'US-1')).toMatchObject({
        status: ['unexecuted', 'unexecuted'],
        stages: ['done', 'current'],
      });
    });
  }
});
