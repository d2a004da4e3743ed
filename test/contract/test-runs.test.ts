// Test runs as they are recorded: reports in every format and form, what is none, and what says
// otherwise than they do.
import { describe, expect } from 'bun:test';
import { createHash } from 'node:crypto';
import type { Client } from '../support/client.ts';
import { form } from '../support/files.ts';
import { flow, scenarios } from '../support/flow.ts';
import {
  AGENT,
  codesOf,
  FORMATS,
  JUNIT,
  OWN,
  PASSED,
  PATH,
  type Run,
  readOne,
  record,
  sendReport,
} from '../support/test-runs.ts';

async function expectFour(api: Client, { id }: Run, format: string): Promise<void> {
  const run = await readOne(api, id);
  expect(run).toMatchObject({ format, status: 'failed', late: false, harnessErrors: [] });
  expect(run.totals).toEqual({
    ...{ tests: 4, passed: 2, failed: 1, broken: 0, skipped: 1, unknown: 0, flaky: 0 },
  });
  const { items } = run.results;
  expect(items.map(({ name, status }) => [name.split(' ')[0], status])).toEqual([
    ['adds', 'passed'],
    ['sums', 'failed'],
    ['pays', 'skipped'],
    ['ships', 'passed'],
  ]);
  expect(items[1]!.message).toContain('3 is not 4');
  expect(items.map(({ storyIds }) => storyIds)).toEqual([[], [], [], ['US-12']]);
  expect(new Set(items.map(({ testKey }) => testKey)).size).toBe(4);
  for (const { testKey } of items) expect(testKey).toMatch(/^t1:[\w-]{27}$/);
}

describe('POST /test-runs takes a report [PQRS-42]', () => {
  for (const [format, type, body] of FORMATS) {
    flow(`${format} as ${type}`, AGENT, async (api) => {
      const sent = (await sendReport(api, type, body)).must(201);
      const run = sent.json<Run>();
      expect(sent.header('location')).toBe(`/api/test-runs?id=${run.id}`);
      expect('results' in run).toBe(false);
      await expectFour(api, run, format);
    });

    flow(`${format} as ${type} in a form, told by its content too`, AGENT, async (api) => {
      const { unique } = api;
      const says = { branch: unique, execution: { exitCode: 1 } };
      for (const partType of [type, 'application/octet-stream', undefined]) {
        const sent = await api.send(
          'POST',
          PATH,
          form(
            [
              { name: 'run', value: JSON.stringify(says), type: 'application/json' },
              {
                ...{ name: 'report', value: body, fileName: 'report' },
                ...(partType ? { type: partType } : {}),
              },
            ],
            { as: 'agent' },
          ),
        );
        const run = sent.must(201).json<Run>();
        expect(run).toMatchObject({ branch: unique, execution: { exitCode: 1 } });
        await expectFour(api, run, format);
      }
    });
  }

  flow('in UTF-16, and with a byte order mark', AGENT, async (api) => {
    const wide = Buffer.from(`\uFEFF${JUNIT.replace('UTF-8', 'UTF-16')}`, 'utf16le');
    const marked = Buffer.from(`\uFEFF${OWN}`);
    const sent = await sendReport(api, 'application/xml', new Uint8Array(wide));
    await expectFour(api, sent.must(201).json<Run>(), 'junit');
    const own = await sendReport(api, 'application/json', new Uint8Array(marked));
    await expectFour(api, own.must(201).json<Run>(), 'pqrs');
  });

  flow('of thousands of cases, in their order', { ...AGENT, compare: false }, async (api) => {
    const cases = Array.from({ length: 3000 }, (_, at) =>
      at % 100 === 7
        ? `<testcase name="case ${at}" time="0.001"><failure message="no ${at}">${'at x\n'.repeat(50)}</failure></testcase>`
        : `<testcase name="case ${at}" classname="a.b" time="0.001"/>`,
    );
    const report = `<testsuite name="many" tests="3000" failures="30">${cases.join('\n')}</testsuite>`;
    const run = (await sendReport(api, 'application/xml', report)).must(201).json<Run>();
    expect(run).toMatchObject({ status: 'failed', totals: { tests: 3000, failed: 30 } });
    const names: string[] = [];
    let cursor: string | null = null;
    do {
      const query: Record<string, string | number> = {
        ...{ id: run.id, limit: 200 },
        ...(cursor ? { cursor } : {}),
      };
      const page = (await api.get(PATH, { query })).must(200).json<Run>();
      names.push(...page.results.items.map(({ name }) => name));
      cursor = page.results.nextCursor;
    } while (cursor !== null);
    expect(names).toEqual(cases.map((_, at) => `case ${at}`));
  });

  flow('sent in pieces, a moment apart', AGENT, async (api) => {
    const token = api.target.token('agent');
    const answer = await api.raw({
      head: [
        'POST {prefix}/test-runs HTTP/1.1',
        'Host: localhost',
        `Authorization: Bearer ${token}`,
        'Content-Type: application/xml',
        `Content-Length: ${JUNIT.length}`,
      ].join('\r\n'),
      body: JUNIT,
      chunkBytes: 97,
      waitMs: 60_000,
    });
    await expectFour(api, answer.must(201).json<Run>(), 'junit');
  });

  flow('cut off: what it holds is kept, and the run is broken', AGENT, async (api) => {
    const cut = JUNIT.slice(0, JUNIT.indexOf('<testcase name="ships'));
    const run = (await sendReport(api, 'application/xml', cut)).must(201).json<Run>();
    expect(run).toMatchObject({ status: 'broken', totals: { tests: 3, passed: 1, failed: 1 } });
    expect(codesOf(run)).toContain('cut_off');
    const { results } = await readOne(api, run.id);
    expect(results.items.map(({ name }) => name)).toEqual(['adds', 'sums', 'pays']);
  });

  flow('whose totals differ from what it holds', AGENT, async (api) => {
    const more = JUNIT.replaceAll('tests="4"', 'tests="5"');
    const run = (await sendReport(api, 'application/xml', more)).must(201).json<Run>();
    expect(run.status).toBe('broken');
    expect(run.harnessErrors[0]).toMatchObject({ code: 'totals_disagree' });
    expect(run.harnessErrors[0]!.detail).toContain('5');
  });

  flow('with reruns: attempts are kept, and flaky is derived', AGENT, async (api) => {
    const rerun =
      '<testsuite name="r" tests="1"><testcase name="shaky" classname="r"><flakyFailure message="first">x</flakyFailure></testcase></testsuite>';
    const { id } = (await sendReport(api, 'text/xml', rerun)).must(201).json<Run>();
    const run = await readOne(api, id);
    expect(run).toMatchObject({ status: 'passed', totals: { flaky: 1 } });
    const [shaky] = run.results.items;
    expect(shaky).toMatchObject({ status: 'passed', flaky: true });
    expect(shaky!.attempts.map(({ status }) => status)).toEqual(['failed', 'passed']);
  });

  flow('whose entities are never expanded', AGENT, async (api) => {
    const bomb = `<!DOCTYPE x [<!ENTITY a "${'lol'.repeat(20)}"><!ENTITY b SYSTEM "file:///etc/passwd">]>
<testsuite name="e" tests="1"><testcase name="one"><failure message="&a;&b;">&b;</failure></testcase></testsuite>`;
    const sent = await sendReport(api, 'application/xml', bomb);
    const run = sent.must(201).json<Run>();
    expect(run.status).toBe('broken');
    const shown = await api.get(PATH, { query: { id: run.id } });
    expect(shown.text).not.toContain('lollol');
    expect(shown.text).not.toContain('root:');
  });
});

describe('what is no report [PQRS-42]', () => {
  const rows: [name: string, type: string, body: string, status: number, code: string][] = [
    ['an empty body', 'application/xml', '', 422, 'invalid'],
    ['blanks', 'text/tap', ' \n ', 422, 'invalid'],
    ['a page', 'application/xml', '<html><body>502</body></html>', 422, 'invalid'],
    ['words', 'text/tap', 'make: *** [test] Error 2\n', 422, 'invalid'],
    ['words that are to be JSON', 'application/json', 'oops', 400, 'malformed_body'],
    ['half a JSON', 'application/json', '{"results": [', 400, 'malformed_body'],
    ['nothing as JSON', 'application/json', '', 400, 'malformed_body'],
    ['a list', 'application/json', '[]', 422, 'invalid'],
    ['another JSON', 'application/json', '{"a": 1}', 422, 'invalid'],
    ['a bad encoding', 'application/json; charset=latin1', OWN, 415, 'unsupported_media_type'],
    ['a type that is none', 'image/png', JUNIT, 415, 'unsupported_media_type'],
  ];
  scenarios(
    'is refused',
    AGENT,
    rows.map(([name, type, body, status, code]) => ({
      ...{ name, method: 'POST', path: PATH, as: 'agent', status, code, body },
      headers: { 'content-type': type },
    })),
  );

  flow('is a broken run where the execution says that there was one', AGENT, async (api) => {
    for (const body of ['', '<html/>', 'Segmentation fault\n']) {
      const sent = await sendReport(api, 'application/xml', body, { query: { exitCode: 139 } });
      const run = sent.must(201).json<Run>();
      expect(run).toMatchObject({ status: 'broken', totals: { tests: 0 } });
      expect(codesOf(run)).toContain('killed');
      expect(codesOf(run)).toContain('no_results');
    }
    const none = await record(api, { execution: { exitCode: 1, consoleTail: 'no such file' } });
    expect(none).toMatchObject({ status: 'broken', execution: { consoleTail: 'no such file' } });
    expect(codesOf(none)).toEqual(['no_report']);
  });
});

describe('a report beside an execution that says otherwise [PQRS-43]', () => {
  const at = (seconds: number) => new Date(Date.UTC(2026, 2, 1, 10, 0, seconds)).toISOString();
  const results = [PASSED, { ...PASSED, name: 'sums' }];
  const falseGreens: [name: string, execution: object, code: string, says: string][] = [
    ['a file that failed to load', { exitCode: 1 }, 'exit_code_disagrees', 'exit code 1'],
    [
      'a file that is missing',
      { exitCode: 0, expectedFiles: ['test/cart.test.ts', 'test/gone.test.ts'] },
      'files_missing',
      'test/gone.test.ts',
    ],
    [
      'a report of yesterday',
      { exitCode: 0, startedAt: at(30), reportModifiedAt: at(10) },
      'report_stale',
      'before the run started',
    ],
    ['a run that was killed', { exitCode: 137 }, 'killed', 'SIGKILL'],
    ['a run that was ended', { signal: 'SIGSEGV' }, 'killed', 'SIGSEGV'],
    [
      'another report',
      { exitCode: 0, reportSha256: 'ab'.repeat(32) },
      'report_sha256_mismatch',
      'SHA-256',
    ],
  ];
  for (const [name, execution, code, says] of falseGreens) {
    flow(`${name} is broken`, AGENT, async (api) => {
      const run = await record(api, { execution, results });
      expect(run).toMatchObject({ status: 'broken', totals: { tests: 2, passed: 2, failed: 0 } });
      expect(run.harnessErrors[0]!.detail).toContain(says);
      expect(codesOf(run)).toEqual([code]);
    });
  }

  flow('no report, with exit code 0, is broken', AGENT, async (api) => {
    const run = await record(api, { execution: { exitCode: 0 } });
    expect(run).toMatchObject({ status: 'broken', harnessErrors: [{ code: 'no_report' }] });
  });

  flow('nothing but skipped is broken', AGENT, async (api) => {
    const run = await record(api, { results: [{ ...PASSED, status: 'skipped' }] });
    expect(run).toMatchObject({ status: 'broken', harnessErrors: [{ code: 'nothing_ran' }] });
  });

  flow('equals that failed and passed are one test, with exit code 0 alone', AGENT, async (api) => {
    const equals = [{ ...PASSED, status: 'failed' }, PASSED];
    const one = { tests: 1, passed: 1, failed: 0, flaky: 1 };
    const own = await record(api, { execution: { exitCode: 0 }, results: equals });
    expect(own).toMatchObject({ status: 'passed', totals: one });
    const xml =
      '<testsuite><testcase name="a"><failure/></testcase><testcase name="a"/></testsuite>';
    const query = { exitCode: 0 };
    const sent = await sendReport(api, 'application/xml', xml, { query });
    expect(sent.must(201).json<Run>()).toMatchObject({ status: 'passed', totals: one });
    const failed = await record(api, { execution: { exitCode: 1 }, results: equals });
    expect(failed).toMatchObject({ status: 'failed', totals: { tests: 2, flaky: 0 } });
  });

  flow('one that agrees is as the report says', AGENT, async (api) => {
    const sha256 = createHash('sha256').update(JUNIT).digest('hex');
    const execution = {
      ...{ exitCode: 1, startedAt: at(0), finishedAt: at(9), reportModifiedAt: at(8) },
      ...{ reportSha256: sha256, expectedFiles: ['test/cart.test.ts'] },
    };
    const parts = [
      { name: 'run', value: JSON.stringify({ execution }) },
      { name: 'report', value: JUNIT },
    ];
    const sent = await api.send('POST', PATH, form(parts, { as: 'agent' }));
    expect(sent.must(201).json<Run>()).toMatchObject({ status: 'failed', harnessErrors: [] });
  });
});
