// Which bytes a Range request gets (RFC 9110 section 14).
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { contentRange, resolveRange } from '../../src/http/files/ranges.ts';

const FULL = { kind: 'full' } as const;
const NONE = { kind: 'unsatisfiable' } as const;
const part = (start: number, end: number) => ({ kind: 'partial', start, end }) as const;

describe('resolveRange [PQRS-62]', () => {
  test.each([
    [null, 1000, FULL],
    [undefined, 1000, FULL],
    ['bytes=0-499', 1000, part(0, 499)],
    ['bytes=500-999', 1000, part(500, 999)],
    ['bytes=-500', 1000, part(500, 999)],
    ['bytes=9500-', 10000, part(9500, 9999)],
    ['bytes=0-0', 1000, part(0, 0)],
    ['bytes=-1', 1000, part(999, 999)],
    ['BYTES=0-0', 1000, part(0, 0)],
    ['bytes= 0-0 ', 1000, part(0, 0)],
    ['bytes=,0-0,', 1000, part(0, 0)],
    ['bytes=0-5000', 1000, part(0, 999)],
    ['bytes=0-99999999999999999999999999', 1000, part(0, 999)],
    ['bytes=-5000', 1000, part(0, 999)],
    ['bytes=000-0009', 1000, part(0, 9)],
    ['bytes=1000-', 1000, NONE],
    ['bytes=1000-1001', 1000, NONE],
    ['bytes=99999999999999999999999999-', 1000, NONE],
    ['bytes=-0', 1000, NONE],
    ['bytes=0-', 0, NONE],
    ['bytes=-5', 0, FULL],
    ['bytes=5-4', 1000, FULL],
    ['bytes=0-0,5-9', 1000, FULL],
    ['bytes=-', 1000, FULL],
    ['bytes=', 1000, FULL],
    ['bytes=a-b', 1000, FULL],
    ['bytes=+1-2', 1000, FULL],
    ['bytes=1-2-3', 1000, FULL],
    ['bytes=1.5-2', 1000, FULL],
    ['bytes=0x1-2', 1000, FULL],
    ['bytes 0-1', 1000, FULL],
    ['items=0-1', 1000, FULL],
    ['0-1', 1000, FULL],
  ] as const)('%p of %p bytes', (header, size, expected) => {
    expect(resolveRange(header, size)).toEqual(expected);
  });

  test.each([
    ['"a"', '"a"', part(0, 1)],
    ['"b"', '"a"', FULL],
    ['W/"a"', '"a"', FULL],
    ['W/"a"', 'W/"a"', FULL],
    ['Wed, 21 Oct 2026 07:28:00 GMT', '"a"', FULL],
    ['"a"', undefined, FULL],
    ['', '"a"', FULL],
    [null, '"a"', part(0, 1)],
  ] as const)('If-Range %p against %p', (ifRange, etag, expected) => {
    expect(resolveRange('bytes=0-1', 10, ifRange, etag)).toEqual(expected);
  });

  test('whatever is asked, the part lies within the file and is not empty', () => {
    const numeral = fc.oneof(fc.nat(50).map(String), fc.constant(''), fc.string({ maxLength: 3 }));
    fc.assert(
      fc.property(numeral, numeral, fc.nat(40), (first, last, size) => {
        const range = resolveRange(`bytes=${first}-${last}`, size);
        if (range.kind !== 'partial') return;
        expect(range.start).toBeGreaterThanOrEqual(0);
        expect(range.end).toBeGreaterThanOrEqual(range.start);
        expect(range.end).toBeLessThan(size);
      }),
      { numRuns: 2000 },
    );
  });

  test('a slice of valid bounds is what was asked for', () => {
    fc.assert(
      fc.property(fc.nat(100), fc.nat(100), fc.integer({ min: 1, max: 100 }), (a, b, size) => {
        const [start, end] = [Math.min(a, b), Math.max(a, b)];
        expect(resolveRange(`bytes=${start}-${end}`, size)).toEqual(
          start >= size ? NONE : part(start, Math.min(end, size - 1)),
        );
      }),
    );
  });
});

test('contentRange names a part, or the size alone', () => {
  expect(contentRange(10, { start: 2, end: 9 })).toBe('bytes 2-9/10');
  expect(contentRange(10)).toBe('bytes */10');
});
