// Telling which digests were seen.
import { expect, test } from 'bun:test';
import { hash } from 'node:crypto';
import fc from 'fast-check';
import { createSeenDigests } from '../../src/quality/runs/seen-digests.ts';

const digestOf = (value: number) => hash('sha256', String(value), 'base64url').slice(0, 27);

test('a digest was seen when it came before, whatever came between', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(400), { maxLength: 2000 }), (values) => {
      const seen = createSeenDigests();
      const before = new Set<number>();
      for (const value of values) {
        expect(seen(digestOf(value))).toBe(before.has(value));
        before.add(value);
      }
    }),
    { numRuns: 50 },
  );
});

test('a hundred thousand are told apart, those of one suite too', () => {
  const seen = createSeenDigests();
  const all = Array.from({ length: 100_000 }, (_, at) => `shared${digestOf(at).slice(6)}`);
  expect(all.filter((digest) => seen(digest))).toEqual([]);
  expect(all.every((digest) => seen(digest))).toBe(true);
});
