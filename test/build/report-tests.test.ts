// `npm test` reports what it ran: Bun's report taken apart by files, each a run of its command, and a
// line where that fails.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  reportsByFile,
  reportTarget,
  reportTests,
  withoutReporting,
} from '../../scripts/report-tests.mjs';
import { type Instance, openInstance } from '../support/instance.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const suite = (file: string, cases: string, count: number, failures = 0) =>
  `  <testsuite name="${file}" file="${file}" tests="${count}" failures="${failures}" skipped="0" time="0.25">\n${cases}  </testsuite>\n`;
const passed = (name: string) => `    <testcase name="${name}" classname="" time="0.1" />\n`;
const failed = (name: string) =>
  `    <testcase name="${name}" classname="" time="0.1">\n      <failure message="no" />\n    </testcase>\n`;
const junit = (...suites: string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="bun test" tests="9">\n${suites.join('')}</testsuites>\n`;

const REPORT = junit(
  suite('test/a.test.ts', passed('pays [US-1]') + passed('again'), 2),
  suite('test/b &amp; c.test.ts', failed('sends [US-2]'), 1, 1),
  '  <testsuite name="test/none.test.ts" tests="0" time="0" />\n',
  suite(
    'test/d.test.ts',
    `    <testsuite name="nested" tests="1" time="0">\n  ${passed('x')}    </testsuite>\n`,
    1,
  ),
);

describe('a report of Bun', () => {
  test('is taken apart by files, each of them well-formed by itself', () => {
    const reports = reportsByFile(REPORT);
    expect(reports.map(({ file }) => file)).toEqual([
      ...['test/a.test.ts', 'test/b & c.test.ts', 'test/none.test.ts', 'test/d.test.ts'],
    ]);
    for (const { xml } of reports) {
      expect(xml.match(/<testsuite[ >]/g)?.length).toBe(
        (xml.match(/<\/testsuite>|tests="0" time="0" \/>/g) ?? []).length,
      );
      expect(xml.match(/^ {2}<testsuite/gm)?.length).toBe(1);
    }
  });

  test('of what Bun really writes gives every file once', async () => {
    const folder = temporaryFolder('junit');
    for (const name of ['one', 'two']) {
      writeFileSync(
        join(folder, `${name}.test.ts`),
        `import { describe, expect, test } from 'bun:test';
         describe('a > b & "c"', () => { test('</testsuite> [US-9]', () => { expect(1).toBe(1); }); });
         test('fails', () => { expect('\\n  </testsuite>\\n').toBe('x'); });`,
      );
    }
    const outfile = join(folder, 'junit.xml');
    const options = ['--reporter=junit', `--reporter-outfile=${outfile}`];
    const run = Bun.spawn([process.execPath, 'test', ...options], {
      ...{ cwd: folder, stdout: 'ignore', stderr: 'ignore' },
    });
    expect(await run.exited).toBe(1);
    const reports = reportsByFile(await Bun.file(outfile).text());
    expect(reports.map(({ file }) => file).sort()).toEqual(['one.test.ts', 'two.test.ts']);
  });
});

test('where to report to is told by the environment, which the tests do not see', () => {
  expect(reportTarget({})).toBeUndefined();
  expect(reportTarget({ PQRS_REPORT_URL: 'http://x/', PQRS_REPORT_TOKEN: 't' })).toEqual({
    ...{ url: 'http://x', token: 't' },
  });
  const file = join(temporaryFolder('token'), 'token');
  writeFileSync(file, 'secret\n');
  expect(reportTarget({ PQRS_REPORT_URL: 'http://x', PQRS_REPORT_TOKEN_FILE: file })?.token).toBe(
    'secret',
  );
  expect(() => reportTarget({ PQRS_REPORT_URL: 'http://x' })).toThrow('token');
  expect(() =>
    reportTarget({ PQRS_REPORT_URL: 'http://x', PQRS_REPORT_TOKEN_FILE: `${file}-none` }),
  ).toThrow();
  expect(withoutReporting({ PQRS_REPORT_TOKEN: 't', PQRS_URL: 'u', HOME: 'h' })).toEqual({
    ...{ PQRS_URL: 'u', HOME: 'h' },
  });
});

describe('a run of the tests that is reported', () => {
  let instance: Instance;
  let token: string;
  let url: string;
  beforeAll(async () => {
    instance = await openInstance();
    token = (await instance.makeProject('reported')).token;
    ({ url } = await instance.listening());
  });
  afterAll(() => instance.close());

  const ask = async <T>(path: string, json?: object): Promise<T> => {
    const init = json && {
      method: 'POST',
      body: JSON.stringify(json),
      headers: { 'content-type': 'application/json' },
    };
    return (await (await instance.fetch(`/api${path}`, { token, ...init })).json()) as T;
  };
  async function report(xml: string | undefined, expected: string[] = [], over: object = {}) {
    const folder = temporaryFolder('reported');
    mkdirSync(folder, { recursive: true });
    const path = join(folder, 'junit.xml');
    const startedAt = new Date(Date.now() - 1000);
    if (xml !== undefined) writeFileSync(path, xml);
    const said: string[] = [];
    const target = { url, token, ...over };
    await reportTests({ target, junit: path, startedAt, expected }, (line) => said.push(line));
    return said;
  }

  test('becomes a run for each file, of the command that has its path as its key', async () => {
    const command = await ask<{ id: string }>('/test-commands', {
      ...{ key: 'test/a.test.ts', kind: 'manual' },
    });
    await ask('/test-commands', { key: 'test/lost.test.ts', kind: 'manual' });
    const two = reportsByFile(REPORT).slice(0, 2);
    const xml = REPORT.replace(
      / {2}<testsuite name="test\/(?:none|d)[\s\S]*(?=<\/testsuites>)/,
      '',
    );
    expect(reportsByFile(xml)).toEqual(two);
    const said = await report(xml, ['test/a.test.ts', 'test/lost.test.ts']);
    expect(said).toEqual([`Reported to ${url}: 3 test files, 1 passed, 1 failed, 1 broken.`]);
    interface Run {
      name: string;
      status: string;
      commandId: string | null;
      agent: { name: string };
    }
    const { items } = await ask<{ items: Run[] }>('/test-runs');
    expect(items.map(({ name, status }) => [name, status])).toEqual([
      ['test/lost.test.ts', 'broken'],
      ['test/b & c.test.ts', 'failed'],
      ['test/a.test.ts', 'passed'],
    ]);
    expect(items.at(-1)).toMatchObject({ commandId: command.id, agent: { name: 'npm test' } });
    expect(items[1]?.commandId).toBeNull();
    const links = await ask<{ items: { storyId: string }[] }>('/project-traceability?view=traces');
    expect(links.items).toEqual([]);
  });

  test('that cannot be reported is told of in a line, and throws nothing', async () => {
    expect(await report(undefined)).toEqual([
      `The tests were not reported to ${url}: Bun left no report.`,
    ]);
    const refused = await report(REPORT, [], { token: 'pqrs_wrong' });
    expect(refused).toHaveLength(1);
    expect(refused[0]).toStartWith(`The tests were not reported to ${url}: 401 `);
    const gone = 'http://127.0.0.1:1';
    expect((await report(REPORT, [], { url: gone }))[0]).toStartWith(
      `The tests were not reported to ${gone}: `,
    );
    expect(await report(junit())).toEqual([
      `Reported to ${url}: 0 test files, 0 passed, 0 failed, 0 broken.`,
    ]);
  });
});
