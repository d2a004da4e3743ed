// Links of stories and justifications: written together or not at all, and what becomes of them.
import { describe, expect } from 'bun:test';
import { flow } from '../support/flow.ts';
import {
  begin,
  FEATURE,
  link,
  PATH,
  type Page,
  STORIES,
  type Story,
  statuses,
  tracesOf,
  type Written,
  write,
} from '../support/traceability-project.ts';

const OWN = { ownBecause: 'it makes a project' };

describe('POST /project-traceability [PQRS-28]', () => {
  flow('adds links at the fingerprints of today, each once', OWN, async (api) => {
    const project = await begin(api);
    const trace = await link(api, project, 'US-1');
    const story = await project.get<{ fingerprint: string }>('/srs-story/US-1');
    expect(trace).toMatchObject({
      ...{ storyId: 'US-1', type: 'verifies', target: { kind: 'test', id: 't1:a' } },
      ...{ origin: 'declared', state: 'valid', fingerprint: story.fingerprint, version: 1 },
      ...{ reviewedAt: null, reviewedBy: null },
    });
    expect(trace.id).toMatch(/^trc_/);
    const add = [
      { storyId: 'US-1', type: 'verifies', target: { kind: 'test', id: 't1:a' }, note: 'again' },
      { storyId: 'US-1', type: 'implements', target: { kind: 'commit', id: 'c0ffee' } },
      { storyId: 'US-1', type: 'implements', target: { kind: 'commit', id: 'c0ffee' } },
    ];
    const again = (await write(api, project, { add })).must(200).json<Written>();
    // The link that is there keeps what is said of it.
    expect(again.unchanged).toEqual([trace]);
    expect(again.added.map(({ target }) => target.id)).toEqual(['c0ffee']);
    const { removed } = (await write(api, project, { remove: [trace.id, trace.id] }))
      .must(200)
      .json<Written>();
    expect(removed).toEqual([trace.id as string]);
    expect((await tracesOf(project, { storyId: 'US-1' })).map(({ target }) => target.id)).toEqual([
      'c0ffee',
    ]);
  });

  flow('makes all changes or none, and points at each that cannot be', OWN, async (api) => {
    const project = await begin(api);
    const good = { storyId: 'US-1', type: 'verifies', target: { kind: 'test', id: 't1:a' } };
    const answer = await write(api, project, {
      add: [
        good,
        { ...good, storyId: 'US-99' },
        { ...good, target: { kind: 'issue', id: 'iss_00000000000000000000000000' } },
      ],
      remove: ['trc_00000000000000000000000000'],
      review: ['nothing'],
      justify: [
        { storyId: 'US-2', need: 'test', reason: 'by inspection' },
        { storyId: 'US-98', need: 'test', reason: 'gone' },
      ],
    });
    const { errors } = answer.mustBe(422, 'invalid').json<{ errors: { pointer: string }[] }>();
    expect(errors.map(({ pointer }) => pointer)).toEqual([
      ...['/add/1/storyId', '/add/2/target/id', '/remove/0', '/review/0'],
      '/justify/1/storyId',
    ]);
    expect((await tracesOf(project)).map(({ origin }) => origin)).toEqual(['import']);
    const trace = await link(api, project, 'US-1');
    (await write(api, project, { remove: [trace.id], review: [trace.id] })).mustBe(422, 'invalid');
    for (const wrong of [
      {},
      { add: [] },
      { plus: [] },
      { add: [{ ...good, type: 'proves' }] },
      { add: [{ ...good, target: { kind: 'test', id: ' ' } }] },
      { add: [{ ...good, target: 'test t1:a' }] },
      { justify: [{ storyId: 'US-1', need: 'test' }] },
      { justify: [{ storyId: 'US-1', need: 'test', reason: '' }] },
      {
        add: Array.from({ length: 501 }, (_, at) => ({
          ...good,
          target: { kind: 'test', id: `t${at}` },
        })),
        remove: Array(500).fill('x'),
      },
    ]) {
      (await write(api, project, wrong)).mustBe(422, 'invalid');
    }
  });

  flow('takes 1,000 links at once', OWN, async (api) => {
    const project = await begin(api);
    const add = Array.from({ length: 1000 }, (_, at) => ({
      ...{ storyId: 'US-1', type: 'verifies', target: { kind: 'test', id: `t1:${at}` } },
    }));
    const { added } = (await write(api, project, { add })).must(200).json<Written>();
    expect(added.map(({ target }) => target.id)).toEqual(add.map(({ target }) => target.id));
    const { unchanged } = (await write(api, project, { add })).must(200).json<Written>();
    expect(unchanged.map(({ id }) => id)).toEqual(added.map(({ id }) => id));
    const ids = added.map(({ id }) => id);
    const { reviewed } = (await write(api, project, { review: ids })).must(200).json<Written>();
    expect(reviewed.map(({ id, version }) => [id, version])).toEqual(ids.map((id) => [id, 2]));
    const { removed } = (await write(api, project, { remove: ids })).must(200).json<Written>();
    expect(removed.length).toBe(1000);
  });

  flow('is replayed under its idempotency key', OWN, async (api) => {
    const project = await begin(api);
    const headers = { ...project.as.headers, 'idempotency-key': api.unique };
    const add = [{ storyId: 'US-1', type: 'verifies', target: { kind: 'test', id: 't1:a' } }];
    const first = (await api.post(PATH, { add }, { headers })).must(200);
    const second = (await api.post(PATH, { add }, { headers })).must(200);
    expect(second.header('idempotency-replayed')).toBe('true');
    expect(second.text).toBe(first.text);
  });
});

describe('a link [PQRS-30]', () => {
  flow('turns suspect with its story, and valid again with a review', OWN, async (api) => {
    const project = await begin(api);
    const trace = await link(api, project, 'US-2');
    await project.bring({
      'stories.md': STORIES.replace('a receipt.', 'a receipt by mail.'),
      'checkout.feature': FEATURE,
    });
    expect(await tracesOf(project, { state: 'suspect' })).toMatchObject([{ id: trace.id }]);
    expect((await statuses(project))['US-2']).toBe('suspect');
    const { reviewed } = (await write(api, project, { review: [trace.id] }))
      .must(200)
      .json<Written>();
    expect(reviewed[0]).toMatchObject({ id: trace.id, state: 'valid', version: 2 });
    expect(reviewed[0]?.reviewedAt).not.toBeNull();
    expect(reviewed[0]?.reviewedBy).toMatchObject({ tokenId: expect.any(String) });
    expect((await statuses(project))['US-2']).toBe('unexecuted');
    await project.bring({ 'stories.md': STORIES, 'checkout.feature': FEATURE });
    expect((await statuses(project))['US-2']).toBe('suspect');
  });

  flow('turns suspect with an edit, and is broken with its story or scenario', OWN, async (api) => {
    const project = await begin(api);
    const trace = await link(api, project, 'US-2');
    const add = [
      { storyId: 'US-4', type: 'verifies', target: { kind: 'scenario', id: 'of no source' } },
    ];
    (await write(api, project, { add })).must(200);
    (
      await api.post(
        '/story-edits',
        { storyId: 'US-2', set: { statement: 'Another.' } },
        project.as,
      )
    ).must(201);
    expect(await tracesOf(project, { state: ['suspect', 'broken'] })).toMatchObject([
      { id: trace.id, state: 'suspect' },
      { storyId: 'US-4', state: 'broken' },
    ]);
    await project.bring({ 'stories.md': '## US-9: Only this\n\nIt is.\n' });
    expect(await tracesOf(project)).toMatchObject([
      { id: trace.id, state: 'broken' },
      { storyId: 'US-4', state: 'broken' },
    ]);
    (await write(api, project, { review: [trace.id] })).mustBe(422, 'invalid');
    (await write(api, project, { remove: [trace.id] })).must(200);
  });
});

describe('a justification [PQRS-31]', () => {
  flow('excuses a need until it is taken back', OWN, async (api) => {
    const project = await begin(api);
    const justify = [{ storyId: 'US-4', need: 'test', reason: 'Verified by inspection.' }];
    const { justified } = (await write(api, project, { justify })).must(200).json<Written>();
    expect(justified as object[]).toEqual(justify);
    const [story] = (await project.get<Page<Story>>(PATH, { storyId: 'US-4' })).items;
    expect(story).toMatchObject({
      ...{ status: 'justified', inherited: false },
      needs: [{ need: 'test', state: 'justified', reason: 'Verified by inspection.' }],
    });
    const other = [{ ...justify[0], reason: 'Another.' }];
    (await write(api, project, { justify: other })).must(200);
    const again = await project.get<Page<Story>>(PATH, { storyId: 'US-4' });
    expect(again.items[0]?.needs[0]?.reason).toBe('Another.');
    const back = [{ ...justify[0], reason: null }];
    (await write(api, project, { justify: back })).must(200);
    expect((await statuses(project))['US-4']).toBe('uncovered');
  });
});
