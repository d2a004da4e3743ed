// Reading Doorstop: its files as items and links, and what its own check says about them. The stamps
// in the fixture were made by Doorstop itself.
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import fc from 'fast-check';
import { writeSrsJson } from '../../../src/requirements/export/json.ts';
import { buildGraph } from '../../../src/requirements/graph/build.ts';
import { readDoorstop } from '../../../src/requirements/sources/doorstop/reader.ts';
import { readSrsJson } from '../../../src/requirements/sources/srs-json/reader.ts';
import { filesIn, filesOf } from '../../support/source-files.ts';

const FIXTURE = join(import.meta.dir, '..', '..', 'fixtures', 'doorstop');
const STAMP = 'A'.repeat(43).concat('=');

const readTexts = (texts: Record<string, string>) => readDoorstop(filesOf(texts));
const withFixture = (changes: Record<string, (text: string) => string>) =>
  readDoorstop(
    filesIn(FIXTURE).map(({ path, bytes }) => {
      const text = new TextDecoder().decode(bytes);
      return { path, bytes: new TextEncoder().encode(changes[path]?.(text) ?? text) };
    }),
  );
const ROOT = 'settings: {prefix: SYS, sep: "-"}\n';
const CHILD = 'settings: {prefix: SRS, parent: SYS}\n';

/** Findings in short, without those that a set of two unreviewed items always has. */
function codes(texts: Record<string, string>): string[] {
  return readTexts(texts)
    .findings.filter(({ code }) => code !== 'no_child_links' && code !== 'unreviewed_item')
    .map(({ code, path, line }) => `${code} ${path}:${line}`);
}

describe('the fixture [PQRS-6]', () => {
  const result = readDoorstop(filesIn(FIXTURE));
  const byId = new Map(result.items.map((item) => [item.id, item]));

  test('has no finding but of its extension and levels', () => {
    expect(result.findings.map(({ code, severity, line }) => [code, severity, line])).toEqual([
      ['not_kept', 'info', 13],
      ['skipped_level', 'info', 4],
    ]);
    expect([...result.statuses.values()].every((status) => status === 'parsed')).toBe(true);
  });

  test('becomes documents, a section and requirements', () => {
    expect(result.items.map(({ id, kind, parentId }) => [id, kind, parentId])).toEqual([
      ['SRS', 'document', null],
      ['SRS001', 'requirement', 'SRS'],
      ['SRS002', 'requirement', 'SRS'],
      ['SYS', 'document', null],
      ['SYS-001', 'section', 'SYS'],
      ['SYS-002', 'requirement', 'SYS-001'],
      ['SYS-003', 'requirement', 'SYS-001'],
    ]);
    expect(byId.get('SYS')?.title).toBe('Coffee machine');
  });

  test('keeps every field', () => {
    expect(byId.get('SYS-002')).toMatchObject({
      title: 'Hot water',
      statement: 'The machine **shall** heat water to 92 °C.\n\nWithin a minute.',
      priority: 'high',
      attributes: {
        level: '1.1',
        normative: true,
        derived: false,
        'limits.low': 88,
        'limits.high': 96.5,
        'limits.note\\': null,
        verification: ['test', 2, true, '2024-05-01'],
        references: [`{"path":"docs/o'ring.txt","type":"file","keyword":"88\\t°C"}`],
      },
    });
    expect(byId.get('SYS-001')).toMatchObject({ title: 'Brewing', statement: '' });
    expect(byId.get('SYS-003')?.attributes).toMatchObject({ level: '1.10', ref: 'kettle' });
    expect(byId.get('SRS001')).toMatchObject({
      title: 'Heater control',
      statement: 'The controller shall hold the water at 92 °C.\n\n- one\n- two',
    });
  });

  test('links in the spelling of the target', () => {
    expect(result.links).toEqual([
      ...[
        { to: 'SYS-002', line: 6 },
        { to: 'SYS-003', line: 7 },
      ].map(({ to, line }) => ({
        from: 'SRS001',
        to,
        type: 'refines' as const,
        path: 'srs/SRS001.md',
        line,
        item: { id: 'SRS001', path: 'srs/SRS001.md', line: 1 },
        suspect: false,
      })),
    ]);
  });
});

describe('stamps [PQRS-6]', () => {
  const changes: [string, string, (text: string) => string, string[]][] = [
    ['the text', 'sys/SYS-002.yml', (t) => t.replace('92', '93'), ['SYS-002', 'SRS001']],
    ['a reference', 'sys/SYS-002.yml', (t) => t.replace("o'ring", 'oring'), ['SYS-002', 'SRS001']],
    [
      'a number in a map',
      'sys/SYS-002.yml',
      (t) => t.replace('96.5', '96.0'),
      ['SYS-002', 'SRS001'],
    ],
    [
      'the type of a value',
      'sys/SYS-002.yml',
      (t) => t.replace('2, yes', '2.0, yes'),
      ['SYS-002', 'SRS001'],
    ],
    [
      'the external reference',
      'sys/SYS-003.yml',
      (t) => t.replace('kettle', 'pot'),
      ['SYS-003', 'SRS001'],
    ],
    ['the links', 'srs/SRS001.md', (t) => t.replace(/- SYS-003:.*\n/, ''), ['SRS001']],
    ['spaces at ends of lines', 'sys/SYS-002.yml', (t) => t.replace('°C.   ', '°C. '), []],
    ['the level', 'sys/SYS-002.yml', (t) => t.replace('level: 1.1', 'level: 1.2'), []],
    ['line ends', 'sys/SYS-002.yml', (t) => t.replaceAll('\n', '\r\n'), []],
    ['the header', 'srs/SRS001.md', (t) => t.replace('Heater', 'Boiler'), []],
    ['another name for true', 'sys/SYS-002.yml', (t) => t.replace('yes', 'on'), []],
  ];
  test.each(changes)('judge a change of %s', (_, path, change, changed) => {
    const { findings, links } = withFixture({ [path]: change });
    const found = findings.filter(({ code }) => code === 'unreviewed_item');
    const ids = [
      ...found.map(({ itemId }) => itemId as string),
      ...links.flatMap(({ from, suspect }) => (suspect ? from : [])),
    ];
    expect(ids.sort()).toEqual([...changed].sort());
    expect(found.every(({ severity }) => severity === 'warning')).toBe(true);
  });

  const forms: [string, boolean | undefined][] = [
    ['- SYS-1', undefined],
    ['- SYS-1: null', undefined],
    ['- SYS-1: false', undefined],
    ["- SYS-1: ''", undefined],
    ['- SYS-1: true', false],
    [`- SYS-1: ${STAMP}`, true],
    [`- SYS-1:${STAMP}`, true],
    [`- "sys_0001:${STAMP}"`, true],
  ];
  test.each(forms)('stand on links as in %s', (form, suspect) => {
    const { links } = readTexts({
      '.doorstop.yml': ROOT,
      'SYS-1.yml': 'text: a\nlevel: 1\n',
      'SYS-2.yml': `text: b\nlevel: 2\nlinks:\n${form}\n`,
    });
    expect(links).toHaveLength(1);
    expect(links[0]).toMatchObject({ from: 'SYS-2', to: 'SYS-1', line: 4 });
    expect(links[0]?.suspect).toBe(suspect);
  });

  test('that are missing ask for a review, those set to true do not', () => {
    const { findings } = readTexts({
      '.doorstop.yml': ROOT,
      'SYS-1.yml': 'text: a\nlevel: 1\n',
      'SYS-2.yml': 'text: b\nlevel: 2\nreviewed: true\n',
    });
    expect(findings).toMatchObject([
      { code: 'unreviewed_item', severity: 'info', itemId: 'SYS-1' },
    ]);
  });
});

describe('checks [PQRS-6]', () => {
  const base = { '.doorstop.yml': ROOT, 'c/.doorstop.yml': CHILD, 'SYS-1.yml': 'text: a\n' };
  const cases: [string, Record<string, string>, string[]][] = [
    ['nothing', { 'c/SRS1.yml': 'text: b\nlinks: [SYS-1]\n' }, []],
    ['nothing in a derived item', { 'c/SRS1.yml': 'text: b\nderived: true\n' }, []],
    ['nothing in an inactive item', { 'c/SRS1.yml': 'active: false\nnormative: no\n' }, []],
    [
      'no text of what is not normative',
      { 'c/SRS1.yml': 'normative: no\ntext: |\n\n' },
      ['missing_statement c/SRS1.yml:2'],
    ],
    [
      'a link from what is not normative',
      { 'c/SRS1.yml': 'text: b\nnormative: no\nlinks:\n- SYS-1\n' },
      ['non_normative_linked c/SRS1.yml:3'],
    ],
    [
      'a link to what is not normative',
      { 'SYS-1.yml': 'text: a\nnormative: false\n', 'c/SRS1.yml': 'text: b\nlinks:\n- SYS-1\n' },
      ['non_normative_referenced c/SRS1.yml:3'],
    ],
    [
      'a link to another document than the parent',
      {
        'c/SRS1.yml': 'text: b\nlinks:\n- SYS-1\n- SRS2\n',
        'c/SRS2.yml': 'text: c\nlevel: 1.1\nlinks: [SYS-1]\n',
      },
      ['wrong_parent_document c/SRS1.yml:4'],
    ],
    [
      'a link to nothing like a UID',
      { 'c/SRS1.yml': 'text: b\nlinks:\n- SYS-1\n- "!"\n- null\n' },
      ['invalid_link c/SRS1.yml:4', 'invalid_link c/SRS1.yml:5'],
    ],
    [
      'a prefix from elsewhere',
      { 'c/X1.yml': 'text: b\nlinks: [SYS-1]\n' },
      ['prefix_mismatch c/X1.yml:1'],
    ],
    [
      'two spellings of one UID',
      { 'SYS-002.yml': 'text: b\nlevel: 2\n', 'sys2.yml': 'text: c\nlevel: 3\n' },
      ['duplicate_id sys2.yml:1'],
    ],
    ['a level twice', { 'SYS-2.yml': 'text: b\nlevel: 1\n' }, ['duplicate_level SYS-2.yml:2']],
    ['a level left out', { 'SYS-2.yml': 'text: b\nlevel: 1.2\n' }, ['skipped_level SYS-2.yml:2']],
    [
      'a name that is no UID',
      { 'notes.yml': 'a: b\n', 'REQ2.txt': '', 'SYS-2.md': '' },
      ['unknown_format REQ2.txt:0', 'unknown_format SYS-2.md:0', 'unknown_format notes.yml:0'],
    ],
    [
      'a document left out',
      { 'd/.doorstop.skip': '', 'd/.doorstop.yml': ROOT, 'd/SYS-1.yml': '', 'd/x.txt': '' },
      ['unknown_format d/.doorstop.skip:0'],
    ],
    [
      'two roots',
      { 'd/.doorstop.yml': 'settings: {prefix: D}\n' },
      ['wrong_parent_document d/.doorstop.yml:1'],
    ],
    [
      'a parent that is not there, and nothing that follows from it',
      {
        'd/.doorstop.yml': 'settings:\n  prefix: D\n  parent: C\n',
        'd/D1.yml': 'text: c\nlevel: 1.1\nlinks: [SYS-1]\n',
      },
      ['dangling_reference d/.doorstop.yml:3'],
    ],
    [
      'nothing wrong in a parent in other case',
      { 'd/.doorstop.yml': 'settings: {prefix: D, parent: sys}\n' },
      [],
    ],
  ];
  test.each(cases)('find %s', (_, texts, expected) => {
    const { 'c/.doorstop.yml': child, ...alone } = base;
    const parts = Object.keys(texts).some((path) => path.startsWith('c/'));
    expect(
      codes({ ...(parts ? { ...alone, 'c/.doorstop.yml': child } : alone), ...texts }),
    ).toEqual(expected);
  });

  test('find an item without a document', () => {
    expect(codes({ 'A1.yml': 'text: a\n' })).toEqual(['missing_file A1.yml:0']);
  });

  test('two spellings of one UID are both kept, and links are to the first', () => {
    const { items, links, findings } = readTexts({
      '.doorstop.yml': ROOT,
      'a/SYS001.yml': 'text: a\n',
      'b/SYS001.yml': 'text: a\n',
      'sys-1.yml': 'text: b\nlevel: 2\n',
      'SYS-3.yml': 'text: c\nlevel: 3\nlinks: [SYS-1]\n',
    });
    expect(items.map(({ id }) => id).sort()).toEqual([
      ...['SYS', 'SYS-3', 'SYS001', 'SYS001', 'sys-1'],
    ]);
    expect(links.map(({ to }) => to)).toEqual(['SYS001']);
    expect(findings.filter(({ code }) => code === 'duplicate_id')).toMatchObject([
      { path: 'sys-1.yml', itemId: 'sys-1', relatedIds: ['SYS001'] },
    ]);
  });
});

describe('a file that cannot be read as it stands is failed, with its line [PQRS-6]', () => {
  const items: [string, string, number][] = [
    ['no YAML', 'level: 2\ntext: "a\n', 3],
    ['two documents in one file', 'level: 2\n---\ntext: a\n', 2],
    ['a list instead of a map', '\n- a\n', 2],
    ['an alias of nothing', 'text: a\na: *b\n', 2],
    ['what is taken in and no map', 'text: a\n<<: [{a: 1}, b]\n', 2],
    ['a list as a key', 'text: a\n? [a]\n: {b: c}\n', 2],
    ['a level that is none', 'text: b\nlevel: 1.x\n', 2],
    ['a level that is a map', 'text: b\nlevel: {a: 1}\n', 2],
    ['a text that is a list', 'level: 2\ntext: [a, b]\n', 2],
    ['links that are no list', 'text: b\nlinks: SYS-1\n', 2],
    ['a link that is a list', 'text: b\nlinks:\n- [SYS-1]\n', 3],
    ['a second UID in a link, for want of a dash', 'links:\n- SYS-1: null\n  SYS-3: null\n', 2],
    ['a stamp that is a list', 'text: b\nlinks:\n- SYS-1: [a]\n', 3],
    ['a review that is a number', 'text: b\nreviewed: 17\n', 2],
    ['a reference without path', 'text: b\nreferences:\n- type: file\n', 3],
    ['a switch that is another word', 'text: b\nactive: ture\n', 2],
    ['a switch that is empty', 'text: b\nnormative:\n', 2],
    ['a switch that is a number', 'text: b\nderived: 2\n', 2],
  ];
  test.each(items)('%s', (_, text, line) => {
    const {
      items: read,
      findings,
      statuses,
    } = readTexts({
      ...{ '.doorstop.yml': ROOT, 'SYS-1.yml': 'text: a\nreviewed: true\n', 'SYS-2.yml': text },
    });
    expect(findings.map((one) => [one.code, one.path, one.line])).toEqual([
      ['unparsed_source', 'SYS-2.yml', line],
    ]);
    expect(statuses.get('SYS-2.yml')).toBe('failed');
    expect(read.map(({ id }) => id)).toEqual(['SYS', 'SYS-1']);
  });

  const settings: [string, number][] = [
    ['settings: {prefix: SYS MARK}', 1],
    ['settings: {prefix: all}', 1],
    ['settings:\n  itemformat: MARK', 2],
    ['settings:\n  parent: [MARK]', 2],
    ['settings: MARK', 1],
    ['extensions: [MARK]', 1],
    ['attributes:\n  reviewed: MARK', 2],
  ];
  test.each(settings)('%j', (text, line) => {
    const { findings, statuses } = readTexts({ 'd/.doorstop.yml': `${text}\n` });
    expect(findings.map((one) => [one.code, one.line])).toEqual([['unparsed_source', line]]);
    expect(statuses.get('d/.doorstop.yml')).toBe('failed');
  });
});

describe('nothing vanishes [PQRS-6]', () => {
  const itemOf = (texts: Record<string, string>, id: string) =>
    readTexts(texts).items.find((item) => item.id === id);
  const fieldsOf = (fields: string) =>
    itemOf({ '.doorstop.yml': ROOT, 'SYS-1.yml': `text: a\n${fields}` }, 'SYS-1');

  test('the stamps of links are an attribute, whether their targets are there or not', () => {
    const links = `links:\n- SYS-2: ${STAMP}\n- SYS-8: ${STAMP}\n- SYS-9: true\n- SYS-10\n`;
    expect(fieldsOf(links)?.attributes.link_stamps).toEqual([
      `SYS-2: ${STAMP}`,
      `SYS-8: ${STAMP}`,
      'SYS-9: true',
    ]);
    expect(fieldsOf('links:\n- SYS-2: null\n')?.attributes).not.toHaveProperty('link_stamps');
  });

  const losses: [string, string, number, string][] = [
    ['a field twice', 'a: MARK\na: b\n', 2, 'MARK'],
    ['a link that stands twice', 'links:\n- S-2: a\n- s2: MARK\n', 4, 'MARK'],
    ['a link to nothing like a UID', 'links:\n- "!": MARK\n', 3, 'MARK'],
    ['an attribute whose name is taken', 'a.b: 1\na:\n  b: MARK\n', 4, 'MARK'],
    ['the name of an attribute of ours', 'links: [S-9: a]\nlink_stamps: MARK\n', 3, 'MARK'],
    ['a tag', 'a: !include b.txt\n', 2, '!include'],
    ['a tag that makes objects', 'a: !!python/object:os.system x\n', 2, 'python'],
  ];
  test.each(losses)('%s is reported', (_, fields, line, text) => {
    const texts = { '.doorstop.yml': ROOT, 'SYS-1.yml': `text: a\n${fields}` };
    const { findings, statuses } = readTexts(texts);
    const found = findings.filter(({ code }) => code === 'not_kept' || code === 'invalid_link');
    expect(found).toMatchObject([{ path: 'SYS-1.yml', line }]);
    expect(found[0]?.detail).toContain(text);
    expect(statuses.get('SYS-1.yml')).toBe('partial');
  });

  test('findings of a kind in one file are bounded, and the rest is counted', () => {
    const links = Array.from({ length: 1000 }, (_, n) => `- "!a${n}"\n`);
    const { findings } = readTexts({
      '.doorstop.yml': ROOT,
      'SYS-1.yml': `text: a\nlinks:\n${links.join('')}`,
      'SYS-2.yml': 'text: b\nlinks: ["!"]\n',
    });
    const of = (path: string) =>
      findings.filter((one) => one.code === 'invalid_link' && one.path === path);
    expect(of('SYS-1.yml')).toHaveLength(201);
    expect(of('SYS-1.yml').at(-1)).toMatchObject({ severity: 'error', line: 0 });
    expect(of('SYS-2.yml')).toHaveLength(1);
  });

  const MARKDOWN = { '.doorstop.yml': 'settings: {prefix: SYS, itemformat: markdown}\n' };
  const overruled: [string, string, string, string[]][] = [
    [
      'a header and a text with a body',
      '---\nheader: H\nlevel: 1.1\ntext: T\n---\n# Other\n\nBody.\n',
      'Body.',
      ['not_kept SYS1.md:2', 'not_kept SYS1.md:4'],
    ],
    ['a text without a body', '---\ntext: T\n---\n', '', ['not_kept SYS1.md:2']],
    ['a header without another', '---\nheader: H\n---\nBody.\n', 'Body.', []],
    ['a header that is empty', '---\nheader:\n---\n# H\nBody.\n', 'Body.', []],
    ['front matter without an end', '\n---\nlevel: 1.6\n', '---\nlevel: 1.6', []],
    ['a rule', '---\nSome text.\n', '---\nSome text.', []],
  ];
  test.each(overruled)('%s in the front matter', (_, text, statement, found) => {
    const texts = { ...MARKDOWN, 'SYS1.md': text };
    expect(itemOf(texts, 'SYS1')?.statement).toBe(statement);
    expect(codes(texts)).toEqual(found);
    expect(readTexts(texts).statuses.get('SYS1.md')).toBe(found.length > 0 ? 'partial' : 'parsed');
  });

  test('the words of a heading without header are in its title or its statement', () => {
    const text = fc.string({ unit: fc.constantFrom(...'ab*_#>- \n'), maxLength: 40 });
    fc.assert(
      fc.property(text, (written) => {
        const fields = `level: 1.0\nnormative: false\ntext: ${JSON.stringify(written)}\n`;
        const item = itemOf({ '.doorstop.yml': ROOT, 'SYS-1.yml': fields }, 'SYS-1');
        const letters = (words: string) => words.replaceAll(/[^ab]/g, '');
        expect(letters(`${item?.title}${item?.statement}`)).toBe(letters(written));
        if (written.trim() !== '') expect(`${item?.title}${item?.statement}`).not.toBe('');
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the order of items in the graph [PQRS-6]', () => {
  const leveled = (level: string, more = '') => `level: "${level}"\n${more}text: t${level}\n`;
  const texts = {
    'a/.doorstop.yml': 'settings: {prefix: A, sep: ""}\n',
    'a/A001.yml': leveled('1.1'),
    'a/A002.yml': leveled('1.0', 'normative: false\n'),
    'a/A003.yml': leveled('1.10'),
    'a/A004.yml': leveled('1.2'),
    'a/A005.yml': leveled('1.2'),
    'b/.doorstop.yml': 'settings: {prefix: B, parent: A, sep: ""}\n',
    'b/B010.yml': leveled('1.1'),
    'b/B9.yml': leveled('1.1'),
  };
  const result = readTexts(texts);
  const graph = buildGraph(result, []);
  const expected = ['A', 'A002', 'A001', 'A004', 'A005', 'A003', 'B', 'B9', 'B010'];

  test('is that of their documents: by level, then by UID', () => {
    expect(graph.nodes.map(({ id }) => id)).toEqual(expected);
    expect(graph.nodes.map(({ order }) => order)).toEqual(expected.map((_, at) => at));
    const held = graph.edges.filter(({ type, from }) => type === 'contains' && from === 'A002');
    expect(held.map(({ to }) => to)).toEqual(['A001', 'A004', 'A005', 'A003']);
    const inPaths = result.items.map(({ path }) => path);
    expect(inPaths).toEqual([...inPaths].sort());
  });

  test('stays what it is in our own format', () => {
    const bytes = new TextEncoder().encode(writeSrsJson(graph));
    const { nodes, edges } = buildGraph(readSrsJson([{ path: 'g.json', bytes }]), []);
    expect({ nodes, edges }).toEqual({ nodes: graph.nodes, edges: graph.edges });
  });
});
