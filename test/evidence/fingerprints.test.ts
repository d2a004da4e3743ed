// Fingerprints: what makes two reports the same, and what does not.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { foldNumbers, issueFingerprint, logFingerprint } from '../../src/evidence/issues/create.ts';

describe('folding [PQRS-57]', () => {
  for (const [text, folded] of [
    ['Payment 4711 failed', 'payment # failed'],
    ['took 1.5 s, or 1,500 ms, at 12:30:59', 'took # s, or # ms, at #'],
    ['  two \t spaces\n', 'two spaces'],
    ['user 01890a5d-ac96-774b-bcce-b302099a8057 is gone', 'user # is gone'],
    ['at 0xDEADBEEF', 'at #'],
    ['commit 9f86d081884c7d65', 'commit #'],
    ['a deadbeef decade of facade', 'a deadbeef decade of facade'],
    ['v2', 'v#'],
    ['/users/123/orders/456', '/users/#/orders/#'],
    ['É', 'é'],
    ['e\u0301', 'é'],
    ['', ''],
  ] as const) {
    test(`${JSON.stringify(text)} is ${JSON.stringify(folded)}`, () =>
      expect(foldNumbers(text)).toBe(folded));
  }

  test('does not tell numbers apart, nor case, nor white space', () => {
    const word = fc.stringMatching(/^[g-z]{1,8}$/);
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 5 }),
        fc.nat(),
        fc.nat(),
        (words, a, b) => {
          const text = (n: number, space: string) =>
            words.map((each, at) => (at === 1 ? String(n) : each)).join(space);
          expect(foldNumbers(text(a, ' '))).toBe(foldNumbers(text(b, ' \t\n').toUpperCase()));
        },
      ),
    );
  });

  test('of what is folded changes nothing more', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const once = foldNumbers(text);
        expect(foldNumbers(once)).toBe(once);
      }),
      { numRuns: 1000 },
    );
  });

  // In more than linear time it would not end within the test's.
  test('of a long text is its whole text with the numbers folded', () => {
    for (const [text, folded] of [
      ['a'.repeat(2_000_000), /^a+$/],
      ['0'.repeat(2_000_000), /^[^0-9]+$/],
      ['1.'.repeat(1_000_000), /^[^0-9]+$/],
      ['abcdef-'.repeat(300_000), /^[^0-9]+$/],
      [' '.repeat(2_000_000), /^\s*$/],
      ['1:2,3.'.repeat(300_000), /^[^0-9]+$/],
    ] as const) {
      expect(foldNumbers(text)).toMatch(folded);
    }
  });
});

describe('the fingerprint of an issue [PQRS-57]', () => {
  const issue = {
    title: 'Payment 1 failed',
    route: '/pay/1',
    error: { type: 'TypeError', message: 'x of 1 is undefined' },
  };

  test('is there where a route or an error is', () => {
    expect(issueFingerprint(issue)).toMatch(/^i1:[\w-]{32}$/);
    expect(issueFingerprint({ ...issue, route: null })).toMatch(/^i1:/);
    expect(issueFingerprint({ ...issue, error: null })).toMatch(/^i1:/);
    expect(issueFingerprint({ ...issue, route: null, error: null })).toBeNull();
    expect(issueFingerprint({ ...issue, route: '', error: null })).toBeNull();
  });

  test('is the same for other numbers, another for anything else', () => {
    const own = issueFingerprint(issue);
    expect(
      issueFingerprint({
        title: 'payment 22 FAILED',
        route: '/pay/99',
        error: { type: 'TypeError', message: 'x of 7 is undefined' },
      }),
    ).toBe(own);
    for (const other of [
      { ...issue, title: 'Payment 1 failed again' },
      { ...issue, route: '/payment/1' },
      { ...issue, route: null },
      { ...issue, error: null },
      { ...issue, error: { type: 'RangeError', message: 'x of 1 is undefined' } },
      { ...issue, error: { type: 'TypeError', message: 'y of 1 is undefined' } },
    ]) {
      expect(issueFingerprint(other)).not.toBe(own);
    }
  });

  test('does not mix its parts up', () => {
    const one = issueFingerprint({ title: 'a', route: 'b', error: null });
    expect(issueFingerprint({ title: 'b', route: 'a', error: null })).not.toBe(one);
    expect(
      issueFingerprint({ title: 'a","b', route: '', error: { type: '', message: '' } }),
    ).not.toBe(one);
  });
});

describe('the fingerprint of a log entry [PQRS-64]', () => {
  test('is that of level, source and message', () => {
    const entry = { level: 'error', source: 'shop', message: 'job 1 failed' };
    const own = logFingerprint(entry);
    expect(own).toMatch(/^l1:[\w-]{32}$/);
    expect(logFingerprint({ ...entry, message: 'Job 2 failed' })).toBe(own);
    for (const other of [
      { ...entry, level: 'warn' },
      { ...entry, source: null },
      { ...entry, source: 'Shop' },
      { ...entry, message: 'job' },
    ]) {
      expect(logFingerprint(other)).not.toBe(own);
    }
  });
});
