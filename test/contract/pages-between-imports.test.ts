// Pages of stories, of their links and of their verdicts, with imports, additions and verdicts between
// them: what is there all the time is shown once, whatever comes, goes and moves.
import { describe, expect } from 'bun:test';
import fc from 'fast-check';
import type { Client } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { makeRequirementProject, type RequirementProject } from '../support/requirement-project.ts';
import { walkPages } from '../support/walk-pages.ts';

const APART = { ownBecause: 'it makes a project', compare: false };
const STORIES = '/project-traceability';
const TRANSFER = '/validation-transfer';

const story = (id: string) => `## ${id}: Title of ${id}\n\nText of ${id}.\n`;
const file = (ids: readonly string[]) => ids.map(story).join('\n');

interface Item {
  storyId: string;
  id?: string | null;
  target?: { id: string };
}

const nameOf = ({ storyId, target }: Item) => (target ? `${storyId} ${target.id}` : storyId);

const walk = (
  project: RequirementProject,
  path: string,
  query: Record<string, string | number>,
  writes: readonly (() => Promise<unknown>)[],
) => walkPages(project, path, query, nameOf, writes);

async function begin(api: Client, more = '') {
  const project = await makeRequirementProject(api, {}, more);
  const { as, bring } = project;
  return {
    ...project,
    bringStories: (ids: readonly string[]) => bring({ 'a.md': file(ids) }),
    add: async (storyId: string) =>
      (await api.post('/story-additions', { storyId, title: storyId }, as)).must(201).id,
    drop: async (id: string) =>
      (await api.send('DELETE', `/story-additions?id=${id}&cascade=true`, as)).must(204),
    judge: async (...storyIds: string[]) => {
      const results = storyIds.map((storyId) => ({ storyId, verdict: 'passed' }));
      (await api.post(TRANSFER, { mode: 'record', results }, as)).must(200);
    },
    link: async (...links: [storyId: string, target: string][]) => {
      const add = links.map(([storyId, id]) => ({
        ...{ storyId, type: 'implements', target: { kind: 'file', id } },
      }));
      (await api.post(STORIES, { add }, as)).must(200);
    },
  };
}

const LISTS: [name: string, path: string, query: Record<string, string>][] = [
  ['stories', STORIES, {}],
  ['stories by status', STORIES, { status: 'uncovered' }],
  ['gaps', STORIES, { view: 'gaps' }],
  ['links', STORIES, { view: 'traces' }],
  ['transfer', TRANSFER, {}],
  ['transfer to the sources', TRANSFER, { to: 'canonical' }],
];
/** In pages of the links each story has as many. */
const LINKS = 2;

describe('pages between imports [PQRS-29] [PQRS-34] [PQRS-76]', () => {
  flow('go on where ids are as long as they may be', APART, async (api) => {
    const project = await begin(api);
    const ids = ['a', 'b', 'c', 'd'].map((end) => `US-${'x'.repeat(996)}${end}`);
    const bring = (some: string[]) => {
      const nodes = some.map((id) => ({ id, kind: 'story', title: id.slice(-1) }));
      return project.bring({ 'a.json': JSON.stringify({ format: 'pqrs-srs', version: 1, nodes }) });
    };
    for (const path of [STORIES, TRANSFER]) {
      await bring(ids);
      const writes = [() => bring(ids.slice(1))];
      const pages = await walk(project, path, { limit: 1 }, writes);
      expect(pages.flat()).toEqual(ids);
    }
  });

  flow('go on behind additions that come, go and are taken up', APART, async (api) => {
    for (const [at, path] of [STORIES, TRANSFER].entries()) {
      const project = await begin(api, `-${at}`);
      await project.bringStories(['US-1']);
      const additions = new Map<string, string>();
      for (const id of ['A-1', 'A-2', 'A-3', 'A-4', 'A-5'])
        additions.set(id, await project.add(id));
      const writes = [
        async () => {},
        // The one seen last goes, and another comes.
        async () => {
          await project.drop(additions.get('A-1') ?? '');
          await project.add('A-6');
        },
        // The sources take up one that was seen, and one that was not.
        () => project.bringStories(['A-4', 'A-2', 'US-1', 'US-2']),
      ];
      const pages = await walk(project, path, { limit: 1 }, writes);
      expect(pages.flat()).toEqual(['US-1', 'A-1', 'A-2', 'A-3', 'A-4', 'A-5', 'A-6']);
    }
  });

  flow('show a link once, whatever becomes of its story', APART, async (api) => {
    const project = await begin(api);
    const ids = ['US-1', 'US-2', 'US-3', 'US-4'];
    await project.bringStories(ids);
    await project.link(...ids.map((id): [string, string] => [id, 'x']));
    await project.bringStories(['US-1', 'US-2', 'US-3']);
    const writes = [
      // One that was shown goes, one that was not too, and one that was gone is back.
      () => project.bringStories(['US-4', 'US-2']),
      () => project.bringStories(ids),
    ];
    const pages = await walk(project, STORIES, { view: 'traces', limit: 1 }, writes);
    expect(pages.flat()).toEqual(ids.map((id) => `${id} x`));
  });

  flow('show the links that sources make once, whatever else they link', APART, async (api) => {
    const project = await begin(api);
    const feature = (titles: string) =>
      `Feature: F\n${[...titles].map((one) => `\n  @US-1\n  Scenario: ${one}\n    When it is tried\n`).join('')}`;
    const bring = (titles: string) =>
      project.bring({ 'a.md': story('US-1'), 'f.feature': feature(titles) });
    await bring('abcdefgh');
    const writes = [() => bring('xbyczdefgh'), () => bring('hgfedcb'), () => bring('bhcgdfe')];
    const pages = await walk(project, STORIES, { view: 'traces', limit: 2 }, writes);
    const seen = pages.flat().map((one) => one.slice(-1));
    for (const one of 'bcdefgh') expect(seen.filter((other) => other === one)).toEqual([one]);
  });

  flow('refuse a cursor that names no revision', APART, async (api) => {
    const project = await begin(api);
    await project.bringStories(['US-1', 'US-2']);
    for (const path of [STORIES, TRANSFER]) {
      const { nextCursor } = await project.get<{ nextCursor: string }>(path, { limit: 1 });
      const parts = JSON.parse(Buffer.from(nextCursor, 'base64url').toString()) as unknown[];
      for (const anchor of [undefined, 'US-1', '7~0', '1.x~0', '1.2.3.4.5~0', '~', '1~-1']) {
        const forged = [...parts.slice(0, 3), ...(anchor === undefined ? [] : [anchor])];
        const cursor = Buffer.from(JSON.stringify(forged)).toString('base64url');
        const answer = await api.get(path, { ...project.as, query: { limit: 1, cursor } });
        answer.mustBe(422, 'invalid');
        expect(answer.text).toContain('/cursor');
      }
    }
  });

  for (const [name, path, query] of LISTS) {
    flow(`of ${name} show once what is there all the time`, APART, async (api) => {
      let count = 0;
      const STAY = ['S-1', 'S-2', 'S-3', 'S-4', 'S-5'];
      const order = fc.shuffledSubarray(['X-1', 'X-2', 'X-3', 'X-4', ...STAY], { minLength: 9 });
      const cut = fc.integer({ min: 0, max: 15 });
      const step = fc
        .tuple(order, cut)
        .map(([ids, mask]) =>
          ids.filter((id) => STAY.includes(id) || (mask >> (Number(id.slice(2)) - 1)) & 1),
        );
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { minLength: 2, maxLength: 5 }),
          fc.integer({ min: 1, max: 3 }),
          fc.array(fc.constantFrom(...STAY), { maxLength: 3 }),
          async ([first = [], ...later], limit, judged) => {
            count += 1;
            const project = await begin(api, `-${count}`);
            await project.bringStories(first);
            await project.link(
              ...STAY.flatMap((id): [string, string][] => [
                [id, 'x'],
                [id, 'y'],
              ]),
            );
            const writes = later.map((ids, at) => async () => {
              await project.bringStories(ids);
              const one = judged[at];
              if (one !== undefined && path === TRANSFER) await project.judge(one);
            });
            const pages = await walk(project, path, { ...query, limit }, writes);
            const stayed = pages.flat().filter((one) => STAY.includes(one.split(' ')[0] ?? ''));
            const times = query.view === 'traces' ? LINKS : 1;
            expect(stayed.length).toBe(STAY.length * times);
            expect(new Set(stayed).size).toBe(STAY.length * times);
          },
        ),
        { numRuns: 3, endOnFailure: true },
      );
    });
  }
});
