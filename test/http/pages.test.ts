// Pages and their cursors, without a database.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { Problem } from '../../src/errors.ts';
import { nextLink } from '../../src/http/api/reply.ts';
import { decodeCursor, encodeCursor, filterHash, pageOf } from '../../src/model/pages.ts';

const refused = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem) return error.errors[0]?.pointer ?? error.code;
    throw error;
  }
  return 'taken';
};

describe('a cursor [PQRS-76]', () => {
  test('brings its key back, for its own filters alone', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.string(), fc.string(), (key, filters, others) => {
        const cursor = encodeCursor(filters, key);
        expect(cursor).toMatch(/^[\w-]+$/);
        expect(decodeCursor(filters, cursor)).toBe(key);
        if (filters !== others) expect(refused(() => decodeCursor(others, cursor))).toBe('/cursor');
      }),
    );
  });

  test('that is none of ours is refused, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.base64String(),
          fc.json().map((text) => Buffer.from(text).toString('base64url')),
        ),
        (text) => {
          expect(refused(() => decodeCursor('filters', text))).toBe('/cursor');
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('may be missing', () => expect(decodeCursor('x', undefined)).toBeUndefined());
});

describe('the hash of filters', () => {
  test('is that of the same filters, in whatever order, without place and size of the page', () => {
    const hash = filterHash('list', { a: '1', b: ['x', 'y'] });
    expect(
      filterHash('list', { b: ['x', 'y'], a: '1', limit: 3, cursor: 'c', none: undefined }),
    ).toBe(hash);
    for (const b of [
      ['y', 'x'],
      ['x', 'y', 'x'],
    ])
      expect(filterHash('list', { a: '1', b })).toBe(hash);
    for (const other of [
      { a: '2', b: ['x', 'y'] },
      { a: '1' },
      { a: '1', b: ['x'] },
      { a: '1', b: 'x,y' },
      {},
    ]) {
      expect(filterHash('list', other)).not.toBe(hash);
    }
    expect(filterHash('other', { a: '1', b: ['x', 'y'] })).not.toBe(hash);
  });
});

describe('pages [PQRS-76]', () => {
  /** A list by falling keys, read a page at a time as a handler does. */
  function walk(keys: number[], limit: number): { seen: number[]; pages: number } {
    const seen: number[] = [];
    let cursor: string | undefined;
    for (let pages = 1; ; pages += 1) {
      const behind = decodeCursor('f', cursor);
      const rows = keys.filter((key) => behind === undefined || key < behind).slice(0, limit + 1);
      const page = pageOf(
        rows,
        limit,
        'f',
        (key) => key,
        (key) => key,
      );
      seen.push(...page.items);
      if (page.nextCursor === null) return { seen, pages };
      cursor = page.nextCursor;
    }
  }

  test('show every row once, in order, and no empty page at the end', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(), { maxLength: 40 }),
        fc.integer({ min: 1, max: 10 }),
        (numbers, limit) => {
          const keys = numbers.sort((a, b) => b - a);
          const { seen, pages } = walk(keys, limit);
          expect(seen).toEqual(keys);
          expect(pages).toBe(Math.max(1, Math.ceil(keys.length / limit)));
        },
      ),
    );
  });
});

describe('the link to the next page', () => {
  const page = { items: [], nextCursor: 'WzFd' };
  const link = (url: string) => nextLink({ url } as Request, page).Link;

  test('keeps the query and says /api under either prefix', () => {
    const expected = '</api/issues?labels=a&labels=b%26c&limit=2&cursor=WzFd>; rel="next"';
    expect(link('http://h/api/issues?labels=a&labels=b%26c&limit=2')).toBe(expected);
    expect(link('http://h/api/v1/issues?labels=a&labels=b%26c&limit=2')).toBe(expected);
    expect(link('http://h/api/issues')).toBe('</api/issues?cursor=WzFd>; rel="next"');
    expect(link('http://h/api/issues?cursor=old&limit=1')).toBe(
      '</api/issues?cursor=WzFd&limit=1>; rel="next"',
    );
    expect(
      nextLink({ url: 'http://h/api/issues' } as Request, { items: [], nextCursor: null }),
    ).toEqual({});
  });

  test('is not ended by anything in the query', () => {
    fc.assert(
      fc.property(fc.string(), (q) => {
        const header = link(`http://h/api/issues?${new URLSearchParams({ q })}`)!;
        expect(header).toMatch(/^<[^<>\s"]*>; rel="next"$/);
      }),
    );
  });
});
