// Errors that point at the field that is wrong.
import { describe, expect, test } from 'bun:test';
import { type TSchema, Type } from '@sinclair/typebox';
import { Problem } from '../../src/errors.ts';
import { closed, nullable, oneOf, Time, Title } from '../../src/model/schemas.ts';
import { compileCheck } from '../../src/model/validate.ts';

function errorsOf(schema: TSchema, value: unknown): Record<string, string> {
  try {
    compileCheck(schema)(value);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return Object.fromEntries(error.errors.map(({ pointer, detail }) => [pointer, detail]));
  }
  return {};
}

const schema = closed({
  title: Title,
  at: Type.Optional(Time),
  level: Type.Optional(nullable(oneOf(['low', 'high']))),
  names: Type.Optional(Type.Array(Type.String({ maxLength: 3 }), { maxItems: 2 })),
  inner: Type.Optional(nullable(closed({ n: Type.Optional(Type.Integer({ minimum: 0 })) }))),
  some: Type.Optional(
    Type.Union([Type.String({ minLength: 2 }), Type.Array(Type.String({ minLength: 2 }))]),
  ),
});

describe('errors [PQRS-75]', () => {
  test('say the length of a text that is too long alone, whatever else it must be', () => {
    const id = closed({
      id: Type.String({ maxLength: 3, pattern: '^[a-z]*$', says: 'no letters' }),
    });
    expect(errorsOf(id, { id: 'abcd' })).toEqual({ '/id': 'must have at most 3 characters' });
    expect(errorsOf(id, { id: 'A' })).toEqual({ '/id': 'no letters' });
  });

  test('stand at the field, in words', () => {
    expect(errorsOf(schema, {})).toEqual({ '/title': 'is required' });
    expect(errorsOf(schema, { title: '' })).toEqual({
      '/title': 'must have at least 1 characters',
    });
    expect(errorsOf(schema, { title: 'x'.repeat(301) })).toEqual({
      '/title': 'must have at most 300 characters',
    });
    expect(errorsOf(schema, { title: 'x', more: 1 })).toEqual({ '/more': 'is not a known field' });
    expect(errorsOf(schema, { title: 'x', names: ['a', 'b', 'c'] })).toEqual({
      '/names': 'must have at most 2 entries',
    });
    expect(errorsOf(schema, { title: 'x', names: ['abcd'] })).toEqual({
      '/names/0': 'must have at most 3 characters',
    });
    expect(errorsOf(schema, { title: 'x', at: 'now' })['/at']).toContain('RFC 3339');
    expect(Object.keys(errorsOf(schema, { more: 1, level: 'x', names: 1 })).sort()).toEqual([
      '/level',
      '/more',
      '/names',
      '/title',
    ]);
  });

  test('are those of the alternative that was meant', () => {
    expect(errorsOf(schema, { title: 'x', level: 'mid' })).toEqual({
      '/level': 'must be one of low, high',
    });
    expect(errorsOf(schema, { title: 'x', inner: { n: -1 } })['/inner/n']).toContain(
      'greater or equal to 0',
    );
    expect(errorsOf(schema, { title: 'x', inner: { m: 1 } })).toEqual({
      '/inner/m': 'is not a known field',
    });
    expect(errorsOf(schema, { title: 'x', some: 'a' })).toEqual({
      '/some': 'must have at least 2 characters',
    });
    expect(errorsOf(schema, { title: 'x', some: ['ab', 'a'] })).toEqual({
      '/some/1': 'must have at least 2 characters',
    });
    for (const some of [1, {}, true])
      expect(Object.keys(errorsOf(schema, { title: 'x', some }))).toEqual(['/some']);
    for (const inner of [1, [], 'x'])
      expect(Object.keys(errorsOf(schema, { title: 'x', inner }))).toEqual(['/inner']);
  });
});
