// Scenarios: written as JSON and as Gherkin, listed beside those of the sources.
import { describe, expect } from 'bun:test';
import type { Client, Sending } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { gherkin } from '../support/gherkin.ts';
import { makeRequirementProject } from '../support/requirement-project.ts';
import type { Page, Scenario, ScenariosWritten as Written } from '../support/shapes.ts';

const OWN = { ownBecause: 'it makes a project' };
const PATH = '/project-scenarios';
const STEPS = [{ keyword: 'When', text: 'it is tried' }];

const STORIES = `# Checkout

## US-1: Paying once

As a customer I pay once.

## US-2: A receipt

As a customer I have a receipt.
`;

const FEATURE = `@checkout
Feature: Checkout

  Background:
    Given a basket

  @US-2
  Scenario: A receipt is sent
    When it is paid
    Then a receipt is sent

  @US-1 @GET:/orders/{id}
  Scenario Outline: Paying <count> times
    When it is paid <count> times
    Then it is charged once

    Examples:
      | count |
      | 1     |
      | 2     |
`;

const outcomes = ({ items }: Written) => items.map(({ outcome }) => outcome);

async function begin(api: Client) {
  const project = await makeRequirementProject(api);
  const write = async (json: unknown, status = 201) =>
    (await api.post(PATH, json, project.as)).must(status).json<Written>();
  const list = async (query: Sending['query'] = {}) =>
    (await project.get<Page<Scenario>>(PATH, query)).items;
  const keys = async (query: Sending['query'] = {}) =>
    (await list(query)).map(({ key }) => key).join();
  return { ...project, write, list, keys };
}

describe('GET /project-scenarios [PQRS-52]', () => {
  flow('lists those of the sources with file and line, then the stored ones', OWN, async (api) => {
    const { bring, write, list } = await begin(api);
    await write([
      { key: 'b', steps: STEPS },
      { key: 'a', steps: STEPS },
    ]);
    await bring({ 'stories.md': STORIES, 'features/checkout.feature': FEATURE });
    const found = await list();
    expect(found.map(({ key }) => key)).toEqual([
      ...['Checkout / A receipt is sent', 'Checkout / Paying <count> times', 'b', 'a'],
    ]);
    const [receipt, paying, stored] = found as [Scenario, Scenario, Scenario];
    expect(receipt).toMatchObject({
      ...{ feature: 'Checkout', title: 'A receipt is sent', state: 'active', origin: 'source' },
      steps: [
        { keyword: 'Given', text: 'a basket' },
        { keyword: 'When', text: 'it is paid' },
        { keyword: 'Then', text: 'a receipt is sent' },
      ],
      ...{ examples: [], storyIds: ['US-2'], tags: ['checkout', 'US-2'], routes: [] },
      source: { path: 'features/checkout.feature', line: 8 },
      ...{ author: null, version: 1 },
    });
    expect(receipt.fingerprint).toMatch(/^s1:[0-9a-f]{64}$/);
    expect(receipt.id).toMatch(/^scn_[0-9a-z]{26}$/);
    expect(paying.examples).toEqual([['count'], ['1'], ['2']]);
    expect(paying.routes).toEqual(['GET /orders/{id}']);
    expect(stored).toMatchObject({ origin: 'stored', source: null, version: 1 });
    expect(stored.author?.tokenId).toMatch(/^tok_/);
  });

  flow('filters by each field', OWN, async (api) => {
    const { bring, write, keys } = await begin(api);
    await bring({ 'a.feature': FEATURE });
    const routes = ['get /orders/:id?x=1', 'POST /orders'];
    await write([
      { key: 'a', steps: STEPS, feature: 'Other', tags: ['@slow', 'checkout'], routes },
      { key: 'b', steps: STEPS, storyIds: ['US-1'], state: 'archived' },
    ]);
    const [one, two] = ['Checkout / A receipt is sent', 'Checkout / Paying <count> times'];
    expect(await keys({ origin: 'source' })).toBe(`${one},${two}`);
    expect(await keys({ origin: 'source,stored', state: 'archived' })).toBe('b');
    expect(await keys({ source: 'a.feature', storyIds: ['US-2', 'US-9'] })).toBe(one);
    expect(await keys({ storyIds: 'US-1' })).toBe(`${two},b`);
    expect(await keys({ tags: 'slow' })).toBe('a');
    expect(await keys({ tags: 'checkout' })).toBe(`${one},${two},a`);
    expect(await keys({ feature: ['Other', 'None'] })).toBe('a');
    expect(await keys({ routes: 'GET /orders/{id}' })).toBe(`${two},a`);
    expect(await keys({ routes: 'POST /orders', feature: 'Checkout' })).toBe('');
  });

  flow('answers one bare by its id, with its entity tag', OWN, async (api) => {
    const { as, bring, list, write } = await begin(api);
    await bring({ 'a.feature': FEATURE });
    await write({ key: 'own', steps: STEPS });
    for (const { id, key, version } of await list()) {
      const answer = (await api.get(PATH, { ...as, query: { id } })).must(200);
      expect(answer.json<Scenario>()).toMatchObject({ id, key });
      const etag = answer.header('etag') ?? '';
      expect(etag).toStartWith(`"${version}-`);
      const headers = { ...as.headers, 'if-none-match': etag };
      (await api.get(PATH, { query: { id }, headers })).must(304);
      expect((await list({ key })).map((one) => one.id)).toEqual([id]);
    }
    const none = 'scn_00000000000000000000000000';
    (await api.get(PATH, { ...as, query: { id: none } })).mustBe(404, 'not_found');
    const [first] = await list();
    (await api.get(PATH, { query: { id: first?.id } })).mustBe(404, 'not_found');
  });
});

describe('POST /project-scenarios [PQRS-52]', () => {
  flow('adds one with a new key, and changes one with a known key', OWN, async (api) => {
    const { as, write, list } = await begin(api);
    const body = { key: 'Pay', steps: STEPS, tags: ['@a', 'a'], storyIds: ['US-9', 'US-9'] };
    const answer = (await api.post(PATH, body, as)).must(201);
    const made = answer.json<Written>();
    const { outcome, scenario } = made.items[0]!;
    expect(outcome).toBe('created');
    expect(answer.header('location')).toBe(`/api${PATH}?id=${scenario.id}`);
    expect(scenario).toMatchObject({ title: 'Pay', tags: ['a'], storyIds: ['US-9'], version: 1 });
    expect(made).toMatchObject({ unknownStoryIds: ['US-9'], findings: [] });
    const read = await api.get(PATH, { ...as, query: { id: scenario.id } });
    expect(read.header('etag')).toBe(answer.header('etag')!);

    expect(outcomes(await write({ key: 'Pay', steps: STEPS }, 200))).toEqual(['unchanged']);
    const changed = await write({ key: 'Pay', steps: STEPS, title: 'Paying' }, 200);
    expect(outcomes(changed)).toEqual(['updated']);
    expect(changed.items[0]?.scenario).toMatchObject({
      ...{ id: scenario.id, title: 'Paying', tags: ['a'], storyIds: ['US-9'], version: 2 },
      fingerprint: scenario.fingerprint,
    });
    const steps = [...STEPS, { text: 'it works', keyword: 'Then' }];
    const other = await write({ key: 'Pay', steps, feature: null, tags: [] }, 200);
    expect(other.items[0]?.scenario).toMatchObject({ tags: [], version: 3, title: 'Paying' });
    expect(other.items[0]?.scenario.fingerprint).not.toBe(scenario.fingerprint);
    expect(await list()).toEqual([other.items[0]!.scenario]);
  });

  flow('takes a list, all of it or nothing', OWN, async (api) => {
    const { as, write, keys, list } = await begin(api);
    await write({ key: 'b', steps: STEPS });
    const many = await write(
      ['a', 'b', 'c'].map((key) => ({ key, steps: STEPS, title: key === 'b' ? 'B' : undefined })),
    );
    expect(outcomes(many)).toEqual(['created', 'updated', 'created']);
    expect(many.items.map(({ scenario }) => scenario.title)).toEqual(['a', 'B', 'c']);
    expect(await keys()).toBe('b,a,c');
    const before = await list();
    const one = { key: 'x', steps: STEPS };
    const bad: [unknown, string][] = [
      [[], ''],
      [[one, { key: 'y' }], '/1/steps'],
      [[one, { ...one, steps: [] }], '/1/steps'],
      [[one, one], '/1/key'],
      [[one, { steps: STEPS }], '/1/key'],
      [{ ...one, key: ' x' }, '/key'],
      [{ ...one, key: '' }, '/key'],
      [{ ...one, state: 'absorbed' }, '/state'],
      [{ ...one, routes: ['orders'] }, '/routes/0'],
      [{ ...one, source: null }, '/source'],
      [{ ...one, steps: [{ keyword: 'When', text: '' }] }, '/steps/0/text'],
      [Array.from({ length: 1001 }, (_, at) => ({ key: `k${at}`, steps: STEPS })), ''],
    ];
    for (const [body, pointer] of bad) {
      (await api.post(PATH, body, as)).mustBe(422, 'invalid', pointer);
    }
    expect(await list()).toEqual(before);
    const most = Array.from({ length: 1000 }, (_, at) => ({ key: `k${at}`, steps: STEPS }));
    expect(new Set(outcomes(await write(most)))).toEqual(new Set(['created']));
    expect(new Set(outcomes(await write(most, 200)))).toEqual(new Set(['unchanged']));
  });

  flow('reads Gherkin as the sources are read', OWN, async (api) => {
    const { as, bring, list } = await begin(api);
    const answer = (await api.send('POST', PATH, gherkin(FEATURE, as))).must(201);
    const written = answer.json<Written>();
    expect(outcomes(written)).toEqual(['created', 'created']);
    expect(written.unknownStoryIds).toEqual(['US-2', 'US-1']);
    expect(answer.header('location')).toBe(`/api${PATH}`);
    const stored = await list();
    await bring({ 'stories.md': STORIES, 'a.feature': FEATURE });
    const sources = await list({ origin: 'source' });
    const said = ({ key, feature, title, steps, examples, storyIds, ...rest }: Scenario) => ({
      ...{ key, feature, title, steps, examples, storyIds },
      ...{ tags: rest.tags, routes: rest.routes, fingerprint: rest.fingerprint },
    });
    expect(stored.map(said)).toEqual(sources.map(said));
    // It says what the sources say.
    const again = (await api.send('POST', PATH, gherkin(FEATURE, as))).must(200).json<Written>();
    expect(outcomes(again)).toEqual(['unchanged', 'unchanged']);
    expect(again.unknownStoryIds).toEqual([]);
    expect(again.items.map(({ scenario }) => scenario.origin)).toEqual(['source', 'source']);
    const absorbed = await list({ state: 'absorbed' });
    expect(absorbed.map(({ id }) => id)).toEqual(stored.map(({ id }) => id));
  });

  flow('links the stories that tags of Gherkin name, whatever their ids', OWN, async (api) => {
    const { as, bring } = await begin(api);
    const nodes = [{ id: 'R_LOGIN', kind: 'story' }];
    const srs = { format: 'pqrs-srs', version: 1, nodes, edges: [] };
    await bring({ 'own.json': JSON.stringify(srs) });
    const text = 'Feature: F\n  @R_LOGIN @smoke\n  Scenario: S\n    Given a\n';
    const answer = (await api.send('POST', PATH, gherkin(text, as))).must(201).json<Written>();
    expect(answer.items[0]?.scenario.storyIds).toEqual(['R_LOGIN']);
    expect(answer.unknownStoryIds).toEqual([]);
  });

  flow('keeps what Gherkin does not say when it changes a scenario', OWN, async (api) => {
    const { as, write } = await begin(api);
    const text = 'Feature: F\n  Scenario: S\n    Given a\n';
    (await api.send('POST', PATH, gherkin(text, as))).must(201);
    await write({ key: 'F / S', steps: STEPS, routes: ['GET /x'], state: 'archived' }, 200);
    const { items } = (await api.send('POST', PATH, gherkin(text, as))).must(200).json<Written>();
    expect(items[0]).toMatchObject({
      outcome: 'updated',
      scenario: { steps: [{ keyword: 'Given', text: 'a' }], routes: ['GET /x'], state: 'archived' },
    });
  });

  flow('names the lines of Gherkin that cannot be read, and writes nothing', OWN, async (api) => {
    const { as, list } = await begin(api);
    const good = 'Feature: F\n  Scenario: S\n    Given a\n';
    const bad: [string, RegExp][] = [
      [`${good}  nonsense\n`, /^line 4: /],
      [`${good}\n  Scenario: T\n    Given a\n    | a | b |\n    | c |\n`, /^line 8: /],
      ['Nothing\n', /^line 1: /],
      ['', /^line 1: /],
      ['Feature: F\n', /at least one scenario/],
      [`${good}\n  Scenario: T\n`, /^line 5: .*step/],
      [`${good}\n  Scenario:\n    Given a\n`, /^line 5: .*title/],
      [`${good}\n  Scenario: ${'t'.repeat(301)}\n    Given a\n`, /^line 5: title /],
      [good.replace('a', 'a\0'), /NUL/],
    ];
    for (const [text, detail] of bad) {
      const answer = (await api.send('POST', PATH, gherkin(text, as))).mustBe(422, 'invalid');
      expect(answer.json<{ errors: { detail: string }[] }>().errors[0]?.detail).toMatch(detail);
    }
    const bytes = new Uint8Array([...Buffer.from(good), 0xff]);
    const headers = { ...as.headers, 'content-type': 'text/x-gherkin' };
    (await api.send('POST', PATH, { headers, body: bytes })).mustBe(400, 'malformed_body');
    const many = Array.from({ length: 1001 }, (_, at) => `  Scenario: S${at}\n    Given a\n`);
    const text = `Feature: F\n${many.join('')}`;
    (await api.send('POST', PATH, gherkin(text, as))).mustBe(422, 'invalid');
    expect(await list()).toEqual([]);
  });

  flow('takes Gherkin beyond the limit of JSON', OWN, async (api) => {
    const { as, list } = await begin(api);
    const filler = `  # ${'x'.repeat(1000)}\n`.repeat(1500);
    const text = `Feature: Large\n${filler}  Scenario: One\n    Given a\n`;
    (await api.send('POST', PATH, gherkin(text, as))).must(201);
    expect((await list()).map(({ key }) => key)).toEqual(['Large / One']);
    const json = JSON.stringify({ key: 'x', steps: STEPS, title: text });
    const headers = { ...as.headers, 'content-type': 'application/json' };
    (await api.send('POST', PATH, { headers, body: json })).mustBe(413, 'too_large');
    const csv = { headers: { ...as.headers, 'content-type': 'text/csv' }, body: 'a' };
    (await api.send('POST', PATH, csv)).mustBe(415, 'unsupported_media_type');
  });

  flow('leaves a scenario of the sources to its source', OWN, async (api) => {
    const { as, bring, list, write } = await begin(api);
    const key = 'Checkout / A receipt is sent';
    await write({ key, steps: STEPS });
    await bring({ 'a.feature': FEATURE });
    const refused = (await api.post(PATH, { key, steps: STEPS }, as)).mustBe(409, 'conflict');
    const { errors } = refused.json<{ errors: { pointer: string; detail: string }[] }>();
    expect(errors).toEqual([{ pointer: '/key', detail: expect.stringContaining('a.feature:8') }]);
    const list2 = [
      { key: 'new', steps: STEPS },
      { key, steps: STEPS },
    ];
    (await api.post(PATH, list2, as)).mustBe(409, 'conflict', '/1/key');
    const states = async () => (await list()).map((one) => `${one.origin} ${one.state}`);
    expect(await states()).toEqual(['source active', 'source active', 'stored absorbed']);
    // Once the source has it no more, the stored one counts again.
    await bring({ 'stories.md': STORIES });
    expect(await states()).toEqual(['stored active']);
    expect(outcomes(await write({ key, steps: STEPS }, 200))).toEqual(['unchanged']);
  });

  flow('keeps the id of a source scenario over revisions', OWN, async (api) => {
    const { bring, list } = await begin(api);
    await bring({ 'a.feature': FEATURE });
    const before = await list();
    await bring({ 'moved/b.feature': `# moved\n${FEATURE.replace('is paid\n', 'was paid\n')}` });
    const after = await list();
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    expect(after.map(({ version }) => version)).toEqual([2, 2]);
    expect(after[0]?.source).toEqual({ path: 'moved/b.feature', line: 9 });
    expect(after[0]?.fingerprint).not.toBe(before[0]?.fingerprint);
    expect(after[1]?.fingerprint).toBe(before[1]!.fingerprint);
  });

  flow('is replayed under its idempotency key', OWN, async (api) => {
    const { as } = await begin(api);
    const headers = { ...as.headers, 'idempotency-key': `key ${api.unique}` };
    const sent = gherkin(FEATURE, { headers });
    const first = (await api.send('POST', PATH, sent)).must(201);
    const second = (await api.send('POST', PATH, sent)).must(201);
    expect(second.header('idempotency-replayed')).toBe('true');
    expect(second.json<Written>()).toEqual(first.json<Written>());
    const other = gherkin(`${FEATURE}\n`, { headers });
    (await api.send('POST', PATH, other)).mustBe(422, 'idempotency_mismatch');
  });

  flow('counts for the stories that it names at once', OWN, async (api) => {
    const { bring, write, get } = await begin(api);
    await bring({ 'stories.md': STORIES });
    const body = { key: 'k', steps: STEPS, storyIds: ['US-1', 'US-7'] };
    expect((await write(body)).unknownStoryIds).toEqual(['US-7']);
    const { items } = await get<{ items: { storyId: string; scenarios: string[] }[] }>(
      '/project-traceability',
      { storyId: 'US-1' },
    );
    expect(items[0]?.scenarios).toEqual(['k']);
  });
});
