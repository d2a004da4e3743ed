// Reading needs.json: versions, schemas, links with parts and conditions, nesting.
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import fc from 'fast-check';
import { writeNeedsJson } from '../../../src/requirements/export/needs-json.ts';
import { buildGraph, type SourceContent } from '../../../src/requirements/graph/build.ts';
import type { Graph } from '../../../src/requirements/graph/model.ts';
import { NODE_KINDS } from '../../../src/requirements/sources/model.ts';
import { readNeedsJson } from '../../../src/requirements/sources/needs-json/reader.ts';
import { readLink } from '../../../src/requirements/sources/needs-json/fields.ts';
import { readSrsJson } from '../../../src/requirements/sources/srs-json/reader.ts';
import { idFault } from '../../../src/requirements/sources/usable-id.ts';
import { filesIn, filesOf } from '../../support/source-files.ts';

const FIXTURES = join(import.meta.dir, '..', '..', 'fixtures');
const read = (text: string) => readNeedsJson(filesOf({ 'needs.json': text }));
const needs = (body: string, more = '') =>
  `{"current_version":"1","versions":{"1":{${more}"needs":{\n${body}\n}}}}`;

describe('the fixture [PQRS-8]', () => {
  const result = readNeedsJson(filesIn(join(FIXTURES, 'needs-json')));
  const byId = new Map(result.items.map((item) => [item.id, item]));

  test('needs in their pages and sections, and in each other', () => {
    expect(result.items.map(({ id, kind, line, parentId }) => [id, kind, line, parentId])).toEqual([
      ['needs.json', 'document', 1, null],
      ['needs.json#login', 'document', 16, 'needs.json'],
      ['needs.json#login/outer', 'section', 16, 'needs.json#login'],
      ['needs.json#login/outer/inner', 'section', 16, 'needs.json#login/outer'],
      ['REQ_1', 'requirement', 16, 'needs.json#login/outer/inner'],
      ['REQ_2', 'requirement', 17, 'REQ_1'],
      ['TC_1', 'requirement', 18, 'needs.json'],
    ]);
  });

  test('defaults that were removed, parts, and fields of the project', () => {
    expect(byId.get('REQ_1')).toMatchObject({
      ...{ title: 'Log in', statement: 'Users shall log in.', status: 'open', tags: ['a'] },
      attributes: { type: 'req', parts: [['p1', 'by pin']] },
    });
    expect(byId.get('REQ_2')).toMatchObject({
      status: 'done',
      attributes: { type: 'req', effort: 3 },
    });
  });

  test('links, their conditions kept as they stand', () => {
    expect(result.links.map(({ from, type, to }) => [from, type, to])).toEqual([
      ['TC_1', 'verifies', 'REQ_1'],
      ['TC_1', 'verifies', 'REQ_2'],
      ['TC_1', 'verifies', 'REQ_1'],
      ['TC_1', 'relates', 'REQ_9'],
    ]);
    expect(byId.get('TC_1')?.attributes.links).toEqual([
      ...['REQ_1.p1[status=="open"]', 'REQ_2[[tags[0]=="x"]]', 'REQ_1.p9'],
    ]);
  });

  test('what it tells of', () => {
    expect(result.findings.map(({ code, line, itemId }) => [code, line, itemId])).toEqual([
      ['other_versions', 5, null],
      ['dangling_reference', 18, 'TC_1'],
      ['invalid_reference', 16, 'REQ_1'],
    ]);
  });
});

describe('links over several lines [PQRS-8]', () => {
  const body = `"A":{"id":"A",
"links":["B",
"X",
3]},
"B":{"id":"B","links_back":["A",
"C"],
"depends":["A"],
"depends_back":[
"A","Z"]}`;

  test('each stands where it is written', () => {
    const { links } = read(needs(body));
    expect(links.map(({ to, line }) => [to, line])).toEqual([
      ['B', 3],
      ['X', 4],
      ['A', 8],
    ]);
  });

  test('and so does what is wrong with them', () => {
    expect(
      read(needs(body)).findings.map(({ code, line, detail }) => [code, line, detail]),
    ).toEqual([
      ['invalid_reference', 5, 'links of A names no need: 3'],
      ['invalid_reference', 7, 'links_back of B names C, which is not in the file.'],
      ['invalid_reference', 10, 'depends_back of B names A, which does not say so in depends.'],
      ['invalid_reference', 10, 'depends_back of B names Z, which is not in the file.'],
    ]);
  });
});

test.each([
  ['A', { id: 'A', part: null, condition: null }],
  ['A.b', { id: 'A', part: 'b', condition: null }],
  ['B.c', { id: 'B.c', part: null, condition: null }],
  ['B.c.d', { id: 'B.c', part: 'd', condition: null }],
  ['X.y', { id: 'X.y', part: null, condition: null }],
  ['A[x=="]"]', { id: 'A', part: null, condition: 'x=="]"' }],
  ['A[[t[0]==1]]', { id: 'A', part: null, condition: 't[0]==1' }],
  ['A.b[x]', { id: 'A', part: 'b', condition: 'x' }],
  ['A[x', null],
  ['[x]', null],
  [' ', null],
])('the link %s', (text, link) => {
  expect(readLink(text, (id) => ['A', 'B.c'].includes(id))).toEqual(link);
});

test('a link of many dots is read in a moment', () => {
  const text = 'a.'.repeat(1_000_000);
  let asked = 0;
  expect(
    readLink(text, (id) => {
      asked += 1;
      return id === 'a.a';
    }),
  ).toMatchObject({ id: 'a.a', part: text.slice(4) });
  expect(asked).toBeLessThan(1000);
});

describe('what is odd [PQRS-8]', () => {
  test.each([
    ['no versions', '{}', ['unparsed_source 1']],
    ['versions that are none', '{"versions":\n[]}', ['unparsed_source 1']],
    ['no needs', '{"current_version":"1","versions":{\n"1":{}}}', ['unparsed_source 2']],
    [
      'needs in a list',
      '{"current_version":"1","versions":{"1":{\n"needs":[]}}}',
      ['unparsed_source 2'],
    ],
    [
      'fields that the tool does not write',
      '{"current_version":"1","versions":{"1":{"needs":{},\n"owner":1}},\n"custom":1,"created":""}',
      ['unknown_field 3', 'unknown_field 2'],
    ],
    [
      'a current version that is not there',
      '{"current_version":"","versions":{\n"1":{"needs":{}}}}',
      ['missing_version 2'],
    ],
    ['a need that is no object', needs('"A":1'), ['invalid_item 2']],
    ['a need under another name', needs('"A":{"id":"B"}'), ['invalid_id 2']],
    ['a field twice', needs('"A":{"title":"a",\n"title":"b"}'), ['duplicate_field 3']],
    [
      'fields of its parts twice',
      needs('"A":{"parts":{"p":{"content":"a"},\n"p":{"content":":","x":{"y":1,\n"y":1}}}}'),
      ['duplicate_field 3', 'duplicate_field 4'],
    ],
    [
      'what holds the needs twice',
      '{"current_version":"1",\n"current_version":"1","versions":{"1":{"needs":{},\n"needs":{}}}}',
      ['duplicate_field 2', 'duplicate_field 3'],
    ],
    ['an id with a control character', needs('"A\\u0000":{}'), ['invalid_id 2']],
    ['a blank id', needs('" ":{}'), ['invalid_id 2']],
    ['half of a surrogate pair as id', needs('"A":{"id":"\\ud800"}'), ['invalid_id 2']],
    ['no id', needs('"":{}'), ['invalid_id 2']],
    ['a title that is no text', needs('"A":{"title":1}'), ['invalid_field 2']],
    ['a type that is none', needs('"A":{"id":"A",\n"type":["story"]}'), ['invalid_field 3']],
    ['a parent in a list', needs('"A":{},"B":{\n"parent_need":["A"]}'), ['invalid_field 3']],
    ['a parent in a map', needs('"A":{},"B":{\n"parent_need":{"id":"A"}}'), ['invalid_field 3']],
    ['tags in a map', needs('"A":{\n"tags":{"a":1}}'), ['invalid_field 3']],
    ['a tag that is a map', needs('"A":{\n"tags":["a",{"b":1}]}'), ['invalid_field 3']],
    ['a line that is no number', needs('"A":{\n"lineno":"x"}'), ['invalid_field 3']],
    ['a line in a map', needs('"A":{\n"lineno":{"a":1}}'), ['invalid_field 3']],
    ['a line that is one', needs('"A":{\n"lineno":7}'), ['unread_details 3']],
    [
      'a project that is no text',
      needs('"A":{}').replace('{', '{\n"project":["P"],'),
      ['invalid_field 2'],
    ],
    ['a page that is none', needs('"A":{\n"docname":["d"]}'), ['invalid_field 3']],
    [
      'sections that are no list',
      needs('"A":{"docname":"d",\n"sections":"C"}'),
      ['invalid_field 3'],
    ],
    [
      'sections that are no texts',
      needs('"A":{"docname":"d",\n"sections":[{"title":"C"}]}'),
      ['invalid_field 3'],
    ],
    ['an id that is no text', needs('"A":{"id":["q"]}'), ['invalid_field 2']],
    ['a link that is none', needs('"A":{"links":[1]}'), ['invalid_reference 2']],
    ['a parent that is not there', needs('"A":{"parent_need":"B"}'), ['invalid_parent 2']],
    ['a need in itself', needs('"A":{"parent_need":"A"}'), ['invalid_parent 2']],
    [
      'needs in a circle',
      needs('"A":{"parent_need":"B"},\n"B":{"parent_need":"A"}'),
      ['invalid_parent 3'],
    ],
  ])('%s', (_name, text, findings) => {
    expect(read(text).findings.map(({ code, line }) => `${code} ${line}`)).toEqual(findings);
  });

  test.each([
    ['type', ['story']],
    ['parent_need', ['A']],
    ['docname', ['d']],
    ['sections', 'Chapter 1'],
    ['sections', ['Chapter 1']],
  ])('%s that is no place or kind is kept as it stands: %p', (name, value) => {
    const { items } = read(needs(`"A":{},"B":${JSON.stringify({ [name]: value })}`));
    expect(items.find(({ id }) => id === 'B')?.attributes).toEqual({ [name]: value });
  });

  test('needs that are no object are not missing', () => {
    const { findings } = read('{"current_version":"1","versions":{"1":{"needs":[]}}}');
    expect(findings[0]?.detail).toBe('"needs" of version 1 is no object.');
  });

  test('pages and sections whose names are no ids have ids all the same', () => {
    const long = 'x'.repeat(1100);
    const [body, ...others] = ['a\nb', 'a\tb', long].map(
      (page, at) => `"N${at}":${JSON.stringify({ docname: page, sections: [long] })}`,
    );
    const { items, findings } = read(needs([body, ...others].join(',')));
    expect(findings).toEqual([]);
    expect(items.map(({ id }) => idFault(id))).toEqual(items.map(() => undefined));
    expect(new Set(items.map(({ id }) => id)).size).toBe(1 + 3 * 3);
    expect(items.find(({ title }) => title === 'a\nb')?.kind).toBe('document');
    expect(read(needs([body, ...others].join(','))).items).toEqual(items);
  });

  describe('sections of one page', () => {
    const placesOf = (...titles: string[][]) => {
      const body = titles.map(
        (path, at) => `"N${at}":${JSON.stringify({ docname: 'd', sections: path.toReversed() })}`,
      );
      const { items, findings } = read(needs(body.join(',\n')));
      expect(findings).toEqual([]);
      const byId = new Map(items.map((item) => [item.id, item]));
      const sectionOf = (at: number) => byId.get(byId.get(`N${at}`)?.parentId ?? '');
      return titles.map((_, at) => `${sectionOf(at)?.id} ${sectionOf(at)?.title}`);
    };

    test.each([
      [['Voltage > 5 V'], ['Voltage < 5 V'], ['Voltage > 5 V'], 'voltage-5-v', 'voltage-5-v-2'],
      [['C'], ['C++'], ['C'], 'c', 'c-2'],
      [['API'], ['Api'], ['API'], 'api', 'api-2'],
      [['a-b'], ['A  B!'], ['a-b'], 'a-b', 'a-b-2'],
      [['???'], ['!!!'], ['???'], '', '-2'],
    ])('are told apart by their titles: %p, %p', (one, other, again, plain, numbered) => {
      expect(placesOf(one, other, again)).toEqual([
        `needs.json#d/${plain} ${one}`,
        `needs.json#d/${numbered} ${other}`,
        `needs.json#d/${plain} ${again}`,
      ]);
    });

    test('keep the ids that no other section would have', () => {
      expect(placesOf(['A B'], ['a-b'], ['A B 2'], ['a-b', 'C'], ['A  B'])).toEqual([
        'needs.json#d/a-b A B',
        'needs.json#d/a-b-3 a-b',
        'needs.json#d/a-b-2 A B 2',
        'needs.json#d/a-b/c C',
        'needs.json#d/a-b-4 A  B',
      ]);
      expect(placesOf(['A', 'X'], ['a', 'X'])).toEqual([
        'needs.json#d/a/x X',
        'needs.json#d/a/x-2 X',
      ]);
    });

    test('are no pages of their names', () => {
      const { items } = read(needs('"A":{"docname":"d","sections":["e"]},"B":{"docname":"d/e"}'));
      expect(items.map(({ id, kind }) => `${id} ${kind}`)).toEqual([
        ...['needs.json document', 'needs.json#d document', 'needs.json#d/e section'],
        ...['A requirement', 'needs.json#d/e-2 document', 'B requirement'],
      ]);
    });

    test('10,000 that would have one id have one each', () => {
      const titles = Array.from({ length: 10_000 }, (_, at) =>
        [...at.toString(4)].reduce((title, digit) => title + '!?.,'[Number(digit)], 'A'),
      );
      expect(new Set(placesOf(...titles.map((title) => [title]))).size).toBe(10_000);
    });
  });

  test('what the tool notes of its own work is told of no one', () => {
    const { findings, statuses } = read(
      `{"created":"","project":"","current_version":"1","versions":{"1":{"created":"","creator":{},
      "needs_amount":0,"needs_defaults_removed":false,"needs_schema":{},"filters":{},"filters_amount":0,
      "needs":{}}}}`,
    );
    expect(findings).toEqual([]);
    expect([...statuses.values()]).toEqual(['parsed']);
  });

  test('of a field twice the last is read, and the need is named', () => {
    const { items, findings, statuses } = read(needs('"A":{"title":"a","title":"b"}'));
    expect(items[1]?.title).toBe('b');
    expect(findings[0]).toMatchObject({
      itemId: 'A',
      detail: 'The need A: "title" is given twice.',
    });
    expect([...statuses.values()]).toEqual(['partial']);
  });

  test('sections deeper than any document has are kept as they are', () => {
    const sections = Array.from({ length: 22 }, (_, at) => `S${at}`);
    const { items } = read(needs(`"A":${JSON.stringify({ docname: 'd', sections })}`));
    expect(items.at(-1)?.attributes.sections).toEqual(sections);
    expect(items.filter(({ kind }) => kind === 'section')).toHaveLength(20);
  });

  test('the same need twice is kept twice', () => {
    expect(
      read(needs('"A":{"title":"a"},\n"A":{"title":"b"}')).items.map(({ title }) => title),
    ).toEqual([...['needs.json', 'a', 'b']]);
  });

  test('link fields without a schema are known by their back links', () => {
    const { links, items } = read(
      needs(
        '"A":{"type":"spec","checks":["B"],"ours":["C"],"ours_back":[],"list":["D"],"links_back":["E"]}',
      ),
    );
    expect(links.map(({ type, to }) => [type, to])).toEqual([
      ['verifies', 'B'],
      ['relates', 'C'],
    ]);
    expect(items[1]?.attributes).toEqual({ type: 'spec', list: ['D'] });
  });

  test.each([
    ...[
      ['refines', 'A refines B'],
      ['parents', 'A refines B'],
      ['refined_by', 'B refines A'],
    ],
    ...[
      ['is_refined_by', 'B refines A'],
      ['derives', 'A derives B'],
    ],
    ...[
      ['derived_from', 'A derives B'],
      ['derived_by', 'B derives A'],
    ],
    ...[
      ['depends_on', 'A depends B'],
      ['requires', 'A depends B'],
      ['needs', 'A depends B'],
    ],
    ...[
      ['blocked_by', 'A depends B'],
      ['depended_on_by', 'B depends A'],
    ],
    ...[
      ['required_by', 'B depends A'],
      ['needed_by', 'B depends A'],
    ],
    ...[
      ['verifies', 'A verifies B'],
      ['tests', 'A verifies B'],
      ['verified_by', 'B verifies A'],
    ],
    ...[
      ['Tested_By', 'B verifies A'],
      ['validated_by', 'B verifies A'],
    ],
    ...[
      ['checked_by', 'B verifies A'],
      ['is_verified_by', 'B verifies A'],
    ],
    ...[
      ['implements', 'A satisfies B'],
      ['implemented_by', 'B satisfies A'],
    ],
    ...[
      ['satisfied_by', 'B satisfies A'],
      ['fulfilled_by', 'B satisfies A'],
    ],
    ...[
      ['realized_by', 'B satisfies A'],
      ['realised_by', 'B satisfies A'],
    ],
    ...[
      ['contradicts', 'A conflicts B'],
      ['contradicted_by', 'B conflicts A'],
    ],
    ...[
      ['blocks', 'A relates B'],
      ['reviewed_by', 'A relates B'],
    ],
  ] as [string, string][])('%s of A names B: %s', (field, said) => {
    const schema = `"needs_schema":{"properties":{"${field}":{"field_type":"links"}}},`;
    const { links } = read(needs(`"A":{"${field}":["B"]},"B":{}`, schema));
    expect(links.map(({ from, type, to }) => `${from} ${type} ${to}`)).toEqual([said]);
    expect(links[0]?.role ?? links[0]?.type).toBe(field);
    expect(links[0]?.item?.id).toBe('A');
  });

  test('a field that may name people without a schema is one of links where it names a need', () => {
    const { links, items } = read(
      needs('"A":{"verified_by":["Ann"],"refined_by":["C"]},\n"B":{"verified_by":["A.p","Bob"]}'),
    );
    expect(links.map(({ from, type, to }) => `${from} ${type} ${to}`)).toEqual([
      ...['C refines A', 'A verifies B', 'Bob verifies B'],
    ]);
    expect(items[1]?.attributes).toEqual({ verified_by: ['Ann'] });
  });

  test('links that say the same are told, and are one', () => {
    const details = (text: string) =>
      read(text).findings.map(
        ({ code, severity, line, detail }) => `${code} ${severity} ${line} ${detail}`,
      );
    const said = (line: number) => [
      `duplicate_link info ${line} A refines B is said on line 2 already; the edge is kept once.`,
    ];
    expect(details(needs('"A":{"links":["B",\n"B"],"relates":["B"]},"B":{}'))).toEqual(said(3));
    expect(details(needs('"A":{"links":["B"],\n"refines":["B"]},"B":{}'))).toEqual(said(3));
    expect(details(needs('"A":{"links":["B","B[x]","B"]},"B":{}'))).toEqual([]);
    const schema = '"needs_schema":{"properties":{"refines":{"x-pqrs":{"type":"refines"}}}},';
    const own = needs(
      '"A":{"refines":["B",\n"B"]},"B":{}',
      `"creator":{"program":"pqrs"},${schema}`,
    );
    expect(details(own)).toEqual(said(3));
  });

  test('a name that objects have is a name', () => {
    const { items } = read(needs('"__proto__":{"title":"a","__proto__":"x","constructor":"y"}'));
    expect(items[1]).toMatchObject({ id: '__proto__', title: 'a' });
    expect(Object.entries(items[1]?.attributes ?? {})).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });
});

describe('needs in needs [PQRS-8]', () => {
  const nested = (parents: readonly (number | null)[]) =>
    read(
      needs(
        parents
          .map((parent, at) => `"N${at}":{"parent_need":"${parent === null ? '' : `N${parent}`}"}`)
          .join(',\n'),
      ),
    );

  test.each([103, 20_000])('a chain of %d is kept, whichever end comes first', (length) => {
    const chain = Array.from({ length }, (_, at) => (at === 0 ? null : at - 1));
    const upwards = chain.map((_, at) => (at === length - 1 ? null : at + 1));
    for (const parents of [chain, upwards]) {
      const { items, findings } = nested(parents);
      expect(findings).toEqual([]);
      const parentOf = new Map(items.map(({ id, parentId }) => [id, parentId]));
      expect(
        parents.every(
          (parent, at) =>
            parentOf.get(`N${at}`) === (parent === null ? 'needs.json' : `N${parent}`),
        ),
      ).toBe(true);
    }
  });

  test('each ring is told once, and nothing else', () => {
    const parent = fc.option(fc.nat(9));
    fc.assert(
      fc.property(fc.array(parent, { minLength: 10, maxLength: 10 }), (parents) => {
        const rings = new Set(
          parents.flatMap((_, start) => {
            const walked: number[] = [];
            let at: number | null = start;
            while (at !== null && !walked.includes(at)) {
              walked.push(at);
              at = parents[at] ?? null;
            }
            return at === start ? [Math.max(...walked)] : [];
          }),
        );
        const { items, findings } = nested(parents);
        expect(findings.map(({ code, itemId }) => [code, itemId])).toEqual(
          [...rings].sort((a, b) => a - b).map((at) => ['invalid_parent', `N${at}`]),
        );
        const inNeeds = items.filter(({ parentId }) => parentId?.startsWith('N'));
        expect(inNeeds.length).toBe(parents.filter((one) => one !== null).length - rings.size);
      }),
    );
  });
});

describe('what a need says beside [PQRS-8]', () => {
  const attributesOf = (body: string, more = '') => {
    const { items, findings } = read(needs(`"A":{${body}}`, more));
    expect(findings).toEqual([]);
    return items.find(({ id }) => id === 'A')?.attributes;
  };

  test.each([
    ['a description beside the content', '"content":"c","description":"d"', { description: 'd' }],
    ['one that is the content', '"content":"c","description":"c "', {}],
    ['a title that was cut', '"title":"a…","full_title":"a b"', { full_title: 'a b' }],
    [
      'parts with fields',
      '"parts":{"p":{"id":"p","content":"c","links":["B"],"links_back":[],"is_part":true,"x":"","y":0}}',
      { parts: [['p', 'c', '{"links":["B"],"y":0}']] },
    ],
    [
      'parts that are said to be more than parts',
      '"docname":"d","parts":{"p":{"is_need":"x","is_part":false,"document":"d"},"q":{"is_part":true,"is_need":false,"document":"e"}}',
      {
        parts: [
          ['p', '', '{"is_need":"x","is_part":false}'],
          ['q', '', '{"document":"e"}'],
        ],
      },
    ],
    ['a part that is a text', '"parts":{"p":"c"}', { parts: [['p', 'c']] }],
    [
      'a part without a text',
      '"parts":{"p":{"content":[1]}}',
      { parts: [['p', '', '{"content":[1]}']] },
    ],
    [
      'parts in a list',
      '"parts":[{"id":"p","content":"c"},"d"]',
      {
        parts: [
          ['p', 'c'],
          ['', 'd'],
        ],
      },
    ],
    ['parts that are a text', '"parts":"p"', { parts: [['', 'p']] }],
    [
      'nought and no, which are values',
      '"attempts":0,"safe":false,"one":1,"yes":true,"none":null,"empty":"","list":[]',
      { attempts: 0, safe: false, one: 1, yes: true },
    ],
    [
      'flags of the tool, where they are set',
      '"is_modified":false,"modifications":0,"is_external":true,"hide":false,"collapse":false',
      { is_external: true },
    ],
    ['a list whose name ends as back links do', '"give_back":["hello"]', { give_back: ['hello'] }],
    [
      'numbers that would be rounded',
      '"a":12345678901234567890,"b":[1e400,-0.5],"c":9007199254740991',
      { a: '12345678901234567890', b: ['1e400', -0.5], c: 9007199254740991 },
    ],
  ])('%s', (_name, body, expected) => {
    expect(attributesOf(body)).toEqual(expected);
  });

  test.each([
    ['    code\n  less\n', '    code\n  less'],
    [' \r\n\t\n  a\r\n\n b \r\n \n', '  a\r\n\n b '],
    [' a ', ' a '],
    [' \n\t', ''],
  ])('the indent of its first line is part of the content %p', (content, statement) => {
    const body = (name: string) => `"A":{"${name}":${JSON.stringify(content)}}`;
    for (const name of ['content', 'description']) {
      expect(read(needs(body(name))).items[1]).toMatchObject({ statement, attributes: {} });
    }
  });

  test.each([
    ['["a","a"," a ","#b","a,b",""]', ['a', 'a', 'a', '#b', 'a,b']],
    ['"a, b,,a"', ['a', 'b', 'a']],
  ])('tags are a list, each as often as it is there: %s', (tags, expected) => {
    expect(read(needs(`"A":{"tags":${tags}}`)).items[1]?.tags).toEqual(expected);
  });

  test.each([
    ['"one\\n- two\\n"', ['one', '- two']],
    ['"one\\r\\n\\r\\ntwo"', ['one', 'two']],
    ['["one",null,"","two",0,["a","b"]]', ['one', 'two', '0', '["a","b"]']],
  ])('criteria that say something are kept of %s', (acceptance, expected) => {
    expect(read(needs(`"A":{"acceptance":${acceptance}}`)).items[1]?.acceptance).toEqual(expected);
  });

  test('more needs that it is in than one', () => {
    const { items } = read(
      needs('"A":{"parent_needs":["B","C"]},"B":{"parent_needs":["C"]},"C":{}'),
    );
    expect(
      items.slice(1).map(({ id, parentId, attributes }) => [id, parentId, attributes]),
    ).toEqual([
      ['A', 'B', { parent_needs: ['B', 'C'] }],
      ['B', 'C', {}],
      ['C', 'needs.json', {}],
    ]);
  });

  test('a type that stands for one that is missing', () => {
    const schema = '"needs_schema":{"properties":{"type":{"default":"story"}}}';
    const { items } = read(needs('"A":{}', `"needs_defaults_removed":true,${schema},`));
    expect(items[1]).toMatchObject({ kind: 'story', attributes: { type: 'story' } });
  });
});

describe('the place of a need [PQRS-8]', () => {
  const attributesOf = (body: string, id = 'B') => {
    const { items, findings } = read(needs(body));
    expect(findings).toEqual([]);
    return items.find((one) => one.id === id)?.attributes;
  };
  const place = '"docname":"d","sections":["S","T"],"section_name":"S"';

  test('is not said again in a need of the same place', () => {
    expect(attributesOf(`"A":{${place}},"B":{${place},"parent_need":"A"}`)).toEqual({});
    expect(attributesOf(`"A":{${place}},"B":{"parent_need":"A"}`)).toEqual({});
  });

  test('is kept where it is not that of the need around', () => {
    const other = '"docname":"e","sections":["U"],"section_name":"V"';
    expect(attributesOf(`"A":{${place}},"B":{${other},"parent_need":"A"}`)).toEqual({
      ...{ docname: 'e', sections: ['U'], section_name: 'V' },
    });
  });

  test.each(['document', 'section'])('is its page, whatever its project calls a %s', (type) => {
    const { items } = read(needs(`"A":{"type":"${type}","docname":"d"},"B":{${place}}`));
    expect(items.map(({ id, kind, parentId }) => [id, kind, parentId])).toEqual([
      ['needs.json', 'document', null],
      ['needs.json#d', 'document', 'needs.json'],
      ['A', 'requirement', 'needs.json#d'],
      ['needs.json#d/t', 'section', 'needs.json#d'],
      ['needs.json#d/t/s', 'section', 'needs.json#d/t'],
      ['B', 'requirement', 'needs.json#d/t/s'],
    ]);
    expect(items.find(({ id }) => id === 'A')?.attributes).toEqual({ type });
  });

  test.each([
    ['"docname":"d","sections":["S"],"section_name":"T"', { section_name: 'T' }],
    ['"section_name":"T"', { section_name: 'T' }],
    ['"section_name":["T"]', { section_name: ['T'] }],
    [place, {}],
  ])('has the name of its section kept where it is another: %s', (body, expected) => {
    expect(attributesOf(`"B":{${body}}`)).toEqual(expected);
  });

  test('and what is no need is kept as it is', () => {
    expect(attributesOf('"B":{"is_need":false,"is_part":true}')).toEqual({
      ...{ is_need: false, is_part: true },
    });
    expect(attributesOf('"B":{"is_need":true,"is_part":false}')).toEqual({});
  });
});

describe('what stands beside the needs [PQRS-8]', () => {
  const told = (text: string) => {
    const { findings, statuses } = read(text);
    const details = findings.map(
      ({ code, severity, line, detail }) => `${code} ${severity} ${line} ${detail}`,
    );
    return [...details, ...statuses.values()];
  };

  test('what the tool notes of its own work is told once', () => {
    const version = '"created":"then","creator":{"program":"sphinx_needs"},"filters":{"a":{}},';
    const text = needs('"A":{"lineno":3},\n"B":{"lineno":4}', `${version}"filters_amount":1,`);
    expect(told(`{\n"created":"now",${text.slice(1)}`)).toEqual([
      'unread_details info 2 What the tool notes of its own work is not kept: "created" of the file, ' +
        '"created" of version 1, "creator" of version 1, "filters" of version 1, ' +
        '"filters_amount" of version 1, "lineno" of its needs.',
      'parsed',
    ]);
  });

  test.each([
    [3, 'warning 2 Version 1 is said to have 3 needs, and has 2.', 'partial'],
    [1, 'info 2 Version 1 is said to have 1 needs, and has 2.', 'parsed'],
  ])('%d needs where there are 2', (amount, detail, status) => {
    expect(told(needs('"A":{},"B":{}', `\n"needs_amount":${amount},`))).toEqual([
      ...[`amount_mismatch ${detail}`, status],
    ]);
  });

  test.each([
    ['"needs_amount":"3"', '"needs_amount" of version 1 is no number: "3"'],
    [
      '"needs_defaults_removed":"yes"',
      '"needs_defaults_removed" of version 1 is not true or false: "yes"',
    ],
    [
      '"needs_schema":["a"]',
      '"needs_schema" of version 1 is no object, or nests too deep, and is not read.',
    ],
    [
      '"needs_schema":{"properties":"a"}',
      '"properties" of "needs_schema" of version 1 is no object, and is not read.',
    ],
    [
      '"needs_schema":{"properties":{"a":5}}',
      'The property "a" of "needs_schema" of version 1 is no object.',
    ],
    [
      '"needs_schema":{"properties":{"a":{"field_type":5}}}',
      '"field_type" of the property "a" is no text.',
    ],
  ])('%s, which is of a wrong type', (field, detail) => {
    expect(told(needs('"A":{"a":1}', `\n${field},`))).toEqual([
      ...[`invalid_field warning 2 ${detail}`, 'partial'],
    ]);
  });

  test('fields of the schema that say nothing of the needs', () => {
    const schema = '{"$schema":"x","type":"object","properties":{},\n"required":["id"]}';
    expect(told(needs('"A":{}', `"needs_schema":${schema},`))).toEqual([
      'unknown_field info 2 "needs_schema" of version 1: "required" is not read.',
      'unread_details info 1 Of "needs_schema" of version 1 this is not kept: "$schema".',
      'parsed',
    ]);
  });

  describe('what the schema says beside what fields are', () => {
    const unkept = (body: string, properties: object, more = '') => {
      const schema = JSON.stringify({ type: 'object', properties });
      const { findings } = read(needs(body, `${more}"needs_schema":${schema},`));
      const details = findings.map(({ code, severity, detail }) => `${code} ${severity} ${detail}`);
      return details.map((detail) => detail.replace(/^.*this is not kept: /, ''));
    };
    const extra = { field_type: 'extra', type: 'string', description: 'd', default: 'x' };

    test('is told once', () => {
      const properties = {
        sev: extra,
        used: { ...extra, field_type: 'zq' },
        empty: { default: '' },
      };
      expect(unkept('"A":{"used":1}', properties)).toEqual([
        'fields that no need has (2): sev, empty; what it says of fields: "type" (2), ' +
          '"description" (2), "default" (2); values of "field_type" that are not known: "zq".',
      ]);
    });

    test('is kept of a default that stands for what is missing', () => {
      const removed = '"needs_defaults_removed":true,';
      expect(unkept('"A":{}', { sev: { field_type: 'extra', default: 'x' } }, removed)).toEqual([]);
    });

    test('is no use of links that are told at one end', () => {
      const properties = {
        tests: { field_type: 'links' },
        tests_back: { field_type: 'backlinks' },
      };
      expect(unkept('"A":{"tests":["B"]},"B":{}', properties)).toEqual([]);
    });

    test('is told in part where it is much', () => {
      const names = Array.from({ length: 2000 }, (_, at) => `f${at}${'x'.repeat(200)}`);
      const properties = Object.fromEntries(
        names.map((name) => [name, { field_type: name, [name]: 1 }]),
      );
      const [detail = ''] = unkept('"A":{}', properties);
      expect(detail.length).toBeLessThan(12_000);
      expect(detail).toContain('fields that no need has (2000): f0');
      expect(detail).toContain(' and 1950 more');
    });
  });

  test('the version that is read is an attribute of the document', () => {
    const version = (text: string) => read(text).items[0]?.attributes;
    expect(version('{"current_version":"2.0","versions":{"2.0":{"needs":{}}}}')).toEqual({
      version: '2.0',
    });
    expect(version('{"current_version":"3","versions":{"1":{"needs":{}}}}')).toEqual({
      version: '1',
    });
    expect(version('{"current_version":"","versions":{"":{"needs":{}}}}')).toEqual({});
  });

  test('a current version that is no text is told', () => {
    expect(told('{"current_version":["2"],"versions":{\n"1":{"needs":{}}}}')).toEqual([
      'missing_version warning 2 "current_version" is no text: ["2"]; 1 is read, the last one.',
      'parsed',
    ]);
  });

  test('a project without a version has a version without a name', () => {
    expect(told('{"current_version":"","versions":{"":{"needs":{"A":{}}}}}')).toEqual(['parsed']);
    const two = '{"current_version":"","versions":{"":{"needs":{}},\n"1":{"needs":{}}}}';
    expect(told(two)).toEqual([
      'other_versions info 2 Only version "" is read, and not 1.',
      'parsed',
    ]);
  });

  test('names of versions are told in part where they are long', () => {
    const long = 'x'.repeat(5000);
    const all = Array.from({ length: 30 }, (_, at) => `"${at}${long}":{"needs":{}}`).join(',');
    const { findings } = read(`{"current_version":"${long}","versions":{${all}}}`);
    for (const { detail } of findings) expect(detail.length).toBeLessThan(2500);
    expect(findings.at(-1)?.detail).toEndWith('… and 9 more.');
  });
});

describe('several files [PQRS-8]', () => {
  const readAll = (texts: Record<string, string>) => {
    const { items, links, findings, statuses } = readNeedsJson(filesOf(texts));
    return {
      parents: Object.fromEntries(items.map(({ id, parentId }) => [id, parentId])),
      links: links.map(({ from, to, path }) => `${from} ${to} ${path}`),
      details: findings.map(({ path, line, detail }) => `${path} ${line} ${detail}`),
      statuses: [...statuses].map(([path, status]) => `${path} ${status}`),
    };
  };

  test('are one set: parents, parts and links the other way round may be in another', () => {
    const read = readAll({
      'a.json': needs('"A":{"links_back":["Z"],"parts":{"p":{"content":"c"}}}'),
      'b.json': needs('"Z":{"parent_need":"A","links":["A","A.p"]}'),
      'c.json': '[]',
    });
    expect(read.details).toEqual(['c.json 1 The file is JSON, but its top is not an object.']);
    expect(read.parents).toMatchObject({ A: 'a.json', Z: 'A' });
    expect(read.links).toEqual(['Z A b.json', 'Z A b.json']);
    expect(read.statuses).toEqual(['a.json parsed', 'b.json parsed', 'c.json failed']);
  });

  test('and a ring through both is one', () => {
    const read = readAll({
      'a.json': needs('"A":{"parent_need":"Z"}'),
      'b.json': needs('"Z":{"parent_need":"A"}'),
    });
    expect(read.details).toEqual(['b.json 2 Z is said to be in A, which it contains itself.']);
    expect(read.parents).toMatchObject({ A: 'Z', Z: 'b.json' });
  });

  test('and one that we wrote has links that another tells at their other end', () => {
    const schema = '"needs_schema":{"properties":{"refines":{"x-pqrs":{"type":"refines"}}}},';
    const read = readAll({
      'a.json': needs('"A":{"refines_back":["Z","Y"]}'),
      'b.json': needs('"Z":{"refines":["A"]},"Y":{}', `"creator":{"program":"pqrs"},${schema}`),
    });
    expect(read.details).toEqual([
      'a.json 2 refines_back of A names Y, which does not say so in refines.',
    ]);
  });
});

test('each of the needs that a need is in is to be there [PQRS-8]', () => {
  const { items, findings } = read(
    needs('"A":{"parent_needs":["B",\n"X",\n{"id":"B"},null]},"B":{},"C":{"parent_needs":[{}]}'),
  );
  expect(findings.map(({ code, line, detail }) => `${code} ${line} ${detail}`)).toEqual([
    'invalid_parent 3 A is said to be in X too, which is not there.',
    'invalid_reference 4 parent_needs of A names no need: {"id":"B"}',
  ]);
  expect(items[1]?.attributes.parent_needs).toEqual(['B', 'X', '{"id":"B"}', null]);
});

describe('values that are nought or no [PQRS-8]', () => {
  const properties = `{"attempts":{"field_type":"extra","default":3},"safe":{"field_type":"extra","default":false},
    "hide":{"field_type":"core","default":false}}`;
  const schema = `"needs_defaults_removed":true,"needs_schema":{"properties":${properties}},`;

  test('are no other value of the schema, and stand for what is missing', () => {
    const { items } = read(needs('"A":{"attempts":0},"B":{"safe":true}', schema));
    expect(items.slice(1).map(({ attributes }) => attributes)).toEqual([
      { attempts: 0, safe: false },
      { attempts: 3, safe: true },
    ]);
  });

  test('are kept of each field that is not of the tool', () => {
    const value = fc.constantFrom(0, false, 1, true, 'x');
    const fields = fc.dictionary(fc.constantFrom('a', 'effort', 'safe', 'x-y'), value);
    fc.assert(
      fc.property(fields, (said) => {
        expect(read(needs(`"A":${JSON.stringify(said)}`)).items[1]?.attributes).toEqual(said);
      }),
    );
  });
});

describe('links that are told at their other end [PQRS-8]', () => {
  const told = (body: string, more = '') =>
    read(needs(body, more)).findings.map(({ code, line, detail }) => `${code} ${line} ${detail}`);
  const schema = (field: string) =>
    `"needs_schema":{"properties":{"${field}":{"field_type":"links"},"${field}_back":{"field_type":"backlinks"}}},`;

  test.each(['links', 'tests', 'traces'])('%s, of which no need has one', (field) => {
    expect(told(`"A":{"${field}_back":["B","X"]},"B":{}`, schema(field))).toEqual([
      `invalid_reference 2 ${field}_back of A names B, which does not say so in ${field}.`,
      `invalid_reference 2 ${field}_back of A names X, which is not in the file.`,
    ]);
  });

  test('without a schema, where the file has such links or the name says so', () => {
    expect(told('"A":{"ours_back":["B"]},\n"B":{"ours":[]},\n"C":{"tests_back":[1]}')).toEqual([
      'invalid_reference 2 ours_back of A names B, which does not say so in ours.',
      'invalid_reference 4 tests_back of C names no need: 1',
    ]);
  });

  test('at a part', () => {
    const parts =
      '"A":{"parts":{"p":{"content":"c","links_back":["B","C"]}},"links_back":["B","C"]}';
    expect(told(`${parts},"B":{"links":["A.p"]},"C":{"links":["A"]}`)).toEqual([
      'invalid_reference 2 links_back of A.p names C, which does not say so in links.',
    ]);
  });

  test('of the needs that stand in a need', () => {
    const body = '"A":{"parent_needs_back":["B","C"]},"B":{"parent_needs":["A"]},"C":{}';
    expect(told(body)).toEqual([
      'invalid_reference 2 parent_needs_back of A names C, which does not say so in parent_needs.',
    ]);
  });
});

const bareItem = (id: string) => ({
  ...{ id, kind: 'requirement', title: '', statement: '', acceptance: [], rationale: null },
  ...{
    status: null,
    priority: null,
    tags: [],
    path: 'a.md',
    line: 1,
    parentId: null,
    active: true,
  },
});

describe('what we write [PQRS-8]', () => {
  const names = fc.constantFrom(
    'type',
    'parts',
    'checks',
    'a_b',
    'links',
    'x y',
    '__proto__',
    'id',
  );
  const value = fc.oneof(
    ...[fc.string(), fc.integer(), fc.boolean(), fc.constant(null)],
    fc.array(fc.string(), { maxLength: 2 }),
  );
  const label = fc
    .oneof(fc.string({ minLength: 1, maxLength: 5 }), fc.nat(20).map(String))
    .filter((id) => idFault(id) === undefined);
  const content = fc.uniqueArray(label, { minLength: 1, maxLength: 6 }).chain((ids) =>
    fc.record({
      items: fc.tuple(
        ...ids.map((id, at) =>
          fc.record({
            ...{ id: fc.constant(id), kind: fc.constantFrom(...NODE_KINDS), title: fc.string() },
            ...{ statement: fc.string(), acceptance: fc.array(fc.string(), { maxLength: 2 }) },
            ...{ rationale: fc.option(fc.string()), status: fc.option(fc.string()) },
            ...{ priority: fc.option(fc.string()), tags: fc.array(fc.string(), { maxLength: 2 }) },
            attributes: fc.dictionary(names, value, { maxKeys: 3 }),
            ...{ path: fc.constant('a.md'), line: fc.constant(at + 1), active: fc.boolean() },
            parentId: at === 0 ? fc.constant(null) : fc.option(fc.constant(ids[0] ?? '')),
          }),
        ),
      ),
      links: fc.array(
        fc.record(
          {
            ...{ from: fc.constantFrom(...ids), path: fc.constant('a.md'), line: fc.constant(1) },
            to: fc.oneof(fc.constantFrom(...ids), fc.constant('gone[x]')),
            type: fc.constantFrom('refines', 'verifies', 'relates'),
            role: fc.constantFrom(
              ...['Checks', 'checks', 'id', 'a_b', 'x back', 'é', 'relates', 'refined_by'],
              ...['Is verified by', 'checked_by'],
            ),
            ...{ suspect: fc.boolean(), attributes: fc.dictionary(names, value, { maxKeys: 1 }) },
          },
          { requiredKeys: ['from', 'to', 'type', 'path', 'line'] },
        ),
        { maxLength: 6 },
      ),
    }),
  );
  const shape = ({ nodes, edges }: Graph) => ({
    nodes: nodes.map(({ source, order, ...rest }) => rest),
    edges,
  });

  test('is read again as the same graph, whatever is in it', () => {
    fc.assert(
      fc.property(content, (source) => {
        const graph = buildGraph(source as SourceContent, ['title', 'links']);
        const text = writeNeedsJson(graph, { project: 'Shop', revision: 3, at: 0 });
        const again = read(text);
        expect(again.findings).toEqual([]);
        expect(shape(buildGraph(again, ['title', 'links']))).toEqual(shape(graph));
      }),
      { numRuns: 300 },
    );
  });

  test('has a field of links for each role, with the type that it stands for', () => {
    const node = { ...bareItem('A'), attributes: { owner: 'me', type: 'req' } };
    const link = { from: 'A', to: 'A', type: 'verifies', role: 'Is tested by', path: '', line: 1 };
    const graph = buildGraph({ items: [node], links: [link] } as SourceContent, ['title']);
    const { versions } = JSON.parse(writeNeedsJson(graph, { project: 'p', revision: 1, at: 0 }));
    expect(versions[1].needs.A).toMatchObject({ is_tested_by: ['A'], owner: 'me', type: 'req' });
    expect(versions[1].needs_schema.properties.is_tested_by).toEqual({
      ...{ field_type: 'links', type: 'array', default: [] },
      'x-pqrs': { type: 'verifies', role: 'Is tested by', reversed: true },
    });
  });

  test('tells an edge with a passive name at the end that its name is for', () => {
    const text = needs(
      '"A":{"refined_by":["B"],"checked_by":["B"],"refined_by_back":[]},\n"B":{"refines":["A"]}',
    );
    const graph = buildGraph(read(text), ['title', 'links']);
    const gone = { ...graph.edges[0], from: 'A', to: 'X', type: 'refines', role: 'refined_by' };
    const edges = [...graph.edges, { ...gone, status: 'dangling' } as Graph['edges'][number]];
    const subject = { project: 'p', revision: 1, at: 0 };
    const { versions } = JSON.parse(writeNeedsJson({ nodes: graph.nodes, edges }, subject));
    expect(versions[1].needs.A).toMatchObject({ refined_by: ['B'], checked_by: ['B'] });
    expect(versions[1].needs.A.refines_role).toEqual(['X']);
    expect(versions[1].needs.B).toMatchObject({ refines: ['A'] });
    expect(versions[1].needs.B.refined_by).toBeUndefined();
  });

  test('may be damaged by hand, and is read as far as it goes', () => {
    const text = `{"versions":{"1":{"creator":{"program":"pqrs"},"needs_schema":{"properties":{
      "refines":{"x-pqrs":{"type":"refines"}},"odd":{"x-pqrs":{"type":"contains"}},"none":1}},"needs":{
      "A":{"title":7,"tags":"x","refines":["B",1],"odd":["C"],"pqrs":{"kind":"no","shown":[1,"gone"],
        "links":[1,{"field":"refines","at":0,"suspect":true,"attributes":[]}]},"parent_need":"Z"},
      "B":{"pqrs":3}}}}}`;
    const { items, links, findings } = read(text);
    expect(items.map(({ id, kind, title, parentId }) => [id, kind, title, parentId])).toEqual([
      ['A', 'requirement', '7', null],
      ['B', 'requirement', '', null],
    ]);
    expect(links.map(({ to, suspect }) => [to, suspect])).toEqual([
      ['B', true],
      ['1', undefined],
    ]);
    expect(items[0]).toMatchObject({ tags: ['x'], attributes: { odd: ['C'] } });
    expect(findings.map(({ code, detail }) => `${code} ${detail}`)).toEqual([
      expect.stringContaining('missing_version'),
      expect.stringContaining('invalid_field The property "none"'),
      expect.stringContaining('unread_details'),
      'invalid_field A is not as we write needs, and is read as far as it goes. Wrong is "title", ' +
        '"tags", "refines", "pqrs.kind", "pqrs.shown", "pqrs.links[0]", "pqrs.links[1]".',
      'invalid_field B is not as we write needs, and is read as far as it goes. Wrong is "pqrs".',
      expect.stringContaining('invalid_parent'),
    ]);
  });

  test('keeps what others add to it', () => {
    const body =
      '"A":{"pqrs":{"kind":"story"},"colour":"red","safe":false,"parts":["p"],"empty":""}';
    const { items, findings } = read(needs(body, '"creator":{"program":"pqrs"},'));
    expect(findings).toEqual([]);
    expect(items[0]?.attributes).toEqual({ colour: 'red', safe: false, parts: ['p'] });
  });
});

test('what we write of a file of Sphinx-Needs is read again as the same graph [PQRS-8]', () => {
  const body =
    '"A":{"title":"a","content":"  x\\n y","docname":"d","sections":["C++"],"tags":["t","t"]}';
  const other = '"B":{"docname":"d","sections":["C"],"verified_by":["A"],"refined_by":["A","Z"]}';
  const shape = ({ nodes, edges }: Graph) => ({
    nodes: nodes.map(({ source, order, ...rest }) => rest),
    edges,
  });
  const graph = buildGraph(read(needs(`${body},\n${other}`)), ['title', 'links']);
  expect(graph.nodes[0]?.attributes).toEqual({ version: '1' });
  const again = read(writeNeedsJson(graph, { project: 'Shop', revision: 3, at: 0 }));
  expect(again.findings).toEqual([]);
  expect(shape(buildGraph(again, ['title', 'links']))).toEqual(shape(graph));
});

test('what we write is read again', () => {
  const source = readSrsJson(filesIn(join(FIXTURES, 'srs-json')));
  const graph = buildGraph(source, ['kind', 'title', 'statement', 'links']);
  const again = read(writeNeedsJson(graph, { project: 'Shop', revision: 3, at: 0 }));
  expect(again.findings).toEqual([]);
  const nodes = again.items;
  type Shown = 'id' | 'kind' | 'title' | 'statement' | 'acceptance' | 'status' | 'tags';
  const shape = ({
    id,
    kind,
    title,
    statement,
    acceptance,
    status,
    tags,
  }: Pick<(typeof nodes)[number], Shown>) => ({
    ...{ id, kind, title, statement, acceptance, status, tags },
  });
  expect(nodes.map(shape)).toEqual(graph.nodes.map(shape));
  const links = graph.edges.filter(({ type }) => type !== 'contains');
  expect(again.links.map(({ from, type, to }) => [from, type, to])).toEqual(
    links.map(({ from, type, to }) => [from, type, to]),
  );
});
