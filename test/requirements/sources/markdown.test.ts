// Reading Markdown by the rules of its manual: what is an item, what is said of it, what is only text.
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { readMarkdown } from '../../../src/requirements/sources/markdown/reader.ts';
import { readSources } from '../../support/read-sources.ts';
import { sharedData } from '../../support/shared-data.ts';
import { filesIn, filesOf } from '../../support/source-files.ts';

const fixture = (name: string) => join(import.meta.dir, '..', '..', 'fixtures', name);
const read = (text: string) => readMarkdown(filesOf({ 'a.md': text }));
const itemsOf = (text: string) => read(text).items.filter(({ kind }) => !/doc|sec/.test(kind));
const one = (text: string) => {
  const items = itemsOf(text);
  expect(items.length).toBe(1);
  return items[0]!;
};
const linksOf = (text: string) =>
  read(text).links.map(({ from, type, to, line }) => `${line} ${from} ${type} ${to}`);
const findingsOf = (text: string) =>
  read(text).findings.map(({ code, severity, line }) => `${line} ${severity} ${code}`);

describe('the fixture [PQRS-12]', () => {
  const result = readMarkdown(filesIn(fixture('markdown')));
  const byId = new Map(result.items.map((item) => [item.id, item]));

  test('its items, with kinds, lines and what they are in', () => {
    expect(result.findings).toEqual([]);
    expect(result.items.map(({ id, kind, line, parentId }) => [id, kind, line, parentId])).toEqual([
      ['SHOP', 'document', 1, null],
      ['shop.md#requirements', 'section', 10, 'SHOP'],
      ['shop.md#paying', 'section', 14, 'shop.md#requirements'],
      ['US-1', 'story', 16, 'shop.md#paying'],
      ['REQ-2', 'requirement', 41, 'shop.md#paying'],
      ['shop.md#list', 'section', 49, 'shop.md#requirements'],
      ['US-2', 'story', 51, 'shop.md#list'],
      ['REQ-4', 'requirement', 57, 'shop.md#list'],
      ['NFR-5', 'requirement', 59, 'shop.md#list'],
    ]);
  });

  test('the document', () => {
    expect(byId.get('SHOP')).toMatchObject({
      ...{ title: 'The shop', status: 'agreed', tags: ['shop'], attributes: { owner: 'Ann' } },
    });
    expect(byId.get('shop.md#list')?.statement).toBe('- no item, but [US-1]');
  });

  test('a story with all its parts', () => {
    expect(byId.get('US-1')).toEqual({
      ...{ id: 'US-1', kind: 'story', title: 'Pay by card' },
      statement:
        'As a buyer I want to pay by card,\nso that I need no cash. See [REQ-2] and `[REQ-3]`.\n\n#### Notes\n\n```md\n### US-99: in code\n[US-98]\n```',
      acceptance: ['AC-1: a receipt comes', 'the amount is shown, see [US-2]'],
      ...{
        rationale: 'Most pay so.',
        status: 'draft',
        priority: 'medium',
        tags: ['money', 'cards'],
      },
      attributes: { done: [null, false] },
      ...{ path: 'shop.md', line: 16, parentId: 'shop.md#paying', active: true },
    });
  });

  test('items of a list', () => {
    expect(byId.get('US-2')).toMatchObject({
      ...{ title: 'As a buyer I want my money back', statement: 'As a buyer I want my money back' },
      ...{ priority: 'high', acceptance: ['within a day', 'without a fee'] },
    });
    expect(byId.get('REQ-4')?.statement).toBe('The system shall log payments.');
    expect(byId.get('NFR-5')?.attributes).toEqual({ done: true });
  });

  test('the links', () => {
    expect(result.links.map(({ from, type, to, line }) => [line, from, type, to])).toEqual([
      [22, 'US-1', 'depends', 'US-2'],
      [22, 'US-1', 'depends', 'REQ-2'],
      [47, 'REQ-2', 'refines', 'US-1'],
    ]);
  });
});

describe('what begins an item [PQRS-12]', () => {
  test.each([
    ['## US-12: Log in', 'US-12', 'Log in'],
    ['## **US-12** Log in', 'US-12', 'Log in'],
    ['## **US-12: Log in**', 'US-12', 'Log in'],
    ['## [US-12] Log in', 'US-12', 'Log in'],
    ['## `US-12` Log in', 'US-12', 'Log in'],
    ['## US-12 - Log in', 'US-12', 'Log in'],
    ['## US-12 \u2014 Log in ##', 'US-12', 'Log in'],
    ['## US-12', 'US-12', ''],
    ['US-12: Log in\n---', 'US-12', 'Log in'],
    ['## US-12. Log in', 'US-12', 'Log in'],
    ['## US-12:Log in', 'US-12', 'Log in'],
    ['## _US-12_ Log in', 'US-12', 'Log in'],
    ['## **US-12 Log in**', 'US-12', 'Log in'],
    ['## [US-12](u): Log in', 'US-12', 'Log in'],
    ['## [US-12: Log in](u)', 'US-12', 'Log in'],
    ['## \\[REQ\\_A\\_1\\] Log \\* in', 'REQ_A_1', 'Log \\* in'],
    ['## req-7: Log in', 'req-7', 'Log in'],
    ['## REQ-AUTH: Log in', 'REQ-AUTH', 'Log in'],
    ['## US12: Log in', 'US12', 'Log in'],
    ['- US-12: Log in', 'US-12', 'Log in'],
    ['* **US-12** Log in', 'US-12', 'Log in'],
    ['1. [US-12] Log in', 'US-12', 'Log in'],
    ['- [ ] US-12: Log in', 'US-12', 'Log in'],
    ['- group\n  - US-12: Log in', 'US-12', 'Log in'],
    ['## US-12 -- Log in', 'US-12', 'Log in'],
    ['## <a id="us-12"></a>US-12: Log in', 'US-12', 'Log in'],
    ['## **[US-12](u)**: Log in', 'US-12', 'Log in'],
    ['## [US-12][ref]: Log in', 'US-12', 'Log in'],
    ['- *US-12*: Log in', 'US-12', 'Log in'],
    ['- **US-12.** Log in', 'US-12', 'Log in'],
    ['- [US-12](https://e.org/12): Log in', 'US-12', 'Log in'],
    ['## HTTP-12: Answer', 'HTTP-12', 'Answer'],
    ['## V2-3: Turn', 'V2-3', 'Turn'],
    ['## 4.1 US-12: Log in', 'US-12', 'Log in'],
    ['## 3) **US-12** Log in', 'US-12', 'Log in'],
    ['## **US-12 :** Log in', 'US-12', 'Log in'],
    ['- **US-12 :** Log in', 'US-12', 'Log in'],
    ['- **US-12 Log in**: text', 'US-12', 'Log in'],
    ['- [ ] __US-12 Log in__:\n  text', 'US-12', 'Log in'],
    ['- **US-12 (Must)**: Log in', 'US-12', '(Must): Log in'],
    ['- **US-12: Log in**: text', 'US-12', 'Log in'],
    ['- **US-12: Log** in', 'US-12', 'Log in'],
    ['## ✅ US-12: Log in', 'US-12', 'Log in'],
    ['## PAY_4.2: Log in', 'PAY_4.2', 'Log in'],
    ['## Requirement 3: Log in', 'Requirement-3', 'Log in'],
    ['## User Story 2 - Log in (Priority: P1)', 'UserStory-2', 'Log in'],
    ['### 2.1 Use Case 4: Log in', 'UseCase-4', 'Log in'],
    ['## EPIC 1.2 Log in', 'Epic-1.2', 'Log in'],
    ['## [x] US-12: Log in', 'US-12', 'Log in'],
    ['## **US-12: Log in**: more', 'US-12', 'Log in: more'],
  ])('%s', (text, id, title) => {
    expect(one(text)).toMatchObject({ id, title });
  });

  test.each([
    '## Introduction',
    '## UTF-8: encodings',
    '## RFC-7231: HTTP',
    '## Phase-2: later',
    '## NON-GOALS: none',
    '## UTF-8. Encodings',
    '## 3.2. Scope',
    '## EN-50128:2011 Railways',
    '## US-1/US-2: both',
    '## US-1, US-2',
    '## US-1::a',
    '## See US-1.',
    '## (US-1) a',
    '## V2.1 Changes',
    '## COVID-19 rules',
    '## TLS-1.3 only',
    '## 4.1 Scope of US-12',
    '## 2.0.0 RC-1',
    '## Q1-2025 plan',
    '## Requirements 2',
    '- US-12. Log in',
    '- US-12) Log in',
    '- [US-12](b.md#us-12): Log in',
    '- [US-12](#us-12)',
    '- see US-12',
    '- US-12 is done',
    '- `REQ-5`',
    '- **REQ-6** (see there)',
    'US-12: in a paragraph',
    '> ## US-12: quoted',
    '    ## US-12: code',
    '```\n## US-12: code\n```',
    '<!--\n\n## US-12: no\n\n-->',
    '- x\n\n  ```\n  - US-12: code\n  ```',
    '<pre>\n\n## US-12: no\n</pre>',
    '| ID | Text |\n|---|---|\n| [US-1](a.md) | in a list of files |',
    '| Name | Text |\n|---|---|\n| US-1 | t |',
  ])('%s is none', (text) => {
    expect(itemsOf(text)).toEqual([]);
  });

  test.each([
    ['**US-1: Log in**: Users log in [US-2].\n\n  More.', 'Users log in [US-2].\n\nMore.'],
    ['**US-1 Log in**: Users log in.\n  - Status: new', 'Users log in.'],
    ['**US-1 Log in**:', 'Log in'],
  ])('text behind a title in bold is the statement: %j', (text, statement) => {
    expect(one(`- ${text}`)).toMatchObject({ title: 'Log in', statement });
  });

  test.each([
    ['## [x] US-1: t', { done: true }],
    ['- [ ] US-1: t', { done: false }],
    ['## 4.1 US-1: t', { written: '4.1 US-1: t' }],
    ['## ✅ US-1: t', { written: '✅ US-1: t' }],
    ['## <a id="mk"></a>US-1: t', { written: '<a id="mk"></a>US-1: t' }],
    ['## [US-1](https://e.org/1): t', { written: '[US-1](https://e.org/1): t' }],
    ['- [US-1](https://e.org/1): t', { written: '[US-1](https://e.org/1): t' }],
    ['## US-1: t [u](http://x)', {}],
  ])('what stands around the id is an attribute: %s', (text, attributes) => {
    expect(one(text).attributes).toEqual(attributes);
  });
});

describe('the kind [PQRS-12]', () => {
  test.each([
    ['## US-1: a', 'story'],
    ['## STORY-1: a', 'story'],
    ['## User Story 1 - a', 'story'],
    ['## REQ-1: a', 'requirement'],
    ['## Requirement 1', 'requirement'],
    ['## REQ-1: a\n\nAs an owner, I want b.', 'story'],
    ['## REQ-1: a\n\n**User Story:** As an owner, I want b.', 'story'],
    ['## REQ-1: a\n\n**As a** user\n**I want** b.', 'story'],
    ['## REQ-1: As a user I want b', 'story'],
    ['## US-1: a\n\nKind: requirement', 'requirement'],
    ['---\nkind: story\n---\n## REQ-1: a', 'story'],
    ['---\ndefaults: {kind: user story}\n---\n## REQ-1: a', 'story'],
    ['---\nkind: requirement\n---\n## US-1: As a user I want a', 'requirement'],
    ['---\nkind: requirement\n---\n## REQ-1: a\n\nKind: story', 'story'],
  ])('%s', (text, kind) => {
    expect(one(text).kind).toBe(kind as 'story');
  });
});

describe('fields [PQRS-12]', () => {
  test.each([
    'Status: done',
    '**Status:** done',
    '**Status**: done',
    '*Status*: `done`',
    '__Status:__ **done**',
    '- Status: done',
    '* **Status**: done',
    'status: done \\',
    '**Status**\n\ndone',
    '### Status\n\ndone\n\n### Notes\n\n',
  ])('%j', (line) => {
    const { status, statement } = one(`## US-1: a\n\nText.\n\n${line}`);
    expect([status, statement.replace('\n\n### Notes', '')]).toEqual(['done', 'Text.']);
  });

  test.each([
    ['Acceptance criteria:\n\n- a\n- b'],
    ['**Acceptance criteria**\n\n1. a\n2. b'],
    ['**Acceptance Scenarios**:\n\n* a\n* b'],
    ['### Acceptance criteria\n\n- [ ] a\n- [x] b'],
    ['### Acceptance criteria\n\na\n\nb'],
    ['### Acceptance criteria\n\n#### a\n\n#### b'],
    ['- [ ] a\n- [x] b'],
    ['- Acceptance criteria:\n  - a\n  - b'],
  ])('acceptance: %j', (text) => {
    expect(one(`## US-1: t\n\nText.\n\n${text}`)).toMatchObject({
      acceptance: ['a', 'b'],
      statement: 'Text.',
    });
  });

  test.each([
    ['Status: x\nThe text.\nPriority: low\nTags: #a, b', 'The text.', 'x', ['a', 'b']],
    ['Status: x\n\nStatus: y', 'Status: y', 'x', []],
    ['### Status\n\nx\n\nSince May.', 'Since May.', 'x', []],
    [
      '### Notes\n\nStatus: x\n- Priority: low',
      '### Notes\n\nStatus: x\n\n- Priority: low',
      null,
      [],
    ],
    ['Status:\n\n> x', 'Status:\n\n> x', null, []],
    ['Status:\n\n### Notes', 'Status:\n\n### Notes', null, []],
    ['- Status: x\n- Owner: Ann', '- Owner: Ann', 'x', []],
    ['1. Open it.\n2. Close it.', '1. Open it.\n2. Close it.', null, []],
  ])('%j', (text, statement, status, tags) => {
    expect(one(`## US-1: t\n\n${text}`)).toMatchObject({ statement, status, tags });
  });

  test('a rationale in its line, below its label and below its heading', () => {
    expect(one('## US-1: t\n\nRationale: a\nb\nStatus: x').rationale).toBe('a\nb');
    expect(one('## US-1: t\n\nRationale:\n\n- a\n- b').rationale).toBe('- a\n- b');
    expect(one('## US-1: t\n\n### Rationale\n\na\n\n    b\n\n> c').rationale).toBe(
      'a\n\n    b\n\n> c',
    );
  });

  test.each([
    ['## REQ-1: It must work', 'It must work'],
    ['## REQ-1: Work', ''],
    ['- REQ-1: Work', 'Work'],
    ['## REQ-1: It must work\n\nText.', 'Text.'],
  ])('the statement of %j', (text, statement) => {
    expect(one(text).statement).toBe(statement);
  });
});

describe('links [PQRS-12]', () => {
  test.each([
    ['Refines: US-2', 'refines'],
    ['Parent: `US-2`', 'refines'],
    ['Derives from: [US-2]', 'derives'],
    ['**Depends on:** US-2', 'depends'],
    ['Blocked by: [US-2](https://e.org/2)', 'depends'],
    ['- Satisfies: US-2', 'satisfies'],
    ['Verifies:\n- US-2', 'verifies'],
    ['Conflicts with: [US-2](#us-2)', 'conflicts'],
    ['Relates to: US-2', 'relates'],
    ['### Depends on\n\n- US-2, see [US-2]', 'depends'],
    ['See [US-2].', 'relates'],
    ['AC: as [US-2]', 'relates'],
  ])('%j', (text, type) => {
    expect(linksOf(`## US-1: t\n\n${text}`).map((link) => link.replace(/^\d+ /, ''))).toEqual([
      `US-1 ${type} US-2`,
    ]);
  });

  test.each([
    '[US-2](https://e.org/2)',
    '[US-2]\n\n[us-2]: https://e.org/2',
    '`[US-2]`',
    '`a\n[US-2] b`',
    '```\n[US-2]\n```',
    '- x\n\n  ```\n  [US-2]\n  ```',
    '<!-- [US-2] -->',
    'Text <!-- [US-2] -->',
    '\\[US-2]',
    '[US-1]',
    '[RFC-2119]',
  ])('%j is none', (text) => {
    expect(linksOf(`## US-1: t\n\n${text}`)).toEqual([]);
  });
});

describe('tables [PQRS-12]', () => {
  test('rows are items by the names of the columns', () => {
    const { items, links } = readMarkdown(filesIn(join(fixture('markdown-shapes'), 'table')));
    expect(
      items.map(({ id, line, priority, attributes }) => [id, line, priority, attributes]),
    ).toEqual([
      ['shop.md', 1, null, {}],
      ['SHOP-1', 5, 'high', { Owner: 'Ann' }],
      ['SHOP-2', 6, 'low', { Owner: 'Bob' }],
      ['shop.md#prices', 9, null, {}],
    ]);
    expect(items[2]).toMatchObject({ statement: 'The shop shall sort them, see [SHOP-1].' });
    expect(items[0]?.statement).toContain('The shop shall show reviews.');
    expect(links.map(({ from, type, to }) => `${from} ${type} ${to}`)).toEqual([
      'SHOP-2 depends SHOP-1',
    ]);
  });
});

describe('documents and front matter [PQRS-12]', () => {
  test.each([
    ['# T\n\nText.', 'T', []],
    ['Text.\n\n# T', 'T', []],
    ['## S\n\n# T', 'a.md', ['S', 'T']],
    ['---\ntitle: F\n---\n# T', 'F', ['T']],
    ['---\ntitle: T\n---\n# T', 'T', []],
    ['# US-1: t', 'a.md', []],
  ])('%j', (text, title, sections) => {
    const { items } = read(text);
    expect(items[0]?.title).toBe(title);
    const found = items.filter(({ kind }) => kind === 'section').map((section) => section.title);
    expect(found).toEqual(sections);
  });

  test('with id and type the file is one item', () => {
    const { items, links } = readMarkdown(filesIn(join(fixture('markdown-shapes'), 'adr')));
    expect(items.map(({ id, kind, status, title }) => [id, kind, status, title])).toEqual([
      ['0004-table.md', 'document', null, 'Use one table'],
      ['ADR-0004', 'requirement', 'superseded', 'Use one table'],
      ['0005-queue.md', 'document', null, '0005-queue.md'],
      ['ADR-0005', 'requirement', 'Accepted', 'Use one queue'],
    ]);
    expect(items[1]?.attributes).toEqual({ deciders: ['Ann', 'Bob'] });
    expect(items[3]?.statement).toContain('Status: unknown so far.');
    expect(links.map(({ from, type, to }) => `${from} ${type} ${to}`)).toEqual([
      'ADR-0004 depends ADR-0001',
      'ADR-0005 relates ADR-0004',
    ]);
  });

  test.each([
    [
      '---\nid: US-1\ntype: story\n---\nAs told.',
      { id: 'US-1', kind: 'story', statement: 'As told.' },
    ],
    [
      '---\nid: US-1\ntype: story\nstatus: x\n---\n# US-1: t',
      { id: 'US-1', title: 't', status: 'x' },
    ],
    ['---\nid: D\nstatus: x\n---\n# US-1: t', { id: 'US-1', parentId: 'D', status: null }],
    ['---\nid: X-1\nkind: story\nac: [a, b]\n---\nt', { id: 'X-1', acceptance: ['a', 'b'] }],
    [
      '---\ndefaults: {status: x, priority: 1, tags: [a]}\n---\n## US-1: t\n\nStatus: y',
      { status: 'y', priority: '1', tags: ['a'] },
    ],
  ])('%j', (text, said) => {
    expect(one(text)).toMatchObject(said);
  });

  test.each([
    ['---\na: b: c\n---\n# US-1: t', 2],
    ['---\nx: 1\na: [1\n---\n# US-1: t', 3],
    ['---\na: *b\n---\n# US-1: t', 2],
  ])('that is no YAML fails the file: %j', (text, line) => {
    const result = read(text);
    expect(result.items).toEqual([]);
    expect(result.statuses.get('a.md')).toBe('failed');
    expect(result.findings).toMatchObject([{ code: 'unparsed_source', severity: 'error', line }]);
  });

  test.each(['---\n\n# US-1: t\n\n---\n', '---\nSome text\n---\n# US-1: t'])(
    'text between rules is none: %j',
    (text) => {
      expect(one(text).id).toBe('US-1');
    },
  );
});

describe('folders of specifications [PQRS-12]', () => {
  const findingsIn = (name: string) => {
    const files = filesIn(join(fixture('markdown-shapes'), name));
    const set = readSources(
      files.map((file) => ({ ...file, format: null })),
      ['title'],
    );
    const nodes = set.graph.nodes.filter(({ kind }) => /story|requirement/.test(kind));
    const links = set.graph.edges.filter(({ type }) => type !== 'contains');
    return { nodes, links, codes: new Set(set.findings.map(({ code }) => code)) };
  };

  test('spec-kit: ids are of their folders', () => {
    const { nodes, links, codes } = findingsIn('spec-kit');
    const ids = ['UserStory-1', 'FR-001', 'FR-002', 'SC-001'];
    expect(nodes.map(({ id }) => id)).toEqual(
      ['001-search', '002-share'].flatMap((folder) => ids.map((id) => `${folder}.${id}`)),
    );
    expect(nodes[0]).toMatchObject({ kind: 'story', priority: 'P1' });
    expect(nodes[0]?.acceptance).toHaveLength(2);
    expect(links.map(({ from, to, status }) => `${from} ${to} ${status}`)).toEqual([
      '001-search.FR-002 001-search.FR-001 ok',
      '002-share.FR-002 002-share.FR-001 ok',
    ]);
    expect(codes.has('duplicate_id')).toBe(false);
  });

  test('Kiro: stories with criteria, and no items of tasks', () => {
    const { nodes, codes } = findingsIn('kiro');
    expect(nodes.map(({ id, kind, acceptance }) => [id, kind, acceptance.length])).toEqual([
      ['sign-in.Requirement-1', 'story', 2],
      ['sign-in.Requirement-2', 'story', 1],
    ]);
    expect(codes.has('duplicate_id')).toBe(false);
    expect(codes.has('unread_id')).toBe(true);
  });

  test('another file asks for a scope, and other files name its items', () => {
    const { items, links } = readMarkdown(
      filesOf({
        'a.md': '---\nscope: web\n---\n# US-1: t\n\nDepends on: US-2',
        'b.md': '# US-2: t\n\nSee [web.US-1].',
      }),
    );
    expect(items.map(({ id }) => id)).toEqual(['a.md', 'web.US-1', 'b.md', 'US-2']);
    expect(links.map(({ from, to }) => `${from} ${to}`)).toEqual([
      'web.US-1 US-2',
      'US-2 web.US-1',
    ]);
  });

  const folder = sharedData('markdown', 'rpidns');
  test.skipIf(folder === undefined)('a project of Kiro that was never seen', () => {
    const { items, findings } = readMarkdown(filesIn(folder ?? ''));
    const stories = items.filter(({ kind }) => kind === 'story');
    expect(stories).toHaveLength(51);
    expect(stories.reduce((sum, { acceptance }) => sum + acceptance.length, 0)).toBe(283);
    expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
    for (const { id, path } of stories) {
      expect(path).toEndWith('/requirements.md');
      expect(id).toStartWith(`${path.split('/').at(-2)}.Requirement-`);
    }
    expect(items.some(({ kind }) => kind === 'requirement')).toBe(false);
    expect(findings).toEqual([]);
  });
});

describe('what is kept nowhere, or is no item [PQRS-12]', () => {
  test.each([
    ['# T\n\n[a]: http://e.org\n[b]: http://e.org', ['3 info not_kept']],
    ['# T\n\n<!-- more\nzq -->\n\n<a id="x"></a>', ['3 info not_kept']],
    ['---\na: 1\na: 2\n---\n# T', ['3 warning not_kept']],
    ['# T\n\nREQ-1: text\n\n**REQ-2:** text', ['3 info unread_id']],
    ['# T\n\nREQ-1: text\n\n## REQ-1: t', []],
    ['# T\n\n[REQ-1] text', []],
  ])('%j', (text, findings) => {
    expect(findingsOf(text)).toEqual(findings);
  });

  test('what nests too deep is text', () => {
    const text = `# US-1: t\n\n${'- '.repeat(500)}zq`;
    expect(one(text).statement).toContain('zq');
  });
});
