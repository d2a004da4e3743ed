// What routes are sorted by fits in a cursor, and tells routes apart.
import { describe, expect, test } from 'bun:test';
import { decodeAnchored, encodeCursor } from '../../src/model/pages.ts';
import { sortText } from '../../src/quality/lists.ts';

describe('what a route is sorted by [PQRS-53] [PQRS-54]', () => {
  test('is template and method where they are short', () => {
    expect(sortText('/orders/{id}', 'GET')).toBe('/orders/{id} GET');
  });

  test('comes back from a cursor whatever it holds, and differs with the end of a template', () => {
    const parts = ['a', 'é', '€', '\u{1f600}', '"', '\\', '\u0001', '\ud800', 'x€', 'ab\u{1f600}'];
    for (const part of parts) {
      for (const times of [1, 15, 16, 31, 32, 47, 95, 96, 118, 2000]) {
        const start = `/${part.repeat(times)}/`;
        const texts = ['a', 'b', '\ud800', '\ud801'].map((end) =>
          sortText(`${start}${end}`, 'GET'),
        );
        expect(new Set(texts).size).toBe(texts.length);
        for (const text of texts) {
          const cursor = encodeCursor('f'.repeat(12), Number.MAX_SAFE_INTEGER, text);
          expect(cursor.length).toBeLessThanOrEqual(300);
          expect(decodeAnchored('f'.repeat(12), cursor)?.anchor).toBe(text);
        }
      }
    }
  });
});
