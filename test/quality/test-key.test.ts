// Keys that tests keep from run to run.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createTestKeys, type KeySubject, testKey } from '../../src/quality/reports/test-key.ts';
import { fileUnder } from '../../src/quality/reports/text.ts';

const subject = (more: Partial<KeySubject> = {}): KeySubject => ({
  ...{ file: 'src/a.test.ts', path: ['math', 'adds'], name: 'two numbers', parameters: null },
  ...more,
});

const subjects = fc.record({
  file: fc.option(fc.string()),
  path: fc.array(fc.string(), { maxLength: 3 }),
  name: fc.string(),
  parameters: fc.option(fc.dictionary(fc.string(), fc.string(), { maxKeys: 3 })),
});

test('a key is what it was: a change would lose every history', () => {
  expect(testKey(subject())).toBe('t1:HPMAZnRicX92u8pT5vHpulNh17_');
  expect(testKey(subject(), 1)).toBe('t1:HPMAZn1vfaYafQoGwBoonZr5Fs_');
  expect(testKey(subject({ parameters: { b: '2', a: '1' } }))).toBe(
    't1:HPMAZnRj5jTyMfJwN6VSEkiIyxJ',
  );
});

describe('what makes a difference', () => {
  const others: Partial<KeySubject>[] = [
    ...[{ file: null }, { file: 'src/b.test.ts' }, { path: ['math'] }, { path: ['math adds'] }],
    ...[{ path: ['adds', 'math'] }, { name: 'two' }, { parameters: { a: '1' } }],
    ...[{ path: ['math'], name: 'adds\0two numbers' }, { parameters: { a: '2' } }],
  ];
  test('file, path, name, parameters, ordinal', () => {
    const keys = [testKey(subject()), testKey(subject(), 1), testKey(subject(), 2)];
    keys.push(...others.map((other) => testKey(subject(other))));
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.every((key) => /^t1:[\w-]{27}$/.test(key))).toBe(true);
  });

  test('not the order of parameters, nor none at all, nor how letters are composed', () => {
    expect(testKey(subject({ parameters: { a: '1', b: '2' } }))).toBe(
      testKey(subject({ parameters: { b: '2', a: '1' } })),
    );
    expect(testKey(subject({ parameters: {} }))).toBe(testKey(subject()));
    expect(testKey(subject({ name: 'café' }))).toBe(testKey(subject({ name: 'cafe\u0301' })));
  });

  test('not where the project lies, nor how the path is written', () => {
    const files = [
      ...[fileUnder('/home/a', '/home/a/src/x.ts'), fileUnder('C:\\ci', 'C:\\ci\\src\\x.ts')],
      ...[fileUnder(undefined, './src/x.ts'), fileUnder('/b/', 'file:///b/src/x.ts')],
    ];
    expect(files).toEqual(Array(4).fill('src/x.ts'));
  });
});

describe('in a report', () => {
  test('equals differ by their order, wherever they stand', () => {
    fc.assert(
      fc.property(fc.array(subjects, { maxLength: 20 }), fc.nat(3), (all, copies) => {
        const many = Array.from({ length: copies + 1 }, () => all).flat();
        const inReport = createTestKeys();
        const keys = many.map((one) => inReport.next(inReport.baseOf(one)));
        expect(new Set(keys).size).toBe(keys.length);
        // The same as one by one, with the ordinal among equals.
        const seen = new Map<string, number>();
        many.forEach((one, at) => {
          const first = testKey(one);
          const ordinal = seen.get(first) ?? 0;
          seen.set(first, ordinal + 1);
          expect(keys[at]).toBe(testKey(one, ordinal));
        });
      }),
    );
  });

  test('a test that is new changes no key of others', () => {
    const [one, two] = [createTestKeys(), createTestKeys()];
    const before = [subject(), subject({ name: 'b' })].map((test) => one.next(one.baseOf(test)));
    const after = [subject({ name: 'new' }), subject(), subject({ name: 'b' })].map((test) =>
      two.next(two.baseOf(test)),
    );
    expect(after.slice(1)).toEqual(before);
  });
});
