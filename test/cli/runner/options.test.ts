// What the options of the clients say, and that a wrong one is told.
import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { claimBody, readSelection } from '../../../src/cli/runner/claims.ts';
import { baseUrl, readConnection, wholeNumber } from '../../../src/cli/runner/connection.ts';
import { durationText, totalsText } from '../../../src/cli/runner/output.ts';
import { resultOfExit } from '../../../src/cli/runner/own-report.ts';
import { whyNotAgain } from '../../../src/cli/runner/resume.ts';
import { readSuite } from '../../../src/cli/runner/suite.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

function callOf(values: Record<string, string>) {
  return { text: (name: string) => values[name] };
}

describe('the connection', () => {
  test('comes from flags, then from the environment', async () => {
    const file = join(temporaryFolder('token'), 'token');
    writeFileSync(file, 'from-file\n');
    const url = 'http://127.0.0.1:4870';
    const environment = { PQRS_URL: 'http://other', PQRS_TOKEN: 'from-environment' };
    const given = callOf({ url, 'token-file': file });
    expect(await readConnection(given, environment)).toEqual({ url, token: 'from-file' });
    expect(await readConnection(callOf({}), environment)).toEqual({
      url: 'http://other',
      token: 'from-environment',
    });
    const both = { ...environment, PQRS_TOKEN_FILE: file };
    expect((await readConnection(callOf({}), both)).token).toBe('from-file');
  });

  test.each([
    [{}, {}, '--url or PQRS_URL is required'],
    [{ url: 'nowhere' }, {}, 'not the address of a server'],
    [{ url: 'ftp://a' }, {}, 'not the address of a server'],
    [{ url: 'http://u:p@a' }, {}, 'no user'],
    [{ url: 'http://a' }, {}, '--token-file, PQRS_TOKEN_FILE or PQRS_TOKEN is required'],
    [{ url: 'http://a', 'token-file': '/none/of/it' }, {}, 'cannot be read'],
    [{ url: 'http://a' }, { PQRS_TOKEN: 'a b' }, 'is none'],
  ])('%j with %j is refused', async (flags, environment, why) => {
    await expect(readConnection(callOf(flags), environment)).rejects.toThrow(why);
  });

  test.each([
    ['http://a', 'http://a'],
    ['https://a/', 'https://a'],
    ['https://a/pqrs/', 'https://a/pqrs'],
    ['https://a/api/v1/', 'https://a'],
    ['https://a/pqrs/api', 'https://a/pqrs'],
  ])('to %s goes to %s', (text, url) => {
    expect(baseUrl(text)).toBe(url);
  });
});

test('numbers are whole and in range', () => {
  const number = (text: string) =>
    wholeNumber(callOf({ n: text }), 'n', { least: 1, most: 10, fallback: undefined });
  expect(number('10')).toBe(10);
  expect(wholeNumber(callOf({}), 'n', { fallback: 7 })).toBe(7);
  for (const text of ['0', '11', '1.5', '-1', '', 'many', '99999999999999999'])
    expect(() => number(text)).toThrow('--n must be a whole number from 1 to 10');
});

describe('what an agent works on', () => {
  const none = { plan: undefined, commands: undefined, strategy: undefined };
  const strategies = ['risk', 'full'];

  test('is a plan, commands, or a plan by a strategy', () => {
    expect(readSelection(none, strategies)).toEqual({ type: 'strategy', strategy: 'risk' });
    expect(readSelection({ ...none, plan: 'pln_1' }, strategies)).toEqual({
      type: 'plan',
      planId: 'pln_1',
    });
    expect(readSelection({ ...none, commands: 'a, b,a' }, strategies)).toEqual({
      type: 'commands',
      commands: ['a', 'b'],
    });
  });

  test.each([
    [{ ...none, plan: 'p', strategy: 'risk' }, '--plan and --strategy exclude each other'],
    [{ ...none, commands: 'a,,b' }, 'without a name'],
    [{ ...none, strategy: 'luck' }, 'there are risk, full'],
  ])('%j is refused', (given, why) => {
    expect(() => readSelection(given, strategies)).toThrow(why);
  });

  test('is claimed with what was said, and no more', () => {
    const agent = { name: 'a', version: '1', kinds: ['shell'] };
    const options = { agent, maxItems: 5, leaseMs: undefined };
    expect(claimBody({ planId: 'p' }, options)).toEqual({ planId: 'p', agent, maxItems: 5 });
    expect(claimBody({ commandIds: ['c'] }, { ...options, leaseMs: 9000 })).toEqual({
      ...{ commandIds: ['c'], agent, maxItems: 5, leaseMs: 9000 },
    });
  });

  test('is a suite in the order of its positions, filled in', () => {
    const lease = { id: 'l', token: 't', expiresAt: '', renewAfterMs: 1 };
    const items = [
      { runId: 'run_2', position: 2 },
      { runId: 'run_1', position: 1, argv: ['a'] },
    ];
    const suite = readSuite({ id: 's', items, lease });
    expect(suite?.items.map(({ runId }) => runId)).toEqual(['run_1', 'run_2']);
    expect(suite?.items[1]).toMatchObject({ argv: [], kind: 'shell', report: { format: 'none' } });
    for (const body of [undefined, null, {}, { id: 's', items: [] }])
      expect(readSuite(body)).toBeUndefined();
  });
});

describe('an item that an agent was ended with', () => {
  const command = { commandId: 'cmd_1' };

  test('is run again unless its command says otherwise', async () => {
    expect(await whyNotAgain(command, 1, async () => 'retry')).toBeUndefined();
    expect(await whyNotAgain(command, 1, async () => undefined)).toBeUndefined();
    expect(await whyNotAgain(command, 1, async () => 'fail')).toContain('not to be run again');
    expect(await whyNotAgain({ commandId: null }, 1, async () => 'fail')).toBeUndefined();
  });

  test('is not run for ever', async () => {
    expect(await whyNotAgain(command, 2, async () => 'retry')).toBeUndefined();
    expect(await whyNotAgain(command, 3, async () => 'retry')).toContain('ended 3 times');
  });
});

test.each([
  [
    { exitCode: 0, signal: null },
    { status: 'passed', message: null },
  ],
  [
    { exitCode: 2, signal: null },
    { status: 'failed', message: 'exit code 2' },
  ],
  [
    { exitCode: 0, signal: 'SIGTERM' },
    { status: 'broken', message: 'ended by SIGTERM' },
  ],
  [
    { exitCode: null, signal: null },
    { status: 'broken', message: 'ended without an exit code' },
  ],
])('an exit of %j is %j', (end, result) => {
  expect(resultOfExit(end)).toEqual(result as ReturnType<typeof resultOfExit>);
});

test('figures are written for people', () => {
  expect([12, 12_345, 245_900].map(durationText)).toEqual(['12 ms', '12.3 s', '4 min 5 s']);
  const totals = { tests: 3, passed: 1, failed: 2, broken: 0, skipped: 0, unknown: 0, flaky: 1 };
  expect(totalsText(totals)).toBe('3 tests: 1 passed, 2 failed, 1 flaky');
  const one = { ...totals, tests: 1, failed: 0, flaky: 0 };
  expect(totalsText(one)).toBe('1 test: 1 passed');
});
