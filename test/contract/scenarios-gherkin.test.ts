// Gherkin over HTTP: files of others hold what they state themselves, and texts that are large, in
// other languages or made to exhaust are read beside other requests, or refused.
import { describe, expect } from 'bun:test';
import type { Client } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { gherkin } from '../support/gherkin.ts';
import { makeRequirementProject } from '../support/requirement-project.ts';
import type { Scenario, ScenariosWritten as Written } from '../support/shapes.ts';
import { sharedData } from '../support/shared-data.ts';
import { filesIn } from '../support/source-files.ts';

const OWN = { ownBecause: 'it makes a project' };
const PATH = '/project-scenarios';

async function begin(api: Client) {
  const project = await makeRequirementProject(api);
  const send = (text: string) => api.send('POST', PATH, gherkin(text, project.as));
  return { ...project, send };
}

/** What a file states of its scenarios, line by line and without a parser. */
function statedBy(text: string) {
  const feature = /^\s*Feature: (.*)$/m.exec(text)?.[1]?.trim();
  const lines = text.split('\n');
  const starts = lines.flatMap((line, at) => (/^\s*Scenario( Outline)?:/.test(line) ? [at] : []));
  const scenarios = starts.map((start, at) => {
    const own = lines.slice(start, starts[at + 1]);
    const steps = own.flatMap((line) => {
      const [, keyword, said = ''] = /^\s*(Given|When|Then|And|But) (.*?)\s*$/.exec(line) ?? [];
      return keyword === undefined ? [] : [{ keyword, text: said }];
    });
    const ids = own.flatMap((line) => /\[\w+->\s*([^\]\s]+)\s*\]/.exec(line)?.[1] ?? []);
    const rows = own.filter((line) => /^\s*\|/.test(line)).length;
    return { line: start + 1, steps, rows, ids };
  });
  return { feature, scenarios };
}

const outcomes = ({ items }: Written) => items.map(({ outcome }) => outcome);

describe('features of others [PQRS-52]', () => {
  flow('hold what their files state, posted and as sources', OWN, async (api) => {
    const folder = sharedData('gherkin');
    if (folder === undefined) return;
    const { send, bring, get } = await begin(api);
    const files = filesIn(folder).map(({ path, bytes }) => ({
      path,
      text: new TextDecoder().decode(bytes),
    }));
    const sources: Scenario[] = [];
    expect(files.length).toBeGreaterThan(0);
    for (const { path, text } of files) {
      const stated = statedBy(text);
      const written = (await send(text)).must(201).json<Written>();
      expect(outcomes(written)).toEqual(stated.scenarios.map(() => 'created'));
      const found = written.items.map(({ scenario }) => scenario);
      expect(found.map(({ steps }) => steps)).toEqual(stated.scenarios.map(({ steps }) => steps));
      expect(found.map(({ examples }) => examples.length)).toEqual(
        stated.scenarios.map(({ rows }) => rows),
      );
      expect(found.map(({ storyIds }) => storyIds)).toEqual(stated.scenarios.map(({ ids }) => ids));
      for (const { feature, title } of found) {
        expect(feature).toBe(stated.feature as string);
        expect(title).not.toBe('');
      }
      const again = (await send(text)).must(200).json<Written>();
      expect(outcomes(again)).toEqual(stated.scenarios.map(() => 'unchanged'));
      for (const { line } of stated.scenarios) sources.push({ source: { path, line } } as Scenario);
    }
    const posted = (await get<{ items: Scenario[] }>(PATH)).items;
    await bring(Object.fromEntries(files.map(({ path, text }) => [path, text])));
    const kept = (await get<{ items: Scenario[] }>(PATH, { origin: 'source' })).items;
    expect(kept.map(({ key }) => key)).toEqual(posted.map(({ key }) => key));
    expect(kept.map(({ source }) => source)).toEqual(sources.map(({ source }) => source));
  });
});

describe('a text [PQRS-52]', () => {
  flow('of many scenarios in another language is read beside others', OWN, async (api) => {
    const { send, get } = await begin(api);
    const text = Array.from(
      { length: 900 },
      (_, at) =>
        `  Scénario: numéro ${at}\n    Soit un panier\n    Alors un reçu ${'x'.repeat(60)}\n`,
    );
    const sent = send(`# language: fr\nFonctionnalité: Caisse\n${text.join('')}`);
    await get('/health');
    const written = (await sent).must(201).json<Written>();
    expect(written.items).toHaveLength(900);
    expect(written.items.at(-1)?.scenario).toMatchObject({
      ...{ key: 'Caisse / numéro 899', feature: 'Caisse' },
      steps: [{ keyword: 'Soit', text: 'un panier' }, { keyword: 'Alors' }],
    });
  });

  flow('without its route tags leaves the routes given otherwise', OWN, async (api) => {
    const { send, get, as } = await begin(api);
    const text = (tags: string) => `Feature: G\n  ${tags}\n  Scenario: o\n    Given a\n`;
    const routes = async () =>
      (await get<{ items: (Scenario & { routes: string[] })[] }>(PATH)).items[0]?.routes;
    (await send(text('@REQ-1 @GET:/x'))).must(201);
    expect(await routes()).toEqual(['GET /x']);
    (await send(text('@PUT:/y'))).must(200);
    expect(await routes()).toEqual(['PUT /y']);
    const steps = [{ keyword: 'Given', text: 'a' }];
    const given = { key: 'G / o', steps, routes: ['PUT /y', 'DELETE /z'] };
    (await api.post(PATH, given, as)).must(200);
    (await send(text('@GET:/x'))).must(200);
    expect(await routes()).toEqual(['DELETE /z', 'GET /x']);
    (await send(text('@slow'))).must(200);
    expect(await routes()).toEqual(['DELETE /z']);
  });

  flow('tables with other columns read the same when they are posted back', OWN, async (api) => {
    const { as, send } = await begin(api);
    const tables = 'Examples:\n|a|b|\n|1|2|\nExamples:\n|a|c|\n|3|4|\n';
    const text = `Feature: F\nScenario Outline: s\nGiven <a>\n${tables}`;
    const { items } = (await send(text)).must(201).json<Written>();
    const { key, title, feature, steps, examples } = items[0]!.scenario;
    expect(examples).toEqual([['a', 'b'], ['1', '2'], [], ['a', 'c'], ['3', '4']]);
    const body = { key, title, feature, steps, examples };
    const again = (await api.send('POST', PATH, { ...as, json: body })).must(200).json<Written>();
    expect(again).toMatchObject({ items: [{ outcome: 'unchanged', scenario: { examples } }] });
    expect(outcomes((await send(text)).must(200).json<Written>())).toEqual(['unchanged']);
  });

  flow('tells what of it no scenario holds, or not as it may seem', OWN, async (api) => {
    const { send, get } = await begin(api);
    const text = `Feature: Checkout
  As a buyer I pay.

  Background: a basket
    Given a basket

  Scenario: Paying
    * it is paid

  Scenario: Paying
    * it is paid again
`;
    const { items, findings } = (await send(text)).must(201).json<Written>();
    expect(items).toHaveLength(2);
    expect(findings.map(({ code, line }) => `${code} ${line}`)).toEqual([
      ...['not_kept 2', 'duplicate_entry 10'],
    ]);
    const plain = text.replace('  As a buyer I pay.\n', '').replace(' a basket', '');
    const again = (await send(plain.replace(/\n {2}Scenario: Paying\n.* again\n/, ''))).must(200);
    expect(again.json<Written>()).toMatchObject({
      items: [{ outcome: 'unchanged' }],
      findings: [],
    });
    const broken = text.replace('it is paid\n', 'it is paid\n      | a | b\n');
    const refused = (await send(broken)).mustBe(422, 'invalid');
    expect(refused.json<{ errors: unknown[] }>().errors).toEqual([
      { pointer: '', detail: expect.stringMatching(/^line 9: .*\| a \| b$/) },
    ]);
    expect((await get<{ items: Scenario[] }>(PATH)).items).toHaveLength(2);
  });

  flow('that is made to exhaust, or too large, is refused with its line', OWN, async (api) => {
    const { send, get } = await begin(api);
    const many = Array.from({ length: 8000 }, (_, at) => `Scenario: ${at}\nGiven b\n`).join('');
    const texts: [text: string, detail: RegExp][] = [
      [`Feature: F\nBackground:\n${'Given a\n'.repeat(8000)}${many}`, /^line \d+: .*more than/],
      [
        `Feature: F\n${'Scenario: s\nGiven a\n'.repeat(1001)}`,
        /holds 1001 scenarios; at most 1000/,
      ],
      [`Feature: F\nScenario: s\n${'Given a\n'.repeat(600_000)}`, /^line 1: .*longer than/],
      [
        `Feature: F\n@a\n${'#\n'.repeat(6000)}Scenario: s\nGiven a\n`,
        /^line 2: .*follow each other/,
      ],
      [`Feature: F\nScenario: s\n${'Given a\n'.repeat(1001)}`, /^line 2: steps /],
      [`Feature: F\nScenario: s\nGiven a\n"""\n${'x'.repeat(70_000)}\n"""\n`, /^line 2: steps/],
    ];
    for (const [text, detail] of texts) {
      const refused = (await send(text)).mustBe(422, 'invalid');
      expect(refused.json<{ errors: { detail: string }[] }>().errors[0]?.detail).toMatch(detail);
    }
    expect((await get<{ items: Scenario[] }>(PATH)).items).toEqual([]);
  });
});
