// Numbers, times, files and texts of reports.
import { describe, expect, test } from 'bun:test';
import {
  boundedName,
  boundedPath,
  boundedText,
  fileUnder,
  plainFile,
  readTime,
  rfc3339,
  secondsToMs,
} from '../../../src/quality/reports/text.ts';

test.each([
  ['1.5', 1500],
  ['0.', 0],
  ['0', 0],
  ['.25', 250],
  ['1e-05', 0],
  ['1,234.567', 1_234_567],
  ['1,234', 1_234_000],
  ['1e20', 31_622_400_000],
  ['', null],
  [' ', null],
  ['-1', null],
  ['NaN', null],
  ['<<computed>>', null],
  ['12,5', null],
  ['2.5s', null],
  [undefined, null],
])('%p seconds are %p ms', (text, ms) => {
  expect(secondsToMs(text)).toBe(ms);
});

test.each([
  ['2026-03-01T10:00:00Z', '2026-03-01T10:00:00.000Z', true],
  ['2026-03-01T10:00:00.734943+02:00', '2026-03-01T08:00:00.734Z', true],
  ['2026-03-01T10:00:00.5+0200', '2026-03-01T08:00:00.500Z', true],
  ['2026-03-01 10:00:00 -03', '2026-03-01T13:00:00.000Z', true],
  ['2026-03-01T10:00:00', '2026-03-01T10:00:00.000Z', false],
  ['2026-03-01T10:00', '2026-03-01T10:00:00.000Z', false],
  ['2026-03-01', '2026-03-01T00:00:00.000Z', false],
  ['1772359200', '2026-03-01T10:00:00.000Z', true],
  ['1772359200000', '2026-03-01T10:00:00.000Z', true],
  ['2026-13-45T99:00:00Z', undefined, true],
  ['yesterday', undefined, true],
  ['', undefined, true],
])('the time %s', (text, expected, zoned) => {
  const time = readTime(text);
  expect(time === null ? undefined : rfc3339(time.ms)).toBe(expected);
  if (time !== null) expect(time.zoned).toBe(zoned);
});

describe('files', () => {
  test.each([
    ['src\\a\\b.test.ts', 'src/a/b.test.ts'],
    ['./a/./b/../c.ts', 'a/c.ts'],
    ['../up/x.py', '../up/x.py'],
    ['file:///home/a%20b/c.ts', '/home/a b/c.ts'],
    ['file:///C:/a/c.ts', 'C:/a/c.ts'],
    ['file:///bad%zz', '/bad%zz'],
    ['a//b.ts', 'a/b.ts'],
    ['/a/../../b.ts', '/b.ts'],
  ])('%s is %s', (file, plain) => {
    expect(plainFile(file)).toBe(plain);
    expect(plainFile(plain)).toBe(plain);
  });

  test.each([
    ['/home/ci', '/home/ci/a.ts', 'a.ts'],
    ['/home/ci/', '/home/ci/b/a.ts', 'b/a.ts'],
    ['/home/ci', '/home/cinema/a.ts', '/home/cinema/a.ts'],
    ['/home/ci', 'a.ts', 'a.ts'],
    ['C:\\ci', 'c:/CI/a.ts', 'a.ts'],
    ['.', 'a.ts', 'a.ts'],
    ['', '/a.ts', '/a.ts'],
    [undefined, '/a.ts', '/a.ts'],
  ])('under %p %s is %s', (root, file, relative) => {
    expect(fileUnder(root, file)).toBe(relative);
  });
});

const boundedTrace = (text: string) => boundedText(text, 64 * 1024);

describe('texts', () => {
  test('bounded in bytes, well-formed, the same where short', () => {
    for (const unit of ['x', 'ä', '😀', 'a😀']) {
      const bounded = boundedTrace(unit.repeat(70_000)) ?? '';
      expect(Buffer.byteLength(bounded)).toBeLessThanOrEqual(64 * 1024);
      expect(Buffer.byteLength(bounded)).toBeGreaterThan(64 * 1024 - 8);
      expect(bounded.isWellFormed()).toBe(true);
    }
    expect(boundedTrace('plain\n\ttext')).toBe('plain\n\ttext');
    expect(boundedTrace(' \n ')).toBeNull();
    expect(boundedTrace('\ud800x\u0000')).toBe('\ufffdx');
    expect(boundedTrace('\u001b]8;;http://x\u0007link\u001b]8;;\u0007')).toBe('link');
  });

  test('names cut short still differ', () => {
    const [one, two] = [`${'x'.repeat(2000)}1`, `${'x'.repeat(2000)}2`].map((name) =>
      boundedName(name),
    );
    expect(one).not.toBe(two);
    expect(one?.length).toBe(1024);
    expect(boundedPath(Array(100).fill('a'))).toHaveLength(64);
    expect(boundedPath([' ', 'a', ''])).toEqual(['a']);
  });
});
