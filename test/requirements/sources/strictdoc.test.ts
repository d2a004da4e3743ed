// Reading StrictDoc: documents, nodes and relations in both notations, and what its grammar check says.
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import fc from 'fast-check';
import { buildGraph } from '../../../src/requirements/graph/build.ts';
import { readSources } from '../../../src/requirements/import/read-sources.ts';
import { DEFAULT_SETTINGS } from '../../../src/requirements/settings.ts';
import { readStrictdoc } from '../../../src/requirements/sources/strictdoc.ts';
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
/** Findings in short, without what is told of the details of grammars. */
const told = ({ findings }: ReturnType<typeof readStrictdoc>) =>
  findings
    .filter(({ code }) => code !== 'unread_details')
    .map(({ code, path, line }) => `${code} ${path}:${line}`);

describe('the fixture [PQRS-7]', () => {
  const result = readStrictdoc(filesIn(FIXTURE));
  const byId = new Map(result.items.map((item) => [item.id, item]));

  test('has nothing to tell but of the requirement without UID', () => {
    expect(told(result)).toEqual(['missing_id parts/software.sdoc:20']);
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
    ['a missing field', ['UID: A'], [['missing_required_field', 0]]],
    ['a wrong choice', ['UID: A', 'KIND: Warm', 'STATEMENT: s'], [['invalid_choice', 2]]],
    [
      'one of several choices wrong',
      ['UID: A', 'SITES: Office, Cellar', 'STATEMENT: s'],
      [['invalid_choice', 2]],
    ],
    ['choices without commas', ['UID: A', 'TAGS: a; b', 'STATEMENT: s'], [['invalid_choice', 2]]],
    ['another order', ['UID: A', 'STATEMENT: s', 'KIND: Hot'], [['wrong_field_order', 3]]],
    ['a field twice', ['UID: A', 'STATEMENT: s', 'STATEMENT: t'], [['duplicate_field', 3]]],
    [
      'an allowed role',
      ['UID: A', 'STATEMENT: s', 'RELATIONS:', '- TYPE: Parent', '  VALUE: B', '  ROLE: Refines'],
      [],
    ],
    [
      'a role not allowed',
      ['UID: A', 'STATEMENT: s', 'RELATIONS:', '- TYPE: Parent', '  VALUE: B'],
      [['invalid_relation', 4]],
    ],
    [
      'an unknown relation',
      ['UID: A', 'STATEMENT: s', 'RELATIONS:', '- TYPE: Friend', '  VALUE: B'],
      [['invalid_relation', 4]],
    ],
    ['a UID as none should be', ['UID: =A', 'STATEMENT: s'], [['invalid_id', 0]]],
    ['a UID that no address can hold', ['UID: A\x07-1', 'STATEMENT: s'], [['invalid_id', 0]]],
    ['an empty statement', ['UID: A', 'STATEMENT:'], [['missing_statement', 2]]],
    ['an empty text', ['UID: A', 'STATEMENT: >>>', '<<<'], [['missing_statement', 2]]],
    [
      'a line that fits nowhere',
      ['UID: A', 'what is this', 'STATEMENT: s'],
      [['unparsed_source', 2]],
    ],
    [
      'what follows the end of a text on its line',
      ['UID: A', 'STATEMENT: >>>', 'text', '<<< within 5 seconds'],
      [['unparsed_source', 4]],
    ],
    [
      'a merge that was not finished',
      ['UID: A', 'STATEMENT: >>>', '<<<<<<< HEAD', 'a', '=======', 'b', '>>>>>>> c', '<<<'],
      [
        ['missing_statement', 2],
        ['unparsed_source', 3],
        ['unparsed_source', 4],
        ['unparsed_source', 5],
        ['unparsed_source', 6],
        ['unparsed_source', 7],
        ['unparsed_source', 8],
      ],
    ],
    ['a text without end', ['UID: A', 'STATEMENT: >>>', 'text'], [['unparsed_source', 2]]],
    [
      'a kind of node not known',
      ['UID: A', 'STATEMENT: s', '', '[TEST_CASE]', 'UID: B'],
      [['unknown_node_type', 4]],
    ],
    [
      'a composite where the grammar has a leaf',
      [
        'UID: A',
        'STATEMENT: s',
        '',
        '[[REQUIREMENT]]',
        'UID: B',
        'STATEMENT: s',
        '',
        '[[/REQUIREMENT]]',
      ],
      [['composite_mismatch', 4]],
    ],
    [
      'a section that stays open',
      ['UID: A', 'STATEMENT: s', '', '[[SECTION]]', 'TITLE: B'],
      [['unclosed_node', 4]],
    ],
    [
      'an end without beginning',
      ['UID: A', 'STATEMENT: s', '', '[[/SECTION]]'],
      [['unparsed_source', 4]],
    ],
  ];
  test.each(cases)('find %s', (_, lines, expected) => {
    const result = readText(node(...lines));
    expect(told(result)).toEqual(expected.map(([code, line]) => `${code} d.sdoc:${at(line)}`));
    expect(result.items[1]?.kind).toBe('requirement');
  });

  const imports: [string, string, Record<string, string>, string[]][] = [
    ['from beside', 'g.sgra', { 'a/g.sgra': GRAMMAR }, ['missing_required_field a/d.sdoc:7']],
    ['that is not there', 'g.sgra', { 'g.sgra': GRAMMAR }, ['grammar_not_found a/d.sdoc:4']],
    ['from another folder', '../g.sgra', { 'g.sgra': GRAMMAR }, ['grammar_not_found a/d.sdoc:4']],
    ['by an alias', '@shared', {}, ['grammar_not_found a/d.sdoc:4']],
    [
      'that is broken',
      'g.sgra',
      { 'a/g.sgra': 'x' },
      ['grammar_not_found a/d.sdoc:4', 'unparsed_source a/g.sgra:1'],
    ],
  ];
  test.each(imports)('are imported %s', (_, name, others, expected) => {
    const document = `${HEAD}[GRAMMAR]\nIMPORT_FROM_FILE: ${name}\n\n[REQUIREMENT]\nUID: A\n`;
    const result = readStrictdoc(filesOf({ 'a/d.sdoc': document, ...others }));
    expect(told(result)).toEqual(expected);
  });

  const paths = ['../g.sgra', './g.sgra', 'b/g.sgra', 'b\\g.sgra'];
  test.each(paths)('are not said to be missing where they are named by a path: %s', (name) => {
    const document = `${HEAD}[GRAMMAR]\nIMPORT_FROM_FILE: ${name}\n`;
    const files = { 'a/d.sdoc': document, 'g.sgra': GRAMMAR, 'a/g.sgra': GRAMMAR };
    const { findings } = readStrictdoc(filesOf({ ...files, 'a/b/g.sgra': GRAMMAR }));
    const missing = findings.filter(({ code }) => code === 'grammar_not_found');
    expect(missing.map(({ detail }) => detail)).toEqual([
      `The grammar ${name} is named by a path, where StrictDoc takes only the name of a file beside the document: nothing is held against it.`,
    ]);
  });

  const strange: [string, string][] = [
    ['a choice of neither', '  PROPERTIES:\n    IS_COMPOSITE: True ZZZ\n'],
    ['an empty role', '  RELATIONS:\n  - TYPE: Parent\n    ROLE:\n'],
    ['an empty role the other way', '  RELATIONS:\n  - TYPE: Parent\n    REVERSE_ROLE:\n'],
  ];
  test.each(strange)('with %s', (_, lines) => {
    const text = `[GRAMMAR]\nELEMENTS:\n- TAG: A\n${lines}`;
    const line = text.split('\n').length - 1;
    expect(told(readText(text))).toEqual([`unparsed_source d.sdoc:${line}`]);
  });

  const DETAILED = `[GRAMMAR]
ELEMENTS:
- TAG: REQUIREMENT
  PROPERTIES:
    IS_COMPOSITE: False
    PREFIX: R-
    VIEW_STYLE: Zebra
  FIELDS:
  - TITLE: UID
    TYPE: String
    REQUIRED: False
  - TITLE: KIND
    HUMAN_TITLE: Kind of it
    TYPE: SingleChoice(Hot, Cold, Warm)
    REQUIRED: False
  - TITLE: SITES
    TYPE: MultipleChoice(Kitchen, Office)
    REQUIRED: False
  - TITLE: NOTE
    TYPE: String
    REQUIRED: False
  RELATIONS:
  - TYPE: Parent
    ROLE: Refines
    REVERSE_ROLE: Refined by
  - TYPE: Parent
    ROLE: Verifies
- TAG: TEST_CASE
  FIELDS:
  - TITLE: UID
    TYPE: String
    REQUIRED: False
  - TITLE: STEPS
    TYPE: SingleChoice(Few, Many)
    REQUIRED: False
`;
  const DETAILS = [
    ...['PREFIX of REQUIREMENT (R-)', 'VIEW_STYLE of REQUIREMENT (Zebra)'],
    ...[
      'choices of KIND of REQUIREMENT (Cold, Warm)',
      'HUMAN_TITLE of KIND of REQUIREMENT (Kind of it)',
    ],
    ...['field SITES of REQUIREMENT (Kitchen, Office)', 'field NOTE of REQUIREMENT'],
    ...[
      'REVERSE_ROLE of Parent of REQUIREMENT (Refined by)',
      'ROLE of Parent of REQUIREMENT (Verifies)',
    ],
    'TAG TEST_CASE (UID, STEPS (Few, Many))',
  ];
  const USING =
    '[REQUIREMENT]\nUID: A\nKIND: Hot\nRELATIONS:\n- TYPE: Parent\n  VALUE: B\n  ROLE: Refines\n';
  const places: [string, Record<string, string>, string, number][] = [
    ['of a document', { 'd.sdoc': `${HEAD}${DETAILED}\n${USING}` }, 'd.sdoc', 9],
    [
      'that is imported',
      { 'd.sdoc': `${HEAD}[GRAMMAR]\nIMPORT_FROM_FILE: g.sgra\n\n${USING}`, 'g.sgra': DETAILED },
      'g.sgra',
      6,
    ],
  ];
  test.each(places)(
    '%s that say what is not kept are told of in one finding',
    (_, texts, path, line) => {
      const result = readStrictdoc(filesOf(texts));
      const detail = `This of the grammar is not kept: ${DETAILS.join(', ')}.`;
      expect(result.findings).toEqual([
        {
          code: 'unread_details',
          severity: 'info',
          path,
          line,
          itemId: null,
          relatedIds: [],
          detail,
        },
      ]);
      expect([...new Set(result.statuses.values())]).toEqual(['parsed']);
    },
  );

  test('of which all is used have nothing to tell, and much is told in short', () => {
    const all = `${HEAD}${GRAMMAR}\n[REQUIREMENT]\nUID: A\nKIND: Hot\nSITES: Kitchen, Office\nSTATEMENT: s\n`;
    const other = `\n[REQUIREMENT]\nUID: B\nKIND: Cold\nSTATEMENT: t\nRELATIONS:\n- TYPE: Parent\n  VALUE: A\n  ROLE: Refines\n`;
    expect(readText(all + other).findings).toEqual([]);
    const tags = Array.from({ length: 500 }, (_, n) => `- TAG: T${n}${'x'.repeat(1000)}\n`);
    const { findings } = readText(`[GRAMMAR]\nELEMENTS:\n${tags.join('')}`);
    expect(findings[0]?.detail).toContain(', and 480 more.');
    expect(findings.every(({ detail }) => detail.length < 3000)).toBe(true);
  });

  const lost: [string, string, string[]][] = [
    ['a TAG twice', '- TAG: A\n  FIELDS:\n- TAG: A\n', ['duplicate_field d.sdoc:5']],
    [
      'a field twice',
      '- TAG: A\n  FIELDS:\n  - TITLE: B\n  - TITLE: B\n',
      ['duplicate_field d.sdoc:6'],
    ],
    [
      'an unknown property',
      '- TAG: A\n  PROPERTIES:\n    COLOUR: red\n',
      ['unparsed_source d.sdoc:5'],
    ],
    ['a role of nothing', '- TAG: A\n  RELATIONS:\n    ROLE: B\n', ['unparsed_source d.sdoc:5']],
    [
      'a type of relations that is none',
      '- TAG: A\n  RELATIONS:\n  - TYPE: B\n',
      ['unparsed_source d.sdoc:5'],
    ],
    ['a value beside a list', '- TAG: A\n  FIELDS: B\n', ['unparsed_source d.sdoc:4']],
    [
      'another file too',
      'IMPORT_FROM_FILE: g.sgra\n- TAG: A\n',
      ['unparsed_source d.sdoc:1', 'grammar_not_found d.sdoc:1'],
    ],
  ];
  test.each(lost)('with %s say what is not used', (_, lines, expected) => {
    expect(told(readText(`[GRAMMAR]\nELEMENTS:\n${lines}`))).toEqual(expected);
  });

  const repeated: [string, string, string, string][] = [
    [
      'the TYPE of a field',
      '  FIELDS:\n  - TITLE: K\n    TYPE: SingleChoice(Hot, Cold)\n    TYPE: String\n',
      '7: The TYPE of K stands twice: the last one holds, and this is not kept: SingleChoice(Hot, Cold).',
      'TAG A (K)',
    ],
    [
      'whether a field is REQUIRED',
      '  FIELDS:\n  - TITLE: K\n    REQUIRED: True\n    REQUIRED: False\n',
      '7: The REQUIRED of K stands twice: the last one holds, and this is not kept: True.',
      'TAG A (K)',
    ],
    [
      'the ROLE of a relation',
      '  RELATIONS:\n  - TYPE: Parent\n    ROLE: Refines\n    ROLE: Verifies\n',
      '7: The ROLE of Parent of A stands twice: the last one holds, and this is not kept: Refines.',
      'TAG A, ROLE of Parent of A (Verifies)',
    ],
    [
      'the RELATIONS',
      '  RELATIONS:\n  - TYPE: Parent\n    ROLE: Refines\n  - TYPE: File\n  RELATIONS:\n  - TYPE: Child\n',
      '8: RELATIONS of A stands twice: the last one holds.',
      'TAG A, ROLE of earlier Parent of A (Refines), earlier relation File of A',
    ],
    [
      'whether it is composite',
      '  PROPERTIES:\n    IS_COMPOSITE: True\n    IS_COMPOSITE: False\n',
      '6: The IS_COMPOSITE of A stands twice: the last one holds, and this is not kept: True.',
      'TAG A',
    ],
    [
      'a field',
      '  FIELDS:\n  - TITLE: K\n    TYPE: Tag\n    REQUIRED: True\n  - TITLE: K\n    TYPE: MultipleChoice(Hot, Cold)\n  - TITLE: K\n',
      '8: The field K stands twice: the last one holds, and this is not kept: TYPE: Tag, REQUIRED: True. 10: The field K stands twice: the last one holds, and this is not kept: TYPE: MultipleChoice(Hot, Cold), REQUIRED: False.',
      'TAG A (K)',
    ],
    [
      'a TAG',
      '  FIELDS:\n  - TITLE: K\n    HUMAN_TITLE: Kind\n    TYPE: SingleChoice(Hot, Cold)\n  - TITLE: L\n  RELATIONS:\n  - TYPE: Parent\n    ROLE: Refines\n- TAG: A\n',
      '12: The TAG A stands twice: the last one holds.',
      'earlier TAG A (K, L), choices of K of earlier A (Hot, Cold), HUMAN_TITLE of K of A (Kind), ROLE of earlier Parent of A (Refines), TAG A',
    ],
  ];
  test.each(repeated)('with %s twice tell what does not hold', (_, lines, said, unread) => {
    const { findings } = readText(`[GRAMMAR]\nELEMENTS:\n- TAG: A\n${lines}`);
    const twice = findings.filter(({ code }) => code === 'duplicate_field');
    expect(twice.map(({ line, detail }) => `${line}: ${detail}`).join(' ')).toBe(said);
    expect(findings.find(({ code }) => code === 'unread_details')?.detail).toBe(
      `This of the grammar is not kept: ${unread}.`,
    );
    expect(findings.length).toBe(twice.length + 1);
  });

  test('a role of a relation of no known type is not that of the one before', () => {
    const lines = '- TYPE: Parent\n    ROLE: Refines\n  - TYPE: BibTex\n    ROLE: Verifies\n';
    const result = readText(`[GRAMMAR]\nELEMENTS:\n- TAG: A\n  RELATIONS:\n  ${lines}`);
    expect(told(result)).toEqual(['unparsed_source d.sdoc:7', 'unparsed_source d.sdoc:8']);
    expect(result.findings.map(({ detail }) => detail).join(' ')).toContain('(Refines)');
  });

  test('whose faults are many in one file have the rest of them counted', () => {
    const node = (n: number) => `[REQUIREMENT]\nUID: A${n}\nCOLOUR: red\nSTATEMENT: s\n\n`;
    const nodes = Array.from({ length: 1000 }, (_, n) => node(n)).join('');
    const { findings } = readStrictdoc(
      filesOf({ 'd.sdoc': HEAD + nodes, 'e.sdoc': HEAD + node(1000) }),
    );
    const unknown = findings.filter(({ code }) => code === 'unknown_field');
    expect(unknown.map(({ path }) => path).filter((path) => path === 'e.sdoc').length).toBe(1);
    expect(unknown.length).toBe(202);
    expect(unknown.at(-1)).toMatchObject({
      ...{ severity: 'error', path: 'd.sdoc', line: 0, itemId: null },
      detail: '800 more findings of this kind are in the file.',
    });
  });

  test('are not needed', () => {
    const fields = [
      'MID',
      'UID',
      'LEVEL',
      'STATUS',
      'TAGS',
      'TITLE',
      'STATEMENT',
      'RATIONALE',
      'COMMENT',
    ];
    const lines = fields.map((name) => `${name}: x`).join('\n');
    expect(told(readText(`${HEAD}[REQUIREMENT]\n${lines}\nCOMMENT: y\n`))).toEqual([]);
  });
});

describe('what every document keeps to [PQRS-7]', () => {
  const cases: [string, string, string[]][] = [
    ['an empty field', `${HEAD}[TEXT]\nSTATEMENT:\n`, ['empty_field d.sdoc:5']],
    [
      'an empty field beside a statement',
      `${HEAD}[REQUIREMENT]\nUID: A\nSTATEMENT: s\nRATIONALE:\n`,
      ['empty_field d.sdoc:7'],
    ],
    ['no title', '[DOCUMENT]\nUID: D\n', ['missing_required_field d.sdoc:1']],
    ['an empty title', '[DOCUMENT]\nTITLE:\n', ['empty_field d.sdoc:2']],
    [
      'a MID twice',
      `${HEAD}[REQUIREMENT]\nMID: m\nUID: A\n\n[REQUIREMENT]\nMID: m\nUID: B\n`,
      ['duplicate_mid d.sdoc:9'],
    ],
    [
      'a MID that is the id of both, which is told of the id',
      `${HEAD}${'[TEXT]\nMID: m\nSTATEMENT: s\n\n'.repeat(2)}`,
      [],
    ],
  ];
  test.each(cases)('find %s', (_, text, expected) => {
    expect(told(readText(text))).toEqual(expected);
  });

  test('an empty statement is told once in the whole audit', () => {
    const text = `${HEAD}[REQUIREMENT]\nUID: A\nSTATEMENT: >>>\n<<<\n`;
    const files = filesOf({ 'd.sdoc': text }).map((file) => ({ ...file, format: null }));
    const { findings } = readSources(files, []);
    expect(findings.map(({ code, itemId, line }) => [code, itemId, line])).toEqual([
      ['missing_statement', 'A', 6],
    ]);
  });
});

describe('relations [PQRS-7]', () => {
  const related = (...lines: string[]) =>
    readText(`${HEAD}[REQUIREMENT]\nUID: A\nRELATIONS:\n${lines.join('\n')}\n`);
  const PARENT = ['- TYPE: Parent', '  VALUE: B'];
  const lines: [string, string[], string[]][] = [
    [
      'an unknown field',
      [...PARENT, '  FOO: lost', '  ROLLE: Refines'],
      ['unknown_field d.sdoc:9', 'unknown_field d.sdoc:10'],
    ],
    ['a field twice', [...PARENT, '  VALUE: C'], ['duplicate_field d.sdoc:9']],
    ['an empty role', [...PARENT, '  ROLE:'], ['empty_field d.sdoc:9']],
    ['one twice', [...PARENT, ...PARENT], ['duplicate_link d.sdoc:9']],
    ['one twice with another role', [...PARENT, ...PARENT, '  ROLE: Verifies'], []],
    ['lines of a file', ['- TYPE: File', '  PATH: a.c', '  LINE_RANGE: 1, 2'], []],
    ['lines of no file', [...PARENT, '  LINE_RANGE: 1, 2'], ['unknown_field d.sdoc:9']],
  ];
  test.each(lines)('with %s', (_, written, expected) => {
    expect(told(related(...written))).toEqual(expected);
  });

  test('keep what they say under names that are not known', () => {
    const { items, links } = related(...PARENT, '  FOO: lost');
    expect(links).toMatchObject([{ from: 'A', to: 'B', type: 'refines' }]);
    expect(items.at(-1)?.attributes.relations).toEqual(['TYPE: Parent, VALUE: B, FOO: lost']);
  });

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

  test('a node without a UID is told what its id is [PQRS-7]', () => {
    const { findings } = readText(
      `${HEAD}[REQUIREMENT]\nTITLE: T\nSTATEMENT: s\n\n[REQUIREMENT]\nMID: ${'a'.repeat(32)}\nSTATEMENT: t\n`,
    );
    const missing = findings.filter(({ code }) => code === 'missing_id');
    expect(missing.map(({ itemId, detail }) => [itemId, detail])).toEqual([
      ['d.sdoc#t', 'The REQUIREMENT has no UID: its id is made of path and title.'],
      ['a'.repeat(32), 'The REQUIREMENT has no UID: its id is its MID.'],
    ]);
  });

  test('in texts name each target once, and not the node itself', () => {
    const text = '[ANCHOR: Z]\n[LINK: B] [LINK: C, "a, b"] [LINK: Z]\n[LINK: B] [LINK: ] [LINK: D';
    const { links } = readText(`${HEAD}[TEXT]\nUID: A\nSTATEMENT: >>>\n\n${text}\n<<<\n`);
    expect(links.map(({ to, line }) => [to, line])).toEqual([
      ['B', 9],
      ['C', 9],
    ]);
  });

  test('keep the first of two anchors with a name', () => {
    const node = (uid: string) => `[TEXT]\nUID: ${uid}\nSTATEMENT: >>>\n[ANCHOR: Z]\n<<<\n\n`;
    const result = readText(
      `${HEAD}${node('A')}${node('B')}[TEXT]\nUID: C\nSTATEMENT: [LINK: Z]\n`,
    );
    expect(told(result)).toEqual(['duplicate_anchor d.sdoc:12']);
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
      expect(told(result)).toEqual([`duplicate_anchor ${at}`]);
      expect(result.findings.find(({ code }) => code === 'duplicate_anchor')).toMatchObject({
        itemId: 'R-2',
        relatedIds: ['R-1'],
        detail: 'The anchor R-1 in R-2 has the name of the item R-1: links to it are to the item.',
      });
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

  test('of other fields; a value of one word has none', () => {
    const field = (name: string, value: string) => `${name}: >>>\n${value}\n<<<\n`;
    const text = `[REQUIREMENT]\n${field('MID', '\tm')}${field('UID', '  A')}${field('STATUS', '  Deleted')}${field('TITLE', ' t')}${field('STATEMENT', 's')}`;
    const more = field('RATIONALE', code) + field('COMMENT', '\tc') + field('COMMENT', code);
    expect(readText(HEAD + text + more).items[1]).toMatchObject({
      ...{ id: 'A', title: 't', status: 'Deleted', active: false, rationale: code },
      attributes: { COMMENT: ['\tc', code] },
    });
  });
});

test('a text in the older notation ends where its end has blanks after it [PQRS-7]', () => {
  const { items, findings } = readText(
    `${HEAD}[FREETEXT]\nText.\n[/FREETEXT] \n\n[REQUIREMENT]\nUID: A\n`,
  );
  expect(items.map(({ id, statement }) => [id, statement]).slice(1)).toEqual([
    ['d.sdoc#text', 'Text.'],
    ['A', ''],
  ]);
  expect(findings).toEqual([]);
});

describe('blocks of other versions [PQRS-7]', () => {
  const itemsOf = ({ items }: ReturnType<typeof readStrictdoc>) =>
    items.map(({ id, kind, statement, parentId }) => [id, kind, statement, parentId]);

  test.each(['BIBLIOGRAPHY', 'LIBRARY_GRAMMAR', 'VIEWS', 'OPTIONS', 'METADATA', 'FRAGMENT'])(
    '[%s] is no requirement: what stands in it is the text of a section',
    (tag) => {
      const lines = 'BIBFILES:\n- FORMAT: BibTex\n  VALUE: a.bib';
      const node = '[REQUIREMENT]\nUID: A\nSTATEMENT: s\n';
      const result = readText(`${HEAD}[${tag}]\n${lines}\n[/${tag}]\n\n${node}`);
      expect(itemsOf(result)).toEqual([
        ['d.sdoc', 'document', '', null],
        ['d.sdoc#bibfiles', 'section', lines, 'd.sdoc'],
        ['A', 'requirement', 's', 'd.sdoc'],
      ]);
      expect(result.items[1]?.attributes).toEqual({ node_type: tag });
      expect(told(result)).toEqual(['unknown_node_type d.sdoc:4']);
      expect(result.findings[0]?.detail).toContain(`[${tag}]`);
    },
  );

  test('an empty one is told of, and makes no section', () => {
    const result = readText(`${HEAD}[VIEWS]\n\n[FRAGMENT]\n`);
    expect(itemsOf(result)).toHaveLength(1);
    expect(told(result)).toEqual(['unknown_node_type d.sdoc:4', 'unknown_node_type d.sdoc:6']);
  });

  const DECLARED =
    '[GRAMMAR]\nELEMENTS:\n- TAG: VIEWS\n  FIELDS:\n  - TITLE: UID\n    TYPE: String\n    REQUIRED: True\n';
  const grammars: [string, Record<string, string>][] = [
    ['its own', { 'd.sdoc': `${HEAD}${DECLARED}\n[VIEWS]\nUID: V\n` }],
    [
      'an imported',
      {
        'd.sdoc': `${HEAD}[GRAMMAR]\nIMPORT_FROM_FILE: g.sgra\n\n[VIEWS]\nUID: V\n`,
        'g.sgra': DECLARED,
      },
    ],
  ];
  test.each(grammars)('is a node where %s grammar declares it', (_, texts) => {
    const result = readStrictdoc(filesOf(texts));
    expect(itemsOf(result)[1]).toEqual(['V', 'requirement', '', 'd.sdoc']);
    expect(told(result)).toEqual([]);
  });

  const PART = '[REQUIREMENT]\nUID: B\nKIND: Cold\nSTATEMENT: s\n';
  const whole = `${HEAD}${GRAMMAR}\n[[SECTION]]\nUID: S\nTITLE: S\n\n[FRAGMENT_FROM_FILE]\nFILE: p/f.ssec\n\n[[/SECTION]]\n`;

  test('fragments are read as what is taken in, with the grammar of the document', () => {
    const texts = {
      'p/f.ssec': `[FRAGMENT]\n\n${PART.replace('Cold', 'Lukewarm')}\n[FRAGMENT_FROM_FILE]\nFILE: g.ssec\n`,
      'p/g.ssec': `[FRAGMENT]\n\n${PART.replace('B', 'C').replace('KIND', 'COLOUR')}`,
      'z.ssec': '[FRAGMENT]\n',
    };
    const { 'z.ssec': _, ...named } = texts;
    const results = [
      readStrictdoc(filesOf({ 'd.sdoc': whole, ...named })),
      readStrictdoc(filesOf({ 'd.sdoc': whole }), filesOf(texts)),
    ];
    for (const result of results) {
      expect(itemsOf(result)).toEqual([
        ['d.sdoc', 'document', '', null],
        ['S', 'section', '', 'd.sdoc'],
        ['p/f.ssec', 'document', '', 'S'],
        ['B', 'requirement', 's', 'p/f.ssec'],
        ['p/g.ssec', 'document', '', 'p/f.ssec'],
        ['C', 'requirement', 's', 'p/g.ssec'],
      ]);
      expect(told(result)).toEqual(['invalid_choice p/f.ssec:5', 'unknown_field p/g.ssec:5']);
      expect([...result.statuses]).toEqual(
        ['d.sdoc', 'p/f.ssec', 'p/g.ssec'].map((path) => [path, 'parsed']),
      );
    }
  });

  test('a fragment alone is read, and held against no grammar', () => {
    const result = readStrictdoc(filesOf({ 'f.sdoc': `[FRAGMENT]\n\n${PART}` }));
    expect(itemsOf(result)).toEqual([
      ['f.sdoc', 'document', '', null],
      ['B', 'requirement', 's', 'f.sdoc'],
    ]);
    expect(told(result)).toEqual([]);
  });
});

describe('what cannot be used is named [PQRS-7]', () => {
  const cases: [string, string, string, string][] = [
    [
      'a document without a file',
      `${HEAD}[DOCUMENT_FROM_FILE]\n`,
      'include_not_found d.sdoc:4',
      'No FILE says which document is to be taken in here.',
    ],
    [
      'a fragment that is not there',
      `${HEAD}[FRAGMENT_FROM_FILE]\nFILE: f.ssec\n`,
      'include_not_found d.sdoc:4',
      'The fragment f.ssec is not in the sources.',
    ],
    [
      'a grammar without a file',
      `${HEAD}[GRAMMAR]\nIMPORT_FROM_FILE:\n`,
      'grammar_not_found d.sdoc:4',
      'IMPORT_FROM_FILE names no file: nothing is held against a grammar.',
    ],
    [
      'a relation of a document',
      '[DOCUMENT]\nTITLE: D\nRELATIONS:\n- TYPE: Parent\n  VALUE: B\n',
      'unparsed_source d.sdoc:4',
      'A document has no relations: this one is not kept: TYPE: Parent, VALUE: B',
    ],
    [
      'a UID of a document',
      `[DOCUMENT]\nTITLE: D\nUID: =D\n`,
      'invalid_id d.sdoc:3',
      'The UID =D is not as StrictDoc writes them.',
    ],
    [
      'a UID that is too long',
      `[DOCUMENT]\nTITLE: D\nUID: ${'x'.repeat(1001)}\n`,
      'invalid_id d.sdoc:3',
      `A UID must be a text of 1 to 1000 characters: ${'x'.repeat(80)}… is not kept.`,
    ],
    [
      'the beginning of another file',
      'Dear all,\n',
      'unparsed_source d.sdoc:1',
      'The file begins with "Dear all,", and not with [DOCUMENT], [GRAMMAR] or [FRAGMENT]: nothing of it is read.',
    ],
  ];
  test.each(cases)('%s', (_, text, code, detail) => {
    const result = readText(text);
    expect(told(result)).toEqual([code]);
    expect(result.findings[0]?.detail).toBe(detail);
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
    expect(findings.map(({ code, detail }) => [code, detail])).toEqual([
      [
        'invalid_relation',
        `A relation is Parent, Child or File, and names what it is to: this one makes no link, and is kept as an attribute: ${shown}`,
      ],
    ]);
  });

  test('a UID that is too long for an address', () => {
    const result = readText(`${HEAD}[REQUIREMENT]\nUID: A${'1'.repeat(5000)}\nTITLE: t\n`);
    expect(told(result)).toEqual(['invalid_id d.sdoc:4']);
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
      ['include_not_found a.sdoc:4', 'include_not_found a.sdoc:7', 'include_not_found a.sdoc:10'],
    ],
    [
      'have nothing but a file',
      {
        'a.sdoc': `${including('b.sdoc').trimEnd()}\nSTRAY: x\nlost\nFILE: b.sdoc\nREFS:\n- TYPE: Parent\n  VALUE: A\n`,
        'b.sdoc': HEAD,
      },
      [null, 'a.sdoc'],
      [6, 7, 8, 10, 11].map((line) => `unparsed_source a.sdoc:${line}`),
    ],
    [
      'are taken in once',
      { 'a.sdoc': including('b.sdoc'), 'b.sdoc': HEAD, 'c.sdoc': including('b.sdoc') },
      [null, 'a.sdoc', null],
      ['include_repeated c.sdoc:4'],
    ],
    [
      'make no ring',
      { 'a.sdoc': including('b.sdoc'), 'b.sdoc': including('a.sdoc') },
      ['b.sdoc', null],
      ['include_cycle a.sdoc:4'],
    ],
    [
      'are not in themselves, wherever else they are',
      { 'i.sdoc': including('m.sdoc'), 'm.sdoc': including('i.sdoc', 'm.sdoc') },
      ['m.sdoc', null],
      ['include_cycle i.sdoc:4', 'include_cycle m.sdoc:7'],
    ],
    [
      'are not in themselves',
      { 'a.sdoc': including('a.sdoc') },
      [null],
      ['include_cycle a.sdoc:4'],
    ],
  ];
  test.each(cases)('%s', (_, texts, parents, expected) => {
    const result = readStrictdoc(filesOf(texts));
    expect(result.items.map(({ parentId }) => parentId)).toEqual(parents);
    expect(told(result)).toEqual(expected);
  });
});

describe('hostile files [PQRS-15]', () => {
  const bombs: [string, string][] = [
    [
      'sections in sections',
      `${HEAD}${'[[SECTION]]\nTITLE: a\n\n'.repeat(20_000)}${'[[/X]]\n'.repeat(20_000)}`,
    ],
    ['texts that do not end', `${HEAD}${'[TEXT]\nSTATEMENT: >>>\n'.repeat(20_000)}`],
    ['lines that fit nowhere', `${HEAD}[TEXT]\n${'?\n'.repeat(100_000)}`],
    ['relations without end', `${HEAD}[TEXT]\n${'RELATIONS:\n- TYPE: Parent\n'.repeat(20_000)}`],
    [
      'a grammar of many fields',
      `${HEAD}[GRAMMAR]\nELEMENTS:\n- TAG: X\n  FIELDS:\n${'  - TITLE: A\n'.repeat(10_000)}${Array.from({ length: 10_000 }, (_, n) => `  - TITLE: A${n}\n    REQUIRED: True\n`).join('')}${'[X]\n'.repeat(10_000)}`,
    ],
    [
      'a long line',
      `${HEAD}[TEXT]\nSTATEMENT:${' '.repeat(500_000)}\u2028${'[LINK: '.repeat(100_000)}\n`,
    ],
    [
      'a long line of dashes',
      `[DOCUMENT]\nTITLE: D\nMETADATA:\n  ${'-'.repeat(300_000)} x y\n  ${' '.repeat(300_000)}x y\n`,
    ],
  ];
  test.each(bombs)(
    'of %s end in time',
    (_, text) => {
      const result = readText(text);
      expect(result.statuses.get('d.sdoc')).not.toBe('failed');
    },
    60_000,
  );

  const broken: [string, Uint8Array][] = [
    ['nothing', new Uint8Array()],
    ['no UTF-8', new Uint8Array([0x5b, 0xff, 0xfe])],
    ['another format', new TextEncoder().encode('{"a": 1}')],
  ];
  test.each(broken)('of %s are a finding', (_, bytes) => {
    const result = readStrictdoc([{ path: 'd.sdoc', bytes }]);
    expect(result.findings).toMatchObject([
      { code: 'unparsed_source', severity: 'error', line: 1 },
    ]);
    expect(result.statuses.get('d.sdoc')).toBe('failed');
  });

  test('cut anywhere are read without a throw, and the others as before', () => {
    const files = filesIn(FIXTURE);
    for (const file of files) {
      for (let end = 0; end < file.bytes.length; end++) {
        const cut = files.map((other) =>
          other === file ? { ...file, bytes: file.bytes.slice(0, end) } : other,
        );
        const result = readStrictdoc(cut);
        expect(result.statuses.size).toBe(files.length);
        if (result.statuses.get(file.path) !== 'parsed')
          expect(result.findings.length).toBeGreaterThan(0);
      }
    }
  }, 60_000);

  test('of any lines are read without a throw, into a tree', () => {
    const line = fc.constantFrom(
      ...[
        '[REQUIREMENT]',
        '[TEXT]',
        '[[SECTION]]',
        '[[/SECTION]]',
        '[SECTION]',
        '[/SECTION]',
        '[GRAMMAR]',
      ],
      ...[
        '[FREETEXT]',
        '[/FREETEXT]',
        '[DOCUMENT_FROM_FILE]',
        'FILE: d.sdoc',
        'FILE: e.sdoc',
        'ELEMENTS:',
      ],
      ...[
        '- TAG: REQUIREMENT',
        '  FIELDS:',
        '  - TITLE: UID',
        '    REQUIRED: True',
        '    TYPE: Tag',
        'UID: A',
      ],
      ...[
        'UID: B',
        'TITLE: t',
        'STATEMENT: >>>',
        '<<<',
        'RELATIONS:',
        '- TYPE: Parent',
        '- TYPE: Child',
        '  VALUE: A',
      ],
      ...[
        'OPTIONS:',
        '  A: b',
        '',
        'x',
        '[LINK: A]',
        'IMPORT_FROM_FILE: g.sgra',
        '[[REQUIREMENT]]',
        '[[/REQUIREMENT]]',
      ],
    );
    const text = fc
      .array(line, { maxLength: 40 })
      .map((lines) => `[DOCUMENT]\nTITLE: D\n${lines.join('\n')}`);
    const bytes = fc.uint8Array({ maxLength: 100 });
    fc.assert(
      fc.property(text, text, bytes, (first, second, rest) => {
        const result = readStrictdoc([
          ...filesOf({ 'd.sdoc': first, 'e.sdoc': second }),
          { path: 'g.sgra', bytes: rest },
        ]);
        const parents = new Map(
          result.items.map(({ path, line: at, parentId }) => [`${path}:${at}`, parentId]),
        );
        expect(result.items).toHaveLength(parents.size);
        for (const { parentId } of result.items) {
          if (parentId !== null) expect(result.items.some(({ id }) => id === parentId)).toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  }, 60_000);

  test('in any order give the same', () => {
    const files = filesIn(FIXTURE);
    const expected = JSON.stringify(readStrictdoc(files));
    fc.assert(
      fc.property(fc.shuffledSubarray(files, { minLength: files.length }), (shuffled) => {
        expect(JSON.stringify(readStrictdoc(shuffled))).toBe(expected);
      }),
      { numRuns: 20 },
    );
  }, 60_000);

  test('of 25,000 nodes are read in a second or so', () => {
    const nodes = Array.from(
      { length: 25_000 },
      (_, n) =>
        `[REQUIREMENT]\nUID: R-${n}\nSTATEMENT: >>>\nThe ${n}th.\n<<<\nRELATIONS:\n- TYPE: Parent\n  VALUE: R-${n >> 1}\n  ROLE: Refines\n`,
    );
    const result = readText(`${HEAD}${GRAMMAR}\n${nodes.join('\n')}`);
    expect(told(result)).toEqual([]);
    expect(result.items).toHaveLength(25_001);
    expect(result.links).toHaveLength(25_000);
  }, 60_000);
});

test('a node whose UID no address can hold has an id of its path and title', () => {
  const text = '[DOCUMENT]\nTITLE: D\n\n[REQUIREMENT]\nUID: A\x07-1\nTITLE: One\nSTATEMENT: s\n';
  const { items } = readStrictdoc(filesOf({ 'a.sdoc': text }));
  expect(items.map(({ id }) => id)).toEqual(['a.sdoc', 'a.sdoc#one']);
});

test.each([
  ['\n', 7],
  ['\r\n', 7],
])(
  'bytes that are no UTF-8 are told with their line, and the rest is read [PQRS-7]',
  (end, line) => {
    const text = `[DOCUMENT]\nTITLE: D\n\n[REQUIREMENT]\nUID: R-1\nTITLE: A\nSTATEMENT: caf?\n\n[REQUIREMENT]\nUID: R-2\nSTATEMENT: b\n`;
    const bytes = new TextEncoder().encode(text.replaceAll('\n', end));
    bytes[bytes.indexOf('?'.charCodeAt(0))] = 0xe9;
    const { items, findings, statuses } = readStrictdoc([{ path: 'a.sdoc', bytes }]);
    expect(items.map(({ id, statement }) => [id, statement]).slice(1)).toEqual([
      ['R-1', 'caf\uFFFD'],
      ['R-2', 'b'],
    ]);
    const told = findings.filter(({ code }) => /encoding|unparsed/.test(code));
    expect(told).toMatchObject([{ code: 'invalid_encoding', severity: 'warning', line }]);
    expect(statuses.get('a.sdoc')).toBe('partial');
  },
);
