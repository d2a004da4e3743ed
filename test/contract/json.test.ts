// Bodies of JSON: what is none, what no field may hold, and what is odd but good.
import { describe, expect } from 'bun:test';
import { flow, scenarios } from '../support/flow.ts';
import { bytes, JSON_TYPE, post, TITLE } from '../support/posted-bodies.ts';
import { issueOf } from '../support/samples.ts';
import type { Issue } from '../support/shapes.ts';

describe('JSON [PQRS-79]', () => {
  const BROKEN: Record<string, string | Uint8Array> = {
    nothing: '',
    'white space': ' \r\n\t',
    'a brace': '{',
    'a value cut off': '{"title": "x',
    'a number cut off': '{"title": 1.',
    'two values': '{"title": "x"}{"title": "y"}',
    'text behind it': '{"title": "x"} x',
    'a comma too many': '{"title": "x",}',
    'a comma too many in a list': '{"labels": ["x",]}',
    'single quotes': "{'title': 'x'}",
    'a name without quotes': '{title: "x"}',
    'a comment': '{"title": "x" /* why */}',
    'a line break in a text': '{"title": "a\nb"}',
    'a tab in a text': '{"title": "a\tb"}',
    'a bare NUL': bytes('{"title": "a', [0], 'b"}'),
    'a bad escape': '{"title": "\\x41"}',
    'half an escape': '{"title": "\\u12"}',
    NaN: '{"title": NaN}',
    Infinity: '{"title": Infinity}',
    undefined: '{"title": undefined}',
    'a number with a plus': '{"title": +1}',
    'a number with a zero before it': '{"title": 01}',
    hexadecimal: '{"title": 0x1}',
    'UTF-16 with a mark': bytes([0xff, 0xfe], [...Buffer.from(TITLE, 'utf16le')]),
    'UTF-16 without': new Uint8Array(Buffer.from(TITLE, 'utf16le')),
    'UTF-16 the other way round': new Uint8Array(Buffer.from(TITLE, 'utf16le').swap16()),
    'UTF-32': bytes([...TITLE].flatMap((char) => [char.charCodeAt(0), 0, 0, 0])),
    'Latin-1': bytes('{"title": "', [0xe9], '"}'),
    'a byte that is never UTF-8': bytes('{"title": "', [0xff], '"}'),
    'a character cut off': bytes('{"title": "', [0xe2, 0x82], '"}'),
    'an overlong slash': bytes('{"title": "', [0xc0, 0xaf], '"}'),
    'half a surrogate in UTF-8': bytes('{"title": "', [0xed, 0xa0, 0x80], '"}'),
    'a code point too high': bytes('{"title": "', [0xf5, 0x80, 0x80, 0x80], '"}'),
    XML: '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]><title>&y;</title>',
    'a form': 'title=x',
    'a hundred thousand brackets': '['.repeat(100_000),
  };
  scenarios(
    'that is none',
    {},
    Object.entries(BROKEN).map(([name, body]) => post(name, body, 400, 'malformed_body')),
  );

  const deep = (levels: number) =>
    `{"title": "x", "context": ${'{"page":'.repeat(levels)}1${'}'.repeat(levels)}}`;
  const REFUSED: Record<string, string> = {
    'an escaped NUL': '{"title": "a\\u0000b"}',
    'an escaped NUL in a name': '{"title": "x", "\\u0000": 1}',
    'half a surrogate': '{"title": "\\ud800"}',
    'the other half': '{"title": "a\\udc00"}',
    'the halves the wrong way round': '{"title": "\\udc00\\ud800"}',
    'half a surrogate in a name': '{"title": "x", "\\ud800": 1}',
    __proto__: '{"title": "x", "__proto__": {"severity": "minor"}}',
    'an escaped __proto__': '{"title": "x", "__pro\\u0074o__": {}}',
    '__proto__ alone': '{"__proto__": {"title": "x"}}',
    '__proto__ further in': '{"title": "x", "context": {"page": {"__proto__": {"a": 1}}}}',
    constructor: '{"title": "x", "constructor": {"prototype": {"a": 1}}}',
    prototype: '{"title": "x", "prototype": {}}',
    toString: '{"title": "x", "toString": "x"}',
    hasOwnProperty: '{"title": "x", "hasOwnProperty": true}',
    '10,000 unknown fields': `{"title": "x"${[...Array(10_000)].map((_, at) => `,"f${at}":${at}`).join('')}}`,
    'a hundred levels': deep(100),
    '10,000 levels': deep(10_000),
    'a list of lists': `{"title": "x", "labels": ${'['.repeat(2000)}${']'.repeat(2000)}}`,
    'an empty name': '{"title": "x", "": 1}',
    'a name with a slash': '{"title": "x", "a/b~c": 1}',
  };
  scenarios(
    'that no field may hold',
    {},
    Object.entries(REFUSED).map(([name, body]) => post(name, body, 422, 'invalid')),
  );

  flow('what is refused is pointed at (RFC 6901)', {}, async (api) => {
    for (const [body, pointer] of [
      ['{"title": "x", "a/b~c": 1}', '/a~1b~0c'],
      ['{"title": "x", "labels": ["a", "b\\u0000"]}', '/labels/1'],
      ['{"title": "x", "context": {"page": {"__proto__": 1}}}', '/context/page/__proto__'],
    ] as const) {
      const answer = await api.send('POST', '/issues', { headers: JSON_TYPE, body });
      expect(answer.mustBe(422, 'invalid').json()).toMatchObject({ errors: [{ pointer }] });
    }
  });

  flow(
    'what no storage holds is named at each place, before all else that is wrong',
    {},
    async (api) => {
      const body = { storyId: 'US-1', set: { title: '\0', statement: '\0' }, nope: 1 };
      const answer = (await api.post('/story-edits', body)).mustBe(422, 'invalid');
      const { errors } = answer.json<{ errors: { pointer: string }[] }>();
      expect(errors.map(({ pointer }) => pointer)).toEqual(['/set/title', '/set/statement']);
    },
  );

  flow('that is odd but good is taken', {}, async (api) => {
    for (const [body, kept] of [
      [bytes([0xef, 0xbb, 0xbf], '{"title": "with a mark"}'), 'with a mark'],
      ['\r\n {"title"\t:\n"spaced" } \n', 'spaced'],
      ['{"title": "\\ud83d\\ude42 \\u00e9 \\/ \\" \\\\"}', '🙂 é / " \\'],
      ['{"title": "first", "title": "last"}', 'last'],
      ['{"\\u0074itle": "an escaped name"}', 'an escaped name'],
      ['{"title": "\u2028\u2029\u007f"}', '\u2028\u2029\u007f'],
    ] as const) {
      const answer = await api.send('POST', '/issues', {
        headers: JSON_TYPE,
        body: body as string,
      });
      const { id } = answer.must(201).json<Issue>();
      expect((await issueOf(api, id)).title).toBe(kept);
    }
  });

  flow('nothing that was sent has changed what objects are', {}, async (api) => {
    for (const body of [
      '{"__proto__": {"polluted": 1}}',
      '{"constructor": {"prototype": {"polluted": 1}}}',
    ]) {
      for (const [method, path] of [
        ['POST', '/issues'],
        ['PATCH', '/issues/iss_1'],
        ['POST', '/system-logs'],
        ['PATCH', '/system-logs'],
        ['POST', '/projects'],
      ] as const) {
        (await api.send(method, path, { headers: JSON_TYPE, body })).mustBe(422, 'invalid');
      }
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  flow('fields of a log keep such names as they are', {}, async (api) => {
    const fields = { constructor: 'a', toString: 'b', '': 'c', 'a/b': { prototype: 1 } };
    const sent = (await api.post('/system-logs', { message: api.unique, fields })).must(201);
    const [id] = sent.json<{ ids: string[] }>().ids;
    expect((await api.get('/system-logs', { query: { id: id! } })).must(200).json()).toMatchObject({
      fields,
    });
  });
});
