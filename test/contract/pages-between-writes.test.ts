// Pages of the lists of scenarios and routes with writes between them: what stays where it was is shown
// once, whatever comes and goes beside it.
import { describe, expect } from 'bun:test';
import type { Client } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { makeRequirementProject } from '../support/requirement-project.ts';
import type { Page, Route } from '../support/shapes.ts';
import { walkPages } from '../support/walk-pages.ts';

const OWN = { ownBecause: 'it makes a project' };
const STEPS = [{ keyword: 'When', text: 'it is tried' }];

const routeText = ({ method, template }: Route) => `${method} ${template}`;

async function begin(api: Client) {
  const project = await makeRequirementProject(api);
  const { as } = project;
  const walk = <T>(
    path: string,
    query: object,
    nameOf: (item: T) => string,
    writes: readonly (() => Promise<unknown>)[],
  ) => walkPages(project, path, query, nameOf, writes);
  const command = async (key: string, ...routes: string[]) =>
    (await api.post('/test-commands', { key, argv: ['x'], routes }, as)).must(201).id;
  const archive = async (id: string) =>
    (await api.patch('/test-commands', { id, state: 'archived' }, as)).must(200);
  const see = async (...routes: string[]) =>
    (
      await api.post(
        '/system-logs',
        routes.map((route) => ({ message: 'seen', route })),
        as,
      )
    ).must(201);
  return { ...project, walk, command, archive, see };
}

/** A file of Gherkin with scenarios of these titles. */
function feature(name: string, titles: string): string {
  const scenarios = [...titles].map((title) => `\n  Scenario: ${title}\n    When it is tried\n`);
  return `Feature: ${name}\n${scenarios.join('')}`;
}

describe('pages of the route catalog between writes [PQRS-53] [PQRS-76]', () => {
  const PATH = '/route-catalog';

  flow('go on where declared routes come and go', OWN, async (api) => {
    const { walk, command, archive } = await begin(api);
    const ids = new Map<string, string>();
    for (const n of 'bcdefgh') ids.set(n, await command(`v${n}`, `GET /0u/${n}`));
    const writes = [
      () => command('va', 'GET /0u/a'),
      async () => {
        for (const n of 'bdf') await archive(ids.get(n) ?? '');
      },
    ];
    expect(await walk(PATH, { origin: 'command', limit: 2 }, routeText, writes)).toEqual([
      ['GET /0u/b', 'GET /0u/c'],
      ['GET /0u/d', 'GET /0u/e'],
      ['GET /0u/g', 'GET /0u/h'],
    ]);
  });

  flow('go on where templates are long and alike', OWN, async (api) => {
    const { walk, command, archive } = await begin(api);
    const starts = [`/${'s'.repeat(900)}/`, `/${'€'.repeat(300)}/`, `/${'\u{1f600}'.repeat(200)}/`];
    const ids = new Map<string, string>();
    for (const [at, start] of starts.entries()) {
      for (const n of 'abcd') {
        const route = `GET ${start}${n}`;
        ids.set(route, await command(`${at}${n}`, route));
      }
    }
    const pages = await walk<Route>(PATH, { limit: 1 }, routeText, []);
    expect(pages.flat().sort()).toEqual([...ids.keys()].sort());
    const gone = pages.flat().slice(0, 6);
    const writes = gone.map((route) => () => archive(ids.get(route) ?? ''));
    expect(await walk<Route>(PATH, { limit: 1 }, routeText, writes)).toEqual(pages);
  });
});

describe('pages of route candidates between writes [PQRS-54] [PQRS-76]', () => {
  const PATH = '/route-candidates';

  flow('go on where candidates become routes and are seen again', OWN, async (api) => {
    const { walk, command, see } = await begin(api);
    const words = ['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot', 'golf', 'hotel'];
    await see(...words.map((word) => `/${word}`), '/alpha', '/bravo');
    const writes = [
      () => command('b', 'GET /bravo'),
      // One that was shown rises, and a new one sorts before what is to be shown.
      () => see('/charlie', '/charlie', '/charlie', '/able'),
      () => see('/india'),
    ];
    expect(await walk<Route>(PATH, { limit: 2 }, routeText, writes)).toEqual([
      ['GET /alpha', 'GET /bravo'],
      ['GET /charlie', 'GET /delta'],
      ['GET /echo', 'GET /foxtrot'],
      ['GET /golf', 'GET /hotel'],
      ['GET /india'],
    ]);
  });

  flow('go on where templates are long and alike', OWN, async (api) => {
    const { walk, command, see } = await begin(api);
    const start = `/${'reports/'.repeat(30)}of`;
    const seen = ['one', 'two', 'three', 'four'].map((end) => `${start}/${end}`);
    await see(...seen);
    const pages = await walk<Route>(PATH, { limit: 1 }, routeText, []);
    expect(pages.flat().sort()).toEqual(seen.map((one) => `GET ${one}`).sort());
    const writes = pages.flat().map((route, at) => () => command(`${at}`, route));
    expect(await walk<Route>(PATH, { limit: 1 }, routeText, writes)).toEqual(pages);
  });

  flow('refuse a cursor that says too little', OWN, async (api) => {
    const { as, get, see } = await begin(api);
    await see('/a/a', '/b/b');
    const { nextCursor } = await get<Page<Route>>(PATH, { limit: 1 });
    const parts = JSON.parse(Buffer.from(nextCursor ?? '', 'base64url').toString()) as unknown[];
    const cursor = Buffer.from(JSON.stringify(parts.slice(0, 3))).toString('base64url');
    (await api.get(PATH, { ...as, query: { limit: 1, cursor } })).mustBe(422, 'invalid');
    (await api.get(PATH, { ...as, query: { method: 'GET', cursor: nextCursor! } })).mustBe(
      422,
      'invalid',
    );
  });
});

describe('pages of scenarios between writes [PQRS-52] [PQRS-76]', () => {
  const PATH = '/project-scenarios';
  const title = (one: { title: string }) => one.title;

  flow('go on in the revision that the cursor names', OWN, async (api) => {
    const { as, bring, walk } = await begin(api);
    const b = feature('B', 'mno');
    await bring({ 'a.feature': feature('A', 'abc'), 'b.feature': b });
    await api.post(
      '/project-scenarios',
      ['x', 'y', 'z'].map((key) => ({ key, title: key, steps: STEPS })),
      as,
    );
    const writes = [
      () => bring({ '0.feature': feature('Zero', '123'), 'a.feature': feature('A', '4a56bc') }),
      () => bring({ 'b.feature': b, 'a.feature': feature('A', 'ac') }),
      () => bring({ 'b.feature': b }),
      () => bring({ 'b.feature': feature('B', 'o') }),
      () => bring({ 'c.feature': feature('C', 'new') }),
    ];
    const pages = await walk(PATH, { limit: 2 }, title, writes);
    expect(pages.map((page) => page.join(''))).toEqual(['ab', 'cm', 'no', 'xy', 'z']);
  });
});
