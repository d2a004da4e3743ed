// Reading Markdown: what is an item, what is said of it, and what is only text.
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { readMarkdown } from '../../../src/requirements/sources/markdown.ts';
import { blocksOf } from '../../../src/requirements/sources/markdown-blocks.ts';
import { referencesIn } from '../../../src/requirements/sources/markdown-references.ts';
import { filesIn, filesOf } from '../../support/source-files.ts';

const read = (text: string) => readMarkdown(filesOf({ 'a.md': text }));
const itemsOf = (text: string) => read(text).items.filter(({ kind }) => !/doc|sec/.test(kind));
const one = (text: string) => {
  const items = itemsOf(text);
  expect(items.length).toBe(1);
  return items[0]!;
};
const linksOf = (text: string) =>
  read(text).links.map(({ from, type, to, line }) => `${line} ${from} ${type} ${to}`);

describe('the fixture [PQRS-12]', () => {
  const result = readMarkdown(filesIn(join(import.meta.dir, '..', '..', 'fixtures', 'markdown')));
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
      attributes: { unchecked: ['the amount is shown, see [US-2]'] },
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
    ['## **US-12:** Log in', 'US-12', 'Log in'],
    ['## **US-12: Log in**', 'US-12', 'Log in'],
    ['## [US-12] Log in', 'US-12', 'Log in'],
    ['## [US-12]: Log in', 'US-12', 'Log in'],
    ['## `US-12` Log in', 'US-12', 'Log in'],
    ['## US-12 - Log in', 'US-12', 'Log in'],
    ['## US-12 \u2013 Log in', 'US-12', 'Log in'],
    ['## US-12 \u2014 Log in ##', 'US-12', 'Log in'],
    ['## US-12', 'US-12', ''],
    ['## US-12 Log in', 'US-12', 'Log in'],
    ['US-12: Log in\n---', 'US-12', 'Log in'],
    ['## US-12. Log in', 'US-12', 'Log in'],
    ['## US-12) Log in', 'US-12', 'Log in'],
    ['## US-12.', 'US-12', ''],
    ['## US-12:Log in', 'US-12', 'Log in'],
    ['## US-12:"Log in"', 'US-12', '"Log in"'],
    ['## *US-12*: Log in', 'US-12', 'Log in'],
    ['## _US-12_ Log in', 'US-12', 'Log in'],
    ['## ***US-12.*** Log in', 'US-12', 'Log in'],
    ['## **US-12**. Log in', 'US-12', 'Log in'],
    ['## **US-12 Log in**', 'US-12', 'Log in'],
    ['## *US-12: Log in*', 'US-12', 'Log in'],
    ['## `US-12`. Log in', 'US-12', 'Log in'],
    ['## [US-12](u): Log in', 'US-12', 'Log in'],
    ['## [US-12](#a(b)) Log in', 'US-12', 'Log in'],
    ['## [US-12: Log in](u)', 'US-12', 'Log in'],
    ['## US-12\\: Log in', 'US-12', 'Log in'],
    ['## \\[REQ\\_A\\_1\\] Log \\* in', 'REQ_A_1', 'Log \\* in'],
    ['[US-12](u) Log in\n===', 'US-12', 'Log in'],
    ['   ### PAY_4.2-a: Log in', 'PAY_4.2-a', 'Log in'],
    ['## req-7: Log in', 'req-7', 'Log in'],
    ['## REQ-AUTH: Log in', 'REQ-AUTH', 'Log in'],
    ['## US12: Log in', 'US12', 'Log in'],
    ['- US-12: Log in', 'US-12', 'Log in'],
    ['* **US-12** Log in', 'US-12', 'Log in'],
    ['1. [US-12] Log in', 'US-12', 'Log in'],
    ['- [ ] US-12: Log in', 'US-12', 'Log in'],
    ['- group\n  - US-12: Log in', 'US-12', 'Log in'],
    ['+ US-12 - Log\n  in', 'US-12', 'Log in'],
    ['## US-12 -- Log in', 'US-12', 'Log in'],
    ['## [US-12] -- Log in', 'US-12', 'Log in'],
    ['## US-12 :Log in', 'US-12', 'Log in'],
    ['## US-12\uff1aLog in', 'US-12', 'Log in'],
    ['## **US-12**\uff1a Log in', 'US-12', 'Log in'],
    ['## <a id="us-12"></a>US-12: Log in', 'US-12', 'Log in'],
    ['## **[US-12](u)**: Log in', 'US-12', 'Log in'],
    ['## [**US-12**](u): Log in', 'US-12', 'Log in'],
    ['## [US-12][ref]: Log in', 'US-12', 'Log in'],
    ['- *US-12*: Log in', 'US-12', 'Log in'],
    ['- _US-12_: Log in', 'US-12', 'Log in'],
    ['- **US-12**:Log in', 'US-12', 'Log in'],
    ['- **US-12.** Log in', 'US-12', 'Log in'],
    ['- US-12\uff1aLog in', 'US-12', 'Log in'],
    ['- [US-12](https://e.org/12): Log in', 'US-12', 'Log in'],
    ['- **[US-12](https://e.org/12)**: Log in', 'US-12', 'Log in'],
    ['## EN-1: Enable it', 'EN-1', 'Enable it'],
    ['## HTTP-12: Answer', 'HTTP-12', 'Answer'],
    ['## USB-3: Plug in', 'USB-3', 'Plug in'],
    ['## V2-3: Turn', 'V2-3', 'Turn'],
    ['## 4.1 US-12: Log in', 'US-12', 'Log in'],
    ['## 4.1. US-12 Log in', 'US-12', 'Log in'],
    ['## 3) **US-12** Log in', 'US-12', 'Log in'],
    ['## 3\\. REQ\\_A\\_1: Log in', 'REQ_A_1', 'Log in'],
    ['## **US-12 :** Log in', 'US-12', 'Log in'],
    ['## **US-12 -** Log in', 'US-12', 'Log in'],
    ['- US-12 (Must): Log in', 'US-12', '(Must): Log in'],
    ['- US-12 [P1]: Log in', 'US-12', '[P1]: Log in'],
    ['- **US-12 :** Log in', 'US-12', 'Log in'],
    ['- **US-12 -** Log in', 'US-12', 'Log in'],
    ['- **US-12 Log in**: text', 'US-12', 'Log in'],
    ['- **US-12 Log in:** text', 'US-12', 'Log in'],
    ['- [ ] __US-12 Log in__:\n  text', 'US-12', 'Log in'],
    ['- **US-12 (Must)**: Log in', 'US-12', '(Must): Log in'],
    ['- **US-12: Log in**: text', 'US-12', 'Log in'],
    ['- **US-12 \u2013 Log in:** text', 'US-12', 'Log in'],
    ['- **US-12: Log** in', 'US-12', 'Log in'],
    ['## ✅ US-12: Log in', 'US-12', '✅ Log in'],
    ['## ⚠️🚧 **US-12** Log in', 'US-12', '⚠️🚧 Log in'],
    ['## [x] US-12: Log in', 'US-12', 'Log in'],
    ['## [ ] US-12', 'US-12', ''],
    ['## **US-12: Log in**: more', 'US-12', 'Log in: more'],
  ])('%s', (text, id, title) => {
    expect(one(text)).toMatchObject({ id, title });
  });

  test.each([
    ...[
      '## Introduction',
      '## UTF-8: encodings',
      '## RFC-7231: HTTP',
      '## Phase-2: later',
      '## NON-GOALS: none',
    ],
    ...[
      ...['## UTF-8.1 encoding', '## UTF-8. Encodings', '## 3.2. Scope', '## RFC-2119. Words'],
      ...['## [RFC-2119](u) words', '## *SHA-256*: hashes', '## A.1. Scope', '## IV.2) Parts'],
      ...['## EN-50128:2011 Railways', '## US-1/US-2: both', '## US-1, US-2', '## US-1::a'],
      ...['## [see US-1](u)', '## [US-1][US-2] both', '## See US-1.', '## (US-1) a', '## *US*-1 a'],
      ...['- US-12. Log in', '- US-12) Log in', '- *US-12* Log in', '- [US-12](u): Log in'],
      ...['- [US-12](b.md#us-12): Log in', '- [US-12](https://e.org) Log in', '## V2.1 Changes'],
      ...['## COVID-19 rules', '## EN-50128 railways', '## DO-178C levels', '## HTTP-404 pages'],
      ...['## TLS-1.3 only', '## USB-3.1 ports', '## GPT-4 answers', '## UTC-5 times'],
      ...['## 4.1 Scope of US-12', '## 4.1 RFC-2119 words', '## 2.0.0 RC-1', '## 1.0 BETA-2 notes'],
      ...[
        '## ✅ Done',
        '## ✅ UTF-8: encodings',
        '## [y] US-1: a',
        '- ✅ US-1: a',
        '## [x]US-1: a',
      ],
      ...['- **US-12 and US-13**: both', '- **US-12 Log in** a', '- **RFC-2119 words**: a'],
      ...['- US-12 (see there) is done: a', '- US-12 [P1](u): a', '- US-12 []: a'],
      ...['## Q1-2025 plan', '## FY-2025 goals', '## JAN-2025', '## H2-2025: goals'],
    ],
    ...[
      'US-12: in a paragraph',
      '- see US-12',
      '- US-12 is done',
      '> ## US-12: quoted',
      '    ## US-12: code',
    ],
    ...[
      '```\n## US-12: code\n```',
      '~~~\n- US-12: code\n~~~',
      '<!--\n\n## US-12: no\n\n-->',
      '- [US-12](#us-12)',
    ],
    ...[
      '- x\n\n  ```\n  - US-12: code\n  ```',
      '<pre>\n\n## US-12: no\n</pre>',
      '```\n\n## US-12: open',
    ],
  ])('%s is none', (text) => {
    expect(itemsOf(text)).toEqual([]);
  });
});

test.each([
  ['**US-1: Log in**: Users log in\n  [US-2].\n\n  More.', 'Users log in [US-2].\n\nMore.'],
  ['**US-1 Log in**: Users:\n  - Status: new', 'Users:\n\n- Status: new'],
  ['**US-1 Log in**: Users log in.\n  - Status: new', 'Users log in.'],
  ['**US-1 Log in**:\n  Users log in.', 'Users log in.'],
  ['**US-1 Log in**:', 'Log in'],
])('a text behind a title in bold is the statement: %j [PQRS-12]', (text, statement) => {
  expect(one(`- ${text}`)).toMatchObject({ title: 'Log in', statement });
});

test('the address of an id that is a link is kept [PQRS-12]', () => {
  expect(one('## [US-1](https://e.org/1): t').attributes).toEqual({ url: 'https://e.org/1' });
  expect(one('## [US-1: t](https://e.org/1)').attributes).toEqual({ url: 'https://e.org/1' });
  expect(one('- [x] [US-1](https://e.org/1): t').attributes).toEqual({
    ...{ url: 'https://e.org/1', done: true },
  });
});

test.each([
  ['## [US-1][ref]: t', 'http://e.org "T"'],
  ['## [US-1][]: t', '<http://1>'],
  ['## [US-1]: t', '<http://1>'],
  ['- [US-1] t', '<http://1>'],
])('and that of its label: %s [PQRS-12]', (text, url) => {
  const whole = `${text}\n\n[ref]: http://e.org "T"\n[us-1]: <http://1>\n`;
  expect(one(whole).attributes).toEqual({ url });
});

test('a label that means nothing is kept [PQRS-12]', () => {
  expect(one('## [US-1][ref]: t').attributes).toEqual({ label: 'ref' });
});

test('the mark of a task before the id of a heading is kept [PQRS-12]', () => {
  expect(one('## [x] US-1: t').attributes).toEqual({ done: true });
  expect(one('## [ ] 4.1 US-1: t').attributes).toEqual({ done: false, level: '4.1' });
});

test.each([
  ['## <a id="mk"></a>US-1: t', { anchor: 'mk' }],
  ['## <a id="us-1"></a>US-1: t', {}],
  ['- <a id="US-1" name=x></a> <a name=\'y\'/>US-1: t', { anchor: ['x', 'y'] }],
  ['- [x] <a id="mk"></a>**US-1**: t', { anchor: 'mk', done: true }],
  ['## <a href="http://e.org">US-1: t', { url: 'http://e.org' }],
  ['## <span id="mk" class="anchor"></span>US-1: t', { anchor: 'mk' }],
  ['## []{#mk .anchor}US-1: t', { anchor: 'mk' }],
  ['- <span id="mk"></span>US-1: t', { anchor: 'mk' }],
  ['## []{#mk}4.1. <a name="n"></a>US-1: t', { anchor: ['mk', 'n'], level: '4.1' }],
  ['## 3) US-1: t', { level: '3' }],
])('an item begins below an anchor, whose name is kept: %s [PQRS-12]', (text, attributes) => {
  const item = one(text);
  expect([item.id, item.title, item.attributes]).toEqual(['US-1', 't', attributes]);
});

test.each([
  ['<a id="mk"></a>\n\n## US-1: t', { anchor: 'mk' }],
  ['<a name="mk"></a> <a id="n"></a> <!-- <a id="no"> -->\n## US-1: t', { anchor: ['mk', 'n'] }],
  ['<a id="us-1"></a>\n\n## US-1: t', {}],
  ['<a id="mk"></a>\n\n## <a id="own"></a>US-1: t', { anchor: ['mk', 'own'] }],
  ['<a id="mk"></a>\n\nText.\n\n## US-1: t', {}],
])('the name of an anchor right before its heading is kept: %s [PQRS-12]', (text, attributes) => {
  expect(one(text).attributes).toEqual(attributes);
});

test('a heading with a number or a mark among criteria is one of them [PQRS-12]', () => {
  const text = '# US-1: t\n\n## Acceptance criteria\n\n### 1. AC-1: a\n\n### 2. AC-2: b\n';
  expect(one(text).acceptance).toEqual(['1. AC-1: a', '2. AC-2: b']);
  expect(one(text.replaceAll(/\d\. /g, '✅ ')).acceptance).toEqual(['✅ AC-1: a', '✅ AC-2: b']);
});

test('an anchor before a reference in the text of an item makes it no item [PQRS-12]', () => {
  expect(one('## US-1: t\n\n- <a id="x"></a>[US-2] what of it').id).toBe('US-1');
});

describe('the kind [PQRS-12]', () => {
  test.each([
    ['## US-1: a', 'story'],
    ['## STORY-1: a', 'story'],
    ['## REQ-1: a', 'requirement'],
    ['## REQ-1: a\n\nAs an owner, I want b.', 'story'],
    ['## REQ-1: a\n\n**As a** user\n**I want** b.', 'story'],
    ['## REQ-1: As a user I want b', 'story'],
    ['## US-1: a\n\nKind: requirement', 'requirement'],
    ['---\nkind: story\n---\n## REQ-1: a', 'story'],
    ['---\ndefaults: {kind: user story}\n---\n## REQ-1: a', 'story'],
    ['---\nkind: requirement\n---\n## US-1: As a user I want a', 'requirement'],
    ['---\ndefaults: {kind: requirement}\n---\n- US-1: a', 'requirement'],
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
    '*Status*: done',
    '__Status:__ done',
    '- Status: done',
    '* **Status**: done',
    'status: done',
  ])('%s', (line) => {
    expect(one(`## US-1: a\n\n${line}\n\nText.`)).toMatchObject({
      status: 'done',
      statement: 'Text.',
    });
  });

  test.each([
    ['Acceptance criteria:\n\n- a\n- b'],
    ['Acceptance criteria:\n- a\n- b'],
    ['**Acceptance criteria**\n\n1. a\n2. b'],
    ['**Acceptance Criteria:**\n\n* a\n* b'],
    ['### Acceptance criteria\n\n- [ ] a\n- [x] b'],
    ['### Acceptance criteria\n\na\n\nb'],
    ['- [ ] a\n- [x] b'],
    ['- Acceptance criteria:\n  - a\n  - b'],
    ['AC:\n- a\n- b'],
    ['Acceptance criteria\n\n- a\n- b'],
    ['Acceptance criteria\n- a\n- b'],
    ['*Acceptance Criteria*\n\n1. a\n2. b'],
    ['- Acceptance criteria\n  - a\n  - b'],
    ['- Acceptance criteria\n\n  1. a\n  2. b'],
  ])('acceptance: %s', (text) => {
    expect(one(`## US-1: t\n\nText.\n\n${text}`)).toMatchObject({
      acceptance: ['a', 'b'],
      statement: 'Text.',
    });
  });

  test('which criteria are done is kept beside them', () => {
    const attributes = (text: string) => one(`## US-1: t\n\n${text}`).attributes;
    const lists = { checked: ['b [US-2]', 'c'], unchecked: ['a\nmore'] };
    const tasks = '- [ ] a\n  more\n- [x] b [US-2]\n- [X] c';
    expect(attributes(`AC:\n${tasks}\n- d`)).toEqual(lists);
    expect(attributes(`### Acceptance criteria\n\n${tasks}`)).toEqual(lists);
    expect(attributes(tasks)).toEqual(lists);
    expect(attributes('AC:\n1. [x] a')).toEqual({ checked: ['a'] });
    expect(attributes('AC:\n- a')).toEqual({});
    expect(one(`## US-1: t\n\nAC:\n${tasks}`).acceptance).toEqual(['a\nmore', 'b [US-2]', 'c']);
  });

  test('which criteria are done is kept beside front matter of that name', () => {
    const { items, findings } = read('---\nid: US-1\nchecked: by Ann\n---\n# US-1: t\n\n- [x] a');
    expect(items[1]?.attributes).toEqual({ checked: 'by Ann', 'checked criteria': ['a'] });
    expect(findings).toEqual([]);
  });

  test('front matter of the name of what an item says of itself is told of', () => {
    const { items, findings } = read('---\nid: US-1\ndone: never\n---\n- [x] US-1: t');
    expect(items[1]?.attributes).toEqual({ done: true });
    expect(findings).toMatchObject([{ code: 'duplicate_field', severity: 'warning', line: 3 }]);
    expect(findings[0]?.detail).toEndWith('left out: "never"');
    expect(read('---\nid: US-1\ndone: true\n---\n- [x] US-1: t').findings).toEqual([]);
  });

  test('acceptance without a colon, below other lines and in an item of a list', () => {
    expect(one('## US-1: t\nStatus: x\nText.\nAcceptance criteria\n- a\n- b')).toMatchObject({
      ...{ status: 'x', statement: 'Text.', acceptance: ['a', 'b'] },
    });
    expect(one('- US-1: t\n  Acceptance criteria\n  - a\n  - b')).toMatchObject({
      ...{ title: 't', acceptance: ['a', 'b'] },
    });
    expect(one('- US-1: t\n\n  Acceptance criteria\n\n  - a')).toMatchObject({ acceptance: ['a'] });
  });

  test.each([
    'Acceptance criteria',
    'Acceptance criteria\n\nText.\n\n- a',
    'Acceptance criteria\nare these\n\n- a',
    'These are\nour acceptance criteria\n\n- a',
    '- Acceptance criteria\n- a',
    '- Acceptance criteria\n  are these\n  - a',
  ])('is text: %s', (text) => {
    expect(one(`## US-1: t\n\n${text}`)).toMatchObject({ acceptance: [], statement: text });
  });

  test('text after a list of criteria is the statement again, and a criterion keeps its parts', () => {
    const { acceptance, statement } = one(
      '## US-1: t\n\nAcceptance criteria:\n\n- REQ-9: a\n  - b\n\nMore.\n\n- c\n',
    );
    expect(acceptance).toEqual(['REQ-9: a\n- b']);
    expect(statement).toBe('More.\n\n- c');
  });

  test('blank lines between the parts of a criterion and of a list', () => {
    const criteria =
      'Acceptance criteria:\n\n- a\n\n  b\n\n      c\n- d\n  ```\n  e\n\n  f\n  ```\n';
    expect(one(`# US-1: t\n\nx\n\n${criteria}`).acceptance).toEqual([
      ...['a\n\nb\n\n    c', 'd\n```\ne\n\nf\n```'],
    ]);
    expect(one('# US-1: t\n\nAC:\n\n- a\n  - b\n\n- c').acceptance).toEqual(['a\n- b', 'c']);
    const group = (text: string) => read(`# Doc\n\n${text}\n`).items[0]?.statement;
    expect(group('- Group\n\n  para one\n\n  - US-3: z\n\n  para two')).toBe(
      '- Group\n\n  para one\n\n  para two',
    );
    expect(group('- a\n  - b\n\n    c\n    - US-3: z\n\n  - d')).toBe(
      '- a\n\n  - b\n\n    c\n\n  - d',
    );
  });

  test('text between fields in one paragraph', () => {
    const item = one('## US-1: t\nStatus: done\nThe text.\nPriority: low\nTags: #a, b');
    expect(item).toMatchObject({
      status: 'done',
      statement: 'The text.',
      priority: 'low',
      tags: ['a', 'b'],
    });
  });

  test('a rationale in the line, below it and below its heading', () => {
    expect(one('## US-1: t\n\nRationale: a\nb').rationale).toBe('a\nb');
    expect(one('## US-1: t\n\nRationale:\n\na\n\n- b\n\nStatus: x').rationale).toBe('a\n\n- b');
    expect(one('## US-1: t\n\n### Rationale\n\na\n\n### Notes\n\nb')).toMatchObject({
      ...{ rationale: 'a', statement: '### Notes\n\nb' },
    });
  });

  test('a second status is told of', () => {
    const { items, findings } = read('## US-1: t\n\nStatus: a\nStatus : b');
    expect(items[1]?.status).toBe('a');
    expect(findings.map(({ code, line, itemId, detail }) => [code, line, itemId, detail])).toEqual([
      ['duplicate_field', 4, 'US-1', 'US-1 has Status twice: "a" is taken, and "b" is left out.'],
    ]);
  });
});

test.each([
  ...['**Status:** **done**', 'Status: `done`', 'Status: ***done***', '- Status: __done__'],
  ...['Status: **`done`**', '**Status**:\n_done_'],
])('marks around a whole value are no part of it: %j [PQRS-12]', (line) => {
  expect(one(`## US-1: a\n\n${line}`).status).toBe('done');
});

test.each([
  ...['**done** or **not**', '`a` and `b`', '_a_ or _b_', '**done', '*', '`', '**', '** a **'],
])('but those of a part of it are: %j [PQRS-12]', (value) => {
  expect(one(`## US-1: a\n\nStatus: ${value}`).status).toBe(value);
});

test('marks around a priority and a kind are no part of them [PQRS-12]', () => {
  expect(one('## US-1: a\n\nPriority: `high`\nType: **Requirement**')).toMatchObject({
    ...{ priority: 'high', kind: 'requirement', attributes: {} },
  });
});

test.each([
  ['`ui` `api`', ['ui', 'api']],
  ['`ui`, `two words` `#api`', ['ui', 'two words', 'api']],
  ['`ui`', ['ui']],
  ['`ui, api`', ['ui', 'api']],
  ['`ui` for `api`', ['ui for api']],
])('code spans are tags each: %s [PQRS-12]', (value, tags) => {
  expect(one(`## US-1: a\n\n**Labels:** ${value}`).tags).toEqual(tags);
});

describe('fields are read as they are meant [PQRS-12]', () => {
  const NONE = { status: null, priority: null, tags: [], rationale: null, statement: '' };
  test.each([
    ['**Tags:** a **Priority:** b', { tags: ['a'], priority: 'b' }],
    ['**Status:** draft **Priority:** high', { status: 'draft', priority: 'high' }],
    ['- **Status**: draft | **Priority**: high', { status: 'draft', priority: 'high' }],
    [
      '*Tags:* a, b, *Status:* draft  \nText.',
      { tags: ['a', 'b'], status: 'draft', statement: 'Text.' },
    ],
    ['__Status:__ draft __Owner:__ Ann', { status: 'draft', statement: '__Owner:__ Ann' }],
    ['**Status:** x **Rationale:** y **Tags:** z', { status: 'x', rationale: 'y **Tags:** z' }],
    ['**Note:** x **Tags:** z', { statement: '**Note:** x **Tags:** z' }],
    ['**Status:** a **b** c', { status: 'a **b** c' }],
    ['**Tags:** #ui #log-in', { tags: ['ui', 'log-in'] }],
    ['Tags: `#a` #b, c d, #e', { tags: ['a', 'b', 'c d', 'e'] }],
    ['**Tags:** [ui, "log in"]', { tags: ['ui', 'log in'] }],
    ['Tags: [x][T], [y]', { tags: ['[x][T]', '[y]'] }],
    ['Tags:\n1. x\n   - y\n     - z\n2. v', { tags: ['x', 'y', 'z', 'v'] }],
    ['- Tags: x\n    - y\n    - z', { tags: ['x', 'y', 'z'] }],
    ['- Status: v\n  Tags: x\n    - y', { status: 'v', tags: ['x', 'y'] }],
    ['- Rationale: x\n  - y\n- Status: z', { rationale: 'x\n\n- y', status: 'z' }],
    ['- Tags: x\n    - Status: y', { tags: ['x'], status: 'y' }],
    ['- Status: x\n    - y', { status: 'x', statement: '- y' }],
    ['- Tags: x\n  y\n    - z', { tags: ['x'], statement: 'y\n\n- z' }],
  ])('%s', (text, said) => {
    const { items, findings } = read(`# US-1: t\n\n${text}\n`);
    expect(items[1]).toMatchObject({ ...NONE, ...said });
    expect(findings).toEqual([]);
  });

  test('many of them take time in line with their number', () => {
    const tags = Array.from({ length: 10_000 }, (_, at) => `- t${at}\n  - t0\n`);
    expect(one(`# US-1: t\n\nTags:\n${tags.join('')}`).tags).toHaveLength(10_000);
    expect(one(`# US-1: t\n\n${'**Tags:** a '.repeat(50_000)}`).tags).toEqual(['a']);
    const hyphens = `Refines: US-2, a${'-'.repeat(1_000_000)}1_`;
    expect(linksOf(`# US-1: t\n\n${hyphens}`)).toHaveLength(1);
  }, 10_000);

  test('links too', () => {
    expect(linksOf('# US-1: t\n\n**Refines:** US-2 **Depends on:** US-3, US-4')).toEqual([
      ...['3 US-1 refines US-2', '3 US-1 depends US-3', '3 US-1 depends US-4'],
    ]);
    expect(linksOf('# US-1: t\n\n- Refines: US-2\n  - US-3\n  - US-4')).toEqual([
      ...['3 US-1 refines US-2', '4 US-1 refines US-3', '5 US-1 refines US-4'],
    ]);
    expect(one('# US-1: t\n\n- Refines: US-2\n  - as agreed')).toMatchObject({
      ...{ statement: '- as agreed', attributes: {} },
    });
  });
});

test.each([
  ['### Status\n\ndraft\n\nSince May we wait.', 7, 'Status', 'Since May we wait.'],
  ['### Priority\n\n- high\n- low', 6, 'Priority', 'low'],
  ['Status:\n- draft\n- since May', 5, 'Status', 'since May'],
  ['### Kind\n\nstory\n\nno other', 7, 'Kind', 'no other'],
  [`### Status\n\nx\n\n${'y'.repeat(300)}`, 7, 'Status', `${'y'.repeat(200)}…`],
])(
  'what follows the value of a field is told of, with what it is: %s [PQRS-12]',
  (text, line, label, rest) => {
    const { findings, statuses } = read(`# US-1: t\n\n${text}\n`);
    const detail = `${label} of US-1 goes on after its value; what follows is left out: ${rest}`;
    expect(findings).toMatchObject([{ code: 'duplicate_field', line, itemId: 'US-1', detail }]);
    expect(statuses.get('a.md')).toBe('partial');
  },
);

describe('a label before what cannot be its value stays as text [PQRS-12]', () => {
  const OTHERS = ['> SYS-0', '```\nSYS-0\n```', '<p>SYS-0</p>'];
  const LABELS = [
    'Refines:',
    '**Depends on**',
    'Tags:',
    'Status:',
    'Priority:',
    'Type:',
    'Verifies:',
  ];
  const cases = LABELS.flatMap((label) => OTHERS.map((other) => [label, other] as const));
  test.each([
    ...cases,
    ...OTHERS.map((other) => ['### Dependencies', other] as const),
    ['Acceptance criteria:', '<p>SYS-0</p>'],
  ])('%s before %j', (label, other) => {
    const text = `# US-1: t\n\nbody\n\n${label}\n\n${other}\n`;
    expect(one(text)).toMatchObject({
      ...{ statement: `body\n\n${label}\n\n${other}`, acceptance: [], rationale: null },
      ...{ status: null, priority: null, tags: [], attributes: {} },
    });
    expect(read(text)).toMatchObject({ links: [], findings: [] });
  });

  test.each(OTHERS.slice(0, 2))('a criterion is also one that is written as %j', (other) => {
    for (const label of ['Acceptance criteria:', '### Acceptance criteria']) {
      expect(one(`# US-1: t\n\nbody\n\n${label}\n\n${other}\n`)).toMatchObject({
        ...{ statement: 'body', acceptance: [other] },
      });
    }
  });

  test.each(OTHERS)('a rationale has what it is in it: %j', (other) => {
    expect(one(`# US-1: t\n\nbody\n\nRationale:\n\n${other}\n`)).toMatchObject({
      ...{ statement: 'body', rationale: other },
    });
  });

  test('once, and not where it has a value', () => {
    const list = '### Dependencies\n\n- SYS-1\n\n> a\n\n> b';
    expect(one(`# US-1: t\n\n${list}`).statement).toBe('> a\n\n> b');
    const quoted = '### Dependencies\n\n> a\n\n> b';
    expect(one(`# US-1: t\n\n${quoted}\n\n- SYS-1`).statement).toBe(quoted);
    expect(linksOf(`# US-1: t\n\n${quoted}\n\n- SYS-1`)).toEqual(['9 US-1 depends SYS-1']);
  });
});

describe('the backslash that breaks a line is of no value [PQRS-12]', () => {
  const FIELDS =
    '**Status**: rejected \\\n**Priority**: high\\\n**Tags**: a, b \\\n**Refines**: SYS-1,\\\nSYS-2';
  test.each([
    ['the last line without one', FIELDS],
    ['the last line with one', `${FIELDS} \\`],
    ['plain labels', FIELDS.replaceAll('**', '')],
    ['labels alone', FIELDS.replace('**: rejected', '**:\\\nrejected')],
    ['labels alone in bold', FIELDS.replace('**: rejected', '**\\\nrejected')],
    ['a text before them', `body\\\n${FIELDS}`],
  ])('%s', (_name, fields) => {
    const text = `# US-1: t\n\n${fields.startsWith('body') ? '' : 'body\n\n'}${fields}\n`;
    expect(one(text)).toMatchObject({
      ...{ status: 'rejected', priority: 'high', tags: ['a', 'b'], statement: 'body' },
      attributes: {},
    });
    expect(linksOf(text).map((link) => link.replace(/^\d+ /, ''))).toEqual([
      ...['US-1 refines SYS-1', 'US-1 refines SYS-2'],
    ]);
  });

  test('texts have theirs, and an escaped one stays', () => {
    expect(one('## US-1: t\n\na\\\nb\n\nRationale: c\\\nd\\\nStatus: C:\\\\')).toMatchObject({
      ...{ statement: 'a\\\nb', rationale: 'c\\\nd', status: 'C:\\\\' },
    });
    expect(one('- US-1: t\\\n  u\\\n  Status: x')).toMatchObject({ title: 't u', status: 'x' });
  });
});

describe('the two spaces that break a line [PQRS-12]', () => {
  test('are kept in texts', () => {
    const criteria = 'AC:\n- d   \n  e\n\n  f  \n  g  ';
    expect(one(`# US-1: t\n\na  \nb \n*c*  \n<br>\n\n${criteria}`)).toMatchObject({
      ...{ statement: 'a  \nb\n*c*', acceptance: ['d  \ne\n\nf  \ng'] },
    });
    expect(one('# US-1: t\n\nRationale: a  \nb  \nStatus: c').rationale).toBe('a  \nb');
  });

  test('are of no other value', () => {
    const fields = 'Status: a  \nPriority: b  \nTags: c,  \nd  \nRefines: US-2,  \nUS-3  \nText.  ';
    expect(one(`# US-1: t  \n\n${fields}`)).toMatchObject({
      ...{ title: 't', status: 'a', priority: 'b', tags: ['c', 'd'], statement: 'Text.' },
      attributes: {},
    });
    expect(linksOf(`# US-1: t\n\n${fields}`)).toHaveLength(2);
    expect(one('- US-1: t  \n  u  \n  Status: x  ')).toMatchObject({ title: 't u', status: 'x' });
    expect(one('US-1: t  \nu  \n===')).toMatchObject({ id: 'US-1', title: 't u' });
    expect(one('# US-1: t\n\nStatus: a\\  \nText.')).toMatchObject({ status: 'a' });
  });
});

describe('ids that are too long to be known as such are told [PQRS-12]', () => {
  const LONG = `US-${'1'.repeat(198)}`;
  const findings = (text: string) =>
    read(text).findings.map(({ code, severity, line, detail }) => [code, severity, line, detail]);
  const shown = (end: string) =>
    `"${LONG.slice(0, 100)}…" has more than the 200 characters by which an id is known; ${end}`;

  test.each([
    `# ${LONG}: t`,
    `# **${LONG}** t`,
    `# [${LONG}](a.md)`,
    `# <a id="x"></a>${LONG}`,
    `# req~${'a'.repeat(200)}~1`,
    `# US-${'1'.repeat(5000)}`,
    `## US-2: t\n\n# ${LONG}`,
  ])('of a heading: %#', (text) => {
    expect(findings(text)).toEqual([
      [
        'invalid_id',
        'warning',
        text.split('\n').length,
        expect.stringMatching(/begins no item\.$/),
      ],
    ]);
    expect(read(text).statuses.get('a.md')).toBe('partial');
  });

  test('of an item of a list, once, and of none that would be text', () => {
    const detail = shown('what begins with it is kept as text.');
    for (const [list, line] of [
      [`- ${LONG}: t`, 1],
      [`- US-2: t\n- **${LONG}** - t`, 2],
      [`- a\n  - [ ] ${LONG}: t`, 2],
      [`- a\n  - ${LONG}: t\n  - US-2: t`, 2],
      [`- US-2: t\n  - ${LONG}: t`, 2],
    ] as const) {
      expect(findings(list)).toEqual([['invalid_id', 'warning', line, detail]]);
    }
    expect(findings(`- ${LONG} is done\n- ${'US-1 '.repeat(90)}: t`)).toEqual([]);
    expect(findings(`# ${'abc'.repeat(90)}: t\n\n# ${'A'.repeat(300)}\n\n\`${LONG}\``)).toEqual([]);
  });

  test('of a reference, once in an item', () => {
    const detail = shown('it is no reference.');
    expect(findings(`# US-1: t\n\na\n[${LONG}] [${LONG}]\n\n- [${LONG}]`)).toEqual([
      ['invalid_reference', 'warning', 4, detail],
    ]);
    expect(linksOf(`# US-1: t\n\n[${LONG}] [US-2]`)).toEqual(['3 US-1 relates US-2']);
    expect(findings(`# US-1: t\n\n\`[${LONG}]\` [${LONG}](https://e.org)`)).toEqual([]);
  });
});

describe('a definition of an id as a link to a word is no reference [PQRS-12]', () => {
  test.each([
    '[US-6]: text',
    '[us-9]: x',
    '[US-6]: text "t"',
    '[US-6]: a\n[US-7]: b',
    '### Rationale\n\n[US-6]: text',
    'AC:\n- [US-6]: text',
  ])('%s', (text) => {
    const { links, findings, items } = read(`# US-1: t\n\n${text}\n`);
    expect([links, findings]).toEqual([[], []]);
    const { statement, rationale, acceptance } = items[1]!;
    expect(text).toEndWith([statement, rationale ?? '', ...acceptance].join(''));
  });

  test.each([
    ['[US-6]: a text', 3],
    ['Text.\n[US-6]: text', 4],
    ['[US-7]: a\nSee [US-6].', 4],
    ['[US-6] text', 3],
  ])('but this is one: %s', (text, line) => {
    expect(linksOf(`# US-1: t\n\n${text}\n`)).toEqual([`${line} US-1 relates US-6`]);
  });
});

describe('links [PQRS-12]', () => {
  test.each([
    ['Refines: US-2', 'refines'],
    ['Derives from: [US-2]', 'derives'],
    ['Derived from: US-2', 'derives'],
    ['**Depends on:** US-2', 'depends'],
    ['- Satisfies: US-2', 'satisfies'],
    ['Verifies:\n- US-2', 'verifies'],
    ['Conflicts with: [US-2](#us-2)', 'conflicts'],
    ['Relates to: US-2', 'relates'],
    ['### Depends on\n\n- US-2', 'depends'],
    ['See [US-2].', 'relates'],
  ])('%s', (text, type) => {
    expect(linksOf(`## US-1: t\n\n${text}`).map((link) => link.replace(/^\d+ /, ''))).toEqual([
      `US-1 ${type} US-2`,
    ]);
  });

  test('go to other files of the sources, and nowhere else [PQRS-12]', () => {
    const text = [
      '[PROJ-1](https://e.org/PROJ-1) [PROJ-2](//e.org/x) ![FIG-3](x.png) ![FIG-4][x]',
      '\\[US-5] <a title="[US-6]" href=x>a</a> <b data-x=\'[US-7]\'/>',
      '[US-8](#us-8) [US-9](b.md#us-9) [US-10][US-11] [US-12]([US-13]) a<b [US-14] c>d so![US-15]',
    ].join('\n');
    expect(linksOf(`## US-1: t\n\n${text}`)).toEqual(
      [8, 9, 10, 11, 12, 13, 14, 15].map((number) => `5 US-1 relates US-${number}`),
    );
  });

  test('many beginnings of tags and addresses are read in no time [PQRS-12]', () => {
    expect(linksOf(`## US-1: t\n\n${'<a x="[US-2](h'.repeat(100_000)}`)).toHaveLength(1);
    expect(linksOf(`## US-1: t\n\n${'<a b '.repeat(100_000)} [US-2]`)).toHaveLength(1);
    expect(linksOf(`## US-1: t\n\n[a]: ${'/'.repeat(100_000)} b c [US-2]`)).toHaveLength(1);
  });

  test('a text ends with the definitions that it uses, wherever they stand [PQRS-12]', () => {
    const source = [
      '# Spec\n\nAll after [the\n standard].\n\n[unused]: u.md\n\n[the STANDARD]: a.md',
      '## US-1: t\n\nAs ![it][ Iso ] says.\n\nRationale: [iso][], `[Other]`\n\n[iso]: b.md "B"',
      '[Iso]: never.md\n\n[other]: <c.md>',
      '## US-2: after [iso]\n\n## US-3: t\n\nNone.\n\n### Acceptance criteria\n\n- [so][a\\_b]\n\n[a\\_b]: d.md',
    ].join('\n\n');
    const texts = read(source).items.map(({ id, statement, attributes }) => [
      id,
      statement,
      attributes,
    ]);
    expect(texts).toEqual([
      ['a.md', 'All after [the\nstandard].\n\n[the STANDARD]: a.md', {}],
      ['US-1', 'As ![it][ Iso ] says.\n\n[iso]: b.md "B"\n[other]: <c.md>', {}],
      ['US-2', '', { definitions: '[iso]: b.md "B"' }],
      ['US-3', 'None.\n\n[a\\_b]: d.md', {}],
    ]);
  });

  test('those of a text that is none stand beside a field of their name [PQRS-12]', () => {
    const text = '---\ndefinitions: of ours\n---\n\n# D [s]\n\n[s]: http://s\n';
    expect(read(text).items[0]?.attributes).toEqual({
      ...{ definitions: 'of ours', 'link definitions': '[s]: http://s' },
    });
  });

  test('what a link in brackets means is defined, and no text [PQRS-12]', () => {
    const definitions =
      '[PROJ-12]: https://e.org/12\n[US-9]: <#us-9> "The ninth"\n[US-8]: b.md (title)';
    const text = `## US-1: t\n\nSee [PROJ-12] and [US-8].\n\n### Acceptance criteria\n\n- a\n\n${definitions}`;
    expect(one(text)).toMatchObject({
      statement: 'See [PROJ-12] and [US-8].\n\n[PROJ-12]: https://e.org/12',
      acceptance: ['a'],
    });
    expect(linksOf(text)).toEqual(['3 US-1 relates US-8']);
    expect(one(`## US-1: t\n\n${definitions}\nText [US-2].`).statement).toBe('Text [US-2].');
    expect(linksOf(`## US-1: t\n\n${definitions}\nText [US-2].`)).toEqual(['6 US-1 relates US-2']);
    expect(one('## US-1: t\n\n[US-9]: open\n[Open]: to say').statement).toBe(
      '[US-9]: open\n[Open]: to say',
    );
  });

  test('those that fields use are attributes, and those that nothing uses are told [PQRS-12]', () => {
    const text = [
      '# D\n\n## US-1: t\n\nText [a].\n\nStatus: open [s][s1]\nPriority: [p]\nTags: [x][T 3], y',
      'Depends on: [US-2][ref5], [US-3](http://3)\nRefines: [US-4][US-5]',
      '[a]: http://a\n[s1]: http://1\n[p]: http://p\n[t 3]: http://t\n[ref5]: http://5 "T"',
      '[none]: http://n\n[ref5]: http://again\n\n## Part\n\n- in [l][l1]\n\n[l1]: http://l\n[US-9]: #us-9',
    ].join('\n\n');
    const { items, links, findings, statuses } = read(text);
    expect(items[1]).toMatchObject({
      ...{ statement: 'Text [a].\n\n[a]: http://a', status: 'open [s][s1]', priority: '[p]' },
      attributes: {
        'Depends on': '[US-2][ref5], [US-3](http://3)',
        definitions: '[s1]: http://1\n[p]: http://p\n[t 3]: http://t\n[ref5]: http://5 "T"',
      },
    });
    expect(items[2]?.statement).toBe('- in [l][l1]\n\n[l1]: http://l');
    expect(links.map(({ type, to }) => `${type} ${to}`)).toEqual([
      ...['depends US-2', 'depends US-3', 'refines US-4', 'refines US-5'],
    ]);
    expect(
      findings.map(({ code, severity, line, detail }) => [code, severity, line, detail]),
    ).toEqual([
      [
        ...['unused_definition', 'info', 20],
        'Definitions of links that nothing uses are left out; they stand on lines: 20, 21, 28.',
      ],
    ]);
    expect(statuses.get('a.md')).toBe('parsed');
  });

  test('many definitions that nothing uses are told once, in time [PQRS-12]', () => {
    const lines = Array.from({ length: 20_000 }, (_, at) => `[r${at}]: http://e.org/${at}`);
    const started = performance.now();
    const { findings } = read(`## US-1: t\n\n${lines.join('\n')}`);
    expect(performance.now() - started).toBeLessThan(3000);
    expect(findings).toHaveLength(1);
    expect(findings[0]?.detail).toEndWith(
      ': 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22 and 19980 more.',
    );
  });

  test('escaped brackets use none, and many of them are read in no time [PQRS-12]', () => {
    expect(one('## US-1: t\n\nText \\[a].\n\n[a]: http://a').statement).toBe('Text \\[a].');
    const text = `## US-1: t\n\nText [a].\n\n${'\\['.repeat(30_000)}\n\n`.repeat(20);
    const { items } = read(`${text}Depends on: US-2 ${'\\['.repeat(500_000)}\n\n[a]: http://a`);
    expect(items[1]?.statement).toEndWith('\n\n[a]: http://a');
  });

  test('a bracket in the address of a link is no reference [PQRS-12]', () => {
    const text = [
      '[US-1](http://x/[DEF-1]) [t](<http://x/ [DEF-2]>) [t](x(y)[DEF-3] "t") [t](b.md#[DEF-4])',
      '[a](see [US-2]) \\](a[US-3]) [US-4]([US-5])',
    ].join('\n');
    expect(linksOf(`## US-1: t\n\n${text}`)).toEqual(
      [2, 3, 4, 5].map((number) => `4 US-1 relates US-${number}`),
    );
    expect(linksOf(`## US-1: t\n\n${'[a](b'.repeat(100_000)} [US-2]`)).toHaveLength(1);
    expect(linksOf(`## US-1: t\n\nRefines: ${'](a(b'.repeat(100_000)}[US-2]`)).toHaveLength(1);
  });

  test('a footnote is text wherever it stands [PQRS-12]', () => {
    const text = '## US-1: t\n\nText.[^1]\n\n### Acceptance criteria\n\n- a\n\n[^1]: See [US-2].';
    expect(one(text)).toMatchObject({
      statement: 'Text.[^1]\n\n[^1]: See [US-2].',
      acceptance: ['a'],
    });
    expect(linksOf(text)).toEqual(['9 US-1 relates US-2']);
  });

  test('a footnote goes to each text that refers to it', () => {
    const notes =
      '[^1]: Here [US-9], [^b].\n\n    More [a].\n[^B]: other\n[^c]: unused\n\n    of c\n\n    too';
    const text = `## US-1: t\n\nText[^1].\n\n## US-2: u\n\nText.\n\n${notes}\n\nMore.\n\n- US-3: v[^B]\n\n[a]: http://a`;
    const [, first, second, third] = read(text).items;
    expect(first?.statement).toBe(
      'Text[^1].\n\n[^1]: Here [US-9], [^b].\n\n    More [a].\n\n[^B]: other\n\n[a]: http://a',
    );
    expect(second?.statement).toBe('Text.\n\n[^c]: unused\n\n    of c\n\n    too\n\nMore.');
    expect(third?.statement).toBe('v[^B]\n\n[^B]: other');
    expect(linksOf(text)).toEqual(['9 US-1 relates US-9']);
    expect(one('## US-1: t[^1]\n\n[^1]: n')).toMatchObject({
      ...{ statement: '', attributes: { footnotes: '[^1]: n' } },
    });
    expect(one('## US-1: t\n\na[^1]\n\n[^1]: n\n\nb').statement).toBe('a[^1]\n\n[^1]: n\n\nb');
    expect(one('## US-1: t\n\na\n\n[^1]: n\n\n### P\n\n    code').statement).toEndWith(
      '\n\n### P\n\n    code',
    );
  });

  test('a footnote that many refer to is given to as many as is not too much, which is told', () => {
    const items = Array.from({ length: 10_000 }, (_, at) => `## US-${at}: t\n\nText[^1][^2].\n`);
    const inner = Array.from({ length: 5000 }, (_, at) => `[^x${at}]`).join('');
    const others = Array.from({ length: 5000 }, (_, at) => `[^x${at}]: x`).join('\n');
    const text = `${items.join('\n')}\n[^1]: ${'n '.repeat(200_000)}\n[^2]: ${inner}\n${others}`;
    const started = performance.now();
    const result = read(text);
    expect(performance.now() - started).toBeLessThan(6000);
    expect(result.items.reduce((sum, item) => sum + item.statement.length, 0)).toBeLessThan(2e6);
    expect(result.items[1]?.statement).toContain('\n\n[^x4999]: x');
    expect(result.findings).toMatchObject([
      { code: 'too_much', severity: 'warning', itemId: 'US-3' },
    ]);
    expect(result.statuses.get('a.md')).toBe('partial');
  });

  test.each([
    '- [US-2] what about cards?',
    '- [US-2] - as there',
    '- see\n  - [US-2] there',
    '- [US-2](https://e.org/2): blocks it',
  ])('an item in brackets in the text of an item is a reference: %s [PQRS-12]', (list) => {
    const text = `## US-1: t\n\nText.\n\n${list}\n`;
    expect(one(text).statement).toBe(`Text.\n\n${list}`);
    expect(linksOf(text).length).toBe(list.includes('http') ? 0 : 1);
    expect(itemsOf(`## US-1: t\n\n- [US-2]: Pay later`).map(({ id }) => id)).toEqual([
      ...['US-1', 'US-2'],
    ]);
  });

  test('have the line of the reference', () => {
    expect(
      linksOf('## US-1: t\n\na\nb [US-3]\n\nAcceptance criteria:\n- x\n- y [US-4]\n  z [US-5]'),
    ).toEqual([...['4 US-1 relates US-3', '8 US-1 relates US-4', '9 US-1 relates US-5']]);
  });

  test.each([
    ['a loose list', '- a\n\n- b [SYS-7]\n\n\n- c\n\n  d [SYS-12]\n\n- e\n\n- f [SYS-16]'],
    ['a numbered one', '1. a\n\n2. b [SYS-7]\n\n3. c [SYS-9]'],
    ['a list within one', '- a\n\n  - b\n\n  - c [SYS-9]\n\n- d [SYS-11]'],
    ['criteria', 'AC:\n\n- b\n\n  more\n\n  even [SYS-11]\n\n- [ ] c [SYS-13]'],
    ['tasks', '- [ ] a\n\n- [x] b [SYS-7]\n\n  c [SYS-9]'],
    ['a rationale', '### Rationale\n\n- a\n\n- b [SYS-9]'],
    ['a list with items', '- a\n\n  b [SYS-7]\n- US-2: c\n\n- d\n\n  [SYS-12]'],
    ['the lines of a field', 'Refines:\n  SYS-6\n  SYS-7'],
    ['a field with comments', 'Refines: SYS-5 <!--\n--> SYS-6\nDepends on:\n[SYS-8](b\nc)\nSYS-10'],
    ['the text below a field', '### Dependencies\n\nNeeds\nthe thing SYS-8'],
    ['an underlined heading', 'US-3: a\nb [SYS-6]\n==='],
  ])('have the line of the reference in the file: %s [PQRS-12]', (_name, text) => {
    const links = linksOf(`## US-1: t\n\nText.\n\n${text}\n`);
    expect(links).not.toEqual([]);
    for (const link of links) expect(link).toMatch(/^(\d+) .*SYS-\1$/);
  });

  test('have the line of the reference in the file, whatever stands around it [PQRS-12]', () => {
    const line = fc.constantFrom(
      ...['', '', '', 'text', '- a', '- ', '  more', '    code', '* c', '1. d', '> q', '  - in'],
      ...['- [ ] t', '<br>', '<!-- c -->', 'AC:', 'Refines:', '- Depends on:', '### Rationale'],
    );
    const marked = fc.tuple(line, fc.boolean());
    fc.assert(
      fc.property(fc.array(marked, { maxLength: 14 }), (lines) => {
        const text = lines.map(([one, named], at) => (named ? `${one} [SYS-${at + 3}]` : one));
        for (const link of linksOf(`## US-1: t\n\n${text.join('\n')}`)) {
          expect(link).toMatch(/^(\d+) .*SYS-\1$/);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    ['Refines: US-2, US-3,\nUS-4\nText.', '', 'Text.'],
    ['Refines: US-2,\n  [US-3](#us-3), \n  US-4\n\nText.', '', 'Text.'],
    ['- Refines: US-2,\n  US-3,\n  US-4\n\nText.', '', 'Text.'],
    ['Refines: US-2,\nUS-3,\nUS-4,\nTags: a,\n  b\nText,\nMore.', 'a b', 'Text,\nMore.'],
    ['Tags: a,\nb\nRefines: US-2, US-3, US-4\nText.', 'a b', 'Text.'],
    ['Refines: US-2\nUS-3\n[US-4]\nText.', '', 'Text.'],
    ['- **Refines:** US-2 \\\n  US-3 and US-4\n\nText.', '', 'Text.'],
    ['Status: a,\nText.\n\nRefines:\nUS-2, US-3,\nUS-4', '', 'Text.'],
  ])('and tags go on after a comma at the end of a line: %s [PQRS-12]', (text, tags, statement) => {
    const whole = `## US-1: t\n\n${text}`;
    expect(linksOf(whole).map((link) => link.replace(/^\d+ /, ''))).toEqual([
      ...['US-1 refines US-2', 'US-1 refines US-3', 'US-1 refines US-4'],
    ]);
    expect(one(whole)).toMatchObject({ statement, tags: tags.split(' ').filter(Boolean) });
    expect(linksOf(`- US-1: t\n  ${text.replaceAll('\n', '\n  ')}`)).toHaveLength(3);
  });

  test('ids of other formats are named as they are', () => {
    expect(linksOf('## US-1: t\n\nDepends on: req~x~1, TUT017 and SRS_4')).toEqual([
      ...['3 US-1 depends req~x~1', '3 US-1 depends TUT017', '3 US-1 depends SRS_4'],
    ]);
  });

  test('neither code, nor itself, nor a standard is one', () => {
    expect(
      linksOf('## US-1: t\n\n`[US-2]` [US-1] [RFC-2119] [text] [x](US-3)\n\n```\n[US-4]\n```'),
    ).toEqual([]);
  });

  test.each([
    'Text <!-- no longer: [US-2] -->.',
    'Text <!-- no\nlonger [US-2]\n--> but [US-3].',
    'Acceptance criteria:\n\n- a <!-- [US-2] -->',
    '- <!-- [US-2] --> [US-3]',
    'Depends on: US-3 <!-- US-2 -->',
    '<!-- [US-2] --> and [US-3]',
    'Text <!--> [US-3] <!-- [US-2] -->',
  ])('in a comment is none: %s', (text) => {
    const links = linksOf(`## US-1: t\n\n${text}`);
    expect(links.filter((link) => link.endsWith('US-2'))).toEqual([]);
    expect(links.some((link) => link.endsWith('US-3'))).toBe(text.includes('US-3'));
  });

  test('what looks like a comment and is none hides nothing', () => {
    expect(linksOf('## US-1: t\n\na `<!--` [US-2] `-->` b <!-- [US-3]')).toEqual([
      ...['3 US-1 relates US-2', '3 US-1 relates US-3'],
    ]);
  });

  test.each([
    ...['See `a\n[US-2] b` and [US-3]', '``[US-2] ` [US-2]`` [US-3]', '```x [US-2]``` [US-3]'],
    ...['- [US-3] `a\n  [US-2]`', '[US-3]\n\n1. ```\n   [US-2]\n   ```', '> `[US-2]\n> ` [US-3]'],
  ])('in a code span is none: %j', (text) => {
    const ids = linksOf(`## US-1: t\n\n${text}`).map((link) => link.split(' ').at(-1));
    expect([...new Set(ids)]).toEqual(['US-3']);
  });

  test.each([
    ...['`a [US-3]', '`a\n\n[US-3]`', '- `a\n- [US-3]`', '\\`[US-3]`', '`` [US-3] `'],
    ...['| `a | b |\n| b` [US-3] |', '<a b="`"> [US-3] `c`'],
  ])('that no code span is around is one: %j', (text) => {
    expect(linksOf(`## US-1: t\n\n${text}`).map((link) => link.split(' ').at(-1))).toEqual([
      'US-3',
    ]);
  });

  test('code spans are those of a parse', () => {
    const word = fc.constantFrom(
      ...['`', '``', '```', ' a ', '\n', '@', '@', '\\', '<!--', '-->', '<b c="', '">', '<b>'],
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 16 }), (words) => {
        const text = `x${words.map((one, at) => (one === '@' ? `[US-${at}]` : one)).join('')}`;
        // Where lines could begin or end something else it is no paragraph.
        fc.pre(!/\n\s*(?:\n|`{3}|<)/.test(text) && !/\\(?:\[|<!)/.test(text));
        const hidden = JSON.stringify(fromMarkdown(text), (_, value) =>
          value?.type === 'text' ? undefined : value,
        );
        const shown = words.flatMap((one, at) =>
          one === '@' && !hidden.includes(`[US-${at}]`) ? [`US-${at}`] : [],
        );
        expect(referencesIn(text).map(({ id }) => id)).toEqual(shown);
      }),
      { numRuns: 2000 },
    );
  });

  test('a comment in the value of a link is kept', () => {
    expect(one('## US-1: t\n\nDepends on: US-3 <!-- US-2 -->').attributes).toEqual({
      'Depends on': 'US-3 <!-- US-2 -->',
    });
    expect(read('## US-1: t\n\nDepends on: <!-- US-2 -->').findings).toEqual([]);
  });

  test('many beginnings of comments are read in no time', () => {
    expect(linksOf(`## US-1: t\n\n${'a <!-- [US-2] '.repeat(200_000)}`)).toHaveLength(1);
    expect(linksOf(`## US-1: t\n\n${'a <!-- [US-2] -->'.repeat(100_000)}`)).toEqual([]);
  });

  test('a value that names nothing is told of; "none" is not', () => {
    const text = '## US-1: t\n\nDepends on: the weather\n\nRefines: none';
    expect(read(text).findings.map(({ code, line }) => `${code} ${line}`)).toEqual([
      'invalid_reference 3',
    ]);
    expect(one(text).attributes).toEqual({ 'Depends on': 'the weather' });
  });
});

describe('front matter [PQRS-12]', () => {
  test.each([
    ['---\na: [\n---\n', 'partial' as const],
    ['---\n- a\n---\n', 'parsed' as const],
  ])('that is wrong is told of: %s', (text, status) => {
    const result = read(`${text}## US-1: t`);
    expect(result.findings.map(({ code }) => code)).toEqual(['invalid_front_matter']);
    expect(result.items.at(-1)).toMatchObject({ id: 'US-1', line: text.split('\n').length });
    expect(result.statuses.get('a.md')).toBe(status);
  });

  test.each([
    ['---\n\n# US-1: t\n\nIt does.\n\n---\n', 'It does.'],
    ['---\n# US-1: t\n\n- a: b: c\n\n---\n', '- a: b: c'],
    ['---\n\n## US-1: t\n\n"a" b: [c\n\n---\n', '"a" b: [c'],
    ['---\n\nNote: a\n\n# US-1: t\n\n---\n', ''],
  ])('is not what stands between two rules: %p', (text, statement) => {
    const { items, findings } = read(text);
    expect(items.at(-1)).toMatchObject({ id: 'US-1', statement });
    expect(findings).toMatchObject([
      {
        ...{ code: 'invalid_front_matter', severity: 'info', line: 1 },
        detail: expect.stringContaining('is no front matter, and is read as text: '),
      },
    ]);
  });

  test('a fault is told whole, with its line', () => {
    const faults = (text: string) => read(text).findings.map(({ line, detail }) => [line, detail]);
    const left = 'The front matter is left out: ';
    const [[line, detail] = []] = faults('---\na: [1\nb: : :\n---\n');
    expect(line).toBe(3);
    expect(detail).toStartWith(left);
    expect(detail).not.toMatch(/at line|:\.$/);
    const twice = faults('---\r\na: 1\r\nb: 2\r\na: 3\r\n---\r\n');
    expect(twice).toEqual([[4, `${left}Map keys must be unique.`]]);
  });

  test('gives items their defaults where they say nothing', () => {
    const front = '---\ndefaults: {status: draft, priority: low, tags: [a]}\n---\n';
    expect(one(`${front}## US-1: t`)).toMatchObject({
      status: 'draft',
      priority: 'low',
      tags: ['a'],
    });
    expect(one(`${front}## US-1: t\nStatus: x\nTags: b`)).toMatchObject({
      status: 'x',
      tags: ['b', 'a'],
    });
  });
});

describe('what front matter says in another type is kept or told [PQRS-12]', () => {
  const told = (front: string) =>
    read(`---\n${front}\n---\n\n# US-1: a\n\nt\n`).findings.map(
      ({ code, line, detail }) => `${code} ${line} ${detail.split('`')[1]}`,
    );

  test('lists and maps where a text is read', () => {
    const front =
      'title: {en: Pay, de: Zahlen}\nstatus: [draft]\npriority: [high]\ntags: [[a], {b: c}]\nid: [A-1]';
    expect(told(front).sort()).toEqual([
      ...['invalid_field 2 title', 'invalid_field 3 status', 'invalid_field 4 priority'],
      ...['invalid_field 5 tags', 'invalid_field 6 id'],
    ]);
    expect(read(`---\n${front}\n---\n`).statuses.get('a.md')).toBe('partial');
    expect(told('title:\nstatus: 1\npriority: true\ntags: [a, 2,]\nid: 7\nowner: {a: b}')).toEqual(
      [],
    );
    expect(told('tags: a, b')).toEqual([]);
    expect(told('tags: {a: b}')).toEqual(['invalid_field 2 tags']);
  });

  test('in defaults', () => {
    expect(told('a: 1\ndefaults: {status: [a], tags: [{}], kind: x, owner: b}')).toEqual([
      ...['invalid_field 3 defaults.status', 'invalid_field 3 defaults.tags'],
      ...['invalid_field 3 defaults.kind', 'invalid_field 3 defaults.owner'],
    ]);
    expect(told('defaults: [a]')).toEqual(['invalid_field 2 defaults']);
    expect(told('defaults: {status: a, kind: user story, tags: b}')).toEqual([]);
  });

  test('with the line of each part, and what it says', () => {
    const front = [
      ...['defaults:', '  status: draft', '', '  priority: [x]', '  owner: ann', '  tags:'],
      ...['    - b', '    - {c: d}', 'tags:', '  - a', '  - {wordA: b}', '  - [wordC]'],
    ].join('\n');
    const { items, findings } = read(`---\n${front}\n---\n# US-1: t\n`);
    expect(findings.map(({ line, detail }) => `${line} ${detail}`)).toEqual([
      '12 `tags` of the front matter has tags that are texts: {"wordA":"b"} is left out.',
      '13 `tags` of the front matter has tags that are texts: ["wordC"] is left out.',
      '5 `defaults.priority` of the front matter is a text, and no list or map: ["x"] is left out.',
      '6 `defaults.owner` of the front matter is none of kind, status, priority, tags: "ann" is left out.',
      '9 `defaults.tags` of the front matter has tags that are texts: {"c":"d"} is left out.',
    ]);
    expect(items.map(({ tags }) => tags)).toEqual([['a'], ['b']]);
    expect(read('---\na: &b c\nd: *b\ne:\n  - *nope\n---\n').findings).toMatchObject([
      { line: 5, detail: 'The front matter is left out: there is no anchor for *nope.' },
    ]);
    expect(read('---\na: &b c\nd: *b\n---\n').items[0]?.attributes).toEqual({ a: 'c', d: 'c' });
  });

  test('a kind that is none of an item is an attribute', () => {
    const [document] = read('---\nkind: note\n---\n').items;
    expect(document?.attributes).toEqual({ kind: 'note' });
    expect(read('---\nkind: story\n---\n# US-1: a').items[0]?.attributes).toEqual({});
  });

  test('a kind in a document without items is an attribute of it', () => {
    for (const front of ['kind: story', 'id: SHOP\nkind: story']) {
      const [document, ...others] = read(`---\n${front}\n---\n\nBody.`).items;
      expect(document).toMatchObject({ kind: 'document', attributes: { kind: 'story' } });
      expect(others).toEqual([]);
    }
  });

  test('the line of a link is that of its key', () => {
    const front = '---\nid: US-3\na: 1\ndepends_on: [US-4]\nrationale: by [US-5]\n---\n';
    expect(linksOf(`${front}# US-3: t`)).toEqual(['4 US-3 depends US-4', '5 US-3 relates US-5']);
  });

  test('numbers have all their digits', () => {
    const digits = '1234567890123456789';
    const front = `ticket: ${digits}\nid: ${digits}\ntags: [${digits}, 7]\nin: {a: [-${digits}]}`;
    const numbers = 'hex: 0xffffffffffffffff\nsmall: [0x10, 1.50, 1e3, 0.1]\nhuge: 1e999';
    const [document] = read(`---\n${front}\n${numbers}\n---\n`).items;
    expect(document).toMatchObject({ id: digits, tags: [digits, '7'] });
    expect(document?.attributes).toEqual({
      ...{ ticket: digits, in: `{"a":["-${digits}"]}`, hex: '0xffffffffffffffff' },
      ...{ small: ['0x10', '1.50', '1e3', 0.1], huge: '1e999' },
    });
  });

  test('the fields of an item and of all are the texts that are written', () => {
    const front = [
      ...['id: 0042', 'title: 1.10', 'status: 1e3', 'priority: 010', 'tags: [2.0, 0x1F, True]'],
      ...['defaults: {status: 2.10, priority: 1.0, tags: [007]}', 'version: 1.10', 'build: 12'],
      ...['more: [0042, 1e3, .inf, 1.5, -3, true]', 'parent: 1.20', 'in: {a: 1.10, b: 2}'],
    ].join('\n');
    const [document, story] = read(`---\n${front}\n---\n# US-1: t\n`).items;
    expect(document).toMatchObject({
      ...{ id: '0042', title: '1.10', status: '1e3', priority: '010' },
      tags: ['2.0', '0x1F', 'True'],
      attributes: {
        ...{ version: '1.10', build: 12, more: ['0042', '1e3', '.inf', 1.5, -3, true] },
        ...{ parent: '1.20', in: '{"a":"1.10","b":2}' },
      },
    });
    expect(story).toMatchObject({ status: '2.10', priority: '1.0', tags: ['007'] });
    const own = '---\nid: US-1\nstatus: 1.10\nrationale: 1e1\nacceptance: [2.0]\n---\n# US-1: t';
    expect(one(own)).toMatchObject({ status: '1.10', rationale: '1e1', acceptance: ['2.0'] });
  });

  test('what has a tag that JSON knows nothing of is the text that is written', () => {
    const front = [
      ...['s: !!set {a, b}', 'o: !!omap [c: 1]', 'b: !!binary bWswMDU=', 'f: !foo bar', 'm: !foo'],
      ...['  d: &x 1', 'n: *x', 'l: [1, !e 2]', 't: !!timestamp 2001-12-14t21:59:43.10-05:00'],
      ...['tags: !!set {g, h}', 'i: !!int 7', 'j: !!str 8', 'k: ! 9', 'p: !!map {q: !!float 1.5}'],
    ];
    const { items, findings, statuses } = read(`---\n${front.join('\n')}\n---\n`);
    expect(items[0]?.tags).toEqual(['!!set {g, h}']);
    expect(items[0]?.attributes).toEqual({
      ...{ s: '!!set {a, b}', o: '!!omap [c: 1]', b: '!!binary bWswMDU=', f: '!foo bar' },
      ...{ m: '!foo\n  d: &x 1', n: 1, l: [1, '!e 2'], i: 7, j: '8', k: '9', p: '{"q":1.5}' },
      t: '!!timestamp 2001-12-14t21:59:43.10-05:00',
    });
    expect(findings.map(({ code, line }) => [code, line])).toEqual(
      [2, 3, 4, 5, 6, 9, 10, 11].map((line) => ['invalid_field', line]),
    );
    expect(findings[3]?.detail).toBe(
      '`f` of the front matter has a tag that is not known, and is kept as the text that is written: !foo bar',
    );
    expect(statuses.get('a.md')).toBe('parsed');
  });

  test.each([
    [`a: ${'['.repeat(900)}${']'.repeat(900)}`, 'it nests too deep'],
    [`a:\n  ${'- '.repeat(20_000)}x`, 'it nests too deep'],
    [`a: ${'[? '.repeat(900)}`, 'a key of it is a list or a map'],
    [`${'? '.repeat(15_000)}x`, 'a key of it is a list or a map'],
    ['!k a: 1', 'a key of it is no plain text'],
    ['!!set\n? a', 'it has a tag of its own'],
    ['a: x'.padEnd(70_000, 'y'), 'it is too long'],
  ])('that is too much or no map of texts is left out in time: %.20s', (front, why) => {
    const started = performance.now();
    const { findings } = read(`---\n${front}\n---\n`);
    expect(findings.map(({ detail }) => detail)).toEqual([`The front matter is left out: ${why}.`]);
    expect(performance.now() - started).toBeLessThan(2000);
  });

  test('that has many lists is read', () => {
    const front = `a: [${'[1.0], '.repeat(5000)}]`;
    expect(read(`---\n${front}\n---\n`).findings).toEqual([]);
  });
});

describe('front matter with the id of an item [PQRS-12]', () => {
  const shape = (text: string) =>
    read(text).items.map(({ id, kind, title, parentId }) => [id, kind, title, parentId]);

  test('is said of that item, and the document goes by its path', () => {
    const front = [
      ...['---', 'id: US-3', 'status: draft', 'priority: high', 'tags: [a]', 'owner: Ann'],
      ...['acceptance: [b, c]', 'depends_on: [US-4, US-5]', 'rationale: why', '---', ''],
    ].join('\n');
    const text = `${front}# US-3: Pay by card\n\nAs a customer I pay.\n\n## Acceptance criteria\n\n- a\n`;
    const { items, links, findings } = read(text);
    expect(findings).toEqual([]);
    expect(items.map(({ id, kind, parentId }) => [id, kind, parentId])).toEqual([
      ['a.md', 'document', null],
      ['US-3', 'story', 'a.md'],
    ]);
    expect(items[0]).toMatchObject({ status: null, tags: [], attributes: {} });
    expect(items[1]).toMatchObject({
      ...{ title: 'Pay by card', statement: 'As a customer I pay.', rationale: 'why' },
      ...{ acceptance: ['a', 'b', 'c'], status: 'draft', priority: 'high', tags: ['a'] },
      attributes: { owner: 'Ann' },
    });
    expect(links.map(({ from, type, to }) => `${from} ${type} ${to}`)).toEqual([
      ...['US-3 depends US-4', 'US-3 depends US-5'],
    ]);
  });

  test('yields to what the item says, and goes before what holds for all', () => {
    const front = '---\nid: US-3\nstatus: draft\ndefaults: {status: new, priority: low}\n---\n';
    expect(one(`${front}# US-3: t\n\nStatus: done`)).toMatchObject({
      ...{ status: 'done', priority: 'low' },
    });
    expect(one(`${front}# US-3: t`).status).toBe('draft');
  });

  test('is told where the item says something else', () => {
    const front =
      '---\nid: REQ-1\nkind: requirement\nstatus: draft\npriority: low\n---\n# REQ-1: t\n\n';
    const told = (text: string) => {
      const { findings } = read(front + text);
      for (const { code, severity, itemId } of findings)
        expect([code, severity, itemId]).toEqual(['duplicate_field', 'warning', 'REQ-1']);
      return findings.map(({ line, detail }) => `${line} ${detail}`);
    };
    expect(told('**Status:** approved\n**Priority:** high')).toEqual([
      '4 REQ-1 has `status` twice: "approved" is taken, and "draft" of the front matter is left out.',
      '5 REQ-1 has `priority` twice: "high" is taken, and "low" of the front matter is left out.',
    ]);
    expect(told('## Status\n\napproved').length).toBe(1);
    expect(told('Kind: story')).toEqual([
      '3 REQ-1 has `kind` twice: "story" is taken, and "requirement" of the front matter is left out.',
    ]);
    expect(told('Kind: requirement\nStatus: Draft\nPriority: low')).toEqual([]);
  });

  test('has tags as a list or as words', () => {
    const tags = (text: string) => read(`---\ntags: ${text}\n---\n`).items[0]?.tags;
    expect(tags('"#ui #login"')).toEqual(['ui', 'login']);
    expect(tags('["#a b", c]')).toEqual(['a b', 'c']);
  });

  test('is said of the item with others in it, but not of one beside others', () => {
    const front = '---\nid: US-3\nstatus: draft\n---\n';
    const statuses = (text: string) => read(text).items.map(({ id, status }) => [id, status]);
    expect(statuses(`${front}# US-3: t\n\n## US-4: u`)).toEqual([
      ['a.md', null],
      ['US-3', 'draft'],
      ['US-4', null],
    ]);
    expect(statuses(`${front}# US-3: t\n\n# US-4: u`)).toEqual([
      ['a.md', 'draft'],
      ['US-3', null],
      ['US-4', null],
    ]);
  });

  test.each(['## US-3: t', '# A\n\n## B\n\n## US-3: t', '- US-3: t', '## US-3: t\n\n- US-3: u'])(
    'never is the id of two: %s',
    (text) => {
      const [document, ...others] = read(`---\nid: US-3\n---\n${text}`).items;
      expect(document).toMatchObject({ id: 'a.md', kind: 'document' });
      expect(others.filter(({ parentId }) => parentId === 'a.md')).not.toEqual([]);
    },
  );

  test('and the type of one is that item', () => {
    const front = '---\nid: US-3\ntype: story\nstatus: draft\n---\n';
    const text = `${front}# Pay by card\n\nI pay.\n\n## Acceptance criteria\n\n- a\n\n## Notes\n\nb\n`;
    const [document, story, ...others] = read(text).items;
    expect([document?.id, document?.kind, others]).toEqual(['a.md', 'document', []]);
    expect(story).toMatchObject({
      ...{ id: 'US-3', kind: 'story', title: 'Pay by card', line: 6, status: 'draft' },
      ...{ statement: 'I pay.\n\n## Notes\n\nb', acceptance: ['a'], attributes: {} },
    });
    expect(shape('---\nid: R\ntype: requirement\ntitle: T\n---\n# U\n\na')).toEqual([
      ['a.md', 'document', 'T', null],
      ['R', 'requirement', 'T', 'a.md'],
    ]);
    expect(shape('---\nid: D\ntype: story\n---\n# U\n\n## US-1: a')).toEqual([
      ['D', 'document', 'U', null],
      ['US-1', 'story', 'a', 'D'],
    ]);
  });

  test('and the kind of one is that item too, if the id looks like one', () => {
    const front = '---\nid: REQ-3\nkind: story\nstatus: draft\ntags: [x]\npriority: high\n---\n';
    const text = `${front}# Pay by card\n\nI pay.\n\n## Acceptance criteria\n\n- AC-1: a\n\n## Notes\n\nDepends on: US-4\n`;
    const { items, links, findings } = read(text);
    expect(findings).toEqual([]);
    expect(items.map(({ id, kind }) => [id, kind])).toEqual([
      ['a.md', 'document'],
      ['REQ-3', 'story'],
    ]);
    expect(items[1]).toMatchObject({
      ...{ title: 'Pay by card', line: 8, status: 'draft', priority: 'high', tags: ['x'] },
      ...{ acceptance: ['AC-1: a'], attributes: {} },
    });
    expect(links).toMatchObject([{ from: 'REQ-3', type: 'depends', to: 'US-4' }]);
    expect(shape('---\nid: US-3\nkind: requirement\ntitle: T\n---\n\nBody.')).toEqual([
      ['a.md', 'document', 'T', null],
      ['US-3', 'requirement', 'T', 'a.md'],
    ]);
  });

  test('and a kind is a document where that has items; of lists, this is told', () => {
    const front = '---\nid: SRS-1\nkind: story\ntitle: T\n---\n';
    expect(shape(`${front}## REQ-1: a`)).toEqual([
      ['SRS-1', 'document', 'T', null],
      ['REQ-1', 'story', 'a', 'SRS-1'],
    ]);
    expect(read(`${front}## REQ-1: a`).findings).toEqual([]);
    expect(shape(`${front}- REQ-1: a`)).toEqual([
      ['SRS-1', 'document', 'T', null],
      ['REQ-1', 'story', 'a', 'SRS-1'],
    ]);
    const { findings } = read(`${front}- REQ-1: a`);
    expect(findings).toMatchObject([{ code: 'invalid_field', severity: 'warning', line: 3 }]);
    expect(findings[0]?.detail).toStartWith('"SRS-1" stays the id of the document');
  });

  test('and its kind are of that item alone, whatever it has in it', () => {
    expect(shape('---\nid: REQ-1\nkind: requirement\n---\n# REQ-1: a\n\n## US-2: b')).toEqual([
      ['a.md', 'document', 'a.md', null],
      ['REQ-1', 'requirement', 'a', 'a.md'],
      ['US-2', 'story', 'b', 'REQ-1'],
    ]);
  });
});

describe('what shows nothing is no content [PQRS-12]', () => {
  const stories = (between: string) =>
    `## US-1: t\n\nText.\n\n### Acceptance criteria\n\n- a\n- b\n${between}## US-2: u\n\nText.\n${between}## US-3: v\n`;

  test.each([
    ...['\n---\n\n', '\n***\n', '\n* * *\n\n', '\n___\n\n', '\n<br>\n\n', '\n<br/><br />\n\n'],
    ...[
      '\n<a id="us-2"></a>\n',
      '\n<a name="x" id="us-2"/>\n\n',
      '<a id="us-2"></a>\n',
      '<br>\n\n',
    ],
    ...['\n---\n<a id="us-2"></a>\n\n', '\n<!-- a --><!-- b -->\n\n', '\n<hr>\n\n'],
  ])('between stories: %j', (between) => {
    const said = (text: string) =>
      itemsOf(text).map(({ id, statement, acceptance }) => ({ id, statement, acceptance }));
    expect(said(stories(between))).toEqual(said(stories('\n')));
  });

  test('before a text, whose lines stay', () => {
    expect(one('## US-1: t\n\n<a id="x"></a>\nText [US-2].').statement).toBe('Text [US-2].');
    expect(linksOf('## US-1: t\n\n<a id="x"></a>\nText [US-2].')).toEqual(['4 US-1 relates US-2']);
  });

  test('what shows something stays', () => {
    for (const text of [
      '<a href="u">b</a>',
      'a<br>b',
      '<div>\nb\n</div>',
      '<img src="x">',
      '<a href="u">\nb\n</a>',
    ])
      expect(one(`## US-1: t\n\n${text}`).statement).toBe(text);
  });
});

test.each([
  ['1. a\n   - b\n     1. US-5: x\n   - d', '1. a\n\n   - b\n\n   - d'],
  ['1. a\n2. US-5: x\n3) b\n4) c\n   d', '1. a\n\n3) b\n4) c\n   d'],
  ['1) a\n2) US-5: x\n3) c\n   d', '1) a\n\n3) c\n   d'],
  ['* a\n* US-5: x\n* b', '* a\n\n* b'],
])('text in a list around an item keeps marks and depth: %j [PQRS-12]', (list, statement) => {
  const { items } = read(`# D\n\n## S\n\n${list}\n`);
  expect(items.map(({ id }) => id)).toEqual(['a.md', 'a.md#s', 'US-5']);
  expect(items[1]?.statement).toBe(statement);
});

test('a file in Latin-1 is read, and told of', () => {
  const bytes = new Uint8Array([...new TextEncoder().encode('# A\n\n## US-1: '), 0xe9]);
  const { items, findings } = readMarkdown([{ path: 'a.md', bytes }]);
  expect(items.at(-1)?.title).toBe('\uFFFD');
  expect(findings.map(({ code, line }) => [code, line])).toEqual([['invalid_encoding', 3]]);
});

test('line ends and a byte order mark change nothing', () => {
  const text = '# A\n\n## US-1: t\n\nStatus: x\n\n- [ ] a\n  b\n';
  const plain = read(text);
  expect(read(text.replaceAll('\n', '\r\n'))).toEqual(plain);
  expect(read(text.replaceAll('\n', '\r'))).toEqual(plain);
  expect(read(`\uFEFF${text}`)).toEqual(plain);
});

describe('blocks are those of a parse of the whole text', () => {
  const shown = ({ type, line }: { type: string; line: number | undefined }) =>
    `${/heading|paragraph|list|code|html/.test(type) ? type : 'other'} ${line}`;
  const mine = (lines: readonly string[]) => blocksOf(lines, 0).blocks.map(shown);
  const theirs = (lines: readonly string[]) =>
    fromMarkdown(lines.join('\n'), {
      extensions: [{ disable: { null: ['definition'] } }],
    }).children.map(({ type, position }) => shown({ type, line: position?.start.line }));

  const plain = [
    ...['', '', '', 'text', '# head', '## head ##', '- a', '- b', '  more', '    code', '* c'],
    ...['1. d', '2) e', '> q', '```', '````', '~~~', '---', '===', '  - in', '  ```', '*a* b'],
    ...['**a**', '[US-1]: x', '* * *', '***', '- ', '-', '+ # h', '- - x', '| a |', '#no', '12 a'],
    ...['```sh', '```js`', '   ```', '      more', '   1. a', '1) a', '1.', '- 2. x', '\t- t'],
    ...['-\tt', ' - s', '>', '> - a', '  > q', '10. b', '    - deep', '> ```', '- ```'],
  ];
  const html = [
    ...['<div>', '</div>', '<div/>', '<div', '<DIV class="a">x', '<table>x', '  <p>', '    <p>'],
    ...['<b>Note:</b> run', '<T> is', '<a id="x"></a>', '<br>', '<br> ', ' <x>', '<x', '</x>'],
    ...['<br/>', '<br />', "<b c = d e='f'>", '<b c="d"e>', '<a href=x/y>', '<a href="x">y', '<1>'],
    ...['<!-- c -->', '<!--', '-->', '<pre>', '</pre>', '<?x', '?>', '<!A', '<![CDATA[', ']]>'],
    ...['- <div>', '> <div>', '> <x>', '- <x>', '<h7>', '<search>'],
  ];
  // Where micromark itself reads other than the specification: what cannot end a paragraph right
  // below indented code, and a tag alone on a line that goes on with a paragraph in a list or quote.
  const below = '(?:[-*+][ \\t]*$|(?!1[.)])\\d+[.)]|1[.)][ \\t]*$|[-*+] +(?:[-*+] *$|\\d+[.)]))';
  const BELOW_CODE = new RegExp(`^(?: {4}|\\t).*\\n(?:[ \\t]*\\n)* {0,3}${below}`, 'm');
  const tag = '</?(?:T|x|a|br|b|h7|pre)\\b[^<]*>[ \\t]*$';
  const LAZY_TAG = new RegExp(
    `^[ \\t]*(?:[-*+>]|\\d+[.)]).*\\n(?:.*\\S.*\\n|(?:[ \\t]*\\n)+[ \\t]+\\S.*\\n)*? {0,3}${tag}`,
    'm',
  );

  test('whatever the lines', () => {
    const line = fc.oneof(fc.constantFrom(...plain), fc.constantFrom(...html));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 14 }), (lines) => {
        const text = lines.join('\n');
        fc.pre(!BELOW_CODE.test(text) && !LAZY_TAG.test(text));
        expect(mine(lines)).toEqual(theirs(lines));
      }),
      { numRuns: 4000, examples: [[['---', '- ', '  ```', '```', 'text']]] },
    );
  });

  test('a list below indented code is one, whatever it begins with', () => {
    expect(mine(['    code', '', '- ', '  ```', '```'])).toEqual(['code 1', 'list 3', 'code 5']);
    expect(mine(['# h', '', '    code', '', '2) e'])).toEqual(['heading 1', 'code 3', 'list 5']);
  });
});

describe('a fence below HTML [PQRS-12]', () => {
  const story = (before: string) =>
    `# US-1: First\n\n${before}\n\`\`\`sh\nmake\n\n# US-2: in code\n\`\`\`\n\n# US-3: Third\n\nText.\n`;

  test.each([
    ...['<b>Note:</b> run this', '<T> is the type', 'See<br>\nmore\n<br>', 'a\n<a id="x"></a>'],
    ...['a\n<x>', '<b>a</b>', '<!-- c -->', '<!--\nc\n-->', '- a\n\n  <div>', '<pre>\n</pre>'],
  ])('is one below text and in no block of a tag: %j', (before) => {
    expect(itemsOf(story(before)).map(({ id, line, statement }) => [id, line, statement])).toEqual([
      ['US-1', 1, expect.stringContaining('# US-2: in code\n```')],
      ['US-3', 9 + before.split('\n').length, 'Text.'],
    ]);
  });

  test.each(['<div>', '</details>', '<table class="a">a', 'a\n<p>', '<br>', '<a id="x">  '])(
    'is none in a block of a tag: %j',
    (before) => {
      expect(itemsOf(story(before)).map(({ id }) => id)).toEqual(['US-1', 'US-2']);
    },
  );
});

describe('a list below a label without a value [PQRS-12]', () => {
  const said = (text: string) =>
    itemsOf(`# REQ-1: a\n\n${text}\n`).map(({ id, line, statement, status }) => [
      ...[id, line, statement, status],
    ]);

  test.each([
    ...['**Status**:', '**Status**', 'Status:', '### Status', 'Priority:', 'Tags:', 'Type:'],
  ])('holds items, and the label is text: %s', (label) => {
    expect(said(`${label}\n\n- US-2: b\n- US-3: c`)).toEqual([
      ['REQ-1', 1, label, null],
      ['US-2', 5, 'b', null],
      ['US-3', 6, 'c', null],
    ]);
    expect(said(`${label}\n\n1. US-2: b`).map(([id]) => id)).toEqual(['REQ-1', 'US-2']);
  });

  test('holds fields with labels of their own', () => {
    expect(one('# REQ-1: a\n\nTags:\n\n- **Status:** done\n- Priority: high')).toMatchObject({
      ...{ statement: 'Tags:', tags: [], status: 'done', priority: 'high' },
    });
    expect(one('# REQ-1: a\n\nDepends on:\n\n- Status: done')).toMatchObject({
      ...{ statement: 'Depends on:', status: 'done', attributes: {} },
    });
  });

  test('of a reason, which goes on as long as it is text', () => {
    const list = '- **Status:** done\n- US-2: b';
    for (const reason of [
      '**Rationale**\n\nBecause.',
      'Rationale: Because.',
      '## Rationale\n\nBecause.',
    ]) {
      const [requirement, story] = itemsOf(`# REQ-1: a\n\n${reason}\n\n${list}`);
      expect(requirement).toMatchObject({ rationale: 'Because.', status: 'done', statement: '' });
      expect(story).toMatchObject({ id: 'US-2', title: 'b', parentId: 'REQ-1' });
    }
    const text = '- it is fast\n- References: none, it is new\n- as [US-2] says';
    expect(one(`# REQ-1: a\n\n**Rationale**\n\n${text}`).rationale).toBe(text);
  });

  test('ids below the label of a link are what it is to, whatever is said of them', () => {
    const text = '# REQ-1: a\n\nRefines:\n\n- US-2: b\n- US-3\n- **Status:** done';
    expect(one(text)).toMatchObject({ status: 'done', statement: '' });
    expect(linksOf(text)).toEqual(['5 REQ-1 refines US-2', '6 REQ-1 refines US-3']);
  });

  test('criteria are none of these, and values are values', () => {
    const text = 'Status:\n\n- draft\n\nTags:\n\n- b\n- c\n\nAC:\n\n- AC-1: d\n- Status: shown';
    expect(one(`# REQ-1: a\n\n${text}`)).toMatchObject({
      ...{ status: 'draft', tags: ['b', 'c'], acceptance: ['AC-1: d', 'Status: shown'] },
    });
  });
});

describe('a list that is long [PQRS-15]', () => {
  const long = (count: number, item: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => item(at)).join('\n');
  const text = 'The system shall do this within the time that is given here';

  test.each([
    ['numbered', (at: number) => `${at + 1}. REQ-${at}: ${text}`],
    ['indented', (at: number) => `  - REQ-${at}: ${text}`],
    ['numbered and indented', (at: number) => `   ${at + 1}) REQ-${at}: ${text}`],
    ['with lists in it', (at: number) => ` - REQ-${at}: ${text}\n   - Status: draft`],
    ['below a text', (at: number) => (at === 0 ? 'Text:' : ` ${at}. REQ-${at}: ${text}`)],
  ])('is read, and the items have their lines: %s', (name, item) => {
    const { items, findings } = read(`# All\n\n${long(2000, item)}\n`);
    const own = items.filter(({ kind }) => kind === 'requirement');
    expect([own.length, findings]).toEqual([name === 'below a text' ? 1999 : 2000, []]);
    const each = name === 'with lists in it' ? 2 : 1;
    const at = own.map(({ id }) => 3 + each * Number(id.slice('REQ-'.length)));
    expect(own.map(({ line }) => line)).toEqual(at);
  });

  test('what is too long in it is told with its own line', () => {
    const lines = ['  - REQ-1: a', `  - REQ-2: ${`${text}\n    `.repeat(2000)}`, '  - REQ-3: b'];
    const { items, findings } = read(`# All\n\n\n${lines.join('\n')}\n`);
    expect(items.map(({ id }) => id)).toEqual(['a.md', 'REQ-1', 'REQ-3']);
    expect(findings.map(({ code, line }) => [code, line])).toEqual([['unread_block', 5]]);
  });

  test('takes time that grows with its length alone', () => {
    const timed = (count: number) => {
      const whole = long(count, (at) => `${at + 1}. REQ-${at}: ${text}`);
      const start = performance.now();
      read(whole);
      return performance.now() - start;
    };
    timed(2000);
    const few = Math.min(timed(4000), timed(4000));
    expect(Math.min(timed(16_000), timed(16_000))).toBeLessThan(few * 10);
  });
});

describe('code and HTML that nothing ends are told where they have more than code in them [PQRS-12]', () => {
  const told = (text: string) =>
    read(text).findings.map(({ code, severity, line }) => `${code} ${severity} ${line}`);
  const all = 'all up to the end of the file, line';

  test.each([
    ['```\ncode', 'Fenced code begins here and no ``` ends it', 6],
    ['> text\n\n~~~~ts\ncode', 'Fenced code begins here and no ~~~~ ends it', 8],
    ['<!-- note', 'A comment begins here and no `-->` ends it', 5],
    ['<pre>', 'HTML begins here and no `</pre>` ends it', 5],
  ])('%j', (opened, begins, last) => {
    const [finding, ...others] = read(`# US-1: One\n\n${opened}\n\n# US-2: Two\n`).findings;
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ code: 'unread_block', severity: 'warning' });
    expect(finding?.detail).toBe(
      `${begins}: ${all} ${last}, is part of it, so that these are no items: US-2.`,
    );
  });

  test.each([
    ['# US-1: a\n\n```\ncode\n', []],
    ['# US-1: a\n\n```\ncode\n```\n\n<!-- b\n-->\n# US-2: c', []],
    ['# US-1: a\n\n- b\n  ```\n  code\n\n# US-3: d\n', []],
    ['# US-1: a\n\n```\n- US-2: b\n', ['unread_block warning 3']],
    ['# US-1: a\n\n```\nreq~b~1\n', ['unread_block warning 3']],
    ['# US-1: a\n\n```\nb\n\nAcceptance criteria:\n- c', ['unread_block warning 3']],
    ['# US-1: a\n\n```sh\n# text\n', ['unread_block info 3']],
  ])('%j', (text, wanted) => {
    expect(told(text)).toEqual(wanted);
  });

  test('of many items the first are named', () => {
    const [finding] = read(`~~~\n${'- US-1: a\n# US-2\n'.repeat(50_000)}- US-3: b\n`).findings;
    expect(finding?.detail).toEndWith('these are no items: US-1, US-2, US-3.');
  });
});

test('a coverage tag of OpenFastTrace in a comment is told [PQRS-12]', () => {
  const text =
    '---\nid: D\n---\n# US-1: a\n\n<!-- [doc->req~login~1] -->\n\n```\n<!-- [doc->req~x~1] -->\n```';
  const { items, findings } = read(text);
  expect(items.length).toBe(2);
  expect(findings).toMatchObject([{ code: 'text_ignored', severity: 'warning', line: 6 }]);
  expect(findings[0]?.detail).toContain('covered by: [doc->req~login~1].');
});

test.each([
  ['- US-1: send `a   b` now', 'send `a b` now', 'send `a   b` now'],
  ['- US-1: one  \n  two\n  three\\\n  four', 'one two three four', 'one  \ntwo three\\\nfour'],
  ['- US-1: one\\\\\n  two\\\n  Status: a', 'one\\\\ two', 'one\\\\ two'],
])(
  'the statement of an item of a list keeps its white space and its breaks: %j [PQRS-12]',
  (text, title, statement) => {
    expect(one(text)).toMatchObject({ title, statement });
  },
);

describe('headings and lists below a field [PQRS-12]', () => {
  test('a heading in a rationale stays one', () => {
    const text = '# US-1: a\n\n## Rationale\n\nb\n\n### more [US-4]\n\nc';
    expect(one(text).rationale).toBe('b\n\n### more [US-4]\n\nc');
    expect(linksOf(text)).toEqual(['7 US-1 relates US-4']);
  });

  test('a heading above criteria is one of them, with a list below it or without', () => {
    const text =
      '# US-1: a\n\n## Acceptance criteria\n\n### Group\n\n- b\n\n### Other\n#### Inner [US-2]\n\n- c\n';
    expect(one(text).acceptance).toEqual(['Group', 'b', 'Other', 'Inner [US-2]', 'c']);
    expect(read(text).findings).toEqual([]);
    expect(linksOf(text)).toEqual(['10 US-1 relates US-2']);
  });

  test('a heading with no list below it is a criterion', () => {
    const text = '# US-1: a\n\n## Acceptance criteria\n\n### The one\n### The other\n\nText.\n';
    expect(one(text).acceptance).toEqual(['The one', 'The other', 'Text.']);
    expect(read(text).findings).toEqual([]);
  });

  test('lists below one another are all of the rationale', () => {
    const text = '# US-1: a\n\nRationale:\n\n- b\n\n1. c\n\n* d\n\nText.';
    expect(one(text)).toMatchObject({ rationale: '- b\n\n1. c\n\n* d', statement: 'Text.' });
    const others = '# US-1: a\n\nRationale:\n\n- b\n\n* **Status:** c\n* **Priority:** d';
    expect(one(others)).toMatchObject({ rationale: '- b', status: 'c', priority: 'd' });
  });
});

describe('fields at the margin right below a list [PQRS-12]', () => {
  const fields = '**Depends on:** US-2\n**Status:** done\n';

  test('are those of the item around, and no part of a criterion', () => {
    const text = `# US-1: t\n\ns\n\n**Acceptance criteria:**\n- a\n- b\n${fields}`;
    expect(one(text)).toMatchObject({ statement: 's', acceptance: ['a', 'b'], status: 'done' });
    expect(linksOf(text)).toEqual(['8 US-1 depends US-2']);
    const plain = '# US-1: t\n\nAC:\n- AC-1: a\n  more\nlazy\nDepends on: US-2\nStatus: done';
    expect(one(plain)).toMatchObject({ acceptance: ['AC-1: a\nmore\nlazy'], status: 'done' });
    expect(linksOf(plain)).toEqual(['7 US-1 depends US-2']);
    expect(one(`# US-1: t\n\n- AC:\n  - a\n${fields}`)).toMatchObject({
      ...{ statement: '', acceptance: ['a'], status: 'done' },
    });
  });

  test('end a list of the statement, whatever is in it', () => {
    const text = '# US-1: t\n\n- a\n  - b\nStatus: done\n  - c\n\n- d\n\n  e\nTags: f\n- g';
    expect(one(text)).toMatchObject({
      ...{ statement: '- a\n  - b\n  - c\n\n- d\n\n  e\n\n- g', status: 'done', tags: ['f'] },
    });
    expect(one('# US-1: t\n\n- a\nAcceptance criteria\n- b\n- c')).toMatchObject({
      ...{ statement: '- a', acceptance: ['b', 'c'] },
    });
  });

  test('between values of a field leave these what they are', () => {
    for (const label of ['AC:', '## Acceptance criteria\n']) {
      expect(one(`# US-1: t\n\n${label}\n- a\nStatus: done\n- b\nTags: c\n- d`)).toMatchObject({
        ...{ statement: '', acceptance: ['a', 'b', 'd'], status: 'done', tags: ['c'] },
      });
    }
    const links = '# US-1: t\n\nDepends on:\n- US-2\nStatus: done\n- US-3\nAC:\n- a';
    expect(linksOf(links)).toEqual(['4 US-1 depends US-2', '6 US-1 depends US-3']);
    expect(one(links)).toMatchObject({ statement: '', acceptance: ['a'] });
    const none = '# US-1: t\n\nPriority:\n- US-2: a\n- b\nStatus: done\n- c';
    expect(itemsOf(none)[0]).toMatchObject({
      priority: null,
      statement: 'Priority:\n\n- b\n\n- c',
    });
  });

  test('are of an item that begins in the list; indented or below no item they are text', () => {
    const listed = itemsOf('# US-1: t\n\n- US-2: a\nStatus: done\n- US-3: b');
    expect(listed.map(({ id, status }) => [id, status])).toEqual([
      ['US-1', null],
      ['US-2', 'done'],
      ['US-3', null],
    ]);
    expect(one('# US-1: t\n\n- a\n  Status: done')).toMatchObject({
      ...{ statement: '- a\n  Status: done', status: null },
    });
    expect(read('# T\n\n- a\nStatus: done').items[0]?.statement).toBe('- a\nStatus: done');
  });

  test('take time that grows with the length of the list alone', () => {
    const time = (count: number) => {
      const start = performance.now();
      one(`# US-1: t\n\n${'- a\n  - b\nTags: c\n'.repeat(count)}`);
      return performance.now() - start;
    };
    time(500);
    expect(time(8000)).toBeLessThan(20 * time(1000) + 500);
  });
});

describe('tasks in an item [PQRS-12]', () => {
  test('below a heading of their own are text of the statement, with their marks', () => {
    const text =
      '# US-1: t\n\ns\n\n## Acceptance criteria\n\n- a\n\n## Tasks\n\n- [ ] b\n\n### Later\n\n- [x] c';
    expect(one(text)).toMatchObject({
      statement: 's\n\n## Tasks\n\n- [ ] b\n\n### Later\n\n- [x] c',
      ...{ acceptance: ['a'], attributes: {} },
    });
  });

  test('are criteria below none, or below that of the criteria', () => {
    const text = '# US-1: t\n\n- [x] a\n\n## Notes\n\n- [ ] n\n\n## Acceptance criteria\n\n- [ ] b';
    expect(one(text)).toMatchObject({
      ...{ statement: '## Notes\n\n- [ ] n', acceptance: ['a', 'b'] },
      attributes: { checked: ['a'], unchecked: ['b'] },
    });
  });

  test.each([
    '**Tasks:**',
    '**Tasks**:',
    '__Implementation steps__',
    'To do:',
    'Definition of Done:',
    '**Tasks:**\n\n- [x] c\n\n',
  ])('are text of the statement below another label: %s', (label) => {
    const tasks = `${label}\n\n* [ ] write code`;
    const text = `# US-1: t\n\nText.\n\n${tasks}`;
    expect(one(text)).toMatchObject({ acceptance: [], attributes: {} });
    expect(one(text).statement.replace(/\n+/g, '\n')).toBe(`Text.\n${tasks}`.replace(/\n+/g, '\n'));
    const below = `# US-1: t\n\n**Acceptance Criteria:**\n\n- [ ] a\n\n${tasks}\n\nMore.\n\n- [ ] b`;
    expect(one(below)).toMatchObject({ acceptance: ['a', 'b'] });
  });

  test.each([
    '**Success criteria:**',
    '**Happy path**',
    'The user can:',
    'Done when:',
    'So it is, in\nshort:',
    '**It is fast.**',
  ])('are criteria below what is none: %s', (text) => {
    expect(one(`# US-1: t\n\n${text}\n\n- [ ] a`)).toMatchObject({
      ...{ acceptance: ['a'], statement: text },
    });
  });
});

describe('front matter with an id and no kind [PQRS-12]', () => {
  const front = '---\nid: US-1\ntitle: Login\ndepends_on: [US-4]\n---\n\n';

  test('makes a story of a file where the id is that of one', () => {
    const text = `${front}As a user.\n\n## Acceptance criteria\n\n- a\n`;
    expect(one(text)).toMatchObject({
      ...{ id: 'US-1', kind: 'story', title: 'Login', statement: 'As a user.', acceptance: ['a'] },
    });
    expect(linksOf(text)).toEqual(['4 US-1 depends US-4']);
    expect(read(text).findings).toEqual([]);
  });

  test.each([
    ['a heading', `${front}# US-2: t`, ['US-1 document', 'US-2 story']],
    ['a list', `${front}- US-2: t`, ['US-1 document', 'US-2 story']],
    ['its own heading', `${front}# US-1: t`, ['a.md document', 'US-1 story']],
    ['a type of another thing', '---\nid: US-1\ntype: note\n---\nt', ['US-1 document']],
  ])('makes none beside %s', (_, text, items) => {
    expect(read(text).items.map(({ id, kind }) => `${id} ${kind}`)).toEqual(items);
    expect(read(text).findings).toEqual([]);
  });

  test('is told where nothing begins an item and the id could be one', () => {
    const { items, findings, statuses } = read('---\ntitle: t\nid: REQ-7\n---\nText.');
    expect(items.map(({ id, kind }) => [id, kind])).toEqual([['REQ-7', 'document']]);
    expect(findings.map(({ severity, code, line }) => [severity, code, line])).toEqual([
      ['info', 'missing_field', 3],
    ]);
    expect(findings[0]?.detail).toContain('`kind: requirement`');
    expect(statuses.get('a.md')).toBe('parsed');
    expect(read('---\nid: REQ-7\n---\n# REQ-8: t').findings).toEqual([]);
    expect(read('---\nid: SHOP\n---\nText.').findings).toEqual([]);
  });

  const toldOf = (front: string) => {
    const { items, findings } = read(`---\n${front}\n---\n\nThe system shall lock.\n`);
    expect(items.map(({ kind }) => kind)).toEqual(['document']);
    const told = findings.filter(({ code }) => code === 'missing_field');
    return told.map(({ severity, line, detail }) => [severity, line, detail]);
  };

  test('is told where its type or its kind is that of no item', () => {
    expect(toldOf('id: R-1\ntype: functional\ndepends_on: [R-2]')).toEqual([
      [
        ...['info', 2],
        '"R-1" is the id of the document, in which nothing begins an item, and "functional" is no kind of item; `kind: requirement` or `kind: story` in the front matter would make one of it.',
      ],
    ]);
    expect(toldOf('id: R-1\nkind: constraint').length).toBe(1);
    for (const type of ['document', 'Design Spec', 'adr', 'test-case']) {
      expect(toldOf(`id: R-1\ntype: ${type}`)).toEqual([]);
    }
  });

  test('is told where the id has another key', () => {
    expect(toldOf('title: t\nuid: B-4')).toEqual([
      [
        ...['info', 3],
        '"B-4" is under `uid` and nothing in the document begins an item; `id` in place of that, and `kind: requirement` or `kind: story` in the front matter would make one of it.',
      ],
    ]);
    expect(toldOf('uid: 0be4')).toEqual([]);
    expect(toldOf('id: SHOP\nuid: B-4')).toEqual([]);
    expect(read('---\nuid: D-1\n---\n# REQ-8: t').findings).toEqual([]);
  });

  test.each(['uid: D-1', 'ID: D-1', 'identifier: D-1'])(
    '%s is the id where a kind is named',
    (id) => {
      const text = `---\n${id}\ntype: requirement\ntitle: T\n---\n\nText.`;
      expect(one(text)).toMatchObject({
        id: 'D-1',
        title: 'T',
        statement: 'Text.',
        attributes: {},
      });
      expect(read(text).findings).toEqual([]);
    },
  );
});

describe('a label in bold that is no field [PQRS-12]', () => {
  const labels = '**Estimate:** 5\n**Description**: d';

  test.each([
    ['**Rationale:** a\nb', 'a\nb'],
    ['**Rationale:**\na', 'a'],
    ['**Rationale:**\n\na', 'a'],
    ['**Rationale:**\n\na\n\nb\n', 'a\n\nb'],
    ['**Rationale:**\n- a\n\n', '- a'],
  ])('ends a reason: %j', (reason, rationale) => {
    const text = `# US-1: t\n\n${reason}\n${labels}\nmore\n**Acceptance criteria:**\n- c`;
    expect(one(text)).toMatchObject({
      ...{ statement: `${labels}\nmore`, rationale, acceptance: ['c'] },
    });
  });

  test.each([
    ['**Rationale:**', labels],
    ['**Rationale:**\n', labels],
    ['### Rationale\n\na\n', `a\n\n${labels}`],
    ['**Rationale:** a', '**b** c: d\n**E.** f'],
  ])('is of a reason that begins with it, or has a heading: %j', (reason, text) => {
    const { statement, rationale } = one(`# US-1: t\n\n${reason}\n${text}`);
    expect([statement, rationale?.endsWith(text.slice(-20))]).toEqual(['', true]);
  });
});

describe('a plain label below a reason in its paragraph [PQRS-12]', () => {
  test.each([
    'Fit Criterion: within 3 s',
    'Fit criterion: within 3 s',
    'Originator:\nAnn',
    'Customer Satisfaction: 4\nCustomer Dissatisfaction: 5',
    'Risk: low',
    'Story points: 3',
  ])('ends it: %j', (lines) => {
    const text = `# US-1: t\n\nText.\n\nRationale: because\nso\n${lines}\nPriority: high`;
    expect(one(text)).toMatchObject({
      ...{ statement: `Text.\n\n${lines}`, rationale: 'because\nso', priority: 'high' },
    });
  });

  test.each([
    'Note: a',
    'Example: a',
    'Two reasons: a, b',
    'The Users of the Product: a',
    'At 10:30 it ends',
  ])('is of it: %s', (line) => {
    expect(one(`# US-1: t\n\nRationale: because\n${line}`)).toMatchObject({
      ...{ statement: '', rationale: `because\n${line}` },
    });
  });

  test('is of it where the reason stands below its own label', () => {
    expect(one('# US-1: t\n\nRationale:\nbecause\nRisk: low').statement).toBe('');
  });
});

describe('acceptance criteria by a name with more around it [PQRS-12]', () => {
  test.each([
    '## 2. Acceptance Criteria',
    '## 2.1) Acceptance criteria',
    '## ✅ Acceptance Criteria',
    '## Acceptance Criteria (draft)',
    '## **3. Acceptance Criteria** (draft, 2):',
    '## Acceptance tests',
    '**Acceptance Scenarios**:',
    '**Acceptance test**',
    '**✅ Acceptance Criteria:**',
    '**Acceptance criteria** (draft):',
    'Acceptance criteria (draft):',
    '✅ Acceptance criteria',
  ])('%s', (label) => {
    const text = `# US-1: t\n\ns\n\n${label}\n\n1. a\n2. b`;
    expect(one(text)).toMatchObject({ statement: 's', acceptance: ['a', 'b'] });
  });

  test.each([
    '## Acceptance criteria of the supplier',
    '## 2. Priority',
    '## AC-1 (x)',
    '## AC (alternating current)',
    '## (Acceptance criteria',
    'We have acceptance criteria (many):',
    '✅ Status:',
  ])('but not: %s', (label) => {
    const { acceptance, status, priority } = itemsOf(`# US-1: t\n\ns\n\n${label}\n\n1. a`)[0]!;
    expect([acceptance, status, priority]).toEqual([[], null, null]);
  });

  test('on the line of a label the value follows', () => {
    expect(one('# US-1: t\n\n**Acceptance criteria (draft):** a').acceptance).toEqual(['a']);
  });
});

describe('lists in a statement with labels of fields [PQRS-12]', () => {
  const unread = (text: string) =>
    read(text).findings.map(({ code, severity, line, detail }) => [
      `${severity} ${code} ${line}`,
      [...detail.matchAll(/"(.*?)" \(line/g)].map(([, label]) => label),
    ]);

  test.each([
    'The response shall contain:\n\n- Status: 200\n- Body: the order',
    'It shall show these columns:\n- **Name**: full name\n- **Status**: state\n- **Type**: kind',
    '**Columns**\n\n- **Name**: full name\n- **Tags**: words',
    'Steps\n\n1. Open the page.\n2. Status: must be green.\n3. Close.',
    '1. Open the page.\n2. Status: must be green.',
    'Text.\n\n- per order\n  - Status: state of the order\n  - Parent: its cart',
    '- per order\n  - Status: state of the order',
    'It shall show:\n\n- Rationale: why\n- Parent: the folder of the file\n- x',
  ])('stay as they are: %j', (text) => {
    for (const status of [null, 'approved']) {
      const field = status === null ? '' : `**Status:** ${status}\n\n`;
      const { items, links, findings } = read(`## REQ-1: t\n\n${field}${text}\n`);
      expect(items[1]).toMatchObject({
        ...{ statement: text.replace(/:\n-/, ':\n\n-'), status, rationale: null, tags: [] },
        attributes: {},
      });
      expect([links, findings]).toEqual([[], []]);
    }
  });

  test('stay where the title introduces them', () => {
    const said = { statement: '- Status: 200\n- Body: x', status: null };
    expect(one('## REQ-1: It shall contain:\n\n- Status: 200\n- Body: x')).toMatchObject(said);
    expect(one('- REQ-1: It shall contain:\n  - Status: 200\n  - Body: x')).toMatchObject(said);
  });

  test('stay in a reason that introduces them', () => {
    const text = 'The states are:\n\n- Status: a\n- Type: b';
    expect(one(`## US-1: t\n\n### Rationale\n\n${text}`).rationale).toBe(text);
  });

  test('with other text, or a value that is given before, are told', () => {
    const mixed = 'Text.\n\n- must be fast\n- Priority: high';
    expect(one(`## US-1: t\n\n${mixed}`)).toMatchObject({ statement: mixed, priority: null });
    expect(unread(`## US-1: t\n\n${mixed}`)).toEqual([['info unread_field 6', ['Priority']]]);
    const again = 'Two parts.\n\n- Status: 200\n- Type: json';
    expect(one(`## US-1: t\n\nStatus: x\n\n${again}`)).toMatchObject({
      ...{ statement: again, status: 'x' },
    });
    expect(unread(`## US-1: t\n\nAs follows:\n\n- Status: a\n- Type: b`)).toEqual([
      ['info unread_field 5', ['Status', 'Type']],
    ]);
  });

  test('but what can be nothing else is a field in them', () => {
    const text = 'Text.\n\n- fast\n- Depends on: US-2, [US-3]\n- Refines:\n  - US-4\n- AC:\n  - a';
    expect(one(`## US-1: t\n\n${text}`)).toMatchObject({
      ...{ statement: 'Text.\n\n- fast', acceptance: ['a'] },
    });
    expect(linksOf(`## US-1: t\n\n${text}`)).toEqual([
      ...['6 US-1 depends US-2', '6 US-1 depends US-3', '8 US-1 refines US-4'],
    ]);
  });

  test.each([
    ['- **Priority**: high\n- **Estimate**: 5\n- Status: done', '- **Estimate**: 5'],
    ['Metadata:\n\n- Status: done\n- Weight: 5\n- Priority: high', 'Metadata:\n\n- Weight: 5'],
    ['### Details\n\n- Status: done\n- x\n- Priority: high', '### Details\n\n- x'],
    ['- Details\n  - Status: done\n  - Priority: high', '- Details'],
    ['**As a user, I want it**\n\n- Status: done\n- Priority: high', '**As a user, I want it**'],
  ])('that are data of the item are fields: %j', (list, rest) => {
    expect(one(`## US-1: t\n\nText.\n\n${list}`)).toMatchObject({
      ...{ statement: `Text.\n\n${rest}`, status: 'done', priority: 'high' },
    });
    expect(unread(`## US-1: t\n\nText.\n\n${list}`)).toEqual([]);
  });

  test('many of them take time in line with their number', () => {
    const text = `${'x'.repeat(1_000_000)}:\n\n`;
    const lists = '- [ ] Status: a\n* [ ] Status: b\n'.repeat(20_000);
    const started = performance.now();
    expect(one(`## US-1: ${text}${lists}`).acceptance).toHaveLength(40_000);
    expect(performance.now() - started).toBeLessThan(10_000);
  }, 20_000);
});

describe('fields below a heading of something else [PQRS-12]', () => {
  test.each(['Bug 1', 'Issue A', 'Test case 1', '2.1 Design'])('stay text: %s', (heading) => {
    const fields =
      'Status: open\n**Tags:** a **Priority:** b\n\nDepends on: US-4, [US-3]\n\n- Type: story\n\nRationale: c\n\n#### Acceptance criteria\n\n- d\n- [ ] e';
    const text = `## US-1: t\n\nText.\n\n### ${heading}\n\n${fields}\n\n### Acceptance criteria\n\n- f`;
    expect(one(text)).toMatchObject({
      statement: `Text.\n\n### ${heading}\n\n${fields}`,
      ...{ status: null, priority: null, tags: [], rationale: null, acceptance: ['f'] },
    });
    expect(linksOf(text)).toEqual(['10 US-1 relates US-3']);
    const { findings, statuses } = read(text);
    expect(findings).toMatchObject([
      { code: 'unread_field', severity: 'info', line: 7, itemId: 'US-1' },
    ]);
    expect(findings[0]?.detail).toBe(
      `What looks like fields of US-1 is kept as text: ${[
        ...[`"Status" (line 7, below "${heading}")`, `"Tags" (line 8, below "${heading}")`],
        ...[`"Priority" (line 8, below "${heading}")`],
        ...[`"Depends on" (line 10, below "${heading}")`, `"Type" (line 12, below "${heading}")`],
      ].join(
        ', ',
      )} and 2 more. It stands below a heading of something else, or in a list of the text.`,
    );
    expect(statuses.get('a.md')).toBe('parsed');
  });

  test.each(['Metadata', '2. Details:', '**User story**', 'Additional information', 'Notes'])(
    'are fields below a name of its own data: %s',
    (heading) => {
      const text = `## US-1: t\n\n### ${heading}\n\nStatus: open\n\n#### Acceptance criteria\n\n- a`;
      expect(one(text)).toMatchObject({ status: 'open', acceptance: ['a'] });
      expect(read(text).findings).toEqual([]);
    },
  );

  test('are those of the item again below the next heading, and of an item in it', () => {
    const text =
      '## US-1: t\n\n### Bug\n\n#### Details\n\nStatus: a\n\n#### US-2: u\n\nStatus: b\n\n### Details\n\nStatus: c';
    expect(itemsOf(text).map(({ id, status }) => [id, status])).toEqual([
      ['US-1', 'c'],
      ['US-2', 'b'],
    ]);
  });
});

describe('labels in bold among criteria below a label [PQRS-12]', () => {
  const said = (text: string) => {
    const { acceptance, statement } = one(`## US-1: t\n\n**Acceptance Criteria:**\n${text}\n`);
    return { acceptance, statement };
  };

  test.each([
    ['\n**Scenario 1: good**\n- a\n\n**Scenario 2: bad**\n- b', 3],
    ['- a\n\n**Scenario 2**\n\nGiven b.', 2],
    ['- a\n\n**AC-2: other** b\n\n*Edge case*\n- c', 3],
    ['\n**Card**\n- a\n\n**Cash**\n- b', 3],
    ['\n**Card:** a\n\n**Cash:** b', 1],
    ['\n**Given** a\n**When** b\n\n**Given** c', 1],
    ['- a\n\n**Given:** b', 1],
    ['**Must be fast.**\n\n**Must be safe.**', 1],
  ])('that name cases, or stand before the first one, are of these: %j', (text, more) => {
    const { acceptance, statement } = said(text);
    expect(statement).toBe('');
    expect(acceptance.join('\n')).toBe(
      text.trim().replaceAll('\n- ', '\n').replace(/^- /, '').replace(/\n\n/g, '\n'),
    );
    expect(acceptance.length).toBeGreaterThan(more);
  });

  test.each([
    ['Given a.', '**Notes:** ask Bob.\n\nDesign is in Figma.'],
    ['Given a.', '**INVEST:** small'],
    ['Given a.\n\nGiven b.', '**Open issues:**\n\n- x'],
    ['- a', '**Rollout**\n\n- x'],
    ['\n**Card**\n- a\n\n**Cash**\n- b', '**Open issues**\n\n- x'],
    ['\n**Card**\n- a', '**Owner of this:** Bob'],
  ])('of other things end them: %j, %j', (criteria, rest) => {
    expect(said(`${criteria}\n\n${rest}`)).toEqual({ ...said(criteria), statement: rest });
  });

  test('end them in a paragraph, and leave a label without any as text', () => {
    expect(said('Given a.\nThen b.\n**Notes:** c\nd')).toEqual({
      ...{ acceptance: ['Given a.\nThen b.'], statement: '**Notes:** c\nd' },
    });
    expect(said('\n**Notes:** c')).toEqual({
      ...{ acceptance: [], statement: '**Acceptance Criteria:**\n\n**Notes:** c' },
    });
  });

  test('lists with other marks go on with them, but for data and items', () => {
    expect(said('- a\n* b\n\n1. c\n\nText.')).toEqual({
      ...{ acceptance: ['a', 'b', 'c'], statement: 'Text.' },
    });
    const text = '## US-1: t\n\nAC:\n- a\n\n* AC-2: b\n\n+ **Status:** c\n\n- US-2: d';
    expect(itemsOf(text).map(({ id, acceptance, status }) => [id, acceptance, status])).toEqual([
      ['US-1', ['a', 'AC-2: b'], 'c'],
      ['US-2', [], null],
    ]);
  });
});

describe('tables whose rows begin with ids [PQRS-12]', () => {
  const table = (...rows: string[]) =>
    ['| ID | Requirement |', '|:---|---|', ...rows.map((row) => `| ${row} |`)].join('\n');
  const told = (text: string) => {
    const { findings, statuses } = read(text);
    expect(statuses.get('a.md')).toBe('parsed');
    return findings.map(({ severity, code, line, detail }) => ({
      at: `${severity} ${code} ${line}`,
      ids: /id: (.*?)\. A/.exec(detail)?.[1],
    }));
  };

  test('are text, which is told once at the first of them', () => {
    const text = `# T\n\nText:\n${table('A-x | -', '**FR-1** | shall', 'REQ-LOG | a')}\n\n${table('`FR-2` | may', 'FR-1 | shall')}`;
    expect(told(text)).toEqual([
      { at: 'info unread_block 7', ids: 'FR-1 (line 7), REQ-LOG (line 8), FR-2 (line 12)' },
    ]);
    expect(read(text).items.map(({ id }) => id)).toEqual(['a.md']);
    expect(told('ID | Text\n-|-\nFR-1 | a')).toEqual([
      { at: 'info unread_block 3', ids: 'FR-1 (line 3)' },
    ]);
    expect(told(`# US-1: t\n\n${table('FR-1 | a', 'AC-1 | b')}`)).toEqual([
      { at: 'info unread_block 5', ids: 'FR-1 (line 5)' },
    ]);
    const many = Array.from({ length: 13 }, (_, at) => `FR-${at} | a`);
    expect(told(table(...many))[0]?.ids).toEndWith('FR-9 (line 12) and 3 more');
  });

  test.each([
    ['of criteria', `# US-1: t\n\n## Acceptance criteria\n\n${table('FR-1 | a')}`],
    ['of items of the file', `# T\n\n${table('US-1 | a')}\n\n## US-1: t`],
    ['of links', table('US-1 | TC-1, TC-2', 'US-2 | ✓', '[US-3] | a', '[US-4](x.md) | a')],
    ['of other things', table('RFC-2119 | a', 'a | FR-1')],
    ['of names', '| Type | Text |\n|---|---|\n| INT16_BE | a |\n| srs-json | a |'],
    ['that are none', '| FR-1 | a |\n| FR-2 | b |'],
  ])('are not told: %s', (_, text) => {
    expect(told(text)).toEqual([]);
  });
});

describe('texts that begin with ids and begin no items [PQRS-12]', () => {
  const told = (text: string) => {
    const { findings, statuses } = read(text);
    expect(statuses.get('a.md')).toBe('parsed');
    for (const { code, severity } of findings)
      expect([severity, code]).toEqual(['info', 'unread_block']);
    return findings.map(({ line, detail }) => {
      const named = [...detail.matchAll(/(\S+) \(line (\d+)\)/g)].map(
        ([, id, at]) => `${at} ${id}`,
      );
      return [detail.split(' ')[0], line, ...named];
    });
  };

  test.each([
    [
      '**REQ-1:** The system shall a.\n\nREQ-2: b.\n**REQ-3**: c',
      ['1 REQ-1', '3 REQ-2', '4 REQ-3'],
    ],
    ['# T\n\n## S\n\n**REQ-1** The system shall a.', ['5 REQ-1']],
    ['[REQ-1] The system shall a.\n\n[REQ-2] is a name.', ['1 REQ-1']],
    ['## US-1: t\n\nText.\n\nREQ-2: The system shall b.\n\nREQ-3: c', ['5 REQ-2', '7 REQ-3']],
    ['**[REQ-1]** Text.\n\n**REQ-2 Log out.** Text.', ['1 REQ-1', '3 REQ-2']],
    ['## US-1: t\n\n**[REQ-1]** It shall a.\n\n**REQ-2 Log out.** Text.', ['3 REQ-1']],
  ])('paragraphs: %s', (text, ids) => {
    expect(told(text)).toEqual([['Paragraphs', Number(ids[0]!.split(' ')[0]), ...ids]]);
  });

  test.each([
    '- **REQ-1 Log in.** Text',
    '- **REQ-1 Log in**. Text',
    '- **[REQ-1]** Text',
    '- _REQ-1_ Text',
    '- REQ-1. Text',
    '- [**REQ-1**](#x): Text',
  ])('items of lists: %s', (text) => {
    expect(told(`${text}\n- in\n  - REQ-9) b`)).toEqual([['Items', 1, '1 REQ-1', '3 REQ-9']]);
    expect(told(`## US-2: t\n\n${text}`)).toEqual([]);
    expect(told(`${text}\n\n## REQ-1: a`)).toEqual([]);
  });

  test.each([
    ['<h3>REQ-1: a</h3>\n<p>Text</p>', '1 REQ-1'],
    ['<ul>\n<li>\n  <b>REQ-1</b>: a\n</ul>', '3 REQ-1'],
    [
      '## US-1: t\n\n<table><tr><th>ID<th>Text</tr>\n<tr><td>REQ-1</td><td>a</td></tr></table>',
      '4 REQ-1',
    ],
  ])('HTML: %s', (text, id) => {
    expect(told(text)).toEqual([['HTML', Number(id[0]), id]]);
  });

  test.each([
    ['- R2: a\n- in\n  - R3: b\n- A4: paper', ['1 R2', '3 R3']],
    ['## R13: a\n\n## Q1: What', ['1 R13']],
    ['**F2**: The system shall a.\n\nV8: it must', ['1 F2']],
  ])('what has an id of one letter: %s', (text, ids) => {
    expect(told(text)).toEqual([['One', Number(ids[0]![0]), ...ids]]);
  });

  test.each([
    ['mentions', '## US-1: t\n\nUS-1: so\n\nUS-2: see there\n\nsee\nREQ-9: too\n\n## US-2: u'],
    [
      'definitions',
      '# T\n\nSee [REQ-1].\n\n[REQ-1]: http://e.org/1\n\nREQ-2: http://e.org/2\n\n[REQ-3]: a',
    ],
    ['criteria', '## US-1: t\n\nAC-1: a\n\n### Acceptance criteria\n\nREQ-9: a\n\n<p>REQ-8: a</p>'],
    ['code', '```\nREQ-1: a\n```\n\n    REQ-2: b\n\n`REQ-3` is code\n\n<pre>\n<li>REQ-4: a</pre>'],
    ['comments', '<!-- <li>REQ-4: a -->\n\n<div><!-- <li>REQ-4: a --></div>'],
    ['links', '<table><tr><td>REQ-1</td><td>TC-1, TC-2</td></tr></table>'],
    ['names', 'UTF-8: an encoding\n\nRFC-2119: words\n\nP1: critical\n\n[^1]: REQ-1: a'],
  ])('%s are not told', (_, text) => {
    expect(told(text)).toEqual([]);
  });

  test('the id of an item in another file is a mention', () => {
    const texts = { 'a.md': '# A\n\nREQ-1: there\n\nREQ-2: nowhere', 'b.md': '## REQ-1: a' };
    const [finding, ...others] = readMarkdown(filesOf(texts)).findings;
    expect([finding?.path, finding?.line, others]).toEqual(['a.md', 5, []]);
  });

  test('many of them are told once, in time', () => {
    const lines = Array.from({ length: 20_000 }, (_, at) => `REQ-${at}: a\n\n<li>REQ-X${at}: b\n`);
    const started = performance.now();
    const { findings } = read(lines.join('\n'));
    expect(performance.now() - started).toBeLessThan(3000);
    expect(findings.length).toBe(2);
    expect(findings[0]?.detail).toContain('REQ-9 (line 37) and 19990 more.');
    const html = `<div>${'<li '.repeat(100_000)}${'<tr><td>REQ-1'.repeat(20_000)}`;
    expect(read(html).findings.length).toBeLessThan(2);
    expect(performance.now() - started).toBeLessThan(6000);
  });
});

test('25,000 items are read in seconds', () => {
  const parts = Array.from(
    { length: 25_000 },
    (_, i) => `### US-${i}: t\n\nAs a user I want [US-${i + 1}].\n\n- [ ] a\n- [ ] b\n`,
  );
  expect(read(parts.join('\n')).links.length).toBe(25_000);
});

describe('an id alone in a list names an item and is none [PQRS-12]', () => {
  test.each([
    '- `req~a~1`\n- `req~b~1` (see spec)\n- **req~c~1** of old',
    '- `REQ-5`\n- **REQ-6**\n- [REQ-7]\n- REQ-8',
    '- `REQ-5` (see there)\n- **REQ-6** (must).',
    '- **US-1**\n  - `US-2`\n  - US-3',
    '- `req~a~1`:',
  ])('%j', (text) => {
    const { items } = read(`See:\n\n${text}`);
    expect(items.map(({ kind, statement }) => [kind, statement.replace(/\n\n/g, '\n')])).toEqual([
      ['document', `See:\n${text}`],
    ]);
    const statement = `s\n\nVerified by:\n\n${text}`;
    expect(one(`# US-9: t\n\n${statement}\nStatus: draft`)).toMatchObject({
      ...{ statement, status: 'draft' },
    });
  });

  test.each([
    ['- `req~a~1`: t', 'req~a~1', 't'],
    ['- <a id="req~a~1"></a>`req~a~1`: t', 'req~a~1', 't'],
    ['- `req~a~1`\n\n  t', 'req~a~1', 't'],
    ['- `req~a~1`\n  t', 'req~a~1', 't'],
    ['- **US-1**\n  - t', 'US-1', '- t'],
    ['- **US-1** t', 'US-1', 't'],
    ['- **US-1:**', 'US-1', ''],
  ])('but with a colon or a text it is one: %j', (text, id, statement) => {
    expect(one(text)).toMatchObject({ id, statement });
  });

  test('lists nested deep are looked at in time', () => {
    const rows = Array.from({ length: 5000 }, (_, at) => `${'  '.repeat(at % 40)}- \`US-${at}\``);
    expect(itemsOf(rows.join('\n'))).toEqual([]);
  });
});

test('what an item covers, and what it traces to [PQRS-12]', () => {
  const text =
    '# US-1: t\n\ns\n\nCovers:\n- `REQ-2`\n- `dsn~a~1`\n\nTraces to:\n- REQ-3\n\nRelated requirements: US-4';
  expect(linksOf(text)).toEqual([
    ...['6 US-1 refines REQ-2', '7 US-1 refines dsn~a~1'],
    ...['10 US-1 relates REQ-3', '12 US-1 relates US-4'],
  ]);
  expect(linksOf('# utest~a~1: t\n\n**Covers:** req~b~1')).toEqual([
    '3 utest~a~1 verifies req~b~1',
  ]);
});

test('Gherkin that is written as Markdown is told to be read as Markdown [PQRS-12]', () => {
  const found = (path: string, text: string) =>
    readMarkdown(filesOf({ [path]: text })).findings.map(
      ({ code, severity, line }) => `${code} ${severity} ${line}`,
    );
  const text = '`@US-1`\n# Feature: F\n\n## Scenario: s\n\n* Given a\n';
  expect(found('a.feature.md', text)).toEqual(['other_item_format info 2']);
  expect(found('a.md', text)).toEqual([]);
  expect(found('a.feature.md', '# The feature\n\nText.\n')).toEqual([]);
});
