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

/** An item without its position and without what only ReqIF says of it. */
function bare({
  path,
  line,
  order,
  attributes,
  ...rest
}: SourceItem | (ExportedItem & Partial<SourceItem>)) {
  const own = Object.entries(attributes).filter(([name]) => !name.startsWith('reqif:'));
  return { ...rest, attributes: own.sort(([a], [b]) => (a < b ? -1 : 1)) };
}

function bareLinks(links: readonly (ExportedLink & Partial<SourceLink>)[]): string[] {
  return links
    .map(({ from, to, type, role, suspect, attributes }) => {
      const others = Object.entries(attributes ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
      return JSON.stringify([from, to, type, role ?? null, suspect ?? null, others]);
    })
    .sort();
}

describe('what is written', () => {
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

  test('nesting beyond what readers take', () => {
    const items = Array.from({ length: 1000 }, (_, at) =>
      item(`i${at}`, { parentId: at === 0 ? null : `i${at - 1}` }),
    );
    const result = roundTrip(items, []);
    expect(result.items).toHaveLength(1000);
    expect(result.items.at(-1)?.parentId).toBe('i199');
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
      ['b', 'pqrs.item.b'],
      ['c', 'pqrs.item.c'],
      ['pqrs.item.c', 'pqrs.item.pqrs_2e_item_2e_c'],
    ]);
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
);

const itemArbitrary = fc.record({
  kind: fc.constantFrom<NodeKind>('document', 'section', 'requirement', 'story'),
  title: text,
  statement: text,
  acceptance: fc.array(text, { maxLength: 3 }),
  rationale: fc.option(label),
  status: fc.option(label),
  priority: fc.option(label),
  tags: fc.array(text, { maxLength: 3 }),
  active: fc.boolean(),
  attributes: fc
    .array(fc.tuple(names, attribute), { maxLength: 3 })
    .map((entries): Record<string, AttributeValue> => Object.fromEntries(entries)),
});

const graphArbitrary = fc.uniqueArray(label, { minLength: 1, maxLength: 12 }).chain((ids) =>
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
          role: text,
          suspect: fc.boolean(),
          attributes: fc.dictionary(fc.constantFrom('n', 'Suspect', 'a b'), attribute, {
            minKeys: 1,
            maxKeys: 2,
          }),
        },
        { requiredKeys: ['from', 'to', 'type'] },
      ),
      { maxLength: 6 },
    ),
  }),
);

test('any items and links are read back without loss', () => {
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
    for (const [at, { attributes }] of first.items.entries()) {
      const again = second.items[at]?.attributes ?? {};
      for (const key of ['reqif:type', 'reqif:desc', 'reqif:long-name', 'reqif:place-name']) {
        expect(again[key]).toEqual(attributes[key]);
      }
    }
  });
});
