// Query strings: what is read, and what is refused.
import { describe, expect, test } from 'bun:test';
import { Type } from '@sinclair/typebox';
import fc from 'fast-check';
import { Problem } from '../../src/errors.ts';
import { compileQuery } from '../../src/http/api/query.ts';
import { pathOf, searchOf } from '../../src/http/api/request.ts';
import { closed, oneOf } from '../../src/model/schemas.ts';

const read = compileQuery(
  closed({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
    open: Type.Optional(Type.Boolean()),
    q: Type.Optional(Type.String()),
    labels: Type.Optional(Type.Array(Type.String())),
    states: Type.Optional(Type.Array(oneOf(['a', 'b', 'c']))),
  }),
);

function pointersOf(search: string): string[] {
  try {
    read(search);
  } catch (error) {
    if (error instanceof Problem && error.code === 'invalid')
      return error.errors.map((one) => one.pointer);
    throw error;
  }
  return [];
}

describe('a query', () => {
  test('is read by its types', () => {
    expect(read('')).toEqual({});
    expect(read('limit=7&open=true&q=a+b%26c')).toEqual({ limit: 7, open: true, q: 'a b&c' });
    expect(read('open=false&q=')).toEqual({ open: false, q: '' });
    expect(read('labels=a,b&labels=c')).toEqual({ labels: ['a,b', 'c'] });
    expect(read('states=a,b&states=c')).toEqual({ states: ['a', 'b', 'c'] });
  });

  test('tells what is wrong with it', () => {
    expect(pointersOf('colour=red')).toEqual(['/colour']);
    expect(pointersOf('limit=1&limit=1')).toEqual(['/limit']);
    expect(pointersOf('colour=red&limit=1&limit=2&x=1')).toEqual(['/colour', '/limit', '/x']);
    expect(pointersOf('states=a,d')).toEqual(['/states/1']);
    expect(pointersOf('q=a%00b')).toEqual(['/q']);
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      expect(pointersOf(`${name}=1`)).toEqual([`/${name}`]);
    }
    for (const value of ['', '0', '201', '1.0', '1e1', '+1', ' 1', '0x1', '٣', 'NaN', '-0.5']) {
      expect(pointersOf(`limit=${encodeURIComponent(value)}`)).toEqual(['/limit']);
    }
    for (const value of ['', '1', 'TRUE', 'yes', 'null'])
      expect(pointersOf(`open=${value}`)).toEqual(['/open']);
  });

  test('gives back any text that was put into it, but for NUL', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.array(fc.string(), { minLength: 1, maxLength: 5 }),
        (q, labels) => {
          fc.pre(![q, ...labels].some((text) => text.includes('\0')));
          const search = new URLSearchParams([
            ['q', q],
            ...labels.map((label): [string, string] => ['labels', label]),
          ]);
          expect(read(String(search))).toEqual({ q, labels });
        },
      ),
    );
  });

  test('of whatever kind is read or refused as invalid, and nothing else', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webQueryParameters()), (search) => {
        pointersOf(search);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the parts of an address', () => {
  const request = (url: string) => ({ url }) as Request;

  test('are cut out as they stand', () => {
    for (const [url, path, search] of [
      ['http://a/api/x', '/api/x', ''],
      ['http://a/api/x?', '/api/x', ''],
      ['http://a/api/x?a=/b?c', '/api/x', 'a=/b?c'],
      ['http://a/x#f', '/x', ''],
      ['http://a/x?a=1#f?b', '/x', 'a=1'],
      ['http://a/x#f?a=1', '/x', 'a=1'],
      ['https://[::1]:4870//x/%2e%2e', '//x/%2e%2e', ''],
      ['http://localhost:99999/x?y', '/x', 'y'],
    ] as const) {
      expect(pathOf(request(url))).toBe(path);
      if (!url.includes('#f?')) expect(searchOf(request(url))).toBe(search);
    }
  });

  test('are those that URL finds', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (text) => {
        const url = new URL(text);
        expect(pathOf(request(url.href))).toBe(url.pathname);
        if (!url.hash.includes('?')) expect(searchOf(request(url.href))).toBe(url.search.slice(1));
      }),
    );
  });
});
