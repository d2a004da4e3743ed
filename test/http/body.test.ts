// Strict JSON, and the texts that are refused in it.
import { describe, expect, test } from 'bun:test';
import { Type } from '@sinclair/typebox';
import fc from 'fast-check';
import { Problem, type ProblemCode } from '../../src/errors.ts';
import { type BodyReader, entriesBody, jsonBody, parseJson } from '../../src/http/api/body.ts';
import { readBody } from '../../src/http/api/request-body.ts';
import { DEFAULT_LIMITS } from '../../src/limits.ts';
import { closed } from '../../src/model/schemas.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

function codeOf(work: () => unknown): ProblemCode | undefined {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
  return undefined;
}

const requestOf = (headers: Record<string, string>, body: BodyOf = null) =>
  new Request('http://a/', { method: 'POST', headers, body });
type BodyOf = string | ReadableStream | null;

describe('parseJson [PQRS-79]', () => {
  const hostile = (value: unknown): boolean => {
    if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed();
    if (typeof value === 'number') return !Number.isFinite(value);
    if (typeof value !== 'object' || value === null) return false;
    return Object.entries(value).some(
      ([name, item]) => name === '__proto__' || hostile(name) || hostile(item),
    );
  };

  test('gives back any JSON that holds nothing hostile', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        fc.pre(!hostile(JSON.parse(text)));
        expect(parseJson(bytesOf(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  test('reads, or refuses as malformed or invalid, whatever bytes come', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect([undefined, 'malformed_body', 'invalid']).toContain(codeOf(() => parseJson(bytes)));
      }),
      { numRuns: 2000 },
    );
  });

  test('takes 32 levels and no more', () => {
    const nested = (levels: number) => bytesOf('['.repeat(levels) + ']'.repeat(levels));
    expect(codeOf(() => parseJson(nested(32)))).toBeUndefined();
    expect(codeOf(() => parseJson(nested(33)))).toBe('invalid');
    for (const levels of [1000, 100_000]) {
      expect(['invalid', 'malformed_body']).toContain(codeOf(() => parseJson(nested(levels)))!);
    }
  });
});

describe('the check of a JSON body [PQRS-79]', () => {
  const Text = Type.String({ minLength: 1 });
  const reader = jsonBody(closed({ a: Text, b: Text, c: Text }));
  const pointersOf = (text: string, { parse, check }: BodyReader<unknown> = reader) => {
    try {
      const request = requestOf({});
      check(parse?.(bytesOf(text), 'application/json', request), DEFAULT_LIMITS);
    } catch (error) {
      if (error instanceof Problem && error.code === 'invalid')
        return error.errors.map(({ pointer }) => pointer);
      throw error;
    }
    return [];
  };

  test('names every wrong field once, those first that no storage holds, and no other', () => {
    const value = fc.constantFrom('good', '', '\0', '\ud800', 5, ['\0'], { d: '\0' });
    fc.assert(
      fc.property(fc.record({ a: value, b: value, c: value }), fc.boolean(), (fields, more) => {
        const sent = { ...fields, ...(more && { nope: '\0' }) };
        const all = Object.entries(sent).filter(([, one]) => one !== 'good');
        const unstorable = all.filter(([, one]) => /u0000|ud800/.test(JSON.stringify(one)));
        const wrong = unstorable.length > 0 ? unstorable : all;
        const pointers = pointersOf(JSON.stringify(sent));
        expect(new Set(pointers).size).toBe(pointers.length);
        expect([...new Set(pointers.map((one) => one.split('/')[1]))].sort()).toEqual(
          wrong.map(([name]) => name).sort(),
        );
      }),
    );
  });

  test('shows 50 errors at most, and of endless nesting that alone', () => {
    const hostile = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`f${at}`, '\0']));
    expect(pointersOf(JSON.stringify(hostile))).toHaveLength(50);
    const deep = `{"a": "", "b": ${'['.repeat(40)}${']'.repeat(40)}}`;
    expect(pointersOf(deep)).toEqual([`/b${'/0'.repeat(31)}`]);
  });
});

describe('readBody [PQRS-79]', () => {
  const stream = (sizes: number[]) =>
    new ReadableStream({
      start(controller) {
        for (const size of sizes) controller.enqueue(new Uint8Array(size));
        controller.close();
      },
    });

  test('reads chunks up to the limit, and no further', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 10 }),
        fc.nat(200),
        async (sizes, limit) => {
          const size = sizes.reduce((sum, each) => sum + each, 0);
          const read = readBody(requestOf({}, stream(sizes)), limit, DEFAULT_LIMITS).then(
            (bytes) => bytes.byteLength,
            (error: Problem) => error.code,
          );
          expect(await read).toBe(size > limit ? 'too_large' : size);
        },
      ),
      { numRuns: 50 },
    );
  });

  test('does not wait for the end of what is too much', async () => {
    let cancelled = false;
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(10)),
      cancel() {
        cancelled = true;
      },
    });
    const refused = await readBody(requestOf({}, endless), 100, DEFAULT_LIMITS).catch(
      (error: Problem) => error.code,
    );
    expect(refused).toBe('too_large');
    expect(cancelled).toBe(true);
  });
});

describe('entries', () => {
  const reader = entriesBody(closed({ a: Type.Integer() }), () => 3);
  const read = (text: string, mediaType: string) =>
    reader.check(
      reader.parse!(bytesOf(text), mediaType, new Request('http://localhost/')),
      DEFAULT_LIMITS,
    );

  test('are pointed at by their place, and bounded', () => {
    const pointer = (text: string) => {
      try {
        read(text, 'application/json');
      } catch (error) {
        return (error as Problem).errors.map((one) => one.pointer);
      }
      return [];
    };
    expect(pointer('[{"a": 1}, {"a": "x", "b": 1}]').sort()).toEqual(['/1/a', '/1/b']);
    expect(pointer('{"a": "x"}')).toEqual(['/a']);
    expect(pointer('[{"a":1},{"a":1},{"a":1},{"a":1}]')).toEqual(['']);
  });
});
