// Reading Doorstop: its files as items and links, and what its own check says about them. The stamps
// in the fixture were made by Doorstop itself.
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import fc from 'fast-check';
import { writeSrsJson } from '../../../src/requirements/export/srs-json.ts';
import { buildGraph } from '../../../src/requirements/graph/build.ts';
import { readDoorstop } from '../../../src/requirements/sources/doorstop.ts';
import { readSrsJson } from '../../../src/requirements/sources/srs-json.ts';
import { sharedData } from '../../support/shared-data.ts';
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

  test('has no finding but what is told of itself', () => {
    expect(result.findings.map(({ code, severity, line }) => [code, severity, line])).toEqual([
      ['extension_ignored', 'info', 12],
      ['unquoted_level', 'info', 4],
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
    const { findings } = withFixture({ [path]: change });
    const found = findings.filter(
      ({ code }) => code === 'unreviewed_item' || code === 'suspect_link',
    );
    expect(found.map(({ itemId }) => itemId as string).sort()).toEqual([...changed].sort());
    expect(found.every(({ severity }) => severity === 'warning')).toBe(true);
  });

  const forms: [string, boolean | undefined][] = [
    ['- SYS-1', undefined],
    ['- SYS-1: null', undefined],
    ['- SYS-1: false', undefined],
    ["- SYS-1: ''", undefined],
    ['- SYS-1: true', false],
    ['- SYS-1:yes', false],
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
    [
      'no text',
      { 'c/SRS1.yml': 'links: [SYS-1]\ntext: |\n\n' },
      ['missing_statement c/SRS1.yml:2'],
    ],
    ['no link to the parent', { 'c/SRS1.yml': 'text: b\n' }, ['orphan c/SRS1.yml:1']],
    ['a derived item without link', { 'c/SRS1.yml': 'text: b\nderived: true\n' }, []],
    ['an inactive item without text', { 'c/SRS1.yml': 'active: false\n' }, []],
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
      'a link to what is inactive',
      { 'SYS-1.yml': 'active: false\n', 'c/SRS1.yml': 'text: b\nlinks:\n- SYS-1\n' },
      ['inactive_referenced c/SRS1.yml:3'],
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
      { 'c/SRS1.yml': 'text: b\nlinks:\n- SYS-1\n- "!"\n' },
      ['invalid_id c/SRS1.yml:4'],
    ],
    [
      'a link twice',
      { 'c/SRS1.yml': 'text: b\nlinks:\n- SYS-1\n- sys001\n' },
      ['duplicate_link c/SRS1.yml:4'],
    ],
    [
      'a second UID in a link, for want of a dash',
      { 'c/SRS1.yml': 'text: b\nlinks:\n- SYS-1: null\n  SYS-3: null\n' },
      ['invalid_value c/SRS1.yml:4'],
    ],
    [
      'links to nothing, each by itself',
      { 'c/SRS1.yml': 'text: b\nlinks:\n- SYS-1\n- null\n- [SYS-1]\n- {}\n' },
      ['invalid_id c/SRS1.yml:4', 'invalid_id c/SRS1.yml:5', 'invalid_id c/SRS1.yml:6'],
    ],
    [
      'a text that is a list, once',
      { 'SYS-2.yml': 'level: 2\ntext: [a, b]\n' },
      ['missing_statement SYS-2.yml:2'],
    ],
    [
      'a prefix from elsewhere',
      { 'c/X1.yml': 'text: b\nlinks: [SYS-1]\n' },
      ['prefix_mismatch c/X1.yml:1'],
    ],
    [
      'two spellings of one UID',
      { 'SYS-002.yml': 'text: b\nlevel: 2\n', 'sys2.yml': 'text: c\nlevel: 3\n' },
      ['duplicate_id SYS-002.yml:1'],
    ],
    ['a level twice', { 'SYS-2.yml': 'text: b\nlevel: 1\n' }, ['duplicate_level SYS-2.yml:2']],
    ['a level left out', { 'SYS-2.yml': 'text: b\nlevel: 1.2\n' }, ['skipped_level SYS-2.yml:2']],
    [
      'a level that is none',
      { 'SYS-2.yml': 'text: b\nlevel: 1.x\n' },
      ['invalid_level SYS-2.yml:2', 'duplicate_level SYS-2.yml:2'],
    ],
    [
      'a field twice',
      { 'SYS-2.yml': 'text: b\nlevel: 2\ntext: c\n' },
      ['duplicate_field SYS-2.yml:3'],
    ],
    [
      'an included file',
      { 'SYS-2.yml': 'text: !include secret\nlevel: 2\n' },
      ['include_ignored SYS-2.yml:1', 'missing_statement SYS-2.yml:1'],
    ],
    [
      'a tag that makes objects',
      { 'SYS-2.yml': 'level: 2\ntext: !!python/object:os.system x\n' },
      ['unknown_tag SYS-2.yml:2'],
    ],
    ['no YAML', { 'SYS-2.yml': 'level: 2\ntext: "a\n' }, ['unparsed_source SYS-2.yml:3']],
    [
      'two documents in one file',
      { 'SYS-2.yml': 'level: 2\n---\ntext: a\n' },
      ['unparsed_source SYS-2.yml:2'],
    ],
    ['a list instead of a map', { 'SYS-2.yml': '\n- a\n' }, ['unparsed_source SYS-2.yml:2']],
    ['a name that is no UID', { 'notes.yml': 'a: b\n' }, ['invalid_id notes.yml:0']],
    [
      'an unknown setting',
      { 'd/.doorstop.yml': 'settings:\n  parent: SYS\n  prefix: D\n  colour: red\n' },
      ['unknown_field d/.doorstop.yml:4'],
    ],
    [
      'a document left out',
      { 'd/.doorstop.skip': '', 'd/.doorstop.yml': ROOT, 'd/SYS-1.yml': '' },
      ['skipped_document d/.doorstop.skip:0'],
    ],
  ];
  test.each(cases)('find %s', (_, texts, expected) => {
    const parts =
      texts['c/.doorstop.yml'] ?? Object.keys(texts).some((path) => path.startsWith('c/'));
    const { 'c/.doorstop.yml': child, ...alone } = base;
    expect(
      codes({ ...(parts ? { ...alone, 'c/.doorstop.yml': child } : alone), ...texts }),
    ).toEqual(expected);
  });

  test('two spellings of one UID are both kept, and links are to the first', () => {
    const { items, links, findings } = readTexts({
      '.doorstop.yml': ROOT,
      'a/SYS001.yml': 'text: a\n',
      'b/SYS001.yml': 'text: a\n',
      'sys-1.yml': 'text: b\nlevel: 2\n',
      'x.yml': 'a: b\n',
      'SYS-3.yml': 'text: c\nlevel: 3\nlinks: [SYS-1]\n',
    });
    expect(items.map(({ id }) => id).sort()).toEqual([
      ...['SYS', 'SYS-3', 'SYS001', 'SYS001', 'sys-1'],
    ]);
    expect(links.map(({ to }) => to)).toEqual(['SYS001']);
    expect(findings.filter(({ code }) => code === 'duplicate_id')).toEqual([
      {
        ...{ code: 'duplicate_id', severity: 'error', path: 'a/SYS001.yml', line: 1 },
        ...{ itemId: 'SYS001', relatedIds: ['sys-1'] },
        detail:
          'SYS001 is the same UID to Doorstop as sys-1 (sys-1.yml); a link to any of them is to SYS001.',
      },
    ]);
  });

  const trees: [string, Record<string, string>, string[]][] = [
    [
      'no root',
      {
        'a/.doorstop.yml': 'settings:\n  prefix: A\n  parent: B\n',
        'b/.doorstop.yml': 'settings: {prefix: B, parent: A}\n',
      },
      ['no_root_document a/.doorstop.yml:3'],
    ],
    [
      'two roots',
      {
        'a/.doorstop.yml': 'settings: {prefix: A}\n',
        'b/.doorstop.yml': 'settings: {prefix: B}\n',
      },
      ['multiple_root_documents b/.doorstop.yml:1'],
    ],
    [
      'a parent that is not there',
      {
        'a/.doorstop.yml': 'settings: {prefix: A}\n',
        'b/.doorstop.yml': 'settings:\n  prefix: B\n  parent: C\n',
      },
      ['unplaced_document b/.doorstop.yml:3'],
    ],
    [
      'a prefix twice',
      {
        'a/.doorstop.yml': 'settings: {prefix: A}\n',
        'b/.doorstop.yml': 'settings: {prefix: a, parent: A}\n',
      },
      ['duplicate_document b/.doorstop.yml:1'],
    ],
    [
      'a prefix twice in one spelling, and leave it to who knows all ids',
      {
        'a/.doorstop.yml': 'settings: {prefix: A}\n',
        'b/.doorstop.yml': 'settings: {prefix: A}\n',
      },
      [],
    ],
    [
      'the root twice in two spellings',
      {
        'a/.doorstop.yml': 'settings: {prefix: A}\n',
        'b/.doorstop.yml': 'settings: {prefix: a}\n',
      },
      ['duplicate_document b/.doorstop.yml:1'],
    ],
    [
      'a parent that is not there, and nothing that follows from it',
      {
        'a/.doorstop.yml': 'settings: {prefix: A}\n',
        'a/A1.yml': 'text: a\n',
        'b/.doorstop.yml': 'settings: {prefix: B, parent: C}\n',
        'b/B1.yml': 'text: b\n',
        'b/B2.yml': 'text: c\nlevel: 1.1\nlinks: [A1]\n',
      },
      ['unplaced_document b/.doorstop.yml:1'],
    ],
    [
      'a parent in other case',
      {
        'a/.doorstop.yml': 'settings: {prefix: A}\n',
        'b/.doorstop.yml': 'settings: {prefix: B, parent: a}\n',
      },
      [],
    ],
    ['an item without document', { 'A1.yml': 'text: a\n' }, ['no_document A1.yml:0']],
  ];
  test.each(trees)('find %s', (_, texts, expected) => {
    expect(codes(texts)).toEqual(expected);
  });
});

describe('nothing vanishes [PQRS-6]', () => {
  const itemOf = (texts: Record<string, string>, id: string) =>
    readTexts(texts).items.find((item) => item.id === id);
  const saidOf = (fields: string, code = 'invalid_value') =>
    readTexts({ '.doorstop.yml': ROOT, 'SYS-1.yml': `text: a\n${fields}` })
      .findings.filter((finding) => finding.code === code)
      .map(({ line, detail }) => [line, detail]);

  const switches: [string, boolean, string][] = [
    ['ture', false, 'ture'],
    ['"y"', false, '"y"'],
    ['on please', false, 'on please'],
    ['null', false, 'null'],
    ['', false, 'null'],
    ['""', false, '""'],
    ['0.0', false, '0.0'],
    ['2', true, '2'],
    ['[x]', true, '[x]'],
    ['{a: 1}', true, '{a: 1}'],
    ['[]', false, '[]'],
    ['2024-05-01', true, '2024-05-01'],
  ];
  test.each(switches)(
    'a switch that is %p is told, and read as Doorstop does',
    (value, is, shown) => {
      for (const name of ['active', 'normative', 'derived']) {
        const fields = `${name}: ${value}\n`;
        const detail = `\`${name}\` is no boolean: as Doorstop reads it, ${shown} is taken for ${is}.`;
        expect(saidOf(fields)).toEqual([[2, detail]]);
        const texts = { '.doorstop.yml': ROOT, 'SYS-1.yml': `text: a\n${fields}` };
        const item = itemOf(texts, 'SYS-1');
        expect(name === 'active' ? item?.active : item?.attributes[name]).toBe(is);
        expect(readTexts(texts).statuses.get('SYS-1.yml')).toBe('partial');
      }
    },
  );

  test('switches that are booleans, or words that mean one to Doorstop too, need no word', () => {
    const values = 'true True TRUE yes on false no off "true" " Yes " enabled 1 "1" 0 "no" "false"';
    for (const value of values.match(/"[^"]*"|\S+/g) ?? [])
      expect(saidOf(`active: ${value}\n`)).toEqual([]);
  });

  const stamps: [string, boolean | undefined, string][] = [
    ['[MARK001]', false, '[MARK001] is taken for one that was confirmed by hand'],
    ['{a: b}', false, '{a: b} is taken for one that was confirmed by hand'],
    ['17', false, '17 is taken for one that was confirmed by hand'],
    ['[]', undefined, '[] is taken for none'],
  ];
  test.each(stamps)(
    'a stamp that is %s is told, and read as Doorstop does',
    (value, suspect, said) => {
      const fields = `links:\n- SYS-2: ${value}\nreviewed: ${value}\n`;
      expect(saidOf(fields)).toEqual([
        [3, `The stamp of the link to SYS-2 is no stamp: as Doorstop reads it, ${said}.`],
        [4, `\`reviewed\` is no stamp: as Doorstop reads it, ${said}.`],
      ]);
      const texts = { 'SYS-1.yml': fields, 'SYS-2.yml': 'text: b\n' };
      expect(readTexts(texts).links[0]?.suspect).toBe(suspect);
    },
  );

  test('the stamps of links are an attribute, whether their targets are there or not', () => {
    const links = `links:\n- SYS-2: ${STAMP}\n- SYS-8: ${STAMP}\n- SYS-9: true\n- SYS-10\n`;
    const texts = { '.doorstop.yml': ROOT, 'SYS-1.yml': links, 'SYS-2.yml': 'text: b\n' };
    expect(itemOf(texts, 'SYS-1')?.attributes.link_stamps).toEqual([
      `SYS-2: ${STAMP}`,
      `SYS-8: ${STAMP}`,
      'SYS-9: true',
    ]);
    expect(itemOf(texts, 'SYS-2')?.attributes).not.toHaveProperty('link_stamps');
  });

  test.each([
    ['- SYS-2: aaaa', ['SYS-2: aaaa']],
    ['- SYS-2: true', ['SYS-2: true']],
    ['- SYS-2: null', undefined],
    ['- SYS-2', undefined],
  ])('the stamp of %j is told from others', (link, kept) => {
    const texts = { 'SYS-1.yml': `text: a\nlinks:\n${link}\n`, 'SYS-2.yml': 'text: b\n' };
    expect(itemOf({ '.doorstop.yml': ROOT, ...texts }, 'SYS-1')?.attributes.link_stamps).toEqual(
      kept,
    );
  });

  test('the other stamp of a link that stands twice is told', () => {
    const fields = 'links:\n- SYS-2: aaaa\n- SYS-2: bbbb\n- SYS-2: aaaa\n- SYS-2\n';
    const first = 'The link to SYS-2 stands twice: the first holds';
    expect(saidOf(fields, 'duplicate_link')).toEqual([
      [4, `${first}, and the stamp bbbb is not kept.`],
      [5, `${first}.`],
      [6, `${first}.`],
    ]);
  });

  test('what is not kept is named, of an inactive item too', () => {
    const level = ' is no level: the item is taken to have none, which means 1.0.';
    expect(saidOf('level: {a: MARK001}\n', 'invalid_level')).toEqual([[2, `{a: MARK001}${level}`]]);
    expect(saidOf('level: [1, [2]]\n', 'invalid_level')).toEqual([[2, `[1, [2]]${level}`]]);
    expect(saidOf('links: SYS-2\n')).toEqual([[2, '`links` is no list: SYS-2 is not kept.']]);
    expect(saidOf('active: no\nlinks:\n- [SYS-2]\n- "!"\n', 'invalid_id')).toEqual([
      [4, 'The link [SYS-2] names no UID: it is not kept.'],
      [5, 'The link to "!" names no UID: it is not kept.'],
    ]);
    const texts = { '.doorstop.yml': ROOT, 'SYS-1.yml': 'text: a\nref: [b]\n' };
    expect(itemOf(texts, 'SYS-1')?.attributes.ref).toEqual(['b']);
  });

  const unusable: [string, string, string, number, string][] = [
    [
      'an alias of nothing',
      'a: *b\n',
      'unparsed_source',
      2,
      'The alias *b stands for nothing: no anchor before it has the name.',
    ],
    [
      'what is taken in and no map',
      '<<: [{a: 1}, MARK]\n',
      'unparsed_source',
      2,
      '`<<` takes in maps alone: MARK is not kept.',
    ],
    [
      'a file to include',
      'a: !include b.txt\n',
      'include_ignored',
      2,
      'An included file is not read: `!include b.txt` is ignored.',
    ],
    [
      'a list as a key',
      '? [a]\n: {b: c}\n',
      'unparsed_source',
      2,
      'A list or a map as a key is not kept: [a]: {b: c}',
    ],
    [
      'a field twice',
      'a: MARK\na: b\n',
      'duplicate_field',
      3,
      '`a` stands twice: the last one holds, and this is not kept: MARK',
    ],
  ];
  test.each(unusable)('%s is named', (_, fields, code, line, detail) => {
    expect(saidOf(fields, code)).toEqual([[line, detail]]);
  });

  test('of many of a kind the last are counted', () => {
    const said = saidOf('a: b\n'.repeat(200), 'duplicate_field');
    expect(said).toHaveLength(101);
    expect(said).toContainEqual([0, '99 more findings of this kind are in the file.']);
  });

  const settings: [string, string][] = [
    ['settings: {prefix: SYS MARK}', 'A prefix is one word: SYS MARK is taken for SYS.'],
    ['settings: {itemformat: MARK}', '`itemformat` has no usable value: MARK'],
    ['settings: {parent: [MARK]}', '`parent` is no prefix: [MARK]'],
    ['settings: MARK', '`settings` is no map: MARK is not kept.'],
    ['extensions: [MARK]', '`extensions` is no map: [MARK] is not kept.'],
  ];
  test.each(settings)('what is wrong in %s is named', (text, detail) => {
    const { findings } = readTexts({ '.doorstop.yml': `${text}\n` });
    const invalid = findings.filter(({ code }) => code === 'invalid_value');
    expect(invalid.map((finding) => finding.detail)).toEqual([detail]);
  });

  test('findings of a kind in one file are bounded, and the rest is counted', () => {
    const links = Array.from({ length: 1000 }, (_, n) => `- "!a${n}"\n- SYS-9: [${n}]\n`);
    const { findings } = readTexts({
      '.doorstop.yml': ROOT,
      'SYS-1.yml': `text: a\nlinks:\n${links.join('')}`,
      'SYS-2.yml': 'text: b\nlinks: ["!"]\n',
    });
    for (const [code, severity, more] of [
      ['invalid_id', 'error', 800],
      ['invalid_value', 'warning', 800],
      ['duplicate_link', 'info', 799],
    ] as const) {
      const alike = findings.filter((one) => one.code === code && one.path === 'SYS-1.yml');
      expect(alike.length).toBe(201);
      expect(alike.at(-1)).toMatchObject({
        ...{ severity, line: 0, detail: `${more} more findings of this kind are in the file.` },
      });
    }
    expect(findings.filter(({ path }) => path === 'SYS-2.yml').map(({ code }) => code)).toContain(
      'invalid_id',
    );
  });

  test('a long value is named by its beginning', () => {
    const long = `[${'[x, {a b: y}],'.repeat(5000)}]`;
    const [[, detail] = []] = saidOf(`active: ${long}\n`);
    expect(detail).toMatch(/^`active` is no boolean: .{80,120}… is taken for true\.$/);
  });

  test('a text that is a list is an attribute', () => {
    const item = itemOf({ '.doorstop.yml': ROOT, 'SYS-1.yml': 'text: [a, b]\n' }, 'SYS-1');
    expect(item).toMatchObject({ statement: '', attributes: { text: ['a', 'b'] } });
  });

  test('an empty map is an attribute [PQRS-6]', () => {
    const texts = {
      '.doorstop.yml': ROOT,
      'SYS-1.yml': 'text: a\nconf: {}\nmore: {a: {}, b: 1}\n',
    };
    expect(itemOf(texts, 'SYS-1')?.attributes).toMatchObject({
      ...{ conf: '{}', 'more.a': '{}', 'more.b': 1 },
    });
  });

  const SAME = 'There is an attribute `a.b` already: this one, 2, is kept as `a.b#2`.';
  test.each([
    ['a.b: 1\na:\n  b: 2\n', { 'a.b': 1, 'a.b#2': 2 }, 5, SAME],
    ['a:\n  b: 1\na.b: 2\n', { 'a.b': 1, 'a.b#2': 2 }, 5, SAME],
    ['a: {b: 1}\na.b#2: c\na.b: 2\n', { 'a.b': 1, 'a.b#2': 'c', 'a.b#3': 2 }, 5, '`a.b#3`'],
    [
      'links: [SYS-9: aaaa]\nlink_stamps: mine\n',
      { link_stamps: ['SYS-9: aaaa'], 'link_stamps#2': 'mine' },
      4,
      'There is an attribute `link_stamps` already: this one, mine, is kept as `link_stamps#2`.',
    ],
  ])('attributes that come to have one name are kept apart: %j', (fields, kept, line, said) => {
    const texts = { '.doorstop.yml': ROOT, 'SYS-1.yml': `text: a\n${fields}` };
    expect(itemOf(texts, 'SYS-1')?.attributes).toMatchObject(kept);
    const { findings, statuses } = readTexts(texts);
    const twice = findings.filter(({ code }) => code === 'duplicate_field');
    expect(twice).toMatchObject([{ severity: 'info', line: line - 1, itemId: 'SYS-1' }]);
    expect(twice[0]?.detail).toContain(said);
    expect(statuses.get('SYS-1.yml')).toBe('parsed');
  });

  test('attributes of a document that come to have one name are kept apart', () => {
    const text = `attributes:\n  defaults: {a.b: 1, a: {b: z}}\n  sep: x\n${ROOT}`;
    const { items, findings } = readTexts({ '.doorstop.yml': text });
    expect(items[0]?.attributes).toMatchObject({
      ...{ 'defaults.a.b': 1, 'defaults.a.b#2': 'z', sep: '-', 'sep#2': 'x' },
    });
    const twice = findings.filter(({ code }) => code === 'duplicate_field');
    expect(twice.map(({ line }) => line)).toEqual([2, 3]);
  });

  test('numbers that JSON would write otherwise keep their spelling', () => {
    const numbers = 'a: 1.0\nb: -0.0\nc: 1.10\nd: 1.5\ne: -2\nf: 1.0e+3\ng: [2.50, {h: 3.0}]\n';
    const texts = { '.doorstop.yml': ROOT, 'SYS-1.yml': `text: a\n${numbers}` };
    expect(itemOf(texts, 'SYS-1')?.attributes).toMatchObject({
      ...{ a: '1.0', b: '-0.0', c: '1.10', d: 1.5, e: -2, f: '1.0e+3', g: ['2.50', '{"h":"3.0"}'] },
    });
  });

  test('a header of several lines keeps them, and a text below a heading its indentation', () => {
    const texts = {
      '.doorstop.yml': ROOT,
      'SYS-1.yml': 'header: |\n  First\n  second\ntext: a\n',
      'SYS-2.yml': 'level: 1.0\nnormative: false\ntext: "Head\\n\\n    int a;\\n    int b;\\n"\n',
    };
    expect(itemOf(texts, 'SYS-1')?.title).toBe('First\nsecond');
    expect(itemOf(texts, 'SYS-2')).toMatchObject({
      ...{ title: 'Head', statement: '    int a;\n    int b;' },
    });
  });

  const MARKDOWN = { '.doorstop.yml': 'settings: {prefix: SYS, itemformat: markdown}\n' };
  const overruled: [string, string, string, string[]][] = [
    [
      'a header and a text with a body',
      '---\nheader: H\nlevel: 1.1\ntext: T\n---\n# Other\n\nBody.\n',
      'Body.',
      ['duplicate_field SYS1.md:2', 'duplicate_field SYS1.md:4'],
    ],
    ['a text without a body', '---\ntext: T\n---\n', '', ['missing_statement SYS1.md:2']],
    ['a header without another', '---\nheader: H\n---\nBody.\n', 'Body.', []],
    ['what the body repeats', '---\ntext: "Body. "\nheader: H\n---\n# H\nBody.\n', 'Body.', []],
    ['empty fields', '---\ntext: ""\nheader:\n---\n# H\nBody.\n', 'Body.', []],
    [
      'front matter without an end',
      '\n---\nlevel: 1.6\n',
      '---\nlevel: 1.6',
      ['unclosed_front_matter SYS1.md:2'],
    ],
    ['a rule', '---\nSome text.\n', '---\nSome text.', []],
  ];
  test.each(overruled)('%s in the front matter is told of', (_, text, statement, told) => {
    const texts = { ...MARKDOWN, 'SYS1.md': text };
    expect(itemOf(texts, 'SYS1')?.statement).toBe(statement);
    expect(codes(texts)).toEqual(told);
    expect(readTexts(texts).statuses.get('SYS1.md')).toBe(told.length > 0 ? 'partial' : 'parsed');
  });

  test('a file that is no item is told of, but for one that an item refers to', () => {
    const result = readTexts({
      '.doorstop.yml': ROOT,
      'SYS-1.yml': 'text: a\nreferences:\n- {path: b.txt, type: file}\n',
      ...{ 'a.md': '# US-1: x', 'b.txt': '', 'REQ2.txt': '', 'skipped/.doorstop.skip': '' },
      ...{ 'skipped/c.txt': '' },
    });
    expect(
      result.findings
        .filter(({ code }) => code === 'unknown_format')
        .map(({ severity, path }) => [severity, path]),
    ).toEqual([
      ['warning', 'REQ2.txt'],
      ['warning', 'a.md'],
    ]);
    expect(result.statuses.get('REQ2.txt')).toBe('ignored');
  });

  const titles: [string, string, string, string][] = [
    ['***\nrest two', '***', 'rest two', ''],
    ['# -\nrest', '# -', 'rest', ''],
    ['## A heading\nrest', 'A heading', 'rest', 'A heading'],
    ['> - A quote', 'A quote', '', 'A quote'],
    ['**Bold lead** and more', 'Bold lead and more', '', 'Bold lead and more'],
    ['***All of it***', 'All of it', '', 'All of it'],
    ['*a* and *b*', 'a and *b*', '', 'a and *b*'],
    ['* no emphasis**', 'no emphasis**', '', 'no emphasis**'],
  ];
  test.each(titles)('the first line of %j is a title', (text, title, rest, elsewhere) => {
    const fields = `text: ${JSON.stringify(text)}\n`;
    const texts = {
      '.doorstop.yml': ROOT,
      'SYS-1.yml': `${fields}level: 1.0\nnormative: false\n`,
      'SYS-2.yml': `${fields}level: 1.1\n`,
    };
    expect(itemOf(texts, 'SYS-1')).toMatchObject({ title, statement: rest });
    expect(itemOf(texts, 'SYS-2')).toMatchObject({ title: elsewhere, statement: text });
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

  test('has no say in which of two items with one id is taken', () => {
    const again = { ...texts, 'a/b/A001.yml': leveled('0.1') };
    const { nodes } = buildGraph(readTexts(again), []);
    expect(nodes.find(({ id }) => id === 'A001')?.source.path).toBe('a/A001.yml');
  });
});

describe('hostile files [PQRS-15]', () => {
  test.each([
    ['---\na: 1\n---\nb: 2\n', 'The file holds more than one YAML document.'],
    [`a: ${'['.repeat(20_000)}`, 'It is nested too deeply.'],
  ])('say what is wrong in words for people', (text, detail) => {
    const { findings } = readTexts({ '.doorstop.yml': ROOT, 'SYS-1.yml': text });
    expect(findings.map((finding) => finding.detail)).toEqual([detail]);
  });

  test.each([
    ['c:\n  d: ', `${'{a: '.repeat(65)}1${'}'.repeat(65)}`, 'It is nested more than 64 deep.', 3],
    ['c: ', '&x {y: *x}', 'The value with the anchor &x holds itself, by the alias *x.', 2],
    ['c: &x\n- 1\n- ', '{y: *x}', 'The value with the anchor &x holds itself, by the alias *x.', 4],
    ['c:\n- ', `[${'x,'.repeat(110_000)}]`, 'It holds more than 100000 values.', 3],
  ])('say where it is: below %j', (before, bomb, detail, line) => {
    const text = `text: t\n${before}${bomb}\n`;
    const { findings } = readTexts({ '.doorstop.yml': ROOT, 'SYS-1.yml': text });
    expect(findings.map((one) => [one.detail, one.line])).toEqual([[detail, line]]);
  });

  const bombs: [string, string][] = [
    ['lists in lists', `a: ${'['.repeat(50_000)}`],
    ['maps in maps', `${'- '.repeat(50_000)}a`],
    [
      'aliases that unfold',
      [
        'a: &a [x,x,x,x,x,x,x,x,x]',
        ...[...'bcdefghi'].map((c, i) => `${c}: &${c} [${`*${'abcdefgh'[i]},`.repeat(9)}]`),
      ].join('\n'),
    ],
    ['an alias in itself', 'a: &a [*a]'],
    ['a long text many times', `a: &a ${'x'.repeat(900_000)}\nb: [${'{a: *a},'.repeat(3000)}]`],
    ['many values', `a: [${'x,'.repeat(110_000)}]`],
    ['a long file', `text: ${'x'.repeat(3_000_000)}`],
  ];
  test.each(bombs)(
    'of %s end as a finding',
    (_, text) => {
      const { findings, statuses } = readTexts({ '.doorstop.yml': ROOT, 'SYS-1.yml': text });
      expect(findings).toMatchObject([
        { code: 'unparsed_source', severity: 'error', path: 'SYS-1.yml' },
      ]);
      expect(statuses.get('SYS-1.yml')).toBe('failed');
    },
    30_000,
  );

  test('cut anywhere are read without a throw, and the others as before', () => {
    const files = filesIn(FIXTURE);
    for (const file of files) {
      for (let end = 0; end < file.bytes.length; end++) {
        const cut = files.map((other) =>
          other === file ? { ...file, bytes: file.bytes.slice(0, end) } : other,
        );
        const result = readDoorstop(cut);
        expect(result.statuses.size).toBe(files.length);
        const told = new Set([...result.items, ...result.findings].map(({ path }) => path));
        expect(files.filter(({ path }) => !told.has(path))).toEqual([]);
      }
    }
  }, 60_000);

  test('of any bytes are read without a throw', () => {
    const name = fc.constantFrom(
      '.doorstop.yml',
      'SYS-1.yml',
      'c/.doorstop.yml',
      'c/SYS-2.md',
      '/x.yml',
    );
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc
        .string({
          unit: fc.constantFrom(
            ...'-:?&*!|>[]{}#\n "\'a1.',
            '---\n',
            'links:',
            'settings:',
            '__proto__: ',
          ),
        })
        .map((text) => new TextEncoder().encode(text)),
    );
    fc.assert(
      fc.property(fc.dictionary(name, content), (files) => {
        const result = readDoorstop(
          Object.entries(files).map(([path, bytes]) => ({ path, bytes })),
        );
        for (const [path, status] of result.statuses) {
          const said = result.findings.some(
            (finding) => finding.path === path && finding.severity === 'error',
          );
          if (status === 'failed') expect(said).toBe(true);
        }
      }),
      { numRuns: 2000 },
    );
  }, 60_000);

  test('in any order give the same', () => {
    const files = filesIn(FIXTURE);
    const expected = JSON.stringify(readDoorstop(files));
    fc.assert(
      fc.property(fc.shuffledSubarray(files, { minLength: files.length }), (shuffled) => {
        expect(JSON.stringify(readDoorstop(shuffled))).toBe(expected);
      }),
      { numRuns: 50 },
    );
  }, 60_000);

  test('by the ten thousand take time in line with their number', () => {
    const many = (count: number) => {
      const texts: Record<string, string> = { '.doorstop.yml': ROOT, 'c/.doorstop.yml': CHILD };
      for (let n = 1; n <= count; n++) {
        texts[`SYS-${n}.yml`] = `text: text ${n}\nlevel: ${n}\n`;
        texts[`c/SRS${n}.yml`] = `text: text ${n}\nlevel: ${n}\nlinks:\n- SYS-${n}: ${STAMP}\n`;
      }
      const files = filesOf(texts);
      const { findings } = readDoorstop(files);
      expect(findings.filter(({ code }) => code === 'suspect_link')).toHaveLength(count);
    };
    many(5000);
  }, 60_000);
});

describe('the requirements of Doorstop itself', () => {
  const folder = sharedData('doorstop');
  test.skipIf(folder === undefined)('give what Doorstop reports, and no more', () => {
    const { items, links, findings } = readDoorstop(filesIn(folder ?? ''));
    expect(items.filter(({ kind }) => kind === 'document')).toHaveLength(5);
    expect(items.filter(({ kind }) => kind !== 'document')).toHaveLength(57);
    expect(links.filter(({ suspect }) => suspect)).toMatchObject([
      { from: 'HLT001', to: 'TUT017' },
    ]);
    const warned = findings.filter(({ severity }) => severity !== 'info');
    expect(warned.map(({ itemId, code }) => `${itemId} ${code}`).sort()).toEqual([
      'EXT001 orphan',
      'EXT002 orphan',
      'HLT001 suspect_link',
      'TUT003 missing_statement',
      'TUT003 orphan',
      'TUT017 unreviewed_item',
      'TUT022 missing_statement',
      'TUT022 non_normative_linked',
    ]);
    const told = findings.filter(({ severity }) => severity === 'info');
    expect(told.map(({ itemId, code }) => `${itemId} ${code}`).sort()).toEqual([
      'EXT002 reference_changed',
      'TUT003 no_child_links',
      'TUT020 no_child_links',
      'null extension_ignored',
    ]);
  });
});

test('of many extensions the first ones are named, and the others counted [PQRS-6]', () => {
  const extensions = Array.from({ length: 13 }, (_, at) => `  e${at}: ${at}\n`).join('');
  const { findings } = readDoorstop(
    filesOf({ 'a/.doorstop.yml': `${ROOT}extensions:\n${extensions}` }),
  );
  expect(findings.find(({ code }) => code === 'extension_ignored')?.detail).toEndWith(
    '`e8`, `e9` and 3 more.',
  );
});

test('bytes that are no UTF-8 are told with their line, and the rest is read [PQRS-6]', () => {
  const files = filesOf({
    'a/.doorstop.yml': ROOT,
    'a/SYS-1.yml': 'active: true\nlevel: 1.1\ntext: |\n  caf?\n',
    'a/SYS-2.yml': 'active: true\nlevel: 1.2\ntext: |\n  b\n',
  });
  const bytes = files[1]?.bytes ?? new Uint8Array();
  bytes[bytes.indexOf('?'.charCodeAt(0))] = 0xe9;
  const { items, findings, statuses } = readDoorstop(files);
  expect(items.map(({ id, statement }) => [id, statement])).toEqual([
    ['SYS', ''],
    ['SYS-1', 'caf\uFFFD'],
    ['SYS-2', 'b'],
  ]);
  const told = findings.filter(({ code }) => /encoding|unparsed/.test(code));
  expect(told).toMatchObject([
    {
      code: 'invalid_encoding',
      severity: 'warning',
      path: 'a/SYS-1.yml',
      line: 4,
      itemId: 'SYS-1',
    },
  ]);
  expect(statuses.get('a/SYS-1.yml')).toBe('partial');
});
