// The findings of the graph: each cause once, with its place, and in linear time.
import { describe, expect, test } from 'bun:test';
import { completeFindings } from '../../../src/requirements/audit/findings.ts';
import { graphFindings, weakWords } from '../../../src/requirements/audit/graph-findings.ts';
import { buildGraph } from '../../../src/requirements/graph/build.ts';
import { DEFAULT_SETTINGS } from '../../../src/requirements/projects/settings.ts';
import type { SourceItem, SourceLink } from '../../../src/requirements/sources/model.ts';
import { readSources } from '../../support/read-sources.ts';
import {
  OBJECT_TYPE,
  object,
  place,
  relation,
  reqifFile,
  specification,
} from '../../support/reqif-documents.ts';
import { filesOf } from '../../support/source-files.ts';
import { item, link } from '../../support/source-items.ts';

function codes(items: SourceItem[], links: SourceLink[] = []): string[] {
  const graph = buildGraph({ items, links }, ['kind', 'title', 'statement', 'acceptance', 'links']);
  return completeFindings(graphFindings(graph)).map(({ code, itemId, relatedIds }) =>
    [code, itemId, ...relatedIds].join(' '),
  );
}

describe('findings [PQRS-20]', () => {
  test('a link that is suspect, in words that hold for every type', () => {
    const items = [item('A', { active: false }), item('B')];
    const graph = buildGraph({ items, links: [{ ...link('B', 'A'), suspect: true }] }, ['title']);
    expect(graphFindings(graph).map(({ code, detail }) => [code, detail])).toContainEqual([
      'suspect_link',
      'A has changed since the link to it was confirmed.',
    ]);
  });

  test.each([
    ['nothing wrong', [item('A')], [], []],
    ['a link to nothing', [item('A')], [link('A', 'X', 'depends')], ['dangling_reference A X']],
    ['a link from nothing', [item('A')], [link('X', 'A')], ['dangling_reference A X']],
    ['a link between nothings', [], [link('X', 'Y')], ['dangling_reference  X Y']],
    [
      'a link from nothing under two names',
      [item('A')],
      [link('X', 'A'), { ...link('X', 'A'), role: 'needs' }, link('X', 'A', 'depends')],
      ['dangling_reference A X', 'dangling_reference A X'],
    ],
    ['a link to what is no id', [item('A')], [link('A', 'X\n')], ['invalid_link ']],
    ['a link to itself', [item('A')], [link('A', 'A', 'depends')], ['self_reference A']],
    [
      'a link to nothing under two names',
      [item('A')],
      [link('A', 'X', 'depends'), { ...link('A', 'X', 'depends'), role: 'needs' }],
      ['dangling_reference A X'],
    ],
    [
      'a ring of two',
      [item('A'), item('B')],
      [link('A', 'B', 'depends'), link('B', 'A', 'depends')],
      ['cycle A B'],
    ],
    [
      'no ring: relates',
      [item('A'), item('B')],
      [link('A', 'B', 'relates'), link('B', 'A', 'relates')],
      [],
    ],
    [
      'a retired target',
      [item('A'), item('B', { active: false })],
      [link('A', 'B', 'depends')],
      ['inactive_referenced A B'],
    ],
    [
      'a retired source',
      [item('A', { active: false }), item('B')],
      [link('A', 'B', 'depends')],
      [],
    ],
    ['no text', [item('A', { statement: ' ' })], [], ['missing_statement A']],
    [
      'no title where others have one',
      [item('A', { title: '' }), item('B', { line: 2 })],
      [],
      ['missing_title A'],
    ],
    ['no titles at all', [item('A', { title: '' })], [], []],
    ['nothing of a retired item', [item('A', { title: '', statement: '', active: false })], [], []],
    ['a story without criteria', [item('A', { kind: 'story' })], [], ['no_acceptance_criteria A']],
    ['a story with criteria', [item('A', { kind: 'story', acceptance: ['it holds'] })], [], []],
    ['weak words', [item('A', { statement: 'It shall be fast, etc.' })], [], ['weak_wording A']],
    [
      'an empty document',
      [item('D', { kind: 'document', statement: ' ' })],
      [],
      ['empty_document D'],
    ],
    ['a document with a text', [item('D', { kind: 'document', statement: 'a' })], [], []],
    ['a filled document', [item('D', { kind: 'document' }), item('A', { parentId: 'D' })], [], []],
    [
      'a document whose item is in another one too: that is reported of the id',
      [
        item('D', { kind: 'document' }),
        item('A', { parentId: 'D', line: 2 }),
        item('E', { kind: 'document', path: 'b.md' }),
        item('A', { parentId: 'E', path: 'b.md', line: 2 }),
      ],
      [],
      [],
    ],
    [
      'an orphan among children',
      [item('P', { path: 'p.md' }), item('A'), item('B', { line: 2 })],
      [link('A', 'P')],
      ['orphan B'],
    ],
    [
      'no orphan that others hang on',
      [item('A'), item('B'), item('C')],
      [link('B', 'A'), link('C', 'B')],
      [],
    ],
    [
      'an orphan whose child is in another file',
      [item('A'), item('B'), item('C', { path: 'c.md' })],
      [link('B', 'C'), link('C', 'A')],
      ['orphan A'],
    ],
    [
      'no orphan in a file of its own',
      [item('P', { path: 'd/p.md' }), item('A', { path: 'd/a.md' }), item('B', { path: 'd/b.md' })],
      [link('A', 'P')],
      [],
    ],
    [
      'an orphan among files that are a document together',
      [
        item('D', { kind: 'document', path: 'd/.doorstop.yml' }),
        item('P', { path: 'p.md' }),
        item('A', { path: 'd/A.yml', parentId: 'D' }),
        item('B', { path: 'd/B.yml', parentId: 'D' }),
        item('R', { kind: 'document', path: 'd/README.md' }),
        item('C', { path: 'd/README.md', parentId: 'R' }),
      ],
      [link('A', 'P')],
      ['orphan B'],
    ],
    [
      'no orphan that verifies another',
      [item('P', { path: 'p.md' }), item('A'), item('B'), item('C')],
      [link('A', 'P'), link('B', 'P', 'verifies'), link('C', 'P', 'depends')],
      ['orphan C'],
    ],
    [
      'no orphan whose parent has another role, but for those of Doorstop',
      [
        ...[item('P', { path: 'p.md' }), item('A'), item('B')],
        item('D', { kind: 'document', path: 'd/.doorstop.yml' }),
        ...['E', 'F'].map((id) => item(id, { path: `d/${id}.yml`, parentId: 'D' })),
      ],
      [
        ...[link('A', 'P'), { ...link('B', 'P', 'depends'), isParental: true }],
        ...[link('E', 'P'), link('F', 'P', 'verifies')],
      ],
      ['orphan F'],
    ],
    ['no orphan where nobody has a parent', [item('A'), item('B')], [], []],
    [
      'the same statement twice',
      [
        item('A', { statement: 'The door shall close by itself' }),
        item('B', { statement: 'the door  shall close by itself' }),
      ],
      [],
      ['duplicate_statement A B'],
    ],
  ])('%s', (_name, items, links, expected) => {
    expect(codes(items as SourceItem[], links as SourceLink[])).toEqual(expected as string[]);
  });

  test('fingerprints stay the same when lines move, and tell findings apart', () => {
    const at = (line: number) =>
      completeFindings(
        graphFindings(
          buildGraph(
            {
              items: [item('A', { line }), item('B', { line: line + 1 })],
              links: [link('A', 'X'), link('A', 'Y')],
            },
            ['title'],
          ),
        ),
      );
    expect(at(1).map(({ fingerprint }) => fingerprint)).toEqual(
      at(50).map(({ fingerprint }) => fingerprint),
    );
    expect(new Set(at(1).map(({ fingerprint }) => fingerprint)).size).toBe(at(1).length);
  });

  test('of 20,000 items in one ring, with 10,000 links on one of them are found without recursion', () => {
    const time = (size: number) => {
      const items = Array.from({ length: size }, (_, at) => item(`R${at}`, { line: at }));
      const ring = items.map((_, at) => link(`R${at}`, `R${(at + 1) % size}`, 'depends'));
      const star = items.slice(0, size / 2).map((_, at) => link(`R${at}`, 'R0', 'relates'));
      const graph = buildGraph({ items, links: [...ring, ...star] }, ['title']);
      expect(graphFindings(graph).filter(({ code }) => code === 'cycle')).toHaveLength(1);
    };
    time(2000);
    time(20_000);
  });
});

/** The findings of a source set, as `code path:line item: related ...`; some codes only. */
function findingsOf(texts: Record<string, string>, codes = ['dangling_reference']): string[] {
  const files = filesOf(texts).map((file) => ({ ...file, format: null }));
  return readSources(files, DEFAULT_SETTINGS.normative)
    .findings.filter(({ code }) => codes.includes(code))
    .map(
      ({ path, line, itemId, relatedIds }) => `${path}:${line} ${itemId}: ${relatedIds.join(' ')}`,
    );
}

const reqs = (links: string) =>
  `[DOCUMENT]\nTITLE: D\n\n[REQUIREMENT]\nUID: A\nSTATEMENT: s\nRELATIONS:\n${links}`;
const needs = (text: string) =>
  `{"versions":{"1":{"needs":{\n${text}}}},"current_version":"1","project":"p"}`;
const srs = (nodes: string, edges: string) =>
  `{"format":"pqrs-srs","version":1,"nodes":[${nodes}],"edges":[\n${edges}]}`;

describe('findings of links stand where the links do [PQRS-20]', () => {
  test.each<[string, Record<string, string>, string[]]>([
    [
      'Markdown',
      { 'a.md': '# US-1: x\n\na\nb\n\nc [US-93]\n\n- [ ] ok [US-94]\n' },
      ['a.md:6 US-1: US-93', 'a.md:8 US-1: US-94'],
    ],
    [
      'StrictDoc, a child that is nowhere',
      { 'a.sdoc': reqs('- TYPE: Parent\n  VALUE: GONE\n- TYPE: Child\n  VALUE: NOPE\n') },
      ['a.sdoc:8 A: GONE', 'a.sdoc:10 A: NOPE'],
    ],
    [
      'our own format, either end missing, or both',
      {
        'a.json': srs(
          '{"id":"A","kind":"story","source":{"path":"old.md","line":7}}',
          [
            '{"from":"A","to":"GONE","type":"refines"}',
            '{"from":"NOPE","to":"A","type":"refines"}',
            '{"from":"NOPE","to":"GONE","type":"refines","source":{"path":"old.md","line":9}}',
          ].join(',\n'),
        ),
      },
      ['a.json:2 A: GONE', 'a.json:3 A: NOPE', 'old.md:9 null: NOPE GONE'],
    ],
    [
      'nothing of the links of a node that is left out, since that is said',
      {
        'a.json': srs(
          '{"id":"A","kind":"story"},{"id":"B"}',
          '{"from":"B","to":"A","type":"depends"}',
        ),
      },
      [],
    ],
    [
      'needs.json: a part that is not there hides nothing else of the need',
      {
        'needs.json': needs(
          '"A":{"id":"A","links":["B.px","MISSING","GONE.p2"]},\n"B":{"id":"B","parts":{"p1":{"id":"p1"}}}',
        ),
      },
      ['needs.json:2 A: B', 'needs.json:2 A: GONE.p2', 'needs.json:2 A: MISSING'],
    ],
  ])('%s', (_name, texts, expected) => {
    expect(findingsOf(texts)).toEqual(expected);
  });

  test('ReqIF: each relation with a missing end, once', () => {
    const [file] = reqifFile({
      types: `${OBJECT_TYPE}<SPEC-RELATION-TYPE IDENTIFIER="R" LONG-NAME="refines"/>`,
      objects: object('o1'),
      specifications: specification('S', place('o1')),
      relations: `${relation('r1', 'R', 'o1', 'goneA')}\n${relation('r2', 'R', 'goneB', 'o1')}`,
    });
    const found = findingsOf({ 'a.reqif': new TextDecoder().decode(file?.bytes) });
    expect(found.map((one) => one.replace(/:\d+/, ''))).toEqual([
      'a.reqif o1: goneA',
      'a.reqif o1: goneB',
    ]);
  });

  test('an item that loses its id leaves no links behind', () => {
    const [a, c] = ['# US-2: y\n\nText one.\n\n- [ ] ok\n', '# US-9: z\n\nfoo\n\n- [ ] ok\n'];
    const read = (texts: Record<string, string>) =>
      readSources(
        filesOf(texts).map((file) => ({ ...file, format: null })),
        DEFAULT_SETTINGS.normative,
      );
    const printsOf = ({ graph }: ReturnType<typeof read>) =>
      graph.nodes
        .filter(({ kind }) => kind === 'story')
        .map(({ id, fingerprint, deepFingerprint }) => [id, fingerprint, deepFingerprint]);
    const alone = printsOf(read({ 'a.md': a, 'c.md': c }));
    const prose = read({ 'a.md': a, 'c.md': c, 'b.md': '# US-2: x\n\nText.\n\nRefines: US-77\n' });
    expect(printsOf(prose)).toEqual(alone);
    const winner = { 'a.json': srs('{"id":"US-2","kind":"story"}', ''), 'c.md': c };
    const before = printsOf(read(winner));
    const losers: Record<string, string> = {
      'b.md': '# US-2: x\n\nLosing text.\n\nDepends on: US-9\nRefines: US-77\n',
      'b.sdoc': reqs('- TYPE: Parent\n  VALUE: US-9\n- TYPE: Child\n  VALUE: US-9\n').replace(
        'UID: A',
        'UID: US-2',
      ),
      'needs.json': needs('"US-2":{"id":"US-2","links":["US-9","X-1"]}'),
      'srs.json': srs(
        '{"id":"US-2","kind":"story"}',
        '{"from":"US-2","to":"US-9","type":"depends"}',
      ),
    };
    for (const [path, text] of Object.entries(losers)) {
      const set = read({ ...winner, [path]: text });
      expect(printsOf(set)).toEqual(before);
      expect(set.findings.map(({ code }) => code)).not.toContain('dangling_reference');
      expect(set.graph.edges.filter(({ type }) => type !== 'contains')).toEqual([]);
    }
  });
});

describe('what scenarios and routes name [PQRS-20]', () => {
  const story = '# US-1: x\n\ny\n\n- [ ] ok\n';
  const scenario = (tags: string, title: string) =>
    `  ${tags}\n  Scenario: ${title}\n    Given g\n`;
  const api = (operation: string) =>
    `openapi: 3.1.0\npaths:\n  /a:\n    get:\n${operation}      responses: {}\n`;

  test.each<[string, Record<string, string>, string[]]>([
    [
      'an id of a kind that the sources use, once in a file',
      {
        'a.feature': `Feature: f\n${scenario('@US-1 @smoke', 's')}${scenario('@US-99 @us-1', 't')}${scenario('@US-99', 'u')}`,
        'b.feature': `@US-99\nFeature: g\n${scenario('@slow', 's')}${scenario('@US-2~1', 't')}`,
      },
      [
        'a.feature:6 null: US-99',
        'a.feature:6 null: us-1',
        'b.feature:4 null: US-99',
        'b.feature:7 null: US-2',
      ],
    ],
    [
      'an id at its scenario: of a rule, of examples and of a title',
      {
        'a.feature':
          'Feature: f\n\n  @US-97\n  Rule: r\n\n    @US-1\n    Scenario Outline: s\n      Given <g>\n\n' +
          '      @US-98\n      Examples:\n        | g |\n        | a |\n\n    @US-99\n    Scenario: [US-96] t\n      Given g\n',
        'b.feature':
          'Feature: f\n\n  Scenario: [US-99] t\n    Given g\n\n  @US-99\n  Scenario: u\n    Given g\n',
      },
      [
        ...['a.feature:16 null: US-96', 'a.feature:16 null: US-99', 'a.feature:7 null: US-97'],
        ...['a.feature:7 null: US-98', 'b.feature:3 null: US-99'],
      ],
    ],
    [
      'ids of OpenFastTrace of whatever artifact, where the sources have any',
      {
        'o.md': '### A\n`req~a~1`\n\nText.\n',
        'a.feature': `Feature: f\n${scenario('@dsn~q~1 @req~a~1', 's')}  Scenario: t\n    [itest->dsn~d~1, arch~e~2]\n    Given x\n`,
      },
      ['a.feature:3 null: dsn~q~1', 'a.feature:5 null: arch~e~2', 'a.feature:5 null: dsn~d~1'],
    ],
    [
      'and not where they have none',
      { 'a.feature': `Feature: f\n${scenario('@dsn~q~1', 's')}` },
      [],
    ],
    ['ids of others', { 'a.feature': `Feature: f\n${scenario('@JIRA-7 @TC_12', 's')}` }, []],
    [
      'routes',
      { 'api.yaml': api('      x-story: [US-1, US-98]\n      tags: [JIRA-7]\n') },
      ['api.yaml:4 null: US-98'],
    ],
  ])('%s', (_name, texts, expected) => {
    expect(findingsOf({ 'us.md': story, ...texts }).sort()).toEqual(expected);
  });
});

describe('weak words [PQRS-20]', () => {
  test.each([
    ['quickly and User-Friendly', ['quickly', 'user-friendly']],
    ['if  possible, TBD', ['if possible', 'tbd']],
    ['breakfast is about 3', ['about']],
    ['a steadfast, non-fast, fast_path', []],
  ])('%s', (text, words) => {
    expect(weakWords([text])).toEqual(words);
  });
});
