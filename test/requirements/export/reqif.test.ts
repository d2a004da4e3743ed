// What the ReqIF writer writes, the reader reads, item by item and link by link.
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import {
  type ExportedItem,
  type ExportedLink,
  writeReqif,
} from '../../../src/requirements/export/reqif.ts';
import type {
  AttributeValue,
  NodeKind,
  SourceItem,
  SourceLink,
} from '../../../src/requirements/sources/model.ts';
import { readReqif } from '../../../src/requirements/sources/reqif.ts';
import { idFault } from '../../../src/requirements/sources/usable-id.ts';
import { sharedData } from '../../support/shared-data.ts';

const OPTIONS = { title: 'A <title>', tool: 'pqrs "1"', time: '2025-06-07T08:09:10Z' };

function item(id: string, more: Partial<ExportedItem> = {}): ExportedItem {
  return {
    ...{ id, kind: 'requirement', title: '', statement: '', acceptance: [], rationale: null },
    ...{ status: null, priority: null, tags: [], attributes: {}, parentId: null, active: true },
    ...more,
  };
}

function roundTrip(items: readonly ExportedItem[], links: readonly ExportedLink[]) {
  const bytes = new TextEncoder().encode(writeReqif(items, links, OPTIONS));
  return readReqif([{ path: 'a.reqif', bytes }]);
}

/** An item without its position. */
function bare({
  path,
  line,
  order,
  attributes,
  ...rest
}: SourceItem | (ExportedItem & Partial<SourceItem>)) {
  return {
    ...rest,
    attributes: Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1)),
  };
}

function bareLinks(links: readonly (ExportedLink & Partial<SourceLink>)[]): string[] {
  return links
    .map(({ from, to, type, role, suspect, attributes }) => {
      const others = Object.entries(attributes ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
      return JSON.stringify([from, to, type, role ?? null, suspect ?? null, others]);
    })
    .sort();
}

describe('what is written [PQRS-19]', () => {
  const items = [
    item('DOC', { kind: 'document', title: 'Document', statement: 'About' }),
    item('S', { kind: 'section', title: 'Chapter', parentId: 'DOC' }),
    item('R-1', { title: 'A & "B"', statement: 'One.\n\n  Two <x>', parentId: 'S' }),
    item('R-2', { kind: 'story', acceptance: ['a\nb', '\\n'], tags: ['t'], active: false }),
  ];
  const links: ExportedLink[] = [
    { from: 'R-2', to: 'R-1', type: 'refines' },
    { from: 'R-2', to: 'R-1', type: 'relates', role: 'see', suspect: true, attributes: { n: 1 } },
    { from: 'R-1', to: 'gone', type: 'derives' },
    { from: 'DOC', to: 'R-1', type: 'depends' },
  ];
  const text = writeReqif(items, links, OPTIONS);

  test('the elements of the schema in its order', () => {
    const order = [
      '<REQ-IF xmlns="http://www.omg.org/spec/ReqIF/20110401/reqif.xsd"',
      '<THE-HEADER><REQ-IF-HEADER IDENTIFIER=',
      '<CREATION-TIME>2025-06-07T08:09:10Z<',
      '<REQ-IF-TOOL-ID>pqrs "1"<',
      '<REQ-IF-VERSION>1.0<',
      '<SOURCE-TOOL-ID>',
      '<TITLE>A &lt;title&gt;<',
      '<CORE-CONTENT><REQ-IF-CONTENT>',
      '<DATATYPES>',
      '<SPEC-TYPES>',
      '<SPEC-OBJECTS>',
      '<SPEC-RELATIONS>',
      '<SPECIFICATIONS>',
      '</REQ-IF>',
    ];
    const found = order.map((part) => text.indexOf(part));
    expect(found).not.toContain(-1);
    expect(found).toEqual([...found].sort((a, b) => a - b));
  });

  test('every identifier is a legal one, there once, with a LAST-CHANGE; every reference is to one', () => {
    const body = text.slice(text.indexOf('<CORE-CONTENT>'));
    const tags = body.match(/<[A-Z-]+ [^>]*IDENTIFIER="[^>]*>/g) ?? [];
    const ids = tags.map((tag) => /IDENTIFIER="([^"]*)"/.exec(tag)?.[1] ?? '');
    expect(tags.length).toBeGreaterThan(30);
    expect(new Set(ids).size).toBe(ids.length);
    for (const tag of tags) expect(tag).toContain('LAST-CHANGE="2025-06-07T08:09:10Z"');
    for (const id of ids) expect(id).toMatch(/^[A-Za-z_][\w.-]*$/);
    const refs = [...body.matchAll(/<[A-Z-]+-REF>([^<]*)</g)].map((match) => match[1] ?? '');
    expect(refs.length).toBeGreaterThan(30);
    for (const ref of refs) expect(ids).toContain(ref);
  });

  test('is read back', () => {
    const result = roundTrip(items, links);
    expect(result.items.map(bare)).toEqual(items.map(bare));
    expect(bareLinks(result.links)).toEqual(bareLinks(links));
    expect(result.findings).toEqual([]);
  });

  test('the same each time', () => {
    expect(writeReqif(items, links, OPTIONS)).toBe(text);
  });
});

test.each<[string, AttributeValue[]]>([
  ['BOOLEAN', [true, false]],
  ['INTEGER', [0, -5, 9007199254740991]],
  ['REAL', [1.5, 2, 1e300, 5e-324, 0.1]],
  ['STRING', ['', ' a ', '\ta\r', '&<>"\'']],
  ['XHTML', ['a\nb', '', '  x\n\n']],
  ['STRING', [['a'], ['', 'b\nc'], ['\\']]],
  ['STRING', [null, 'x', 1, [], [1, [null]], ['a']]],
  ['STRING', ['\u0000', 'ok', '\ud800', '\uffff']],
  ['STRING', [1, 'a']],
])('attributes as %s: %p', (kind, values) => {
  const items = values.map((value, at) => item(`i${at}`, { attributes: { Custom: value } }));
  const text = writeReqif(items, [], OPTIONS);
  expect(text).toMatch(new RegExp(`<ATTRIBUTE-DEFINITION-${kind} [^>]*LONG-NAME="Custom"`));
  expect(roundTrip(items, []).items.map(({ attributes }) => attributes.Custom ?? null)).toEqual(
    values,
  );
});

test('names that XML cannot hold are read back, of items and of links [PQRS-19]', () => {
  const attributes = { 'k\u0001': '1', 'k\u0002': '2', 'k\ufffd': '3', '\ud800.': ['4'] };
  const result = roundTrip(
    [item('A', { attributes })],
    [{ from: 'A', to: 'A', type: 'relates', attributes }],
  );
  expect(result.items[0]?.attributes).toEqual(attributes);
  expect(result.links[0]?.attributes).toEqual(attributes);
  expect(result.findings).toEqual([]);
});

describe('items that do not fit', () => {
  test('documents within documents, and items in none, in their order', () => {
    const items = [
      item('a'),
      item('D', { kind: 'document' }),
      item('E', { kind: 'document', parentId: 'D' }),
      item('b', { parentId: 'E' }),
      item('c'),
      item('d'),
    ];
    expect(roundTrip(items, []).items.map(bare)).toEqual(items.map(bare));
  });

  test('parents that are not there, and rings of parents', () => {
    const items = [
      item('a', { parentId: 'gone' }),
      item('b', { parentId: 'c' }),
      item('c', { parentId: 'b' }),
      item('d', { parentId: 'd' }),
    ];
    const read = roundTrip(items, []).items;
    expect(read.map(({ id, parentId }) => [id, parentId])).toEqual([
      ['a', null],
      ['b', null],
      ['c', 'b'],
      ['d', null],
    ]);
  });

  describe('nesting beyond what readers take', () => {
    const chain = (length: number, kind: NodeKind = 'section') =>
      Array.from({ length }, (_, at) =>
        item(`i${at}`, { kind, parentId: at === 0 ? null : `i${at - 1}` }),
      );

    test('stands flat, and is read back as it was', () => {
      const items = [
        item('D', { kind: 'document', title: 'Document' }),
        ...chain(1000).map((one) => (one.parentId === null ? { ...one, parentId: 'D' } : one)),
        // Siblings and more levels beside and below, on both sides of the bound.
        ...[150, 198, 199, 200, 201, 999].flatMap((at) => [
          item(`a${at}`, { parentId: `i${at}` }),
          item(`b${at}`, { parentId: `a${at}`, attributes: { 'reqif:identifier': `_b${at}` } }),
          item(`c${at}`, { parentId: `b${at}` }),
          item(`d${at}`, { parentId: `a${at}` }),
        ]),
      ];
      const result = roundTrip(items, []);
      expect(result.findings).toEqual([]);
      const parents = (list: readonly { id: string; parentId: string | null }[]) =>
        list.map(({ id, parentId }) => [id, parentId]);
      expect(parents(result.items).sort()).toEqual(parents(items).sort());
      for (const { id } of items) {
        const children = (list: readonly { id: string; parentId: string | null }[]) =>
          list.filter(({ parentId }) => parentId === id).map((one) => one.id);
        expect(children(result.items)).toEqual(children(items));
      }
      const again = roundTrip(result.items, []);
      expect(again.items.map(bare)).toEqual(result.items.map(bare));
    });

    test('no element stands deeper than tools take', () => {
      let depth = 0;
      let deepest = 0;
      for (const [, end, self] of writeReqif(chain(2000), [], OPTIONS).matchAll(
        /<(\/?)[A-Z][^>]*?(\/?)>/g,
      )) {
        depth += end === '/' ? -1 : self === '/' ? 0 : 1;
        deepest = Math.max(deepest, depth);
      }
      expect(deepest).toBeLessThan(450);
    });

    test('of 50,000 levels is read back too', () => {
      const items = chain(50_000, 'requirement');
      const result = roundTrip(items, []);
      expect(result.findings).toEqual([]);
      expect(result.items.every(({ parentId }, at) => parentId === items[at]?.parentId)).toBe(true);
    }, 60_000);

    test('a place that names a parent behind it stays where it is', () => {
      const text = writeReqif(chain(300), [], OPTIONS);
      const bytes = new TextEncoder().encode(
        text.replace('"pqrs.parent.pqrs.item.i250"', '"pqrs.parent.pqrs.item.i251"'),
      );
      const { items, findings } = readReqif([{ path: 'a.reqif', bytes }]);
      expect(items).toHaveLength(300);
      expect(items.find(({ id }) => id === 'i251')?.parentId).toBe('i199');
      expect(findings.map(({ code, relatedIds }) => [code, relatedIds])).toEqual([
        ['invalid_parent', ['pqrs.item.i251']],
      ]);
    });
  });

  test('status, priority and rationale that are said, and empty', () => {
    const items = [
      item('a', { status: '', priority: '', rationale: '' }),
      item('b', { status: ' ', priority: '\n', rationale: ' \n ' }),
      item('c'),
    ];
    expect(roundTrip(items, []).items.map(bare)).toEqual(items.map(bare));
  });

  test('an id that cannot be one gives way to the IDENTIFIER', () => {
    const { items, findings, statuses } = roundTrip([item('a\u0000'), item('b\n'), item('c')], []);
    expect(items.map(({ id }) => id)).toEqual(['pqrs.item.a_0_', 'pqrs.item.b_a_', 'c']);
    expect(findings.map(({ code, itemId }) => [code, itemId])).toEqual([
      ['invalid_id', 'pqrs.item.a_0_'],
      ['invalid_id', 'pqrs.item.b_a_'],
    ]);
    expect([...statuses.values()]).toEqual(['partial']);
  });

  test('identifiers of other tools, and those that are none', () => {
    const identifier = (value: string) => ({ 'reqif:identifier': value });
    const items = [
      item('a', { attributes: identifier('_x.1') }),
      item('b', { attributes: identifier('_x.1') }),
      item('c', { attributes: identifier('1 2') }),
      item('pqrs.item.c'),
    ];
    const read = roundTrip(items, []).items;
    expect(read.map(({ id, attributes }) => [id, attributes['reqif:identifier']])).toEqual([
      ['a', '_x.1'],
      ['b', '_x.1'],
      ['c', '1 2'],
      ['pqrs.item.c', undefined],
    ]);
    const text = writeReqif(items, [], OPTIONS);
    expect(
      [...text.matchAll(/<SPEC-OBJECT [^>]*IDENTIFIER="([^"]*)"/g)].map(([, id]) => id),
    ).toEqual(['_x.1', 'pqrs.item.b', 'pqrs.item.c', 'pqrs.item.pqrs_2e_item_2e_c']);
  });
});

describe('relations', () => {
  const items = [
    item('D', { kind: 'document' }),
    item('A', { parentId: 'D' }),
    item('B', { attributes: { 'reqif:identifier': '_taken' } }),
  ];
  const groups = (...names: string[]) => ({ attributes: { 'reqif:relation-groups': names } });
  const links: ExportedLink[] = [
    { from: 'A', to: 'B', type: 'verifies', role: 'is verified by' },
    { from: 'A', to: 'B', type: 'verifies', role: 'Checks', ...groups('g <1>', 'h') },
    { from: 'B', to: 'A', type: 'relates', ...groups('h') },
    { from: 'B', to: 'A', type: 'depends', ...groups('z', 'h') },
    {
      ...{ from: 'A', to: 'B', type: 'relates' },
      attributes: {
        ...{ 'reqif:identifier': '_r1', 'reqif:long-name': 'n', 'reqif:desc': 'd' },
        'reqif:last-change': '2024-01-02T03:04:05Z',
      },
    },
    { from: 'A', to: 'B', type: 'relates', attributes: { 'reqif:identifier': '_taken' } },
    { from: 'A', to: 'gone', type: 'relates', ...groups('g') },
  ];
  const text = writeReqif(items, links, OPTIONS);

  test('have types of their names, and run as these say', () => {
    const relations = text.match(/<SPEC-RELATION .*/g) ?? [];
    const refs = (relation: string | undefined) =>
      [...(relation ?? '').matchAll(/<SPEC-\w+-(?:TYPE-)?REF>([^<]*)</g)].map(([, ref]) => ref);
    expect(refs(relations[0])).toEqual([
      '_taken',
      'pqrs.item.A',
      'pqrs.relation.verifies.is_20_verified_20_by',
    ]);
    expect(refs(relations[1])).toEqual(['pqrs.item.A', '_taken', 'pqrs.relation.verifies.Checks']);
    expect(text).toContain('LONG-NAME="is verified by"');
    expect(relations[4]).toStartWith('<SPEC-RELATION DESC="d" IDENTIFIER="_r1"');
    expect(relations[4]).toContain('LAST-CHANGE="2024-01-02T03:04:05Z" LONG-NAME="n"');
    expect(relations[5]).toContain('IDENTIFIER="pqrs.link.6"');
  });

  test('stand in groups between the specifications of their objects', () => {
    const found = (text.match(/<RELATION-GROUP .*/g) ?? []).map((group) => [
      /LONG-NAME="([^"]*)"/.exec(group)?.[1],
      ...[...group.matchAll(/<(?:SPECIFICATION|SPEC-RELATION)-REF>([^<]*)</g)].map(([, id]) => id),
    ]);
    expect(found).toEqual([
      ['g &lt;1&gt;', 'pqrs.item.D', 'pqrs.link.2', 'pqrs.root.2'],
      ['h', 'pqrs.item.D', 'pqrs.link.2', 'pqrs.root.2'],
      ['h', 'pqrs.root.2', 'pqrs.link.3', 'pqrs.item.D'],
    ]);
    expect(text.indexOf('<SPEC-RELATION-GROUPS>')).toBeGreaterThan(
      text.indexOf('</SPECIFICATIONS>'),
    );
    expect(writeReqif(items, links.slice(0, 1), OPTIONS)).not.toContain('RELATION-GROUP');
  });

  test('that run the other way round stand in groups that do so too', () => {
    const [link] = links;
    const reversed = writeReqif(items, [{ ...link, ...groups('g') } as ExportedLink], OPTIONS);
    const [source, target] = [...reversed.matchAll(/<SPECIFICATION-REF>([^<]*)</g)];
    expect([source?.[1], target?.[1]]).toEqual(['pqrs.root.2', 'pqrs.item.D']);
    const bytes = new TextEncoder().encode(reversed);
    const { findings } = readReqif([{ path: 'a.reqif', bytes }]);
    expect(findings.filter(({ code }) => code === 'relation_group_ignored')).toEqual([]);
  });

  test('are read back', () => {
    const result = roundTrip(items, links);
    expect(result.items.map(bare)).toEqual(items.map(bare));
    expect(bareLinks(result.links)).toEqual(bareLinks(links));
    expect(result.findings).toEqual([]);
  });
});

/** Text of characters that mean something to XML, to lists and to layouts. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom(...' \n\r\t<>&"\'\\-|]:;,.\u00a0\u0000\ud800\uffff\u2028aé😀'),
    maxLength: 12,
  }),
);
const label = text.filter((value) => value.trim() !== '');
const attribute: fc.Arbitrary<AttributeValue> = fc.oneof(
  text,
  fc.boolean(),
  fc.integer(),
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((value) => (Object.is(value, -0) ? 0 : value)),
  fc.constant(null),
  fc.array(text, { maxLength: 3 }),
  fc.array(fc.oneof(fc.integer(), fc.array(text, { maxLength: 2 })), { maxLength: 3 }),
);
const names = fc.constantFrom(
  'Status',
  'ReqIF.Text',
  'x',
  'Priority',
  'pqrs.role.id',
  'a b',
  '__proto__',
  '',
  ...['k\u0001', 'k\u0002', 'k\ufffd', '\ud800.', '\uffff'],
  ...[
    'identifier',
    'type',
    'last-change',
    'desc',
    'long-name',
    'alternative-id',
    'place-name',
    'place-desc',
    'place-alternative-id',
  ].map((name) => `reqif:${name}`),
  ...['reqif:table-internal', 'reqif:header:TITLE'],
);
/** Values of which some are those that ReqIF has places for. */
const special = fc.constantFrom<AttributeValue>(
  '_a',
  '_b',
  OPTIONS.time,
  '2024-01-02T03:04:05Z',
  true,
);

const itemArbitrary = fc.record({
  kind: fc.constantFrom<NodeKind>('document', 'section', 'requirement', 'story'),
  title: text,
  statement: text,
  acceptance: fc.array(text, { maxLength: 3 }),
  rationale: fc.option(text),
  status: fc.option(text),
  priority: fc.option(text),
  tags: fc.array(text, { maxLength: 3 }),
  active: fc.boolean(),
  attributes: fc
    .array(fc.tuple(names, fc.oneof(attribute, special)), { maxLength: 3 })
    .map((entries): Record<string, AttributeValue> => Object.fromEntries(entries)),
});

const idArbitrary = label.filter((id) => idFault(id) === undefined);

const graphArbitrary = fc.uniqueArray(idArbitrary, { minLength: 1, maxLength: 12 }).chain((ids) =>
  fc.record({
    items: fc.tuple(
      ...ids.map((id, at) =>
        fc.tuple(itemArbitrary, fc.nat(at)).map(
          ([rest, parent]): ExportedItem => ({
            ...rest,
            id,
            parentId: parent === at ? null : (ids[parent] ?? null),
          }),
        ),
      ),
    ),
    links: fc.array(
      fc.record(
        {
          from: fc.constantFrom(...ids),
          to: fc.oneof(fc.constantFrom(...ids), text),
          type: fc.constantFrom<SourceLink['type']>('refines', 'verifies', 'relates'),
          role: fc.oneof(text, fc.constantFrom('is verified by', 'refined by', 'Tests')),
          suspect: fc.boolean(),
          attributes: fc.dictionary(
            fc.constantFrom(
              ...[
                'n',
                'n\u0001',
                'n\u0002',
                'Suspect',
                'a b',
                'reqif:identifier',
                'reqif:long-name',
                'reqif:desc',
                'reqif:last-change',
              ],
              'reqif:relation-groups',
            ),
            fc.oneof(attribute, special, fc.subarray(['g', 'h h', 'i'], { minLength: 1 })),
            { minKeys: 1, maxKeys: 3 },
          ),
        },
        { requiredKeys: ['from', 'to', 'type'] },
      ),
      { maxLength: 6 },
    ),
  }),
);

test('any items and links are read back without loss [PQRS-19]', () => {
  fc.assert(
    fc.property(graphArbitrary, ({ items, links }) => {
      const result = roundTrip(items, links);
      const byId = (list: readonly ReturnType<typeof bare>[]) =>
        [...list].sort((a, b) => (a.id < b.id ? -1 : 1));
      expect(byId(result.items.map(bare))).toEqual(byId(items.map(bare)));
      const childrenOf = (
        list: readonly { id: string; parentId: string | null }[],
        parent: string | null,
      ) => list.filter(({ parentId }) => parentId === parent).map(({ id }) => id);
      for (const parent of [null, ...items.map(({ id }) => id)]) {
        expect(childrenOf(result.items, parent)).toEqual(childrenOf(items, parent));
      }
      expect(bareLinks(result.links)).toEqual(bareLinks(links));
      const dangling = links.filter(({ to }) => !items.some(({ id }) => id === to)).length;
      expect(result.findings.length).toBeLessThanOrEqual(dangling);
    }),
    { numRuns: 300 },
  );
}, 60_000);

describe('files of other tools, written again', () => {
  const folder = sharedData('reqif');
  if (folder === undefined) return;
  test.each(readdirSync(folder).filter((name) => name.endsWith('.reqif')))('%s', (name) => {
    const bytes = new Uint8Array(readFileSync(join(folder, name)));
    const first = readReqif([{ path: 'a.reqif', bytes }]);
    const second = roundTrip(first.items, first.links);
    expect(second.items.map(bare)).toEqual(first.items.map(bare));
    expect(bareLinks(second.links)).toEqual(bareLinks(first.links));
  });
});
