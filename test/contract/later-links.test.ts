// Results of what a story was linked to only later: they are of the text that it had then, whatever
// happened to other stories since.
import { describe, expect } from 'bun:test';
import fc from 'fast-check';
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
  flow('loses it when something is added that it rests on', OWN, async (api) => {
    const { as, run, link, bring, status } = await begin(api);
    await bring({ 'a.md': `${SOURCE}\nRefines: ADD-7\n` });
    const key = await run();
    await link('US-2', key);
    await link('US-1', key);
    const added = { storyId: 'ADD-7', title: 'Added', statement: 'It is.' };
    (await api.post('/story-additions', added, as)).must(201);
    expect(await status('US-2')).toBe('stale');
    expect(await status('US-1')).toBe('passing');
  });

  flow('is compared by what counted when the test ran', OWN, async (api) => {
    const { slug, as, run, link, edit, bring, status } = await begin(api);
    const count = async (normative: string[] | null) =>
      (await api.post('/projects', { slug, settings: { normative } }, as)).must(200);
    // More than when the sources came.
    await count(['title']);
    await bring({ 'a.md': `${SOURCE}\n${story('US-3')}` });
    await count(null);
    const key = await run();
    await edit('US-1', { statement: 'Something else.' });
    await link('US-1', key);
    expect(await status()).toBe('stale');
    // Less than then.
    await bring({ 'a.md': SOURCE, 'b.md': story('US-4') });
    await count(['title', 'statement']);
    await run();
    await link('US-4', key);
    await edit('US-4', { acceptance: ['It is paid'] });
    expect(await status('US-4')).toBe('passing');
    await edit('US-4', { statement: 'Something else.' });
    expect(await status('US-4')).toBe('stale');
    // Of the text of an old revision, as today.
    await count(['title']);
    await run({ revision: 1 });
    expect(await status()).toBe('passing');
  });
});

describe('whatever happens between run and link [PQRS-29]', () => {
  type Step =
    | { do: 'edit'; storyId: string; text: string }
    | { do: 'tag'; storyId: string }
    | { do: 'withdraw' }
    | { do: 'import'; texts: [string, string]; more: boolean };
  const storyId = fc.constantFrom('US-1', 'US-2');
  const text = fc.constantFrom('One.', 'Two.');
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({ do: fc.constant('edit' as const), storyId, text }),
    fc.record({ do: fc.constant('tag' as const), storyId }),
    fc.record({ do: fc.constant('withdraw' as const) }),
    fc.record({
      ...{ do: fc.constant('import' as const), texts: fc.tuple(text, text) },
      more: fc.boolean(),
    }),
  );
  const campaigns = fc.sample(fc.array(step, { minLength: 1, maxLength: 6 }), {
    numRuns: 5,
    seed: 7,
  });

  for (const [at, steps] of campaigns.entries()) {
    flow(`it passes for the text that it ran for alone (${at + 1})`, OWN, async (api) => {
      const { as, run, link, edit, bring, status, get } = await begin(api);
      const bringBoth = ([one, two]: [string, string], more: boolean) =>
        bring({
          'a.md': `${story('US-1', one)}\n${story('US-2', two)}`,
          ...(more && { 'b.md': story('US-3') }),
        });
      const prints = async () =>
        Promise.all(
          ['US-1', 'US-2'].map(
            async (id) => (await get<{ fingerprint: string }>(`/srs-story/${id}`)).fingerprint,
          ),
        );
      await bringBoth(['One.', 'Two.'], false);
      const edits: string[] = [];
      const key = await run();
      const then = await prints();
      for (const one of steps) {
        if (one.do === 'import') await bringBoth(one.texts, one.more);
        else if (one.do === 'tag') await edit(one.storyId, { tags: [`t${steps.indexOf(one)}`] });
        else if (one.do === 'edit') {
          const { statement } = await get<{ statement: string }>(`/srs-story/${one.storyId}`);
          if (statement === one.text) continue;
          edits.push(await edit(one.storyId, { statement: one.text }));
        } else {
          const last = edits.pop();
          if (last === undefined) continue;
          const { state } = await get<{ state: string }>('/srs-graph', {
            ...{ view: 'overlays', id: last },
          });
          if (state !== 'accepted') continue;
          (await api.patch('/story-edits', { id: last, state: 'withdrawn' }, as)).must(200);
        }
      }
      const now = await prints();
      for (const [place, id] of ['US-1', 'US-2'].entries()) {
        await link(id, key);
        expect(await status(id)).toBe(then[place] === now[place] ? 'passing' : 'stale');
      }
    });
  }
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
    expect(await status()).toBe('passing');
    await edit('US-1', { statement: 'Another text.' });
    expect(await status()).toBe('stale');
  });
});
