// Reports that test runners wrote of the same few tests with retries: one passes at its second or third
// try, and of a red run one never does. Surefire's are without the properties of the machine.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { judgeRun } from '../../../src/quality/runs/verdict.ts';
import { fixture, lineOf, readAll } from './read-all.ts';

async function judged(name: string, exitCode?: number) {
  const read = await readAll(fixture(`retries/${name}.xml`), { exitCode });
  const execution = exitCode === undefined ? null : { exitCode };
  return { ...read, ...judgeRun({ report: read.summary, execution }) };
}

/** What is expected of a report: tests, passed, failed, skipped, and those that are flaky with their attempts. */
type Row = [name: string, counts: number[], flaky: Record<string, number>];

const GO = { TestPaysLater: 3, 'TestRefunds/card': 2, TestRefunds: 2 };

describe('reports of runs that passed in the end, with exit code 0 and without', () => {
  test.each([
    ['gotestsum-1.13-green', [7, 6, 0, 1], GO],
    ['surefire-2.22.2-green', [4, 3, 0, 1], { paysLater: 3 }],
    ['surefire-3.2.5-green', [4, 3, 0, 1], { paysLater: 3 }],
    ['surefire-3.5.2-green', [4, 3, 0, 1], { paysLater: 3 }],
    ['playwright-1.65-green', [5, 4, 0, 1], { 'pay › pays later': 3 }],
    // These three do not say that a test was tried again; pytest lists the tries as if all had passed.
    ['vitest-4-green', [6, 5, 0, 1], {}],
    ['bun-1.4-green', [6, 5, 0, 1], {}],
    ['pytest-9-green', [6, 5, 0, 1], {}],
  ] as Row[])('%s', async (name, counts, flaky) => {
    for (const exitCode of [0, undefined]) {
      const { results, status, totals, harnessErrors } = await judged(name, exitCode);
      expect([totals.tests, totals.passed, totals.failed, totals.skipped]).toEqual(counts);
      expect({ status, harnessErrors }).toEqual({ status: 'passed', harnessErrors: [] });
      const tried = results
        .filter((one) => one.flaky)
        .map((one) => [one.name, one.attempts.length]);
      expect(Object.fromEntries(tried)).toEqual(flaky);
      expect(totals.flaky).toBe(tried.length);
    }
  });
});

describe('reports of runs that failed, with exit code 1 and without', () => {
  test.each([
    ['gotestsum-1.13-red', [7, 5, 1, 1], { ...GO, TestPaysLater: 2 }],
    ['surefire-2.22.2-red', [4, 2, 1, 1], { paysLater: 3 }],
    ['surefire-3.2.5-red', [4, 2, 1, 1], { paysLater: 3 }],
    ['surefire-3.5.2-red', [4, 2, 1, 1], { paysLater: 3 }],
    ['playwright-1.65-red', [5, 3, 1, 1], { 'pay › pays later': 3 }],
    ['vitest-4-red', [6, 4, 1, 1], {}],
    ['bun-1.4-red', [6, 4, 1, 1], {}],
  ] as Row[])('%s', async (name, counts, flaky) => {
    for (const exitCode of [1, undefined]) {
      const { results, status, totals, harnessErrors } = await judged(name, exitCode);
      expect([totals.tests, totals.passed, totals.failed, totals.skipped]).toEqual(counts);
      expect({ status, harnessErrors }).toEqual({ status: 'failed', harnessErrors: [] });
      const tried = results
        .filter((one) => one.flaky)
        .map((one) => [one.name, one.attempts.length]);
      expect(Object.fromEntries(tried)).toEqual(flaky);
    }
  });
});

const SUITE = (cases: string, go = '') =>
  `<testsuite name="s">${go && '<properties><property name="go.version" value="go1.26"/></properties>'}${cases
    .split(' ')
    .map((one) => {
      const [name, status] = one.split('=');
      const inside = { failed: '<failure message="no"/>', skipped: '<skipped/>' }[status ?? ''];
      return `<testcase name="${name}">${inside ?? ''}</testcase>`;
    })
    .join('')}</testsuite>`;

describe('equals', () => {
  test.each([
    [
      'of no known tool',
      'a=failed a=passed',
      { go: '', exitCode: undefined },
      ['failed', 'passed'],
    ],
    ['of a run that failed', 'a=failed a=passed', { go: '', exitCode: 1 }, ['failed', 'passed']],
    [
      'of a run with exit code 0',
      'a=failed b=passed a=passed',
      { go: '', exitCode: 0 },
      ['passed', 'passed*'],
    ],
    ['that end with a failure', 'a=passed a=failed', { go: '', exitCode: 0 }, ['passed', 'failed']],
    ['of which all failed', 'a=failed a=failed', { go: '', exitCode: 0 }, ['failed', 'failed']],
    [
      'with a pass between',
      'a=failed a=passed a=failed a=passed',
      { go: '', exitCode: 0 },
      ['passed*'],
    ],
    [
      'of Go that failed and passed',
      'a=failed a=passed',
      { go: 'go', exitCode: undefined },
      ['passed*'],
    ],
    ['of Go that all failed', 'a=failed a=failed', { go: 'go', exitCode: 1 }, ['failed']],
    [
      'of Go that passed twice',
      'a=failed a=passed a=passed',
      { go: 'go', exitCode: 1 },
      ['failed', 'passed', 'passed'],
    ],
    ['of Go that all passed', 'a=passed a=passed', { go: 'go', exitCode: 0 }, ['passed', 'passed']],
  ])('%s', async (_, cases, { go, exitCode }, expected) => {
    const { results } = await readAll(SUITE(cases, go), { exitCode });
    expect(results.map(({ status, flaky }) => `${status}${flaky ? '*' : ''}`)).toEqual(expected);
    expect(new Set(results.map(({ testKey }) => testKey)).size).toBe(results.length);
  });

  test('are attempts under the key of the test, each as it went', async () => {
    const { results } = await readAll(SUITE('a=failed a=passed', 'go'));
    const { results: plain } = await readAll(SUITE('a=passed', 'go'));
    expect(results[0]?.testKey).toBe(plain[0]?.testKey);
    expect(results[0]?.attempts).toMatchObject([
      { status: 'failed', message: 'no' },
      { status: 'passed', message: null },
    ]);
  });

  test('of Go say where they failed, as far as it was printed', async () => {
    const { results } = await readAll(fixture('retries/gotestsum-1.13-red.xml'));
    const messages = results.map(({ attempts: [first] }) => first?.message).filter(Boolean);
    expect(messages).toEqual([
      'pay_test.go:13: not yet 0',
      'pay_test.go:13: not yet 0',
      'Failed',
      'pay_test.go:30: never',
    ]);
  });

  test('stand suite by suite in a Go report', async () => {
    const suite = (name: string) =>
      SUITE('a=failed b=passed a=passed', 'go').replace('"s"', `"${name}"`);
    const { results } = await readAll(`<testsuites>${suite('x')}${suite('y')}</testsuites>`);
    expect(results.map(lineOf)).toEqual([
      '- | x | b = passed',
      '- | x | a = passed',
      '- | y | b = passed',
      '- | y | a = passed',
    ]);
  });

  test('lose no outcome and share no key, whatever is tried how often', async () => {
    const outcome = fc.tuple(
      fc.constantFrom('a', 'b'),
      fc.constantFrom('failed', 'passed', 'skipped'),
    );
    const modes = { go: fc.constantFrom('', 'go'), exitCode: fc.constantFrom(0, 1, undefined) };
    await fc.assert(
      fc.asyncProperty(
        fc.array(outcome, { minLength: 1, maxLength: 12 }),
        fc.record(modes),
        async (all, { go, exitCode }) => {
          const { results } = await readAll(SUITE(all.map((one) => one.join('=')).join(' '), go), {
            exitCode,
          });
          const tries = results.flatMap(({ name, status, attempts }) =>
            (attempts.length > 0 ? attempts : [{ status }]).map((one) => `${name}=${one.status}`),
          );
          expect(tries.sort()).toEqual(all.map((one) => one.join('=')).sort());
          expect(new Set(results.map(({ testKey }) => testKey)).size).toBe(results.length);
        },
      ),
    );
  });
});
