// Entity tags, and what happens when many do the same at once.
import { describe, expect } from 'bun:test';
import type { Client } from '../support/client.ts';
import { attachFile } from '../support/files.ts';
import { flow } from '../support/flow.ts';
import { fileIssue, issueOf } from '../support/samples.ts';
import type { Issue } from '../support/shapes.ts';

const MANY = 50;

const tagOf = async (api: Client, id: string): Promise<string> =>
  (await api.get('/issues', { query: { id } })).must(200).header('etag');

const change = (api: Client, id: string, body: object, tag?: string) =>
  api.patch(`/issues/${id}`, body, tag === undefined ? {} : { headers: { 'if-match': tag } });

describe('If-None-Match [PQRS-77]', () => {
  flow('answers 304 while nothing has changed', {}, async (api) => {
    const id = await fileIssue(api, 'owner');
    const tag = await tagOf(api, id);
    const get = (header: string) =>
      api.get('/issues', { query: { id }, headers: { 'if-none-match': header } });
    for (const header of [tag, `W/${tag}`, `"other", ${tag}`, `"a,b" , W/${tag}`, '*']) {
      const answer = (await get(header)).must(304);
      expect(answer.header('etag')).toBe(tag);
    }
    for (const header of ['"other"', tag.slice(1, -1), `"${tag}"`, '', 'W/'])
      (await get(header)).must(200);
    (await change(api, id, { priority: 'P1' })).must(200);
    (await get(tag)).must(200);
  });

  flow('is the same whoever reads', { needs: ['agent'] }, async (api) => {
    const id = await fileIssue(api, 'owner');
    await attachFile(api, id);
    const headers = { 'if-none-match': await tagOf(api, id) };
    (await api.get('/issues', { query: { id }, headers, as: 'agent' })).must(304);
  });

  flow('does nothing on a write', {}, async (api) => {
    const id = await fileIssue(api, 'owner');
    const headers = { 'if-none-match': '*' };
    (await api.patch(`/issues/${id}`, { priority: 'P1' }, { headers })).must(200);
  });
});

describe('If-Match [PQRS-77]', () => {
  flow('lets through what knows the version', {}, async (api) => {
    const id = await fileIssue(api, 'owner');
    for (const [at, form] of [
      (tag: string) => tag,
      (tag: string) => `"9-x", ${tag}`,
      () => '*',
      () => `"4"`,
      () => `"5-whatever"`,
    ].entries()) {
      (await change(api, id, { priority: `P${at}` }, form(await tagOf(api, id)))).must(200);
    }
    expect((await issueOf(api, id)).version).toBe(6);
  });

  flow('refuses what does not', {}, async (api) => {
    const id = await fileIssue(api, 'owner');
    const old = await tagOf(api, id);
    (await change(api, id, { priority: 'P1' }, old)).must(200);
    const tag = await tagOf(api, id);
    for (const header of [
      old,
      '"1"',
      '"3"',
      `W/${tag}`,
      tag.slice(1, -1),
      ...['2', '""', 'nonsense', '"2', '"02"'],
    ]) {
      (await change(api, id, { priority: 'P2' }, header)).mustBe(412, 'precondition_failed');
    }
    expect(await issueOf(api, id)).toMatchObject({ priority: 'P1', version: 2 });
  });

  flow('is by the version: what leaves that as it is does not get in the way', {}, async (api) => {
    const id = await fileIssue(api, 'owner', { route: `/${api.unique}` });
    const tag = await tagOf(api, id);
    await attachFile(api, id);
    await fileIssue(api, 'owner', { route: `/${api.unique}` });
    const counted = await issueOf(api, id);
    expect(counted).toMatchObject({ occurrences: 2, version: 1 });
    expect(await tagOf(api, id)).not.toBe(tag);
    (await change(api, id, { priority: 'P1' }, tag)).must(200);
  });

  flow('goes with what changes nothing too', {}, async (api) => {
    const id = await fileIssue(api, 'owner');
    (await change(api, id, {}, '"7"')).mustBe(412, 'precondition_failed');
    (await change(api, id, {}, '"1"')).must(200);
  });
});

describe('at once [PQRS-77]', () => {
  flow(`${MANY} changes of one version: one is made`, { compare: false }, async (api) => {
    const id = await fileIssue(api, 'owner');
    const tag = await tagOf(api, id);
    const answers = await Promise.all(
      [...Array(MANY)].map((_, at) => change(api, id, { title: `Change ${at}` }, tag)),
    );
    const made = answers.filter((answer) => answer.status === 200);
    expect(made).toHaveLength(1);
    for (const answer of answers.filter((one) => one !== made[0]))
      answer.mustBe(412, 'precondition_failed');
    const issue = await issueOf(api, id);
    expect(issue).toMatchObject({ version: 2, title: made[0]!.json<Issue>().title });
    expect(issue.history).toHaveLength(2);
  });

  flow(`${MANY} changes of any version: each is made, in turn`, { compare: false }, async (api) => {
    const id = await fileIssue(api, 'owner');
    const answers = await Promise.all(
      [...Array(MANY)].map((_, at) => change(api, id, { title: `Change ${at}` })),
    );
    for (const answer of answers) answer.must(200);
    const { version, history } = await issueOf(api, id);
    expect(version).toBe(MANY + 1);
    const titles = history.slice(1).map((entry) => entry.changes[0]!);
    for (const [at, { from }] of titles.entries()) {
      if (at > 0) expect(from).toBe(titles[at - 1]!.to);
    }
  });

  flow(`${MANY} issues: distinct and consecutive numbers`, { compare: false }, async (api) => {
    const answers = await Promise.all(
      [...Array(MANY)].map(() => api.post('/issues', { title: `Many ${api.unique}` })),
    );
    const numbers = answers
      .map((answer) => answer.must(201).json<Issue>().number)
      .sort((a, b) => a - b);
    expect(new Set(numbers).size).toBe(MANY);
    if (api.target.own) expect(numbers.at(-1)! - numbers[0]!).toBe(MANY - 1);
  });

  flow(
    `${MANY} reports of one thing: the first counts them all`,
    { compare: false },
    async (api) => {
      const body = { title: `Storm ${api.unique}`, route: `/${api.unique}` };
      const answers = await Promise.all([...Array(MANY)].map(() => api.post('/issues', body)));
      const issues = answers.map((answer) => answer.must(201).json<Issue>());
      const [first, ...more] = issues.filter((issue) => issue.duplicateOf === null);
      expect(more).toEqual([]);
      for (const issue of issues) if (issue !== first) expect(issue.duplicateOf).toBe(first!.id);
      expect((await issueOf(api, first!.id)).occurrences).toBe(MANY);
    },
  );

  flow(
    'one slug: one project',
    { compare: false, ownBecause: 'it would make a project' },
    async (api) => {
      const answers = await Promise.all(
        [...Array(8)].map(() =>
          api.post('/projects', { slug: `c-${api.unique}`, name: 'c' }, { tokenShown: true }),
        ),
      );
      expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
      for (const answer of answers.filter((one) => one.status !== 201))
        answer.mustBe(409, 'slug_taken');
    },
  );

  flow(
    'reads of an issue that changes never show half a change',
    { compare: false },
    async (api) => {
      const id = await fileIssue(api, 'owner');
      const writes = [...Array(20)].map((_, at) =>
        change(api, id, { title: `t${at}`, description: `t${at}` }),
      );
      const reads = [...Array(40)].map(() => issueOf(api, id));
      await Promise.all(writes);
      for (const issue of await Promise.all(reads)) {
        if (issue.version > 1) expect(issue.description).toBe(issue.title);
        expect(issue.history).toHaveLength(issue.version);
      }
      const [read, changed] = [
        await issueOf(api, id),
        (await change(api, id, {})).must(200).json<Issue>(),
      ];
      expect(read).toEqual(changed);
    },
  );
});
