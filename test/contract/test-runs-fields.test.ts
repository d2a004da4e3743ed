// What is said of a run beside its report, the same submission again, files that go with it, and
// who may record one.
import { describe, expect } from 'bun:test';
import { form, PNG } from '../support/files.ts';
import { flow, scenarios } from '../support/flow.ts';
import { authorShown } from '../support/roles.ts';
import type { Page, ProblemDocument } from '../support/shapes.ts';
import {
  AGENT,
  CTRF,
  JUNIT,
  PASSED,
  PATH,
  type Run,
  readOne,
  record,
  sendJson,
  sendReport,
  TAP,
} from '../support/test-runs.ts';

describe('fields of a run [PQRS-41]', () => {
  flow('at the top of our own JSON, in the query, and in the part run', AGENT, async (api) => {
    const { unique } = api;
    const fields = {
      ...{ name: `Run of ${unique}`, commit: `c-${unique}`, branch: unique, environment: 'ci' },
      startedAt: '2026-03-01T10:00:00.000Z',
      finishedAt: '2026-03-01T10:00:01.500Z',
    };
    const shown = {
      ...fields,
      ...{ durationMs: 1500, agent: { name: 'ci', version: '3' }, commandId: null, attempt: null },
      ...{ planId: null, suiteId: null, late: false, counts: true, version: 1 },
      author: authorShown(api.target),
    };
    const agent = { name: 'ci', version: '3' };
    const own = await record(api, { ...fields, agent, results: [PASSED] });
    expect(own).toMatchObject({ ...shown, externalId: null });
    const query = { ...fields, agent: 'ci', agentVersion: '3', externalId: `q-${unique}` };
    const bare = await sendReport(api, 'application/xml', JUNIT, { query });
    expect(bare.must(201).json<Run>()).toMatchObject({ ...shown, externalId: `q-${unique}` });
    const run = JSON.stringify({ ...fields, agent, externalId: `f-${unique}` });
    const parts = [
      { name: 'run', value: run, type: 'application/json' },
      { name: 'report', value: TAP, fileName: 'r.tap' },
    ];
    const sent = await api.send('POST', PATH, form(parts, { as: 'agent' }));
    expect(sent.must(201).json<Run>()).toMatchObject({ ...shown, externalId: `f-${unique}` });
  });

  flow('times of its execution are answered in UTC with milliseconds', AGENT, async (api) => {
    const execution = {
      startedAt: '2026-01-02T02:00:00+02:00',
      finishedAt: '2026-01-01t19:00:01.5-05:00',
      reportModifiedAt: '2026-01-02T00:00:01Z',
      ...{ exitCode: 0, signal: null },
    };
    const { id } = await record(api, { execution, results: [PASSED] });
    expect(await readOne(api, id)).toMatchObject({
      ...{ startedAt: '2026-01-02T00:00:00.000Z', durationMs: 1500 },
      execution: {
        startedAt: '2026-01-02T00:00:00.000Z',
        finishedAt: '2026-01-02T00:00:01.500Z',
        reportModifiedAt: '2026-01-02T00:00:01.000Z',
        ...{ exitCode: 0, signal: null },
      },
    });
    const some = { reportModifiedAt: null, finishedAt: '1969-12-31T23:59:59Z' };
    const other = await record(api, { execution: some, results: [PASSED] });
    expect(other).toMatchObject({ execution: { reportModifiedAt: null, finishedAt: null } });
  });

  flow('a command by its id or key, which learns from the run', AGENT, async (api) => {
    const key = `k-${api.unique}`;
    const command = (await api.post('/test-commands', { key, argv: ['true'] })).must(201);
    const first = await record(api, { commandId: command.id, results: [PASSED] });
    const second = await record(api, {
      ...{ commandId: key, startedAt: '2026-03-01T10:00:00Z', finishedAt: '2026-03-01T10:00:02Z' },
      results: [{ ...PASSED, status: 'failed' }],
    });
    expect(first).toMatchObject({ commandId: command.id, status: 'passed' });
    expect(second).toMatchObject({ commandId: command.id, status: 'failed' });
    const { stats } = (await api.get('/test-commands', { query: { id: command.id } }))
      .must(200)
      .json<{ stats: object }>();
    expect(stats).toMatchObject({
      ...{ runs: 2, passRate: 0.5, flakeRate: 0, p50Ms: 2000, lastStatus: 'failed' },
      lastRunId: second.id,
    });
    (await sendJson(api, { commandId: 'cmd_none', results: [PASSED] })).mustBe(422, 'invalid');
  });

  scenarios(
    'are refused where they stand',
    AGENT,
    (
      [
        ['/results/1/status', { results: [PASSED, { name: 'x', status: 'green' }] }],
        ['/results/0/nmae', { results: [{ ...PASSED, nmae: 'x' }] }],
        ['/results/0/name', { results: [{ status: 'passed' }] }],
        ['/results/0/durationMs', { results: [{ ...PASSED, durationMs: -1 }] }],
        ['/results/0/attempts/0/status', { results: [{ ...PASSED, attempts: [{}] }] }],
        ['/results/0/contentSha256', { results: [{ ...PASSED, contentSha256: 'x' }] }],
        ['/results', { name: 'none' }],
        ['/results', { results: {} }],
        ['/nonsense', { nonsense: 1, results: [PASSED] }],
        ['/commit', { commit: '', results: [PASSED] }],
        ['/commit', { commit: 7, results: [PASSED] }],
        ['/startedAt', { startedAt: 'yesterday', results: [PASSED] }],
        ['/execution/exitCode', { execution: { exitCode: 'one' }, results: [PASSED] }],
        ['/execution/code', { execution: { code: 1 }, results: [PASSED] }],
        ['/execution/reportSha256', { execution: { reportSha256: 'no' }, results: [PASSED] }],
        ['/agent/name', { agent: {}, results: [PASSED] }],
        ['/attempt', { runId: 'run_x', results: [PASSED] }],
        ['/runId', { attempt: 1, results: [PASSED] }],
        ['/lease', { runId: 'run_x', attempt: 1, results: [PASSED] }],
        ['/lease/token', { runId: 'run_x', attempt: 1, lease: { id: 'x' }, results: [PASSED] }],
        ['/commandId', { commandId: 'none', results: [PASSED] }],
        ['/revision', { revision: 1_000_000, results: [PASSED] }],
      ] as [string, object][]
    ).map(([pointer, body]) => ({
      ...{ name: `${pointer} of ${JSON.stringify(body).slice(0, 60)}`, method: 'POST', path: PATH },
      ...{ as: 'agent', body, status: 422, code: 'invalid', contains: [`"pointer":"${pointer}"`] },
    })),
  );

  scenarios(
    'are refused in the query',
    AGENT,
    [
      ...['commit=', 'nonsense=1', 'exitCode=x', 'startedAt=noon', 'agentVersion=1', 'revision=-1'],
      ...['runId=x', 'lease=x', 'attempt=1', 'linkTtl=0', 'commandId=none', 'reportSha256=x'],
    ].map((search) => ({
      ...{ name: search, method: 'POST', path: `${PATH}?${search}`, as: 'agent' as const },
      ...{ headers: { 'content-type': 'application/xml' }, body: JUNIT },
      ...{ status: 422, code: 'invalid' },
    })),
  );

  flow('all faults of a report are told, and nothing of it is left', AGENT, async (api) => {
    const branch = api.unique;
    const bad = { ...PASSED, name: 7, status: 'green' };
    const sent = await sendJson(api, { branch, results: [PASSED, bad, { ...bad, x: 1 }] });
    const { errors } = sent.mustBe(422, 'invalid').json<ProblemDocument>();
    expect(errors.map(({ pointer }) => pointer)).toEqual(
      expect.arrayContaining(['/results/1/name', '/results/1/status', '/results/2/x']),
    );
    const list = await api.get(PATH, { query: { branch } });
    expect(list.must(200).json<Page<Run>>().items).toEqual([]);
  });

  scenarios(
    'all faults at its top are told at once',
    AGENT,
    (
      [
        [
          ['/name', '/commit', '/foo', '/durationMs'],
          { name: 5, foo: 1, commit: 5, durationMs: -1, results: [] },
        ],
        [
          ['/execution/exitCode', '/execution/consoleTail', '/execution/foo'],
          { name: 'a', execution: { exitCode: 'x', consoleTail: 5, foo: 1 }, results: [] },
        ],
        [['/execution/exitCode', '/foo'], { foo: 1, execution: { exitCode: 'x' } }],
        [['/name', '/results'], { name: 5 }],
      ] as [string[], object][]
    ).map(([pointers, body]) => ({
      ...{ name: JSON.stringify(body), method: 'POST', path: PATH, as: 'agent' as const },
      ...{ body, status: 422, code: 'invalid' },
      contains: pointers.map((pointer) => `"pointer":"${pointer}"`),
    })),
  );

  flow('a field in the query and in the body is one too many', AGENT, async (api) => {
    const query = { branch: 'main' };
    const sent = await sendJson(api, { branch: 'main', results: [PASSED] }, { query });
    expect(sent.mustBe(422, 'invalid').text).toContain('/branch');
  });

  flow('a form takes one report, one run, files, and no fields', AGENT, async (api) => {
    const send = (...parts: Parameters<typeof form>[0]) =>
      api.send('POST', PATH, form(parts, { as: 'agent' }));
    const report = { name: 'report', value: JUNIT, fileName: 'r.xml' };
    const run = { name: 'run', value: '{}' };
    (await send(report, report)).mustBe(422, 'invalid');
    (await send(run, run, report)).mustBe(422, 'invalid');
    (await send(run)).mustBe(422, 'invalid');
    const field = await send(report, { name: 'commit', value: 'abc' });
    expect(field.mustBe(422, 'invalid').text).toContain('a file of it has a filename');
    const faulty = await send(report, { name: 'run', value: '{"commit": 7}' });
    expect(faulty.mustBe(422, 'invalid').text).toContain('"pointer":"/commit"');
    (await send(report, { name: 'run', value: '{' })).mustBe(400, 'malformed_body');
    const files = Array.from({ length: 21 }, (_, at) => ({
      ...{ name: `f${at}`, value: `${at}`, fileName: `${at}.txt` },
    }));
    (await send(report, ...files)).mustBe(422, 'invalid');
  });
});

describe('the same submission again [PQRS-41]', () => {
  flow('under an external id is the same run; another one is a conflict', AGENT, async (api) => {
    const { unique } = api;
    const body = { externalId: unique, branch: unique, results: [PASSED] };
    const first = await record(api, body);
    const again = (await sendJson(api, body)).must(200).json<Run>();
    expect(again).toEqual(first);
    const other = await sendJson(api, { ...body, results: [{ ...PASSED, status: 'failed' }] });
    expect(other.mustBe(409, 'conflict').text).toContain(first.id);
    const listed = (await api.get(PATH, { query: { branch: unique } })).must(200);
    expect(listed.json<Page<Run>>().items).toHaveLength(1);
  });

  flow('in the query of a bare report, and in a form', AGENT, async (api) => {
    const { unique } = api;
    const query = { externalId: `q-${unique}`, commit: 'c1' };
    const bare = (body: string, over = query) =>
      sendReport(api, 'application/xml', body, { query: over });
    const { id } = (await bare(JUNIT)).must(201).json<Run>();
    expect((await bare(JUNIT)).must(200).json<Run>().id).toBe(id);
    (await bare(JUNIT.replace('adds', 'subtracts'))).mustBe(409, 'conflict');
    (await bare(JUNIT, { ...query, commit: 'c2' })).mustBe(409, 'conflict');
    const formed = (seen: string) =>
      api.send(
        'POST',
        PATH,
        form(
          [
            { name: 'run', value: JSON.stringify({ externalId: `f-${unique}` }) },
            { name: 'report', value: TAP },
            { name: 'file', value: seen, fileName: 'seen.txt', type: 'text/plain' },
          ],
          { as: 'agent' },
        ),
      );
    const sent = (await formed('a')).must(201).json<Run>();
    const again = (await formed('a')).must(200).json<Run>();
    expect(again.id).toBe(sent.id);
    expect(again.attachments.map(({ id }) => id)).toEqual(sent.attachments.map(({ id }) => id));
    (await formed('b')).mustBe(409, 'conflict');
  });

  flow('under the report id of CTRF', AGENT, async (api) => {
    const reportId = `r-${api.unique}`;
    const report = JSON.stringify({ ...JSON.parse(CTRF), reportId });
    const send = (body: string) => sendReport(api, 'application/json', body);
    const first = (await send(report)).must(201).json<Run>();
    expect(first.externalId).toBe(reportId);
    expect((await send(report)).must(200).json<Run>().id).toBe(first.id);
    (await send(report.replace('"adds"', '"subtracts"'))).mustBe(409, 'conflict');
  });

  flow('under an idempotency key is the same answer', AGENT, async (api) => {
    const headers = { 'idempotency-key': api.unique };
    const send = (name: string) =>
      sendJson(api, { branch: api.unique, results: [{ ...PASSED, name }] }, { headers });
    const first = (await send('a')).must(201);
    const again = (await send('a')).must(201);
    expect(again.header('idempotency-replayed')).toBe('true');
    expect(again.json<Run>()).toEqual(first.json<Run>());
    (await send('b')).mustBe(422, 'idempotency_mismatch');
    const listed = (await api.get(PATH, { query: { branch: api.unique } })).must(200);
    expect(listed.json<Page<Run>>().items).toHaveLength(1);
  });

  flow('many at once make one run', { ...AGENT, compare: false }, async (api) => {
    const body = { externalId: api.unique, branch: api.unique, results: [PASSED] };
    const answers = await Promise.all(Array.from({ length: 8 }, () => sendJson(api, body)));
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(1);
    for (const answer of answers) {
      if (answer.status !== 201) answer.must(200);
      expect(answer.json<Run>().id).toBe(made[0]!.json<Run>().id);
    }
  });
});

describe('files of a run [PQRS-41]', () => {
  flow('become its attachments, each behind a signed link', AGENT, async (api) => {
    const parts = [
      { name: 'report', value: JUNIT, fileName: 'junit.xml', type: 'application/xml' },
      { name: 'a', value: PNG, fileName: 'shot.png', type: 'image/png' },
      { name: 'b', value: 'the end of the log', fileName: 'tail.txt', type: 'text/plain' },
    ];
    const sent = await api.send('POST', PATH, form(parts, { as: 'agent' }));
    const run = sent.must(201).json<Run>();
    expect(run.attachments).toMatchObject([
      { runId: run.id, name: 'shot.png', mediaType: 'image/png', bytes: PNG.length },
      { runId: run.id, name: 'tail.txt', bytes: 18 },
    ]);
    for (const { url, bytes } of run.attachments) {
      const file = (await api.follow(url)).must(200);
      expect(file.bytes.byteLength).toBe(bytes);
      const forged = url.replace(
        /signature=(.)/,
        (_, own) => `signature=${own === '_' ? '-' : '_'}`,
      );
      (await api.follow(forged)).must(403);
    }
    const shown = await readOne(api, run.id);
    expect(shown.attachments.map(({ id }) => id)).toEqual(run.attachments.map(({ id }) => id));
  });

  flow('go with a run that left no report', AGENT, async (api) => {
    const parts = [
      { name: 'run', value: JSON.stringify({ execution: { exitCode: 2 } }) },
      { name: 'core', value: 'dump', fileName: 'core.bin' },
    ];
    const sent = await api.send('POST', PATH, form(parts, { as: 'agent' }));
    const run = sent.must(201).json<Run>();
    expect(run).toMatchObject({ status: 'broken', attachments: [{ name: 'core.bin' }] });
  });
});

describe('who may record [PQRS-41]', () => {
  for (const as of ['srs', 'widget', 'demo'] as const) {
    flow(`not ${as}`, { needs: [as] }, async (api) => {
      (await sendJson(api, { results: [PASSED] }, { as })).mustBe(403, 'forbidden');
    });
  }
});
