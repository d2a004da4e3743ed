// What an edit would reach, of verdicts and links that were made under another profile than today's.
import { describe, expect } from 'bun:test';
import type { Client } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { makeRequirementProject, type RequirementProject } from '../support/requirement-project.ts';

const OWN = { ownBecause: 'it makes a project', compare: false };

const item = (id: string, more = '') =>
  `## ${id}: A title\n\nAs a user I have it.\n\nAcceptance criteria:\n\n- It is there\n${more}\n`;

interface Impact {
  stories: { id: string }[];
  traces: { becomes: string }[];
  validations: { storyId: string; becomes: string }[];
  testsToRerun: object[];
}

async function judge(api: Client, { as }: RequirementProject, ...ids: string[]) {
  const results = ids.map((storyId) => ({ storyId, verdict: 'passed' }));
  (await api.post('/validation-transfer', { mode: 'record', results }, as)).must(200);
}

/** What an edit would reach, and does when it is made: the two must be one. */
async function edit(api: Client, { as }: RequirementProject, storyId: string, set: object) {
  const dry = await api.post('/story-edits', { storyId, set, dryRun: true }, as);
  const made = await api.post('/story-edits', { storyId, set }, as);
  const { impact } = dry.must(200).json<{ impact: Impact }>();
  expect(made.must(201).json<{ impact: Impact }>().impact).toEqual(impact);
  return impact;
}

async function dispositions({ get }: RequirementProject) {
  const { items } = await get<{ items: { storyId: string; disposition: string }[] }>(
    '/validation-transfer',
  );
  return Object.fromEntries(items.map(({ storyId, disposition }) => [storyId, disposition]));
}

describe('the impact of an edit [PQRS-26]', () => {
  flow('is on what was stamped when the fingerprints covered more', OWN, async (api) => {
    const project = await makeRequirementProject(api);
    const { slug, as } = project;
    await project.bring({ 'a.md': item('US-1') + item('US-2', '\nDepends on: US-1\n') });
    const target = { kind: 'test', id: 't' };
    const add = [{ storyId: 'US-1', type: 'verifies', target }];
    (await api.post('/project-traceability', { add }, as)).must(200);
    await judge(api, project, 'US-1', 'US-2');
    const settings = { normative: ['title', 'kind'] };
    (await api.post('/projects', { slug, settings }, as)).must(200);
    const impact = await edit(api, project, 'US-1', { statement: 'Another.' });
    expect(impact.stories.map(({ id }) => id)).toEqual(['US-1', 'US-2']);
    expect(impact.traces).toMatchObject([{ becomes: 'suspect' }]);
    expect(impact.validations).toEqual([
      { storyId: 'US-1', becomes: 'invalidated' },
      { storyId: 'US-2', becomes: 'suspect' },
    ]);
    expect(await dispositions(project)).toEqual({ 'US-1': 'invalidated', 'US-2': 'suspect' });
    const next = await edit(api, project, 'US-1', { statement: 'A third.' });
    expect([next.traces, next.validations]).toEqual([[], []]);
  });
});
