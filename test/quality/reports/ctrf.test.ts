// CTRF as the schema has it and as people write it.
import { describe, expect, test } from 'bun:test';
import { isCtrf } from '../../../src/quality/reports/ctrf.ts';
import { fixture, lineOf, readAll } from './read-all.ts';

const EMPTY = { tests: 0, passed: 0, failed: 0, skipped: 0, pending: 0, other: 0 };

async function readTests(tests: unknown[], more: object = {}) {
  const results = { tool: { name: 'x' }, summary: {}, tests, ...more };
  return readAll(JSON.stringify({ reportFormat: 'CTRF', specVersion: '0.0.0', results }));
}

const one = async (test: object) =>
  (await readTests([{ name: 't', status: 'passed', duration: 1, ...test }])).results[0]!;

test('a report that is valid to the schema', async () => {
  const { results, summary, codes } = await readAll(fixture('ctrf.json'), {
    root: '/home/ci/project',
  });
  expect(results.map(lineOf)).toEqual([
    'e2e/login.spec.ts | login | signs in = passed',
    'e2e/a.spec.ts | retries = passed',
    '- | retries whole = passed',
    '- | breaks = broken',
    '- | later = skipped',
  ]);
  expect(results[0]?.storyIds).toEqual(['REQ-9', 'REQ-10', 'US-1', 'US-2']);
  expect(results[1]).toMatchObject({
    flaky: true,
    attempts: [
      { status: 'failed', durationMs: 20, message: 'once', trace: 'at a' },
      { status: 'passed', durationMs: 50, message: null, trace: null },
    ],
  });
  expect(results[2]?.attempts.map(({ status, durationMs }) => [status, durationMs])).toEqual([
    ['passed', 50],
    ['failed', null],
  ]);
  expect(results[3]).toMatchObject({ line: 12, message: 'boom', trace: 'at b' });
  expect(results[3]?.parameters).toEqual({ browser: 'firefox', size: '{"w":1}' });
  expect(results[4]?.storyIds).toEqual(['BUG-7']);
  expect(summary.head).toMatchObject({
    ...{ tool: 'playwright', reportId: '3f1c2f6a-0f0e-4a53-9a55-0d2c3c7f8a11', zoned: true },
    ...{ commit: 'abc123', branch: 'main', environment: 'staging', durationMs: 60_000 },
    ...{ startedAt: '2026-03-01T09:00:00.000Z', finishedAt: '2026-03-01T09:01:00.000Z' },
  });
  expect(summary.format).toBe('ctrf');
  expect(codes).toEqual([]);
});

describe('statuses', () => {
  test.each([
    ['passed', undefined, 'passed'],
    ['failed', undefined, 'failed'],
    ['skipped', undefined, 'skipped'],
    ['pending', undefined, 'skipped'],
    ['other', undefined, 'unknown'],
    ['other', 'broken', 'broken'],
    ['failed', 'error', 'broken'],
    ['failed', 'timedOut', 'failed'],
    ['passed', 'error', 'passed'],
    ['PASSED', undefined, 'unknown'],
    ['marvellous', undefined, 'unknown'],
    [undefined, undefined, 'unknown'],
    [7, undefined, 'unknown'],
  ])('%p with rawStatus %p is %s', async (status, rawStatus, expected) => {
    const read = await readTests([{ name: 't', status, rawStatus, duration: 1 }]);
    expect(read.results[0]?.status).toBe(expected as 'passed');
    const isKnown = /^(?:passed|failed|skipped|pending|other)$/.test(String(status));
    expect(read.codes).toEqual(isKnown ? [] : ['invalid_field']);
  });
});

describe('tries', () => {
  const states = async (test: object) => (await one(test)).attempts.map(({ status }) => status);
  test('how many are known though not listed', async () => {
    expect(await states({ flaky: true, retries: 2 })).toEqual(['failed', 'failed', 'passed']);
    expect(await states({ flaky: true })).toEqual(['failed', 'passed']);
    expect(await states({ retries: 1 })).toEqual(['failed', 'passed']);
    expect(await states({ retries: 1, flaky: false })).toEqual([]);
    expect(await states({ retries: 0 })).toEqual([]);
    expect(await states({ retries: 1, status: 'skipped' })).toEqual([]);
    expect(await states({ retries: 1, status: 'failed' })).toEqual(['failed', 'failed']);
  });

  test('never more than a hundred, the last among them', async () => {
    const { attempts, flaky } = await one({ retries: 1_000_000 });
    expect(attempts).toHaveLength(100);
    expect(attempts.at(-1)?.status).toBe('passed');
    expect(flaky).toBe(true);
  });
});

describe('as people write it', () => {
  test('a summary that states more than there is', async () => {
    const { codes } = await readTests([], { summary: { ...EMPTY, tests: 3, passed: 3 } });
    expect(codes).toEqual(['totals_disagree']);
    const fewer = await readTests([{ name: 't', status: 'failed', duration: 1 }], {
      summary: EMPTY,
    });
    expect(fewer.codes).toEqual([]);
  });

  test('fields of any type throw nothing', async () => {
    const odd = [null, 0, '', [], {}, [[[]]], { a: { b: 1 } }, true, 1e300];
    const fields =
      'name status duration suite filePath tags labels retries retryAttempts message trace line parameters extra flaky rawStatus start';
    const tests = odd.flatMap((value) => fields.split(' ').map((field) => ({ [field]: value })));
    const { results } = await readTests(tests);
    expect(results).toHaveLength(tests.length);
    for (const field of ['tool', 'summary', 'environment', 'tests']) {
      for (const value of odd) await readTests([], { [field]: value });
    }
  });
});

test.each([
  [{ reportFormat: 'CTRF' }, true],
  [{ results: { tests: [] } }, true],
  [{ tests: [], summary: {} }, false],
  [{ results: [] }, false],
  [{ tests: [] }, false],
  [[], false],
  [null, false],
])('%j is CTRF: %p', (value, expected) => {
  expect(isCtrf(value)).toBe(expected);
});
