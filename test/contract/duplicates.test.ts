// Reports of the same thing: known by their fingerprint, counted on the first, and what comes back
// after it was fixed.
import { describe, expect } from 'bun:test';
import type { Client } from '../support/client.ts';
import { flow } from '../support/flow.ts';
import { issueOf } from '../support/samples.ts';
import type { Issue, Page } from '../support/shapes.ts';

async function file(api: Client, body: object = {}): Promise<Issue> {
  const whole = { title: `Payment 17 fails ${api.unique}`, route: `/pay/${api.unique}`, ...body };
  return (await api.post('/issues', whole)).must(201).json<Issue>();
}

async function fileAsWidget(api: Client, body: object = {}): Promise<string> {
  const whole = { title: `Payment 17 fails ${api.unique}`, route: `/pay/${api.unique}`, ...body };
  const answer = await api.post('/issues', whole, { as: 'widget' });
  return answer.must(201).id;
}

const resolve = async (api: Client, id: string, over: object = {}) =>
  (await api.patch(`/issues/${id}`, { status: 'resolved', resolution: 'fixed', ...over }))
    .must(200)
    .json<Issue>();

const close = async (api: Client, id: string, duplicateOf: string) =>
  (await api.patch(`/issues/${id}`, { status: 'closed', resolution: 'duplicate', duplicateOf }))
    .must(200)
    .json<Issue>();

describe('a duplicate [PQRS-57]', () => {
  flow('is born closed, and the first one counts it', {}, async (api) => {
    const first = await file(api, { build: '1' });
    const second = await file(api, { build: '2', description: 'own words' });
    expect(second).toMatchObject({
      ...{ status: 'closed', resolution: 'duplicate', duplicateOf: first.id },
      ...{ fingerprint: first.fingerprint, description: 'own words', build: '2', occurrences: 1 },
    });
    expect(second.resolvedAt).toBe(second.createdAt);
    const counted = await issueOf(api, first.id);
    expect(counted).toMatchObject({ status: 'open', occurrences: 2 });
    expect(counted.duplicates).toEqual([
      {
        ...{ id: second.id, number: second.number, build: '2', occurredAt: second.occurredAt },
        untrusted: false,
      },
    ]);
  });

  flow('numbers, hashes and case do not tell them apart', {}, async (api) => {
    const first = await file(api, { title: `Order 4711 of ${api.unique} failed after 30000 ms` });
    for (const title of [
      `Order 9 of ${api.unique} failed after 1.5 ms`,
      `order 4711 of ${api.unique}  failed after 30,000 ms`,
    ]) {
      expect((await file(api, { title })).duplicateOf).toBe(first.id);
    }
    expect(await issueOf(api, first.id)).toMatchObject({ occurrences: 3 });
  });

  flow('the first error of the page is part of it', {}, async (api) => {
    const error = (message: string) => ({ context: { errors: [{ type: 'TypeError', message }] } });
    const first = await file(api, error('x of 12 is undefined'));
    expect((await file(api, error('x of 99 is undefined'))).duplicateOf).toBe(first.id);
    expect((await file(api, error('y is undefined'))).duplicateOf).toBeNull();
    expect((await file(api)).duplicateOf).toBeNull();
  });

  flow('another title, route or project makes another issue', { needs: ['other'] }, async (api) => {
    await file(api);
    expect((await file(api, { title: `Another ${api.unique}` })).duplicateOf).toBeNull();
    expect((await file(api, { route: `/other/${api.unique}` })).duplicateOf).toBeNull();
    const elsewhere = { title: `Payment 17 fails ${api.unique}`, route: `/pay/${api.unique}` };
    const other = (await api.post('/issues', elsewhere, { as: 'other' })).must(201).json<Issue>();
    expect(other).toMatchObject({ duplicateOf: null, status: 'open' });
  });

  flow('dedupe: false leaves the first one alone', {}, async (api) => {
    const first = await file(api);
    const second = await file(api, { dedupe: false });
    expect(second).toMatchObject({ status: 'open', duplicateOf: null });
    expect(await issueOf(api, first.id)).toMatchObject({ occurrences: 1 });
  });

  flow('of what a person called a duplicate counts on the original of that', {}, async (api) => {
    const original = await file(api, { route: null });
    const first = await file(api, { build: '1' });
    await close(api, first.id, original.id);
    const again = await file(api, { build: '2' });
    expect(again).toMatchObject({
      status: 'closed',
      resolution: 'duplicate',
      duplicateOf: original.id,
    });
    expect(await issueOf(api, original.id)).toMatchObject({
      occurrences: 3,
      duplicates: [{ id: again.id }, { id: first.id }],
    });
    // A fix of the original is one of all that repeat it.
    await resolve(api, original.id);
    await Bun.sleep(2);
    expect(await file(api, { build: '2' })).toMatchObject({ duplicateOf: original.id });
    expect(await issueOf(api, original.id)).toMatchObject({ status: 'resolved', occurrences: 4 });
    expect(await file(api, { build: '3' })).toMatchObject({ duplicateOf: original.id });
    expect(await issueOf(api, original.id)).toMatchObject({ status: 'open', occurrences: 5 });
  });

  flow('lists leave it out unless asked', {}, async (api) => {
    const first = await file(api, { labels: [api.unique] });
    const second = await file(api, { labels: [api.unique] });
    const idsOf = async (query: Record<string, string | boolean>) => {
      const list = await api.get('/issues', { query: { labels: api.unique, ...query } });
      return list
        .must(200)
        .json<Page<Issue>>()
        .items.map((item) => item.id);
    };
    expect(await idsOf({})).toEqual([first.id]);
    expect(await idsOf({ duplicates: true })).toEqual([second.id, first.id]);
    expect(await idsOf({ duplicateOf: first.id })).toEqual([second.id]);
    expect(await idsOf({ resolution: 'duplicate' })).toEqual([second.id]);
    expect(await idsOf({ q: api.unique })).toEqual([first.id]);
    expect(await idsOf({ q: api.unique, duplicates: true })).toEqual([second.id, first.id]);
    (await api.get('/issues', { query: { id: second.id } })).must(200);
  });
});

describe('a duplicate that a person names [PQRS-57]', () => {
  flow('is counted on its original, and off it again', {}, async (api) => {
    const [one, two] = [await file(api, { route: null }), await file(api, { route: null })];
    const closing = { status: 'closed', resolution: 'duplicate', duplicateOf: one.id };
    expect((await api.patch(`/issues/${two.id}`, closing)).must(200).json()).toMatchObject(closing);
    expect(await issueOf(api, one.id)).toMatchObject({
      occurrences: 2,
      duplicates: [{ id: two.id }],
    });
    const opened = (await api.patch(`/issues/${two.id}`, { status: 'open' })).must(200).json();
    expect(opened).toMatchObject({ duplicateOf: null, resolution: null });
    expect(await issueOf(api, one.id)).toMatchObject({ occurrences: 1, duplicates: [] });
  });

  flow('brings its own duplicates with it, on their record', {}, async (api) => {
    const first = await file(api);
    const second = await file(api);
    const original = await file(api, { route: null });
    const closed = await close(api, first.id, original.id);
    expect(closed).toMatchObject({ occurrences: 1, duplicates: [] });
    expect(await issueOf(api, original.id)).toMatchObject({
      occurrences: 3,
      duplicates: [{ id: second.id }, { id: first.id }],
    });
    const moved = await issueOf(api, second.id);
    expect(moved).toMatchObject({
      duplicateOf: original.id,
      occurrences: 1,
      version: second.version + 1,
      updatedAt: closed.updatedAt,
    });
    expect(moved.history.slice(1)).toEqual([
      {
        at: closed.updatedAt,
        by: closed.author,
        event: 'updated',
        changes: [{ field: 'duplicateOf', from: first.id, to: original.id }],
      },
    ]);
    const stale = { headers: { 'if-match': `"${second.version}-x"` } };
    (await api.patch(`/issues/${second.id}`, { build: '9' }, stale)).mustBe(
      412,
      'precondition_failed',
    );
  });

  flow('opened again counts itself alone, and its original the rest', {}, async (api) => {
    const [first, second, third] = [await file(api), await file(api), await file(api)];
    const original = await file(api, { route: null });
    await close(api, first.id, original.id);
    expect(await issueOf(api, original.id)).toMatchObject({ occurrences: 4 });
    const opened = (await api.patch(`/issues/${first.id}`, { status: 'open' })).must(200).json();
    expect(opened).toMatchObject({ occurrences: 1, duplicates: [] });
    expect(await issueOf(api, original.id)).toMatchObject({
      occurrences: 3,
      duplicates: [{ id: third.id }, { id: second.id }],
    });
  });

  flow('goes from one original to another with its count', {}, async (api) => {
    const [one, other] = [await file(api, { route: null }), await file(api, { route: null })];
    const [first] = [await file(api), await file(api)];
    await close(api, first.id, one.id);
    await close(api, first.id, other.id);
    expect(await issueOf(api, one.id)).toMatchObject({ occurrences: 2 });
    expect(await issueOf(api, other.id)).toMatchObject({
      occurrences: 2,
      duplicates: [{ id: first.id }],
    });
  });

  flow('is told with its original as it is now', {}, async (api) => {
    const [first, second] = [await file(api), await file(api, { build: '1' })];
    const query = { id: first.id };
    const before = (await api.get('/issues', { query })).must(200);
    (await api.patch(`/issues/${second.id}`, { build: '77' })).must(200);
    const after = (await api.get('/issues', { query })).must(200);
    expect(after.json()).toMatchObject({ duplicates: [{ id: second.id, build: '77' }] });
    expect(after.header('etag')).not.toBe(before.header('etag'));
  });

  flow('must be of something that can be one', { needs: ['other'] }, async (api) => {
    const [one, two] = [await file(api), await file(api)];
    const three = await file(api, { route: null });
    const foreign = (await api.post('/issues', { title: 'Theirs' }, { as: 'other' }))
      .must(201)
      .json<Issue>();
    const closing = { status: 'closed', resolution: 'duplicate' };
    for (const duplicateOf of [
      undefined,
      null,
      three.id,
      two.id,
      foreign.id,
      'iss_00000000000000000000000000',
    ]) {
      const answer = await api.patch(`/issues/${three.id}`, { ...closing, duplicateOf });
      answer.mustBe(422, 'invalid', '/duplicateOf');
    }
    const mixed = { status: 'closed', resolution: 'fixed', duplicateOf: one.id };
    (await api.patch(`/issues/${three.id}`, mixed)).mustBe(422, 'invalid');
    expect(await issueOf(api, one.id)).toMatchObject({ occurrences: 2 });
  });
});

describe('a regression [PQRS-57]', () => {
  flow('reopens what was fixed, in a build not seen before', {}, async (api) => {
    const first = await file(api, { build: '1' });
    const fixed = await resolve(api, first.id, { fixedInBuild: '2' });
    await Bun.sleep(2);
    const again = await file(api, { build: '3' });
    expect(again).toMatchObject({
      status: 'closed',
      resolution: 'duplicate',
      duplicateOf: first.id,
    });
    const reopened = await issueOf(api, first.id);
    expect(reopened).toMatchObject({
      ...{ status: 'open', resolution: null, resolvedAt: null, fixedInBuild: null, occurrences: 2 },
      version: fixed.version + 1,
    });
    expect(reopened.history.at(-1)).toMatchObject({ event: 'reopened', by: again.author });
    expect(JSON.stringify(reopened.history.at(-1))).toContain(again.id);
  });

  for (const state of ['verified', 'closed']) {
    flow(`reopens what is ${state} as fixed`, {}, async (api) => {
      const first = await file(api, { build: '1' });
      await resolve(api, first.id);
      (await api.patch(`/issues/${first.id}`, { status: state })).must(200);
      await Bun.sleep(2);
      await file(api, { build: '3' });
      expect(await issueOf(api, first.id)).toMatchObject({ status: 'open' });
    });
  }

  const STAYS: Record<string, { resolution?: string; again: (issue: Issue) => object }> = {
    'in the build that it was seen in': { again: () => ({ build: '1' }) },
    'without a build': { again: () => ({}) },
    'that occurred before the fix': {
      again: () => ({ build: '3', occurredAt: '2026-01-01T00:00:00Z' }),
    },
    'of what was never to be fixed': { resolution: 'wont_fix', again: () => ({ build: '3' }) },
    'of what was no fault': { resolution: 'invalid', again: () => ({ build: '3' }) },
    'that is not to be compared': { again: () => ({ build: '3', dedupe: false }) },
  };
  for (const [name, { resolution = 'fixed', again }] of Object.entries(STAYS)) {
    flow(`is no report ${name}`, {}, async (api) => {
      const first = await file(api, { build: '1' });
      await resolve(api, first.id, { resolution });
      await Bun.sleep(2);
      await file(api, again(first));
      expect(await issueOf(api, first.id)).toMatchObject({
        status: 'resolved',
        resolution,
        possibleRegression: false,
      });
    });
  }

  flow('is none in a build that a duplicate had been seen in before the fix', {}, async (api) => {
    const first = await file(api, { build: '1' });
    await file(api, { build: '2' });
    await resolve(api, first.id);
    await Bun.sleep(2);
    await file(api, { build: '2' });
    expect(await issueOf(api, first.id)).toMatchObject({ status: 'resolved', occurrences: 3 });
  });
});

describe('a widget [PQRS-59]', () => {
  flow('files duplicates without learning of it', { needs: ['widget'] }, async (api) => {
    const first = await file(api);
    const body = { title: `Payment 17 fails ${api.unique}`, route: `/pay/${api.unique}` };
    const answer = (await api.post('/issues', body, { as: 'widget' })).must(201);
    expect(Object.keys(answer.json())).toEqual(['id', 'title', 'route']);
    expect(answer.text).not.toContain(first.id);
    expect(await issueOf(api, answer.id)).toMatchObject({
      duplicateOf: first.id,
    });
    expect(await issueOf(api, first.id)).toMatchObject({ occurrences: 2 });
  });

  flow('reopens nothing: it marks a possible regression', { needs: ['widget'] }, async (api) => {
    const first = await file(api, { build: '1' });
    const fixed = await resolve(api, first.id);
    await Bun.sleep(2);
    await fileAsWidget(api, { build: '3' });
    const marked = await issueOf(api, first.id);
    expect(marked).toMatchObject({
      ...{ status: 'resolved', resolution: 'fixed', resolvedAt: fixed.resolvedAt },
      ...{ possibleRegression: true, occurrences: 2 },
      version: fixed.version + 1,
    });
    const query = { possibleRegression: true, route: `/pay/${api.unique}` };
    const found = (await api.get('/issues', { query })).must(200).json<Page<Issue>>();
    expect(found.items.map((item) => item.id)).toEqual([first.id]);
    const opened = (await api.patch(`/issues/${first.id}`, { status: 'open' })).must(200).json();
    expect(opened).toMatchObject({ possibleRegression: false });
  });
});
