// From the schemas of the checks to those of the document, and from what recurs to components.
import { describe, expect, test } from 'bun:test';
import { Type } from '@sinclair/typebox';
import Schema from 'typebox/schema';
import { finishOperation, publicSchema } from '../../src/http/document/document.ts';
import { closed, nullable, oneOf, Time } from '../../src/model/schemas.ts';

type Json = Record<string, unknown>;

function publish(schema: object): Json {
  return publicSchema(JSON.parse(JSON.stringify(schema)) as Json, (name) => ({ $ref: name }));
}

describe('publicSchema', () => {
  const cases: [string, object, object][] = [
    ['an enumeration without its pattern', oneOf(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
    [
      'a format in place of the pattern that checks it',
      Time,
      { type: 'string', format: 'date-time', examples: ['2026-01-31T12:00:00.000Z'] },
    ],
    [
      'a pattern that stands alone',
      Type.String({ pattern: '^x' }),
      { type: 'string', pattern: '^x' },
    ],
    [
      'a value or null',
      nullable(Type.Integer({ minimum: 1 })),
      { type: ['integer', 'null'], minimum: 1 },
    ],
    [
      'an enumeration or null',
      nullable(oneOf(['a', 'b'], 'which')),
      { type: ['string', 'null'], enum: ['a', 'b', null], description: 'which' },
    ],
    [
      'null or a component',
      nullable(Type.Object({}, { title: 'Thing' })),
      { anyOf: [{ $ref: 'Thing' }, { type: 'null' }] },
    ],
    [
      'a union of more than one type',
      Type.Union([Type.String(), Type.Number(), Type.Null()]),
      { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] },
    ],
    [
      'a record of anything',
      Type.Record(Type.String(), Type.Unknown(), { maxProperties: 3 }),
      { type: 'object', additionalProperties: true, maxProperties: 3 },
    ],
    [
      'a record of one type',
      Type.Record(Type.String(), Type.Array(Type.String())),
      { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
    ],
    [
      'a record whose names have a form',
      Type.Record(Type.String({ pattern: '^x' }), Type.String()),
      { type: 'object', patternProperties: { '^x': { type: 'string' } } },
    ],
    [
      'an open object',
      Type.Object({}, { additionalProperties: true }),
      { type: 'object', additionalProperties: true },
    ],
  ];
  for (const [what, schema, expected] of cases) {
    test(`writes ${what}`, () => expect(publish(schema)).toEqual(expected as Json));
  }

  test('says of the same values that they are good', () => {
    const schema = closed({ kind: nullable(oneOf(['a', 'b'])), at: Type.Optional(Time) });
    const check = Schema.Compile(publish(schema) as never);
    const [time, day] = ['2026-01-31T12:00:00.000Z', '2026-01-31'];
    const values = [{ kind: 'a' }, { kind: null }, { kind: 'a', at: time }];
    expect(values.map((value) => check.Check(value))).toEqual([true, true, true]);
    const bad = [{ kind: 'c' }, {}, { kind: 'a', at: day }, { kind: 'a', more: 1 }];
    expect(bad.map((value) => check.Check(value))).toEqual([false, false, false, false]);
  });
});

describe('finishOperation', () => {
  const schema = {
    title: 'Thing',
    type: 'object',
    properties: { when: { documentedFormat: 'date' } },
  };
  const example = { schema: { title: 'Example', says: 'hello' } };
  const answer = (given: Json) => ({
    description: 'It is',
    content: { 'application/json': { schema: given, example } },
  });

  test('makes a component of what has a title, and leaves examples as they are', () => {
    const schemas = {};
    const finished = finishOperation({ responses: { 200: answer(schema) } }, schemas);
    const thing = { $ref: '#/components/schemas/Thing' };
    expect(finished).toEqual({ responses: { 200: answer(thing) } });
    expect(schemas).toEqual({
      Thing: { type: 'object', properties: { when: { format: 'date' } } },
    });
  });

  test('refuses two schemas of one title', () => {
    const responses = { 200: answer(schema), 201: answer({ ...schema, type: 'string' }) };
    expect(() => finishOperation({ responses }, {})).toThrow('Thing');
  });
});
