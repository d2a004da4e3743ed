// Results of what a story was linked to only later: they count until anything changes, and what a run
// pinned counts for as long as its story says the same.
import { describe, expect } from 'bun:test';
import type { Client } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { makeRequirementProject } from '../support/requirement-project.ts';

const OWN = { ownBecause: 'it makes a project', compare: false };

const story = (id: string, text = `Text of ${id}.`) => `## ${id}: Title of ${id}\n\n${text}\n`;
const SOURCE = `${story('US-1')}\n${story('US-2')}`;

async function begin(api: Client) {
  const project = await makeRequirementProject(api);
  await project.bring({ 'a.md': SOURCE });
  const { as } = project;
  return {
    ...project,
    async run(more: object = {}): Promise<string> {
      const body = { results: [{ name: 'pays', status: 'passed' }], ...more };
      const { id } = (await api.post('/test-runs', body, as)).must(201);
      const found = await project.get<{ results: { items: { testKey: string }[] } }>('/test-runs', {
        id,
      });
      return found.results.items[0]?.testKey ?? '';
    },
    async link(storyId: string, id: string): Promise<void> {
      const add = [{ storyId, type: 'verifies', target: { kind: 'test', id } }];
      (await api.post('/project-traceability', { add }, as)).must(200);
    },
    async edit(storyId: string, set: object): Promise<string> {
      const answer = (await api.post('/story-edits', { storyId, set }, as)).must(201);
      return answer.json<{ edit: { id: string } }>().edit.id;
    },
    /** The status of a story, its links reviewed. */
    async status(storyId = 'US-1'): Promise<string | undefined> {
      const traces = await project.get<{ items: { id: string | null }[] }>(
        '/project-traceability',
        {
          ...{ view: 'traces', storyId, state: 'suspect' },
        },
      );
      const review = traces.items.flatMap(({ id }) => id ?? []);
      if (review.length > 0) (await api.post('/project-traceability', { review }, as)).must(200);
      const { items } = await project.get<{ items: { status: string }[] }>(
        '/project-traceability',
        { storyId },
      );
      const { stages } = await project.get<{ stages: { name: string; state: string }[] }>(
        `/srs-workflow/${storyId}`,
      );
      const executed = stages.find(({ name }) => name === 'executed')?.state;
      const status = items[0]?.status;
      expect(executed === 'suspect').toBe(status === 'stale');
      return status;
    },
  };
}

describe('a story that was linked after the run [PQRS-29]', () => {
  flow('is judged by it until anything changes, and by the next run again', OWN, async (api) => {
    const { run, link, edit, status } = await begin(api);
    const key = await run();
    await link('US-1', key);
    expect(await status()).toBe('passing');
    await edit('US-2', { statement: 'Another text.' });
    expect(await status()).toBe('stale');
    await run();
    expect(await status()).toBe('passing');
    await edit('US-2', { statement: 'Yet another text.' });
    expect(await status()).toBe('passing');
  });
});

describe('a run that was claimed before something moved [PQRS-29]', () => {
  async function beginClaimed(api: Client) {
    const project = await begin(api);
    const { as } = project;
    const command = { key: 'unit', kind: 'shell', argv: ['true'] };
    const { id } = (await api.post('/test-commands', command, as)).must(201);
    return {
      ...project,
      /** Claims the command, and gives what reports on it. */
      async claim() {
        const wish = { commandIds: [id], agent: { name: 'robot' } };
        const { items, lease } = (await api.post('/agent/suite', wish, as)).must(201).json<{
          items: { runId: string; attempt: number }[];
          lease: { id: string; token: string };
        }>();
        const { runId, attempt } = items[0]!;
        const held = { runId, attempt, lease: { id: lease.id, token: lease.token } };
        return async (storyIds: string[]) => {
          const results = [{ name: 'named', status: 'passed', storyIds }];
          (await api.post('/test-runs', { ...held, results }, as)).must(201);
        };
      },
    };
  }

  flow('is of what was in force when it was claimed', OWN, async (api) => {
    const { as, claim, edit, status } = await beginClaimed(api);
    const id = await edit('US-1', { statement: 'As edited.' });
    const report = await claim();
    (await api.patch('/story-edits', { id, state: 'withdrawn' }, as)).must(200);
    await report(['US-1', 'US-2']);
    expect(await status('US-1')).toBe('stale');
    expect(await status('US-2')).toBe('passing');
  });

  flow('stays so for what is edited or added all the time', OWN, async (api) => {
    const { as, bring, claim, edit, status } = await beginClaimed(api);
    await edit('US-1', { statement: 'As edited.' });
    const added = { storyId: 'ADD-1', title: 'Added', statement: 'It is.' };
    (await api.post('/story-additions', added, as)).must(201);
    const report = await claim();
    await bring({ 'b.md': story('US-3') }, { mode: 'merge' });
    await edit('ADD-1', { tags: ['x'] });
    await report(['US-1', 'US-2', 'ADD-1', 'US-3']);
    for (const id of ['US-1', 'US-2', 'ADD-1']) expect(await status(id)).toBe('passing');
    expect(await status('US-3')).toBe('stale');
  });

  flow('is of its opening where no command is named', OWN, async (api) => {
    const { as, edit, status } = await beginClaimed(api);
    await edit('US-2', { statement: 'As edited.' });
    const own = { name: 'by hand', state: 'running' };
    const { runId, attempt, lease } = (await api.post('/run-state', own, as)).must(201).json<{
      runId: string;
      attempt: number;
      lease: { id: string; token: string };
    }>();
    await edit('US-1', { statement: 'As edited.' });
    const held = { runId, attempt, lease: { id: lease.id, token: lease.token } };
    const results = [{ name: 'named', status: 'passed', storyIds: ['US-1', 'US-2'] }];
    (await api.post('/test-runs', { ...held, results }, as)).must(201);
    expect(await status('US-1')).toBe('stale');
    expect(await status('US-2')).toBe('passing');
  });
});

describe('what a command ran before it was given a story [PQRS-29]', () => {
  flow('counts for the story', OWN, async (api) => {
    const { as, edit, status } = await begin(api);
    const command = { key: 'unit', kind: 'shell', argv: ['true'] };
    const { id } = (await api.post('/test-commands', command, as)).must(201);
    const done = { commandId: id, results: [{ name: 'works', status: 'passed' }] };
    (await api.post('/test-runs', done, as)).must(201);
    (await api.patch(`/test-commands`, { id, storyIds: ['US-1'] }, as)).must(200);
    expect(await status()).toBe('passing');
    await edit('US-2', { statement: 'Another text.' });
    expect(await status()).toBe('stale');
  });
});
