// Reading StrictDoc: documents, nodes and relations in both notations, and what its grammar check says.
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { buildGraph } from '../../../src/requirements/graph/build.ts';
import { DEFAULT_SETTINGS } from '../../../src/requirements/projects/settings.ts';
import { readStrictdoc } from '../../../src/requirements/sources/strictdoc/reader.ts';
import { readSources } from '../../support/read-sources.ts';
import { filesIn, filesOf } from '../../support/source-files.ts';

const FIXTURE = join(import.meta.dir, '..', '..', 'fixtures', 'strictdoc');
const HEAD = '[DOCUMENT]\nTITLE: D\n\n';
const GRAMMAR = `[GRAMMAR]
ELEMENTS:
- TAG: REQUIREMENT
  FIELDS:
  - TITLE: UID
    TYPE: String
    REQUIRED: True
  - TITLE: KIND
    TYPE: SingleChoice(Hot, Cold)
    REQUIRED: False
  - TITLE: SITES
    TYPE: MultipleChoice(Kitchen, Office)
    REQUIRED: False
  - TITLE: TAGS
    TYPE: Tag
    REQUIRED: False
  - TITLE: STATEMENT
    TYPE: String
    REQUIRED: True
  RELATIONS:
  - TYPE: Parent
    ROLE: Refines
`;

const readText = (text: string) => readStrictdoc(filesOf({ 'd.sdoc': text }));
const edgesOf = (result: ReturnType<typeof readStrictdoc>) =>
  buildGraph(result, []).edges.filter(({ type }) => type !== 'contains');
/** Findings in short, without that grammars are not kept. */
const found = ({ findings }: ReturnType<typeof readStrictdoc>) =>
  findings
    .filter(({ code, severity }) => code !== 'not_kept' || severity !== 'info')
    .map(({ code, path, line }) => `${code} ${path}:${line}`);

describe('the fixture [PQRS-7]', () => {
  const result = readStrictdoc(filesIn(FIXTURE));
  const byId = new Map(result.items.map((item) => [item.id, item]));

  test('has no finding but that the grammar is not kept', () => {
    expect(result.findings).toMatchObject([
      { code: 'not_kept', severity: 'info', path: 'coffee.sgra', line: 1 },
    ]);
    expect([...result.statuses.values()]).toEqual(['parsed', 'parsed', 'parsed']);
  });

  test('becomes a tree over both documents', () => {
    const software = 'parts/software.sdoc';
    expect(result.items.map(({ id, kind, parentId, line }) => [id, kind, parentId, line])).toEqual([
      ['COFFEE', 'document', null, 1],
      ['index.sdoc#what-the-machine-does', 'section', 'COFFEE', 15],
      ['SEC-BREW', 'section', 'COFFEE', 22],
      ['SYS-1', 'requirement', 'SEC-BREW', 26],
      ['SYS-2', 'requirement', 'SEC-BREW', 56],
      [software, 'document', 'COFFEE', 1],
      [`${software}#written-in-the-older-notation`, 'section', software, 5],
      [`${software}#heater`, 'section', software, 9],
      ['SW/1.0 (a)', 'requirement', `${software}#heater`, 12],
      [`${software}#count-cups`, 'requirement', 'SW/1.0 (a)', 20],
    ]);
  });

  test('keeps every field', () => {
    expect(byId.get('COFFEE')?.attributes).toEqual({
      MID: '8a87daf19a7c487f89f396406a974509',
      VERSION: '1.2',
      'OPTIONS.ENABLE_MID': 'True',
      'OPTIONS.MARKUP': 'Markdown',
      'METADATA.Author': 'A. Person',
    });
    expect(byId.get('SYS-1')).toMatchObject({
      title: 'Hot water',
      statement: 'The machine shall heat water to 92 °C.\n\n[ANCHOR: AN-1, Heat]',
      acceptance: ['92 °C after a minute', '92 °C after an hour'],
      rationale: 'Taste.',
      status: 'Approved',
      tags: ['heat', 'water'],
      active: true,
      attributes: {
        MID: '0123456789abcdef0123456789abcdef',
        KIND: 'Hot (or not)',
        SITES: 'Kitchen, Office',
        COMMENT: ['First.', 'Second.'],
        node_type: 'REQUIREMENT',
        relations: [
          'TYPE: Child, VALUE: SW/1.0 (a), ROLE: Refines',
          'TYPE: File, VALUE: src/heat.c',
        ],
      },
    });
    expect(byId.get('SYS-2')?.active).toBe(false);
  });

  test('links of the items that declare them, one edge for what both ends declare; anchors are followed', () => {
    const links = result.links.map(({ item, ...link }) => ({ ...link, by: item?.id }));
    const [text, parent, child] = ['index.sdoc#what-the-machine-does', 'SYS-1', 'SW/1.0 (a)'];
    const index = { to: parent, path: 'index.sdoc' };
    const software = { from: child, to: parent, path: 'parts/software.sdoc', by: child };
    expect(links).toEqual([
      { ...index, from: text, type: 'relates', line: 19, by: text },
      { ...index, from: child, type: 'refines', line: 50, by: parent },
      { ...software, type: 'refines', line: 17 },
      { ...software, type: 'relates', line: 15 },
    ]);
    expect(edgesOf(result)).toEqual([
      { from: text, to: parent, type: 'relates', status: 'ok' },
      { from: child, to: parent, type: 'refines', status: 'ok' },
      { from: child, to: parent, type: 'relates', status: 'ok' },
    ]);
  });
});

describe('grammars [PQRS-7]', () => {
  const node = (...lines: string[]) => `${HEAD}${GRAMMAR}\n[REQUIREMENT]\n${lines.join('\n')}\n`;
  const at = (line: number) => HEAD.split('\n').length + GRAMMAR.split('\n').length + line;
  const cases: [string, string[], [string, number][]][] = [
    [
      'a node as it should be',
      ['UID: A', 'KIND: Hot', 'SITES: Office, Kitchen', 'TAGS: a, b', 'STATEMENT: s'],
      [],
    ],
    ['a choice that is open', ['UID: A', 'KIND: TBD', 'SITES: Office, TBC', 'STATEMENT: s'], []],
    ['an unknown field', ['UID: A', 'COLOUR: red', 'STATEMENT: s'], [['unknown_field', 2]]],
    ['a missing field', ['UID: A'], [['missing_field', 0]]],
    ['a wrong choice', ['UID: A', 'KIND: Warm', 'STATEMENT: s'], [['invalid_value', 2]]],
    [
      'one of several choices wrong',
      ['UID: A', 'SITES: Office, Cellar', 'STATEMENT: s'],
      [['invalid_value', 2]],
    ],
    ['a UID that no address can hold', ['UID: A\x07-1', 'STATEMENT: s'], [['invalid_id', 1]]],
    ['a line that fits nowhere', ['UID: A', 'what is this', 'STATEMENT: s'], [['not_kept', 2]]],
    [
      'what follows the end of a text on its line',
      ['UID: A', 'STATEMENT: >>>', 'text', '<<< within 5 seconds'],
      [['not_kept', 4]],
    ],
    [
      'a merge that was not finished',
      ['UID: A', 'STATEMENT: >>>', '<<<<<<< HEAD', 'a', '=======', 'b', '>>>>>>> c', '<<<'],
      [['not_kept', 3]],
    ],
    [
      'a kind of node not known',
      ['UID: A', 'STATEMENT: s', '', '[TEST_CASE]', 'UID: B'],
      [['unknown_node_type', 4]],
    ],
  ];
  test.each(cases)('find %s', (_, lines, expected) => {
    const result = readText(node(...lines));
    expect(found(result)).toEqual(expected.map(([code, line]) => `${code} d.sdoc:${at(line)}`));
    expect(result.items[1]?.kind).toBe('requirement');
    const isLost = expected.some(([code]) => code === 'not_kept');
    expect(result.statuses.get('d.sdoc')).toBe(isLost ? 'partial' : 'parsed');
  });

  const imports: [string, string, Record<string, string>, string[]][] = [
    ['from beside', 'g.sgra', { 'a/g.sgra': GRAMMAR }, ['missing_field a/d.sdoc:7']],
    ['that is not there', 'g.sgra', { 'g.sgra': GRAMMAR }, ['missing_file a/d.sdoc:4']],
    ['from another folder', '../g.sgra', { 'g.sgra': GRAMMAR }, ['missing_file a/d.sdoc:4']],
    ['by an alias', '@shared', {}, ['missing_file a/d.sdoc:4']],
    [
      'that is broken',
      'g.sgra',
      { 'a/g.sgra': 'x' },
      ['missing_file a/d.sdoc:4', 'unparsed_source a/g.sgra:1'],
    ],
  ];
  test.each(imports)('are imported %s', (_, name, others, expected) => {
    const document = `${HEAD}[GRAMMAR]\nIMPORT_FROM_FILE: ${name}\n\n[REQUIREMENT]\nUID: A\n`;
    const result = readStrictdoc(filesOf({ 'a/d.sdoc': document, ...others }));
    expect(found(result)).toEqual(expected);
  });

  const unknown: [string, string, number[]][] = [
    ['a TAG twice', '- TAG: A\n  FIELDS:\n- TAG: A\n', [5]],
    ['a field twice', '- TAG: A\n  FIELDS:\n  - TITLE: B\n  - TITLE: B\n', [6]],
    ['an unknown property', '- TAG: A\n  PROPERTIES:\n    COLOUR: red\n', [5]],
    ['a value beside a list', '- TAG: A\n  FIELDS: B\n', [4]],
    ['an unknown type', '- TAG: A\n  FIELDS:\n  - TITLE: B\n    TYPE: Text\n', [6]],
    ['a field of nothing', 'FIELDS:\n- TITLE: B\n', [3]],
    ['a grammar of no file', 'IMPORT_FROM_FILE:\n', [3]],
  ];
  test.each(unknown)('with %s report the line', (_, lines, expected) => {
    const { findings, statuses } = readText(`[GRAMMAR]\nELEMENTS:\n${lines}`);
    const lost = findings.filter(({ severity }) => severity !== 'info');
    expect(lost.map(({ code, line }) => [code, line])).toEqual(
      expected.map((line) => ['not_kept', line]),
    );
    expect(statuses.get('d.sdoc')).toBe('partial');
  });
});

describe('a file that is broken is failed, with its line [PQRS-7]', () => {
  const NODE = '[REQUIREMENT]\nUID: A\nSTATEMENT: s\n\n';
  const cases: [string, string, number][] = [
    ['a text without end', `${HEAD}[TEXT]\nSTATEMENT: >>>\ntext\n`, 5],
    ['an older text without end', `${HEAD}[FREETEXT]\ntext\n`, 4],
    ['a section that stays open', `${HEAD}[[SECTION]]\nTITLE: B\n\n${NODE}`, 4],
    ['an older section that stays open', `${HEAD}[SECTION]\nTITLE: B\n\n${NODE}`, 4],
    ['an end without beginning', `${HEAD}${NODE}[[/SECTION]]\n`, 8],
    ['an end of another', `${HEAD}[[SECTION]]\nTITLE: B\n\n[/SECTION]\n`, 4],
    ['nodes nested too deep', `${HEAD}${'[[SECTION]]\nTITLE: a\n'.repeat(101)}`, 204],
    ['the beginning of another file', 'Dear all,\n', 1],
    ['a fragment', '[FRAGMENT]\n', 1],
    ['nothing', '', 1],
    ['another format', '{"a": 1}', 1],
  ];
  test.each(cases)('%s', (_, text, line) => {
    const { items, findings, statuses } = readStrictdoc(
      filesOf({ 'a.sdoc': `${HEAD}${NODE}`, 'd.sdoc': text }),
    );
    expect(findings).toMatchObject([{ code: 'unparsed_source', path: 'd.sdoc', line }]);
    expect([...statuses]).toEqual([
      ['a.sdoc', 'parsed'],
      ['d.sdoc', 'failed'],
    ]);
    expect(items.map(({ id }) => id)).toEqual(['a.sdoc', 'A']);
  });
});

describe('relations [PQRS-7]', () => {
  const roles: [string | null, string][] = [
    [null, 'refines'],
    ['Refines', 'refines'],
    ['Implements', 'satisfies'],
    ['Satisfies', 'satisfies'],
    ['Verifies', 'verifies'],
    ['Derived from', 'derives'],
    ['Depends on', 'depends'],
    ['Conflicts with', 'conflicts'],
    ['Is painted as', 'refines'],
  ];
  test.each(roles)('with the role %p go from the one that depends', (role, type) => {
    const line = role === null ? '' : `  ROLE: ${role}\n`;
    const node = (uid: string, kind: string, to: string) =>
      `[REQUIREMENT]\nUID: ${uid}\nRELATIONS:\n- TYPE: ${kind}\n  VALUE: ${to}\n${line}\n`;
    const [parent, child] = [node('A', 'Parent', 'B'), node('B', 'Child', 'A')];
    for (const text of [parent, child]) {
      expect(readText(HEAD + text).links).toMatchObject([{ from: 'A', to: 'B', type }]);
    }
    expect(edgesOf(readText(HEAD + parent + child))).toMatchObject([{ from: 'A', to: 'B', type }]);
  });

  test.each(['Verifies', 'Tests', 'Depends', 'Relates', 'Related'])(
    'to a parent in the role %s leave no orphan [PQRS-20]',
    (role) => {
      const node = (uid: string, relation = '') =>
        `[REQUIREMENT]\nUID: ${uid}\nSTATEMENT: The ${uid} holds.\n${relation}\n`;
      const to = (type: string, uid: string, name: string) =>
        `RELATIONS:\n- TYPE: ${type}\n  VALUE: ${uid}\n  ROLE: ${name}\n`;
      const files = filesOf({
        'p.sdoc': HEAD + node('P', to('Child', 'D', role)),
        'a.sdoc': `${HEAD}${node('A', to('Parent', 'P', 'Refines'))}${node('B', to('Parent', 'P', role))}${node('C')}${node('D')}`,
      });
      const { findings } = readSources(
        files.map((file) => ({ ...file, format: null })),
        DEFAULT_SETTINGS.normative,
      );
      const orphans = findings.filter(({ code }) => code === 'orphan');
      expect(orphans.map(({ itemId }) => itemId)).toEqual(['C']);
    },
  );

  test('keep the first of two anchors with a name', () => {
    const node = (uid: string) => `[TEXT]\nUID: ${uid}\nSTATEMENT: >>>\n[ANCHOR: Z]\n<<<\n\n`;
    const result = readText(
      `${HEAD}${node('A')}${node('B')}[TEXT]\nUID: C\nSTATEMENT: [LINK: Z]\n`,
    );
    expect(found(result)).toEqual(['duplicate_id d.sdoc:12']);
    expect(result.links).toMatchObject([{ from: 'C', to: 'A' }]);
  });

  const anchored = '[REQUIREMENT]\nUID: R-2\nSTATEMENT: >>>\n[ANCHOR: R-1]\n<<<\n';
  const owner = '[REQUIREMENT]\nUID: R-1\nSTATEMENT: x\n';
  const linking = '[REQUIREMENT]\nUID: R-3\nSTATEMENT: x [LINK: R-1]\n';
  const owned: [string, Record<string, string>, string][] = [
    ['of its file', { 'a.sdoc': `${HEAD}${owner}\n${anchored}\n${linking}` }, 'a.sdoc:10'],
    [
      'of a later file',
      { 'a.sdoc': `${HEAD}${anchored}`, 'b.sdoc': `${HEAD}${owner}\n${linking}` },
      'a.sdoc:6',
    ],
    [
      'that is a document',
      {
        'a.sdoc': `${HEAD}${anchored}\n${linking}`,
        'b.sdoc': '[DOCUMENT]\nTITLE: B\nUID: R-1\n',
      },
      'a.sdoc:6',
    ],
  ];
  test.each(owned)(
    'are to the item of a UID %s, whatever anchors have its name',
    (_, texts, at) => {
      const result = readStrictdoc(filesOf(texts));
      expect(found(result)).toEqual([`duplicate_id ${at}`]);
      expect(result.findings).toMatchObject([{ itemId: 'R-2', relatedIds: ['R-1'] }]);
      expect(result.links).toMatchObject([{ from: 'R-3', to: 'R-1' }]);
    },
  );
});

describe('the indentation of the first line of a text is kept [PQRS-7]', () => {
  const code = '    int a;\n\tint b;\n        int c;';
  const kept: [string, string][] = [
    ['STATEMENT', `[REQUIREMENT]\nUID: A\nSTATEMENT: >>>\n\n${code}\n \n<<<\n`],
    ['[TEXT]', `[TEXT]\nUID: A\nSTATEMENT: >>>\n${code}\n<<<\n`],
    ['[FREETEXT]', `[FREETEXT]\n${code}\n[/FREETEXT]\n`],
  ];
  test.each(kept)('of %s', (_, text) => {
    const { items } = readText(HEAD + text);
    expect(items[1]).toMatchObject({ title: 'int a;', statement: code });
    expect(buildGraph({ items, links: [] }, []).nodes[1]?.statement).toBe(code);
  });
});

describe('blocks of other versions [PQRS-7]', () => {
  const itemsOf = ({ items }: ReturnType<typeof readStrictdoc>) =>
    items.map(({ id, kind, statement, parentId }) => [id, kind, statement, parentId]);

  test.each(['BIBLIOGRAPHY', 'LIBRARY_GRAMMAR', 'VIEWS', 'FRAGMENT', 'FRAGMENT_FROM_FILE'])(
    '[%s] is no node: its lines are not kept',
    (tag) => {
      const lines = 'BIBFILES:\n- FORMAT: BibTex\n  VALUE: a.bib';
      const node = '[REQUIREMENT]\nUID: A\nSTATEMENT: s\n';
      const result = readText(`${HEAD}[${tag}]\n${lines}\n\n${node}`);
      expect(itemsOf(result)).toEqual([
        ['d.sdoc', 'document', '', null],
        ['A', 'requirement', 's', 'd.sdoc'],
      ]);
      expect(found(result)).toEqual(['not_kept d.sdoc:4']);
    },
  );
});

describe('what cannot be used is reported [PQRS-7]', () => {
  test('a UID that is too long, of a document and of a node', () => {
    const text = `[DOCUMENT]\nTITLE: D\nUID: ${'x'.repeat(1001)}\n\n[REQUIREMENT]\nUID: A${'1'.repeat(5000)}\nTITLE: t\n`;
    const result = readText(text);
    expect(found(result)).toEqual(['invalid_id d.sdoc:3', 'invalid_id d.sdoc:6']);
    expect(result.items.map(({ id }) => id)).toEqual(['d.sdoc', 'd.sdoc#t']);
    expect(result.items[1]?.attributes.UID).toHaveLength(5001);
  });

  test.each([
    ['- TYPE: Foo\n  VALUE: MARK\n', 'TYPE: Foo, VALUE: MARK'],
    ['- VALUE: MARK\n', 'VALUE: MARK'],
    ['- TYPE: Parent\n', 'TYPE: Parent'],
  ])('a relation that is none, which is an attribute: %j', (lines, shown) => {
    const { items, links, findings } = readText(
      `${HEAD}[REQUIREMENT]\nUID: A\nRELATIONS:\n${lines}`,
    );
    expect(links).toEqual([]);
    expect(items[1]?.attributes.relations).toEqual([shown]);
    expect(findings).toMatchObject([{ code: 'invalid_link', line: 7, itemId: 'A' }]);
  });
});

describe('documents in documents [PQRS-7]', () => {
  const including = (...files: string[]) =>
    `${HEAD}${files.map((file) => `[DOCUMENT_FROM_FILE]\nFILE: ${file}\n\n`).join('')}`;
  const cases: [string, Record<string, string>, (string | null)[], string[]][] = [
    [
      'are below',
      { 'a.sdoc': including('p/b.sdoc'), 'p/b.sdoc': including('../c.sdoc'), 'c.sdoc': HEAD },
      [null, 'p/b.sdoc', 'a.sdoc'],
      [],
    ],
    [
      'may be missing',
      { 'a.sdoc': including('b.sdoc', '../../x.sdoc', '/a.sdoc') },
      [null],
      ['missing_file a.sdoc:4', 'missing_file a.sdoc:7', 'missing_file a.sdoc:10'],
    ],
    [
      'have nothing but a file',
      {
        'a.sdoc': `${including('b.sdoc').trimEnd()}\nSTRAY: x\nlost\nFILE: b.sdoc\nREFS:\n- TYPE: Parent\n  VALUE: A\n`,
        'b.sdoc': HEAD,
      },
      [null, 'a.sdoc'],
      ['ambiguous_place a.sdoc:4', 'not_kept a.sdoc:6', 'not_kept a.sdoc:9'],
    ],
    [
      'are taken in once',
      { 'a.sdoc': including('b.sdoc'), 'b.sdoc': HEAD, 'c.sdoc': including('b.sdoc') },
      [null, 'a.sdoc', null],
      ['ambiguous_place c.sdoc:4'],
    ],
    [
      'make no ring',
      { 'a.sdoc': including('b.sdoc'), 'b.sdoc': including('a.sdoc') },
      [null, 'a.sdoc'],
      ['reference_cycle b.sdoc:4'],
    ],
    [
      'are not in themselves, wherever else they are',
      { 'i.sdoc': including('m.sdoc'), 'm.sdoc': including('i.sdoc', 'm.sdoc') },
      [null, 'i.sdoc'],
      ['reference_cycle m.sdoc:4', 'ambiguous_place m.sdoc:7'],
    ],
    [
      'are not in themselves',
      { 'a.sdoc': including('a.sdoc') },
      [null],
      ['reference_cycle a.sdoc:4'],
    ],
  ];
  test.each(cases)('%s', (_, texts, parents, expected) => {
    const result = readStrictdoc(filesOf(texts));
    expect(result.items.map(({ parentId }) => parentId)).toEqual(parents);
    expect(found(result)).toEqual(expected);
  });
});

test.each(['\n', '\r\n', '\r'])(
  'bytes that are no UTF-8 are reported with their line, and the rest is read [PQRS-7]: %j',
  (end) => {
    const text = `[DOCUMENT]\nTITLE: D\n\n[REQUIREMENT]\nUID: R-1\nTITLE: A\nSTATEMENT: caf?\n\n[REQUIREMENT]\nUID: R-2\nSTATEMENT: b\n`;
    const bytes = new TextEncoder().encode(text.replaceAll('\n', end));
    bytes[bytes.indexOf('?'.charCodeAt(0))] = 0xe9;
    const { items, findings } = readStrictdoc([{ path: 'a.sdoc', bytes }]);
    expect(items.map(({ id, statement }) => [id, statement]).slice(1)).toEqual([
      ['R-1', 'caf\uFFFD'],
      ['R-2', 'b'],
    ]);
    expect(findings).toMatchObject([{ code: 'invalid_encoding', severity: 'warning', line: 7 }]);
  },
);
