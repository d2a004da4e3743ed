// System logs: written one at a time, in lists and as NDJSON, and counted by fingerprint.
import { describe, expect } from 'bun:test';
import type { Client, Sending } from '../support/client.ts';
import { flow, invalidBody, scenarios } from '../support/flow.ts';
import { listLogs, NO_LOG, readLog, writeLogs } from '../support/logs.ts';
import type { LogEntry, LogGroup, Page } from '../support/shapes.ts';

const writeLines = (api: Client, lines: string, sending: Sending = {}) =>
  api.send('POST', '/system-logs', {
    ...sending,
    headers: { 'content-type': 'application/x-ndjson' },
    body: lines,
  });

describe('POST /system-logs [PQRS-63]', () => {
  flow('a message is enough', { needs: ['agent'] }, async (api) => {
    const answer = (
      await api.post('/system-logs', { message: `started ${api.unique}` }, { as: 'agent' })
    ).must(201);
    const { accepted, ids } = answer.json<{ accepted: number; ids: string[] }>();
    expect(accepted).toBe(1);
    expect(ids).toHaveLength(1);
    expect(answer.header('location')).toBe(`/api/system-logs?id=${ids[0]}`);
    const read = (await api.get('/system-logs', { query: { id: ids[0]! } })).must(200);
    expect(read.json<LogEntry>()).toEqual({
      id: ids[0]!,
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      ...{ level: 'info', source: null, message: `started ${api.unique}`, fields: null },
      ...{ route: null, runId: null, issueId: null, fingerprint: expect.stringMatching(/^l1:/) },
      ...{ occurrences: 1, state: 'open', note: null, version: 1 },
    });
    expect(read.header('etag')).toStartWith('"1-');
    (
      await api.get('/system-logs', {
        query: { id: ids[0]! },
        headers: { 'if-none-match': read.header('etag') },
      })
    ).must(304);
  });

  flow('everything that it may have is kept as it came', {}, async (api) => {
    const sent = {
      ...{ at: '2026-01-31T12:00:00.500Z', level: 'fatal', source: `shop-${api.unique}` },
      message: 'Ünïcödé ✓ 𝒳',
      fields: { paymentId: 4711, nested: { deep: [1, 'a', null, true, 1.5, {}] }, empty: '' },
      route: '/pay',
      runId: 'run_1',
      issueId: 'iss_1',
    };
    const [id] = await writeLogs(api, sent);
    expect(await readLog(api, id!)).toMatchObject(sent);
  });

  flow('a list is written in its order, and ids come in the same', {}, async (api) => {
    const entries = ['a', 'b', 'c'].map((letter) => ({
      message: `${letter} ${api.unique}`,
      source: api.unique,
    }));
    const ids = await writeLogs(api, entries);
    expect(ids).toHaveLength(3);
    for (const [at, id] of ids.entries())
      expect((await readLog(api, id)).message).toBe(entries[at]!.message);
    expect((await listLogs(api, { source: api.unique })).map((entry) => entry.id)).toEqual(
      [...ids].reverse(),
    );
  });

  flow('NDJSON is written a line at a time', {}, async (api) => {
    const lines = [
      { message: 'one', source: api.unique },
      { message: 'two', source: api.unique },
    ].map((line) => JSON.stringify(line));
    for (const text of [
      lines.join('\n'),
      `${lines.join('\r\n')}\r\n`,
      `\n${lines.join('\n\n')}\n\n`,
    ]) {
      expect((await writeLines(api, text)).must(201).json()).toMatchObject({ accepted: 2 });
    }
    expect(await listLogs(api, { source: api.unique })).toHaveLength(6);
  });

  flow('all of them or none', {}, async (api) => {
    const good = { message: 'good', source: api.unique };
    const bad: [unknown, string][] = [
      [[good, { message: '' }], '/1/message'],
      [[good, {}], '/1/message'],
      [[good, { ...good, level: 'loud' }], '/1/level'],
      [[good, { ...good, at: '2026-02-30T00:00:00Z' }], '/1/at'],
      [[{ ...good, at: '2026-02-30T00:00:00Z' }], '/0/at'],
      [{ ...good, at: '2026-02-30T00:00:00Z' }, '/at'],
      [[good, 'text'], '/1'],
      [[good, null], '/1'],
      [[good, [good]], '/1'],
    ];
    for (const [body, pointer] of bad) {
      (await api.post('/system-logs', body)).mustBe(422, 'invalid', pointer);
    }
    const line = JSON.stringify(good);
    const noDay = JSON.stringify({ ...good, at: '2026-02-30T00:00:00Z' });
    for (const [text, pointer] of [
      [noDay, '/0/at'],
      [`${line}\n${noDay}\n`, '/1/at'],
    ] as const) {
      (await writeLines(api, text)).mustBe(422, 'invalid', pointer);
    }
    (await writeLines(api, `${line}\n{"message": \n`)).mustBe(400, 'malformed_body');
    (await writeLines(api, `${line}\n${line}}\n`)).mustBe(400, 'malformed_body');
    (await writeLines(api, `${line}\n{"nonsense": 1}\n`)).mustBe(422, 'invalid');
    expect(await listLogs(api, { source: api.unique })).toEqual([]);
  });

  const post = (name: string, body: unknown, pointer: string) =>
    invalidBody('POST', '/system-logs', name, body, pointer);
  const message = 'x';

  scenarios('refuses', {}, [
    post('no message', {}, '/message'),
    post('an empty message', { message: '' }, '/message'),
    post('a message over 8 KiB', { message: 'x'.repeat(8193) }, '/message'),
    post('a level there is none of', { message, level: 'notice' }, '/level'),
    post("the service's own name", { message, source: 'pqrs' }, '/source'),
    post("the service's own name in a list", [{ message, source: 'pqrs' }], '/0/source'),
    post('an unknown field', { message, host: 'a' }, '/host'),
    post('a field of the server: state', { message, state: 'resolved' }, '/state'),
    post('a field of the server: id', { message, id: NO_LOG }, '/id'),
    post('a field of the server: occurrences', { message, occurrences: 5 }, '/occurrences'),
    post('fields that are no object', { message, fields: [1] }, '/fields'),
    post(
      '101 fields',
      { message, fields: Object.fromEntries([...Array(101)].map((_, at) => [`f${at}`, at])) },
      '/fields',
    ),
    post('nothing', [], ''),
  ]);

  flow('an empty file of lines is nothing', {}, async (api) => {
    for (const text of ['', '\n', '\r\n\r\n']) {
      expect([400, 422]).toContain((await writeLines(api, text)).status);
    }
  });

  flow('10,000 at once, and no more', {}, async (api) => {
    const line = `${JSON.stringify({ message: 'm', source: api.unique })}\n`;
    if (api.target.own) {
      const written = (await writeLines(api, line.repeat(10_000)))
        .must(201)
        .json<{ accepted: number; ids: string[] }>();
      expect(written.accepted).toBe(10_000);
      expect(new Set(written.ids).size).toBe(10_000);
    }
    (await writeLines(api, line.repeat(10_001))).mustBe(422, 'invalid');
  });

  flow(
    'lines may be more than JSON may be',
    { ownBecause: 'it would keep two megabytes of lines' },
    async (api) => {
      const entry = { message: 'm'.repeat(8000), source: api.unique };
      const entries = [...Array(200)].map(() => entry);
      (await api.post('/system-logs', entries)).mustBe(413, 'too_large');
      const lines = entries.map((one) => `${JSON.stringify(one)}\n`).join('');
      (await writeLines(api, lines)).must(201);
    },
  );
});

describe('occurrences [PQRS-64]', () => {
  flow('count the fingerprint, with the numbers folded out', {}, async (api) => {
    const ids = await writeLogs(api, [
      { message: `payment 1 timed out ${api.unique}`, level: 'error' },
      { message: `Payment 22 timed out  ${api.unique}`, level: 'error' },
      { message: `payment 3 timed out ${api.unique}`, level: 'warn' },
      { message: `payment 4 timed out ${api.unique}`, level: 'error', source: 'shop' },
    ]);
    // One after the other: their order is compared too.
    const entries = [];
    for (const id of ids) entries.push(await readLog(api, id));
    expect(entries.map((entry) => entry.occurrences)).toEqual([2, 2, 1, 1]);
    expect(entries[1]!.fingerprint).toBe(entries[0]!.fingerprint);
    expect(await listLogs(api, { fingerprint: entries[0]!.fingerprint })).toHaveLength(2);
  });

  flow('view=groups shows each fingerprint once', { compare: false }, async (api) => {
    const at = ['2026-01-01T00:00:00.000Z', '2026-01-03T00:00:00.000Z', '2026-01-02T00:00:00.000Z'];
    const ids = await writeLogs(
      api,
      at.map((each, index) => ({ message: `job ${index} ${api.unique}`, at: each })),
    );
    const { fingerprint } = await readLog(api, ids[0]!);
    const page = (await api.get('/system-logs', { query: { view: 'groups', limit: 5 } })).must(200);
    const [group] = page.json<Page<LogGroup>>().items;
    expect(group).toEqual({
      fingerprint,
      ...{ level: 'info', source: null, message: `job 2 ${api.unique}`, occurrences: 3 },
      ...{ firstAt: at[0]!, lastAt: at[1]! },
    });
  });
});
