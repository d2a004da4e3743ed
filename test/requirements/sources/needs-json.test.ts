// Reading needs.json: versions, schemas, links with parts and conditions, nesting.
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import fc from 'fast-check';
import { writeNeedsJson } from '../../../src/requirements/export/json.ts';
import { buildGraph } from '../../../src/requirements/graph/build.ts';
import { type Graph, isNormative } from '../../../src/requirements/graph/model.ts';
import { readLink } from '../../../src/requirements/sources/needs-json/fields.ts';
import { readNeedsJson } from '../../../src/requirements/sources/needs-json/reader.ts';
import { readSrsJson } from '../../../src/requirements/sources/srs-json/reader.ts';
import { filesIn, filesOf } from '../../support/source-files.ts';

const FIXTURES = join(import.meta.dir, '..', '..', 'fixtures');
const read = (text: string) => readNeedsJson(filesOf({ 'needs.json': text }));
const needs = (body: string, more = '') =>
  `{"current_version":"1","versions":{"1":{${more}"needs":{\n${body}\n}}}}`;
/** What is found, but for what is of no weight. */
const found = (text: string) =>
  read(text)
    .findings.filter(({ code, severity }) => code !== 'not_kept' || severity !== 'info')
    .map(({ code, line }) => `${code} ${line}`)
    .sort();

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

  test('what is dangling and what is not kept', () => {
    expect(result.findings.map(({ code, line, itemId }) => [code, line, itemId])).toEqual([
      ['dangling_reference', 18, 'TC_1'],
      ['not_kept', 5, null],
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
    expect(found(needs(body))).toEqual(['not_kept 5']);
  });
});

test.each([
  ['A', { id: 'A', part: null, isConditional: false }],
  ['A.b', { id: 'A', part: 'b', isConditional: false }],
  ['B.c', { id: 'B.c', part: null, isConditional: false }],
  ['B.c.d', { id: 'B.c', part: 'd', isConditional: false }],
  ['X.y', { id: 'X.y', part: null, isConditional: false }],
  ['A[x=="]"]', { id: 'A', part: null, isConditional: true }],
  ['A[[t[0]==1]]', { id: 'A', part: null, isConditional: true }],
  ['A.b[x]', { id: 'A', part: 'b', isConditional: true }],
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
    ['no JSON', '{', ['unparsed_source 1'], 'failed'],
    ['another top', '[]', ['unparsed_source 1'], 'failed'],
    ['no versions', '{}', ['unparsed_source 1'], 'failed'],
    ['versions that are none', '{"versions":\n[]}', ['unparsed_source 1'], 'failed'],
    ['no current version', '{"versions":{"1":{"needs":{}}}}', ['unparsed_source 1'], 'failed'],
    [
      'a current version that is not there',
      '{"current_version":"2","versions":{\n"1":{"needs":{}}}}',
      ['unparsed_source 1'],
      'failed',
    ],
    ['no needs', '{"current_version":"1","versions":{\n"1":{}}}', ['unparsed_source 2'], 'failed'],
    [
      'needs in a list',
      '{"current_version":"1","versions":{"1":{\n"needs":[]}}}',
      ['unparsed_source 2'],
      'failed',
    ],
    [
      'fields that the tool does not write',
      '{"current_version":"1","versions":{"1":{"needs":{},\n"owner":1}},\n"custom":1,"created":""}',
      ['not_kept 2', 'not_kept 3'],
      'partial',
    ],
    ['a need that is no object', needs('"A":1'), ['not_kept 2'], 'partial'],
    ['a need under another name', needs('"A":{"id":"B"}'), ['invalid_value 2'], 'parsed'],
    ['a field twice', needs('"A":{"title":"a",\n"title":"b"}'), ['not_kept 3'], 'partial'],
    [
      'fields of its parts twice',
      needs('"A":{"parts":{"p":{"content":"a","x":{"y":1,\n"y":1},\n"content":":"}}}'),
      ['not_kept 3'],
      'partial',
    ],
    [
      'what holds the needs twice',
      '{"current_version":"1",\n"current_version":"1","versions":{"1":{"needs":{},\n"needs":{}}}}',
      ['not_kept 2', 'not_kept 3'],
      'partial',
    ],
    [
      'a project that is no text',
      needs('"A":{}').replace('{', '{\n"project":["P"],'),
      ['not_kept 2'],
      'partial',
    ],
    ['a link that is none', needs('"A":{"links":[1]}'), ['not_kept 2'], 'partial'],
    ['a parent that is not there', needs('"A":{"parent_need":"B"}'), ['invalid_link 2'], 'partial'],
    ['a need in itself', needs('"A":{"parent_need":"A"}'), ['invalid_link 2'], 'partial'],
    [
      'needs in a circle',
      needs('"A":{"parent_need":"B"},\n"B":{"parent_need":"A"}'),
      ['invalid_link 3'],
      'partial',
    ],
  ])('%s', (_name, text, findings, status) => {
    expect(found(text)).toEqual(findings);
    expect([...read(text).statuses.values()]).toEqual([status as 'parsed']);
  });

  test.each([
    ['id', ['q']],
    ['title', ['a']],
    ['type', ['story']],
    ['parent_need', ['A']],
    ['docname', ['d']],
    ['sections', 'Chapter 1'],
    ['sections', ['Chapter 1']],
    ['tags', '{"a":1}'],
    ['acceptance', ['a', ['b']]],
  ])('%s of another type is an attribute: %p', (name, value) => {
    const text = JSON.stringify({ [name]: value }).replace(/"\{\\"a\\":1\}"/, '{"a":1}');
    const { items, findings } = read(needs(`"A":{},"B":${text}`));
    expect(findings).toEqual([]);
    expect(items.find(({ id }) => id === 'B')?.attributes).toEqual({ [name]: value });
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
    ])('are distinct by their titles: %p, %p', (one, other, again, plain, numbered) => {
      expect(placesOf(one, other, again)).toEqual([
        `needs.json#d/${plain} ${one}`,
        `needs.json#d/${numbered} ${other}`,
        `needs.json#d/${plain} ${again}`,
      ]);
    });

    test('10,000 that would have one id have one each', () => {
      const titles = Array.from({ length: 10_000 }, (_, at) =>
        [...at.toString(4)].reduce((title, digit) => title + '!?.,'[Number(digit)], 'A'),
      );
      expect(new Set(placesOf(...titles.map((title) => [title]))).size).toBe(10_000);
    });
  });

  test('link fields without a schema have back links, or name needs', () => {
    const { links, items } = read(
      needs(
        '"A":{"type":"spec","checks":["B","Z"],"ours":["C"],"ours_back":[],"list":["D"]},"B":{}',
      ),
    );
    expect(links.map(({ type, to }) => [type, to])).toEqual([
      ['verifies', 'B'],
      ['verifies', 'Z'],
      ['relates', 'C'],
    ]);
    expect(items[1]?.attributes).toEqual({ type: 'spec', list: ['D'] });
  });

  test.each([
    ['refines', 'A refines B'],
    ['is_refined_by', 'B refines A'],
    ['derived_from', 'A derives B'],
    ['depends_on', 'A depends B'],
    ['required_by', 'B depends A'],
    ['tests', 'A verifies B'],
    ['Tested_By', 'B verifies A'],
    ['implements', 'A satisfies B'],
    ['fulfilled_by', 'B satisfies A'],
    ['contradicts', 'A conflicts B'],
    ['blocks', 'A relates B'],
  ])('%s of A names B: %s', (field, said) => {
    const schema = `"needs_schema":{"properties":{"${field}":{"field_type":"links"}}},`;
    const { links } = read(needs(`"A":{"${field}":["B"]},"B":{}`, schema));
    expect(links.map(({ from, type, to }) => `${from} ${type} ${to}`)).toEqual([said]);
    expect(links[0]?.role ?? links[0]?.type).toBe(field);
    expect(links[0]?.item?.id).toBe('A');
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

  test('each ring is reported once, and nothing else', () => {
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
          [...rings].sort((a, b) => a - b).map((at) => ['invalid_link', `N${at}`]),
        );
        const inNeeds = items.filter(({ parentId }) => parentId?.startsWith('N'));
        expect(inNeeds.length).toBe(parents.filter((one) => one !== null).length - rings.size);
      }),
    );
  });
});

describe('what else a need says [PQRS-8]', () => {
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
});

describe('what stands around the needs [PQRS-8]', () => {
  test('of the work of the tool, other versions and the schema is one info', () => {
    const version =
      '"created":"then","creator":{"program":"sphinx_needs"},"filters":{"a":{}},"needs_amount":9,';
    const schema = '"needs_schema":{"properties":{"a":{"field_type":"extra","description":"d"}}},';
    const text = needs('"A":{"lineno":3},\n"B":{"lineno":4}', `${version}${schema}`);
    const { findings, statuses } = read(
      `{\n"created":"now",${text.slice(1, -2)},\n"0":{"needs":{}}}}`,
    );
    expect(findings.map(({ code, severity, line }) => [code, severity, line])).toEqual([
      ['not_kept', 'info', 2],
    ]);
    for (const what of ['/created', '/creator', '/filters', '/needs_amount', '/needs_schema'])
      expect(findings[0]?.detail).toContain(what);
    expect(findings[0]?.detail).toContain('need/lineno (2 times)');
    expect(findings[0]?.detail).toContain('versions/0');
    expect([...statuses.values()]).toEqual(['parsed']);
  });

  test.each([
    ['"2.0"', '2.0', { version: '2.0' }],
    ['2', '2', { version: '2' }],
    ['""', '', {}],
  ])('the current version %s is an attribute of the document', (current, key, attributes) => {
    const text = `{"current_version":${current},"versions":{"0":{"needs":{}},"${key}":{"needs":{}}}}`;
    expect(read(text).items[0]?.attributes).toEqual(attributes);
    expect(found(text)).toEqual([]);
  });
});

describe('several files [PQRS-8]', () => {
  const readAll = (texts: Record<string, string>) => {
    const { items, links, findings, statuses } = readNeedsJson(filesOf(texts));
    return {
      parents: Object.fromEntries(items.map(({ id, parentId }) => [id, parentId])),
      links: links.map(({ from, to, path }) => `${from} ${to} ${path}`),
      found: findings.map(({ code, path, line }) => `${code} ${path}:${line}`),
      statuses: [...statuses].map(([path, status]) => `${path} ${status}`),
    };
  };

  test('are one set: parents, parts and links the other way round may be in another', () => {
    const read = readAll({
      'a.json': needs('"A":{"links_back":["Z"],"parts":{"p":{"content":"c"}}}'),
      'b.json': needs('"Z":{"parent_need":"A","links":["A","A.p"]}'),
      'c.json': '[]',
    });
    expect(read.found).toEqual(['unparsed_source c.json:1', 'not_kept a.json:2']);
    expect(read.parents).toMatchObject({ A: 'a.json', Z: 'A' });
    expect(read.links).toEqual(['Z A b.json', 'Z A b.json']);
    expect(read.statuses).toEqual(['a.json parsed', 'b.json parsed', 'c.json failed']);
  });

  test('and a ring through both is one', () => {
    const read = readAll({
      'a.json': needs('"A":{"parent_need":"Z"}'),
      'b.json': needs('"Z":{"parent_need":"A"}'),
    });
    expect(read.found).toEqual(['invalid_link b.json:2']);
    expect(read.parents).toMatchObject({ A: 'Z', Z: 'b.json' });
  });
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

describe('what we write [PQRS-8]', () => {
  const subject = { project: 'Shop', revision: 3, at: 0 };
  const written = (graph: Graph) => JSON.parse(writeNeedsJson(graph, subject)).versions[3];

  test('is read again: the texts of its requirements and stories, and links by type', () => {
    const source = readSrsJson(filesIn(join(FIXTURES, 'srs-json')));
    const graph = buildGraph(source, ['kind', 'title', 'statement', 'links']);
    const again = read(writeNeedsJson(graph, subject));
    expect(again.findings.map(({ code, severity }) => [code, severity])).toEqual([
      ['not_kept', 'info'],
    ]);
    const texts = (nodes: readonly Omit<Graph['nodes'][number], 'source' | 'order'>[]) =>
      nodes.flatMap(({ id, kind, title, statement, acceptance, rationale, status, tags }) =>
        kind === 'document' ? [] : [{ id, title, statement, acceptance, rationale, status, tags }],
      );
    const ids = new Set(graph.nodes.filter(isNormative).map(({ id }) => id));
    const readAgain = buildGraph(again, ['title']).nodes.filter(({ id }) => ids.has(id));
    expect(texts(readAgain)).toEqual(texts(graph.nodes));
    const links = graph.edges.filter(({ type }) => type !== 'contains');
    expect(again.links.map(({ from, type, to }) => [from, type, to])).toEqual(
      links.map(({ from, type, to }) => [from, type, to]),
    );
  });

  test('of a file of Sphinx-Needs has its needs with their types and fields, and links by type', () => {
    const text = needs(
      '"A":{"type":"req","effort":3,"refined_by":["B"],"checked_by":["B"]},\n"B":{"type":"us","refines":["A"],"reviewed":["A"],"reviewed_back":[]}',
    );
    const graph = buildGraph(read(text), ['title', 'links']);
    const { needs: all, needs_schema: schema } = written(graph);
    expect(all.A).toMatchObject({ type: 'req', effort: 3 });
    expect(all.B).toMatchObject({ type: 'us', refines: ['A'], relates: ['A'] });
    expect(schema.properties.relates).toEqual({
      field_type: 'links',
      type: 'array',
      default: [],
    });
  });
});
