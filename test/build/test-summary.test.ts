// The last line of `npm test`: what is counted, and that nothing broken passes for success.
import { describe, expect, test } from 'bun:test';
import { failuresIn, summarize, summaryLine } from '../../scripts/test-summary.mjs';

const output = (...lines: string[]) =>
  `test/a.test.ts:\n(pass) a [0.05ms]\n\n${lines.join('\n')}\n`;

describe('a run of bun test', () => {
  test('counts what passed, failed and was skipped or is still to do', () => {
    const text = output(' 12 pass', ' 2 skip', ' 1 todo', ' 3 fail', ' 40 expect() calls');
    expect(summarize(text, 1)).toEqual({ passed: 12, failed: 3, skipped: 3 });
  });

  test('reads the summary in colour too', () => {
    const text = output('\u001b[32m 7 pass\u001b[0m', '\u001b[2m 0 fail\u001b[0m');
    expect(summarize(text, 0)).toEqual({ passed: 7, failed: 0, skipped: 0 });
  });

  test('believes the summary, not a like line that a test printed before it', () => {
    const text = output(' 99 fail', ' 7 pass', ' 0 fail');
    expect(summarize(text, 0)).toEqual({ passed: 7, failed: 0, skipped: 0 });
  });

  test.each([
    ['a file that did not load', output(' 2 pass', ' 1 fail', ' 1 error'), 1],
    ['an error between tests', output(' 2 pass', ' 0 fail', ' 1 error'), 1],
    ['a non-zero exit', output(' 2 pass', ' 0 fail'), 1],
    ['a crash, which prints no summary', 'panic', 132],
    ['no test at all', output(' 0 pass', ' 0 fail'), 0],
    ['no output at all', '', 0],
  ])('has one failure after %s', (_, text, exitCode) => {
    expect(summarize(text, exitCode).failed).toBe(1);
  });
});

describe('the tests that failed', () => {
  test.each([
    ['(fail) ', ''],
    ['\u001b[31m✗\u001b[0m \u001b[1m', '\u001b[0m'],
  ])('are named with their files, each once: %j', (before, after) => {
    const failed = (name: string) => `${before}${name}${after}`;
    const own = [failed('a > b [5.00ms]'), 'test/b.test.ts:', '(pass) c', failed('d [1.00ms]')];
    const again = ['', '2 tests failed:', failed('a > b [5.00ms]'), failed('d [1.00ms]')];
    const named = ['test/a.test.ts: a > b [5.00ms]', 'test/b.test.ts: d [1.00ms]'];
    expect(failuresIn(output(...own, ...again))).toEqual(named);
  });
});

describe('the last line', () => {
  test('names skipped tests only where there are any', () => {
    expect(summaryLine({ passed: 3, failed: 0, skipped: 0 })).toBe('3 passed, 0 failed');
    expect(summaryLine({ passed: 3, failed: 1, skipped: 2 })).toBe('3 passed, 1 failed, 2 skipped');
  });
});
