// Reading specification items of OpenFastTrace from Markdown.
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { readOpenFastTrace } from '../../../src/requirements/sources/openfasttrace.ts';
import { filesIn, filesOf } from '../../support/source-files.ts';

const read = (text: string) => readOpenFastTrace(filesOf({ 'a.md': text }));
const idsOf = (text: string) =>
  read(text)
    .items.filter(({ kind }) => kind === 'requirement')
    .map(({ id }) => id);

describe('the fixture [PQRS-10]', () => {
  const result = readOpenFastTrace(
    filesIn(join(import.meta.dir, '..', '..', 'fixtures', 'openfasttrace')),
  );
  const byId = new Map(result.items.map((item) => [item.id, item]));

  test('its items, each with the whole triple as id', () => {
    expect(result.findings.map(({ code, severity, line }) => [code, severity, line])).toEqual([
      ['text_ignored', 'info', 40],
      ['text_ignored', 'info', 47],
    ]);
    expect(result.items.map(({ id, kind, line, parentId }) => [id, kind, line, parentId])).toEqual([
      ['ducky.md', 'document', 1, null],
      ['ducky.md#material', 'section', 5, 'ducky.md'],
      ['req~rubber-ducky-material~2', 'requirement', 7, 'ducky.md#material'],
      ['arch~colour~3', 'requirement', 38, 'ducky.md#material'],
      ['utest~squeak~1', 'requirement', 44, 'ducky.md'],
    ]);
    expect(byId.get('ducky.md')).toMatchObject({
      title: 'Rubber duckies',
      statement: 'Why we make them.',
    });
  });

  test('an item with all its fields', () => {
    expect(byId.get('req~rubber-ducky-material~2')).toMatchObject({
      ...{ title: 'Made from latex', status: 'draft', rationale: 'No oil is used.' },
      ...{ tags: ['Material', 'Supplier'] },
      statement: 'The rubber ducky shall be made from latex.\n\n```\n`req~in-code~1`\n```',
      attributes: {
        ...{ type: 'req', name: 'rubber-ducky-material', revision: 2 },
        ...{ needs: ['dsn', 'utest'], comment: 'See the list.' },
      },
    });
  });

  test('an item that is passed on', () => {
    expect(byId.get('arch~colour~3')).toMatchObject({
      attributes: { needs: ['dsn'], forwards: true },
      status: 'approved',
    });
  });

  test('links by what covers: levels refine, tests verify; the older form of an id is read', () => {
    expect(result.links.map(({ line, from, type, to }) => [line, from, type, to])).toEqual([
      [24, 'req~rubber-ducky-material~2', 'refines', 'feat~rubber-ducky~1'],
      [28, 'req~rubber-ducky-material~2', 'depends', 'req~supplier~1'],
      [38, 'arch~colour~3', 'refines', 'req~colour~3'],
      [51, 'utest~squeak~1', 'verifies', 'req~squeak~2'],
    ]);
  });
});

describe('what begins an item [PQRS-10]', () => {
  test.each([
    ['`req~a~1`', ['req~a~1']],
    ['req~a.b-c_d~12 and more', ['req~a.b-c_d~12']],
    ['req:a, v3', ['req~a~3']],
    ['## T\nreq~a~1\nreq~b~1', ['req~a~1', 'req~b~1']],
    ['`arch-->dsn,impl:req~a~1`', ['arch~a~1']],
    ['## T\n   * `dsn --> impl, utest,itest : arch~b.z~123`', ['dsn~b.z~123']],
    ['It is passed on: `arch-->dsn:req~a~1`, as is req~b~1.', ['arch~a~1']],
    ['req~a~1\nCovers:\n- feat~b~1\n\n* arch-->dsn:req~c~1', ['req~a~1', 'arch~c~1']],
    ['req~a~1\nText of `arch-->dsn:req~b~1`.\n- arch-->dsn:req~c~1', ['req~a~1']],
    ['req~a~1\nText.\n\n`arch-->dsn:req~c~1`', ['req~a~1', 'arch~c~1']],
    ['arch-->dsn:req~a~1x', []],
    ['text req~a~1', []],
    ['- req~a~1', []],
    ['req~a', []],
    ['req~1a~1', []],
    ['~~~\nreq~a~1\n~~~', []],
    ['<!-- oft:off -->\nreq~a~1\n<!-- oft:on -->\nreq~b~1', ['req~b~1']],
  ])('%s', (text, ids) => {
    expect(idsOf(text)).toEqual(ids);
  });
});

describe('fields [PQRS-10]', () => {
  const item = (text: string) => read(`## T\nreq~a~1\n\n${text}`).items.at(-1);

  test.each([
    ['Needs: impl, utest', ['impl', 'utest']],
    ['Needs:\n- impl\n* utest', ['impl', 'utest']],
    ['Needs: impl\n\nNeeds: utest', ['impl', 'utest']],
    ['Needs:\n- `dsn`\n- **utest**', ['dsn', 'utest']],
    ['Needs: `dsn`, itest', ['dsn', 'itest']],
    ['Needs:\n- unit test', ['test']],
    ['Needs:\n- impl (Java)\n- utest', ['Java', 'utest']],
    ['Needs:\n- [ ] `req~b~1`', ['b']],
    ['Needs:\n- unit-test 2', ['test']],
    ['Needs: impl utest', undefined],
    ['Needs: impl utest, dsn', ['dsn']],
  ])('%s', (text, needs) => {
    expect(item(text)?.attributes.needs).toEqual(needs);
  });

  test('text after a list is of the description again', () => {
    expect(item('Tags:\n- a\n\nMore.')).toMatchObject({ tags: ['a'], statement: 'More.' });
  });

  test.each([
    ['Description:\nText.', 'Text.', null],
    ['Status: draft\nDescription: Text.', 'Text.', null],
    ['Text.\nDescription:\nmore', 'Text.\nDescription:\nmore', null],
    ['Rationale:\nWhy.\nDescription:\nmore', '', 'Why.\nDescription:\nmore'],
  ])('%j has a description where it begins', (text, statement, rationale) => {
    expect(item(text)).toMatchObject({ statement, rationale });
  });

  test('text around a forward is of its section, which the forward does not end', () => {
    const text = '# D\n\n## T\nSee `arch-->dsn:req~a~1`.\nMore.';
    expect(read(text).items.find(({ kind }) => kind === 'section')?.statement).toBe(
      'See `arch-->dsn:req~a~1`.\nMore.',
    );
  });

  test('a link is to the id in its address [PQRS-10]', () => {
    const covers = '[Up](#feat~up~1), [feat~b~2](a.md#feat~c~3)\n- [The third](a.md#feat~d~4)';
    const { links, findings } = read(`req~a~1\n\nCovers:\n- ${covers}`);
    expect(links.map(({ to, line }) => [to, line])).toEqual([
      ['feat~up~1', 4],
      ['feat~c~3', 4],
      ['feat~d~4', 5],
    ]);
    expect(findings.map(({ code, line, detail }) => [code, line, detail])).toEqual([
      ['text_ignored', 4, 'What stands beside the id is not kept: Up'],
      [
        'invalid_reference',
        4,
        'A link under Covers of req~a~1 leads to feat~c~3, and its text names feat~b~2: the link counts.',
      ],
      ['text_ignored', 4, 'What stands beside the id is not kept: a.md#feat~c~3'],
      ['text_ignored', 5, 'What stands beside the id is not kept: The third a.md#feat~d~4'],
    ]);
  });

  test.each([
    ['[Nice text](#feat~a~1 "title")', ['Nice text "title"']],
    ['[feat~a~1](http://x "y")', ['http://x "y"']],
    ['[feat~a~1](<http://x>), [feat~b~1](#b)', ['<http://x>']],
    ['[see feat~a~1](#feat~a~1)', ['[see ]']],
    ['[feat~a~1](#feat~a~1)', []],
  ])('what a link says besides the id is told: %s [PQRS-10]', (link, told) => {
    const { links, findings } = read(`req~r~1\n\nDepends:\n- ${link}`);
    expect(links[0]).toMatchObject({ to: 'feat~a~1', type: 'depends' });
    expect(findings.map(({ detail }) => detail.split('not kept: ')[1])).toEqual(told);
  });

  test('text beside an id is told of, marks and links are not', () => {
    const { findings, statuses } = read(
      '`req~v~1` owner Bob\n\nCovers:\n- req~w~1 because of safety\n- [req~z~2](a.md#z)\n* `req~k~1`',
    );
    expect(findings.map(({ severity, line, detail }) => [severity, line, detail])).toEqual([
      ['info', 1, 'What stands beside the id is not kept: owner Bob'],
      ['info', 4, 'What stands beside the id is not kept: because of safety'],
      ['info', 5, 'What stands beside the id is not kept: a.md#z'],
    ]);
    expect(statuses.get('a.md')).toBe('partial');
  });

  test.each([
    ['Needs:\n- impl (Java)', 'and not impl (Java): its Java is taken.'],
    ['Needs:\n- [ ] `req~b~1`', 'and not [ ] `req~b~1`: its b is taken.'],
    ['Needs:\n- 1 2', 'and not 1 2: it is left out.'],
    ['Needs: impl utest', 'and not impl utest: it is left out.'],
  ])('%j needs no one word, and what becomes of it is told [PQRS-10]', (text, told) => {
    const { findings } = read(`## T\nreq~a~1\n\n${text}`);
    expect(findings.map(({ detail }) => detail)).toEqual([
      `What req~a~1 needs is one word, ${told}`,
    ]);
  });

  test.each([
    ['Needs:\n- unit test', 'invalid_value', 'partial'],
    ['Needs: !', 'invalid_value', 'partial'],
    ['Status: finished', 'invalid_status', 'parsed'],
    ['Status: draft\nStatus: approved', 'duplicate_field', 'partial'],
    ['Covers:\n- nothing', 'invalid_reference', 'partial'],
    ['Depends: nothing', 'invalid_reference', 'partial'],
  ])('%s is told of', (text, code, status) => {
    const { findings, statuses } = read(`## T\nreq~a~1\n\n${text}`);
    expect(findings.map((finding) => [finding.code, finding.itemId])).toEqual([[code, 'req~a~1']]);
    expect(statuses.get('a.md')).toBe(status as 'parsed');
  });
});

describe('what `oft:off` leaves out is told [PQRS-10]', () => {
  const told = (text: string) => {
    const { findings, statuses } = read(text);
    const said = findings.map(({ severity, line, detail }) => `${severity} ${line} ${detail}`);
    return [statuses.get('a.md'), ...said];
  };

  test.each([
    [
      '# T\n<!-- oft:off -->\nreq~a~1\n<!-- oft:off -->\nb\n<!-- oft:on -->\nreq~b~1',
      ...['parsed', 'info 2 What stands between `oft:off` and `oft:on` is left out, up to line 6.'],
    ],
    [
      '# T\n\n<!-- oft:off -->\n~~~\noft:on\n~~~\n\nreq~a~1\n',
      'partial',
      'warning 3 No `oft:on` follows `oft:off`: all is left out up to the end of the file, line 9.',
    ],
    ['# T\n<!-- oft:off -->\n\n<!-- oft:on -->\n<!-- oft:off -->\n', 'parsed'],
    [
      'Note <!-- oft:off -->\n<!-- oft:on --> more',
      'partial',
      'info 1 What stands beside `oft:off` is not kept: Note',
      'info 2 What stands beside `oft:on` is not kept: more',
    ],
  ])('%j', (text, ...said) => {
    expect(told(text)).toEqual(said);
  });
});

describe('front matter [PQRS-10]', () => {
  const text = '# Title\n\n## T\nreq~a~1\nStatus: draft\n\n# U\nreq~b~1\n';

  test('is said of the document, and of all where it gives defaults', () => {
    const front = [
      ...['title: Ducks', 'id: D', 'owner: y', 'status: new', 'version: 1.10', 'tags: [a]'],
      'defaults: {status: proposed, priority: high, tags: [b]}',
    ];
    const { items, findings } = read(`---\n${front.join('\n')}\n---\n${text}`);
    expect(findings).toEqual([]);
    expect(items[0]).toMatchObject({
      ...{ id: 'D', title: 'Ducks', statement: '', status: 'new', tags: ['a'] },
      attributes: { owner: 'y', version: '1.10' },
    });
    expect(
      items.map(({ id, line, status, priority, parentId }) => [
        id,
        line,
        status,
        priority,
        parentId,
      ]),
    ).toEqual([
      ['D', 1, 'new', null, null],
      ['a.md#title', 10, null, null, 'D'],
      ['req~a~1', 12, 'draft', 'high', 'a.md#title'],
      ['req~b~1', 16, 'proposed', 'high', 'D'],
    ]);
    expect(items[3]?.tags).toEqual(['b']);
  });

  test('that says no title leaves it to the first heading, and what is wrong in it is told', () => {
    expect(read(`---\nowner: y\n---\n${text}`).items[0]?.title).toBe('Title');
    expect(read(`---\ntitle: Title\n---\n${text}`).items).toHaveLength(3);
    const { items, findings } = read(`---\na: [\n---\n${text}`);
    expect(findings.map(({ code }) => code)).toEqual(['invalid_front_matter']);
    expect(items.map(({ id }) => id)).toEqual(['a.md', 'req~a~1', 'req~b~1']);
  });
});

test.each([
  ['Status: draft\nStatus:', 'req~a~1 has a second status, which is empty; the first is taken.'],
  ['Status:', 'The status of req~a~1 is none of approved, proposed, draft, rejected: it is empty'],
])('an empty status is told as that: %j [PQRS-10]', (fields, detail) => {
  expect(read(`## T\nreq~a~1\n${fields}`).findings.map((one) => one.detail)).toEqual([detail]);
});

test('25,000 items are read in seconds', () => {
  const parts = Array.from(
    { length: 25_000 },
    (_, i) => `### T\n\`req~a${i}~1\`\n\nText.\n\nCovers:\n- feat~x~1\n`,
  );
  expect(read(parts.join('\n')).links.length).toBe(25_000);
});

test.each([
  'a-->b:'.repeat(50_000),
  `${'a'.repeat(300_000)}-->`,
  `a${' '.repeat(300_000)}--> b${', b'.repeat(100_000)}`,
])('a long line with marks of forwards is read in time', (line) => {
  const started = performance.now();
  expect(idsOf(line)).toEqual([]);
  expect(performance.now() - started).toBeLessThan(2000);
});

describe('lists [PQRS-10]', () => {
  const listed = (text: string) => {
    const { items, links, findings } = read(`## T\nreq~a~1\n\nd\n\n${text}\n`);
    const { statement, tags = [], attributes } = items.find(({ id }) => id === 'req~a~1') ?? {};
    return {
      ...{ statement, tags, needs: attributes?.needs ?? [], ids: items.length },
      to: links.map(({ to }) => to),
      told: findings.map(({ severity, line, detail }) => `${severity} ${line} ${detail}`),
    };
  };
  const item = { statement: 'd', ids: 2 };
  const beside = (label: string, line: number, said: string) =>
    `info ${line} What stands beside an entry under ${label} of req~a~1 is not kept: ${said}`;
  const other = (label: string, line: number, said: string) =>
    `warning ${line} What is no entry under ${label} of req~a~1 is not kept: ${said}`;

  test.each([
    [
      'Covers:\n- feat~y~1\n  why\n  so\n- feat~z~1\n\nNeeds: impl',
      { to: ['feat~y~1', 'feat~z~1'], needs: ['impl'], told: [beside('Covers', 8, 'why so')] },
    ],
    [
      'Covers:\n<!-- why -->\n- feat~z~1',
      {
        to: ['feat~z~1'],
        told: ['info 7 HTML under Covers of req~a~1 is not kept: <!-- why -->'],
      },
    ],
    [
      'Covers:\n\nThe following:\n\n- feat~z~1',
      { to: ['feat~z~1'], told: [other('Covers', 8, 'The following:')] },
    ],
    [
      'Depends:\n- feat~y~1\n\nAnd this:\n\n- no id\n- [feat~z~1](#z)',
      { to: ['feat~y~1', 'feat~z~1'], told: [other('Depends', 9, 'And this: - no id')] },
    ],
    [
      'Needs:\nnamely\n- impl\n\n  Java\n- utest\nlazy\n\nalso\n- itest',
      {
        needs: ['impl', 'utest', 'itest'],
        told: [
          other('Needs', 7, 'namely'),
          beside('Needs', 10, 'Java'),
          beside('Needs', 12, 'lazy'),
          other('Needs', 14, 'also'),
        ],
      },
    ],
    [
      'Tags:\n- a\n  why\n- b\n\n---\n\n- c',
      { tags: ['a', 'b', 'c'], told: [beside('Tags', 8, 'why')] },
    ],
    ['Covers:\n- feat~z~1\n  ```\n  code\n  ```', { told: [beside('Covers', 8, '``` code ```')] }],
    ['Covers:\nNone.\n\nNeeds: impl', { to: [], told: [other('Covers', 7, 'None.')] }],
  ])('a line that is no entry ends none, and is told: %j', (text, wanted) => {
    expect(listed(text)).toMatchObject({ ...item, ...wanted });
  });

  test.each([
    ['Needs: impl\n\nMore.\n\n- a point\n- two\n\nTags: a', 'd\n\nMore.\n\n- a point\n- two'],
    ['Needs:\n- impl\n\nMore:\n- a point\n- two', 'd\n\nMore:\n- a point\n- two'],
    ['Tags: a\nMore.\nStatus: draft', 'd\n\nMore.\nStatus: draft'],
    ['Covers:\n- feat~b~1\n\n```\n- feat~c~1\n\nb\n```', 'd\n\n```\n- feat~c~1\n\nb\n```'],
  ])('text behind the entries of a list is of the description: %j', (text, statement) => {
    expect(listed(text)).toMatchObject({ ids: 2, statement, told: [] });
  });

  test.each([
    ['Covers:\n- feat~y~1,\n  feat~z~1\n- feat~w~1', ['feat~y~1', 'feat~z~1', 'feat~w~1'], []],
    ['Covers: feat~y~1,\n  `feat~z~1`', ['feat~y~1', 'feat~z~1'], []],
    ['Covers:\n- feat~y~1\n  feat~z~1', ['feat~y~1'], [beside('Covers', 8, 'feat~z~1')]],
    ['Depends:\n- feat~y~1,\n\n- feat~w~1', ['feat~y~1', 'feat~w~1'], []],
  ])('an indented line goes on with an entry and begins no item: %j', (text, to, told) => {
    expect(listed(text)).toMatchObject({ ...item, to, told });
  });

  test('needs and tags go on behind a comma', () => {
    const { needs, tags, told } = listed('Needs:\n- impl,\n  utest\n\nTags: a,\n  b c');
    expect([needs, tags, told]).toEqual([['impl', 'utest'], ['a', 'b c'], []]);
  });

  test.each([
    '- feat~a~1\n  why\n',
    '- feat~a~1,\n  feat~b~1\n',
    '\ntext\n\n- feat~a~1\n',
    'text\n\n',
  ])('many lines %j are read in time', (lines) => {
    const started = performance.now();
    listed(`Covers:\n- feat~a~1\n\n${lines.repeat(50_000)}`);
    expect(performance.now() - started).toBeLessThan(2000);
  });

  test('many needs and tags are read in time', () => {
    const words = Array.from({ length: 50_000 }, (_, i) => `a${i}`).join(', ');
    const started = performance.now();
    const { needs, tags } = listed(`Needs: ${words}\nTags: ${words}`);
    expect([needs, tags].map((all) => (all as string[]).length)).toEqual([50_000, 50_000]);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

test.each([
  ['[feat~x~1](#feat~y~1)', 'feat~y~1', 'warning', 'its text names feat~x~1: the link counts.'],
  ['[feat~x~1](#zq13x)', 'feat~x~1', 'info', 'is not kept: #zq13x'],
])(
  'the address of %s is the link, and what is not is told [PQRS-10]',
  (link, to, severity, said) => {
    const { links, findings } = read(`req~r~1\n\nCovers:\n- ${link}`);
    expect(links.map((one) => one.to)).toEqual([to]);
    expect(findings).toMatchObject([{ severity, line: 4, itemId: 'req~r~1' }]);
    expect(findings[0]?.detail).toEndWith(said);
  },
);

test.each([
  ['d\nStatus: draft\ne', { statement: 'd\nStatus: draft\ne', rationale: null }, [4]],
  ['Rationale:\nr\nStatus: x\ne', { statement: '', rationale: 'r\nStatus: x\ne' }, []],
  ['Comment:\nStatus: rejected', { attributes: { comment: 'Status: rejected' } }, [4]],
])('a status in a text is text: %j [PQRS-10]', (text, wanted, lines) => {
  const { items, findings } = read(`## T\nreq~a~1\n${text}`);
  expect(items.at(-1)).toMatchObject({ ...wanted, status: 'approved' });
  expect(findings.map(({ code, severity, line }) => [code, severity, line])).toEqual(
    lines.map((line) => ['invalid_status', 'info', line]),
  );
});

test('blank lines of the texts of documents and sections are kept, in code too [PQRS-10]', () => {
  const text = 'one\n\ntwo\n\n```\na\n\nb\n```';
  const { items } = read(`# D\n\n${text}\n\n## S\n\n\n${text}\n\n## A\nreq~a~1\n\nd\n`);
  expect(items.map(({ statement }) => statement)).toEqual([text, text, 'd']);
});

test('the indent of code that begins a text is kept [PQRS-10]', () => {
  const code = '    code1\n      code2';
  const { items } = read(`req~a~1\n\n${code}\n\nRationale:\n\n\tx\n\nComment:\n  y\n`);
  expect(items.at(-1)).toMatchObject({ statement: code, rationale: '\tx' });
  expect(items.at(-1)?.attributes.comment).toBe('y');
});

test.each([
  ['1000000000', 1_000_000_000, []],
  ['2147483647', 2_147_483_647, []],
  ['2147483648', 2_147_483_648, [2]],
  ['12345678901234567890', '12345678901234567890', [2]],
])('the revision %s is that of an item, and kept exactly [PQRS-10]', (digits, revision, lines) => {
  const { items, findings } = read(`## B\n\`req~b~${digits}\`\n\nd\n\nCovers:\n- feat~c~1\n`);
  expect(items.at(-1)).toMatchObject({ id: `req~b~${digits}`, attributes: { revision } });
  expect(findings.map(({ code, line }) => [code, line])).toEqual(
    lines.map((line) => ['invalid_id', line]),
  );
});

test('an id that is too long for one is in no finding whole', () => {
  const { findings } = read(`req~${'a'.repeat(5000)}~1\nStatus: x\nNeeds: a b\nCovers: c\n`);
  expect(findings).toHaveLength(3);
  for (const { detail, itemId } of findings) {
    expect([detail.length < 600, itemId]).toEqual([true, null]);
  }
});

describe('fields behind the end of their item are told [PQRS-10]', () => {
  const told = (text: string) =>
    read(text).findings.map(({ code, line, detail }) => `${code} ${line} ${detail}`);
  const since = 'stands in no item, since req~a~1 ends at line';

  test.each([
    [
      '# T\nreq~a~1\n\nd\n\n## Detail\n\nText.\n\nCovers:\n\n- feat~a~1\n\nNeeds: impl, `utest`\n',
      [
        `stray_text 10 \`Covers:\` ${since} 6: it is text, and makes no links.`,
        `stray_text 14 \`Needs:\` ${since} 6: it is text, and no item needs what it names.`,
      ],
    ],
    [
      '# T\nreq~a~1\n\nd\n\n`arch-->dsn:req~x~1`\n\nNeeds:\n- impl\n',
      [`stray_text 8 \`Needs:\` ${since} 6: it is text, and no item needs what it names.`],
    ],
    [
      'Depends: req~b~1\n\n# T\nreq~a~1\n\nd\n',
      ['stray_text 1 `Depends:` stands in no item: it is text, and makes no links.'],
    ],
    [
      '# T\n\nNeeds: impl\n\n## A\nreq~a~1\n\nd\n',
      ['stray_text 3 `Needs:` stands in no item: it is text, and no item needs what it names.'],
    ],
    ['# T\n\nNeeds: some care\n\n## A\nreq~a~1\n\nd\n', []],
    ['# T\nreq~a~1\n\nd\n\n## B\n\nNeeds: some more work\n\nCovers:\n- all\n\nNeeds:\nx\n', []],
  ])('%j', (text, wanted) => {
    expect(told(text)).toEqual(wanted);
  });
});

test('an id that is indented below a heading is told, and begins no item [PQRS-10]', () => {
  const { items, findings } = read('## T\n  `req~a~1`\n\n## U\nreq~b~1\n\nAs in\n  req~c~1\n');
  expect(items.map(({ id }) => id)).toEqual(['a.md', 'a.md#t', 'req~b~1']);
  expect(findings).toMatchObject([{ code: 'invalid_id', severity: 'warning', line: 2 }]);
});

describe('items of Markdown in the file are told once [PQRS-10]', () => {
  const told = (text: string) =>
    read(text).findings.filter(({ code }) => code === 'other_item_format');

  test('with their ids, at the first of them', () => {
    const text =
      '# D\n\nreq~a~1\n\nd\n\n# US-1: Log in\n\nAcceptance criteria\n\n- c\n\n## S\n\n1. **US-2**: x\n   - US-3: y\n\nREQ-4 Z\n-------\n';
    const [finding, ...others] = told(text);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ severity: 'warning', line: 7 });
    expect(finding?.detail).toContain('text: US-1, US-2, US-3, REQ-4. Each');
    expect(read(text).statuses.get('a.md')).toBe('partial');
  });

  test('of many the first', () => {
    const text = Array.from({ length: 50 }, (_, i) => `# US-${i}: x\n`).join('');
    expect(told(`${text}# A\nreq~a~1\n`)[0]?.detail).toContain(' US-9 and 40 more. Each');
  });

  test.each([
    '### REQ-12: Title\n`req~a~1`\n\nd\n',
    'REQ-12: Title\n===\n\n`req~a~1`\n\nd\n',
    '### req~b~1: Title\n\n## A\nreq~a~1\n',
    '# A\nreq~a~1\n\nSee US-1: it says more.\n\n```\n# US-2: x\n```\n',
    '# A\nreq~a~1\n\n<!-- oft:off -->\n# US-2: x\n<!-- oft:on -->\n',
    '# A\nreq~a~1\n\nCovers:\n- req~b~1: why\n',
    '---\nid: US-1\n---\n\n# A\nreq~a~1\n',
  ])('%j has none', (text) => {
    expect(told(text)).toEqual([]);
  });
});

test('code that nothing ends is told where it has items in it [PQRS-10]', () => {
  const text = '### One\n`req~a~1`\nText.\n\n```\ncode\n';
  expect(read(text).findings).toEqual([]);
  const { findings, statuses } = read(`${text}\n### Two\n\`req~b~1\`\nOther.`);
  expect(findings).toMatchObject([{ code: 'unread_block', severity: 'warning', line: 5 }]);
  expect(findings[0]?.detail).toEndWith(
    'line 10, is part of it, so that these are no items: req~b~1.',
  );
  expect(statuses.get('a.md')).toBe('partial');
});

describe('what is written like a part of OpenFastTrace and is none is told [PQRS-10]', () => {
  const told = (text: string) =>
    read(text).findings.map(({ code, severity, line }) => `${code} ${severity} ${line}`);
  const inItem = (line: string) => `\`req~a~1\`\nText.\n\nNeeds: dsn\n\n${line}\nMore.\n`;

  test('a field that is underlined, and so is a heading', () => {
    const text = '`req~a~1`\nText.\n\nTags: t\nNeeds: dsn\n---\n\n`req~b~1`\nOther.';
    const { items, findings } = read(text);
    expect(items.map(({ title, tags }) => [title, tags])).toEqual([
      ['a.md', []],
      ['', ['t']],
      ['Needs: dsn', []],
    ]);
    expect(findings).toMatchObject([
      { code: 'stray_text', severity: 'warning', line: 5, itemId: 'req~a~1' },
    ]);
    expect(findings[0]?.detail).toStartWith('`Needs:` is underlined and so is a heading');
  });

  test.each(['Tags: t', 'Covers:', 'Depends:', 'Rationale: r', 'Comment:', 'Status: draft'])(
    '%s above a rule',
    (field) => {
      expect(told(inItem(`${field}\n---`))).toEqual(['stray_text warning 6']);
      expect(told(inItem(`${field}\n\n- req~x~1\n\n---`))).not.toContain('stray_text warning 6');
    },
  );

  test.each([
    ...['`sw-req~b~1`', 'req2~num~1', 'req_x~num~1', 'req ~ sp~1', '`req ~ sp ~ 1`', '`req~nored`'],
    ...['`req~name~`', 'req~a~1a', 'req~1a~2'],
  ])('%s is no id', (line) => {
    expect(idsOf(inItem(line))).toEqual(['req~a~1']);
    expect(told(inItem(line))).toEqual(['invalid_id warning 6']);
  });

  test.each(['a~b text', '~home', '`~`', 'x ~ y', 'about ~5 of them', '`a~b` and `c~d`'])(
    '%s is text',
    (line) => {
      expect(told(inItem(line))).toEqual([]);
    },
  );

  test.each([
    ...['arch --> : req~f~1', '`a-b-->dsn:req~i~1`', 'arch-->dsn : req:leg, v1'],
    ...['arch->dsn:req~x~1', 'arch --> dsn, sw-x : req~x~1'],
  ])('%s is no forward', (line) => {
    expect(idsOf(inItem(line))).toEqual(['req~a~1']);
    expect(told(inItem(line))).toEqual(['stray_text warning 6']);
  });

  test.each(['see --> that', 'As in arch-->dsn: req, v1', '<!-- a --> b: req~a~1'])(
    '%s is text too',
    (line) => {
      expect(told(inItem(line))).toEqual([]);
    },
  );

  test('of several forwards on a line the first counts', () => {
    const line = '`arch-->dsn:req~x~1`, `arch-->dsn:req~y~1`';
    for (const text of [line, `# A\nreq~a~1\n\nText.\n\n${line}`]) {
      expect(idsOf(text)).toContain('arch~x~1');
      const [finding, ...others] = read(text).findings;
      expect(others).toEqual([]);
      expect(finding?.detail).toEndWith('the others stay text: arch-->dsn:req~y~1`');
    }
  });

  test.each([
    ...['Covers:\n`req~b~1`', 'Depends:\nreq~b~1', 'Covers:\n\nreq~b~1 and more'],
    ...['Covers: req~c~1,\nreq~b~1', 'Depends:\n- req~c~1,\nreq~b~1'],
  ])('an id without the mark of a list in one begins an item: %j', (list) => {
    const text = `# A\n\`req~a~1\`\n\nText.\n\n${list}\n\nNeeds: dsn\n`;
    const { items, findings, statuses } = read(text);
    const line = text.split('\n').findLastIndex((one) => one.includes('req~b~1')) + 1;
    expect(items.at(-1)).toMatchObject({ id: 'req~b~1', attributes: { needs: ['dsn'] } });
    expect(findings[0]).toMatchObject({
      ...{ code: 'stray_text', severity: 'warning', line, itemId: 'req~a~1' },
      detail: expect.stringMatching(/^req~b~1 stands under `(?:Covers|Depends):` of req~a~1 /),
    });
    expect(statuses.get('a.md')).toBe('partial');
  });

  test.each([
    ...['Covers:\n- req~c~1\nreq~b~1', 'Covers:\n\n## B\nreq~b~1', 'Needs:\nreq~b~1'],
    ...['Covers: req~c~1,\n\nreq~b~1', 'Covers:\n\nComment:\nNo.\n\nreq~b~1'],
  ])('an id that begins the next item is no entry: %j', (list) => {
    expect(told(`# A\nreq~a~1\n\nText.\n\n${list}\n`)).toEqual([]);
  });

  test('labels of fields in bold', () => {
    const text =
      '`req~a~1`\n**Status:** draft\n\nText.\n\n**Needs:** dsn\n\n**Covers:**\n\n- req~x~1\n\n__Rationale__: x\n';
    expect(told(text)).toEqual([
      ...['stray_text warning 2', 'stray_text warning 6', 'stray_text warning 8'],
      'stray_text info 12',
    ]);
    expect(told('# A\n\n**Status:** draft\n\n`req~a~1`\n**Note:** Needs: x\n')).toEqual([]);
  });

  test.each([
    ...['covers: req~b~1', 'Covers :\n- `req~b~1`', 'COVERS:\n\n* req~b~1', 'depends: req~b~1'],
    ...['needs: impl, utest', 'Needs :\n- impl', 'status: draft', 'STATUS : Approved'],
    ...['tags: one, two', 'Tags : one'],
  ])('%j is no field', (text) => {
    const [label = ''] = /^[^:]*:/.exec(text) ?? [];
    const { findings, statuses } = read(`\`req~a~1\`\nText.\n\n${text}\n\nNeeds: dsn\n`);
    expect(findings).toMatchObject([
      { code: 'stray_text', severity: 'warning', line: 4, itemId: 'req~a~1' },
    ]);
    expect(findings[0]?.detail).toStartWith(`The label \`${label}\` of req~a~1 begins no field`);
    expect(statuses.get('a.md')).toBe('partial');
  });

  test.each(['Rationale : why', 'RATIONALE:', 'Comment :\nx', 'DESCRIPTION : x'])(
    '%j is text of the description',
    (text) => {
      expect(told(`\`req~a~1\`\n${text}\n`)).toEqual(['stray_text info 2']);
    },
  );

  test.each([
    ...['covers: all of it', 'needs: some more work', 'needs: time.', 'status: see the list'],
    ...['tags: of two words', 'rationale: why', 'comment: x', 'description : x', 'covers:'],
    ...['needs:\nimpl', 'it needs: impl', 'COMMENTS: x', '    needs: impl'],
  ])('%j is a sentence', (text) => {
    expect(told(`\`req~a~1\`\nText.\n\n${text}\n`)).toEqual([]);
  });

  test('a label with much white space behind it is read in time', () => {
    for (const label of ['Needs:', 'needs:']) {
      const line = `${label}${' '.repeat(500_000)}\u2028x\u2028x`;
      expect(idsOf(`req~a~1\n${line}\n`)).toEqual(['req~a~1']);
    }
  });

  test('long lines are read in time', () => {
    const parts = [
      'needs: ',
      'Covers :',
      'a-',
      '~a',
      'a ~ ',
      '-->',
      'a-->',
      '`',
      '**Needs',
      ' ',
      '<!--',
      '[a',
      '<!-- [a->',
    ];
    for (const part of parts) {
      const line = part.repeat(200_000);
      expect(idsOf(`req~a~1\n${line}\n${line}~1\n${line}: req~b~1 ->x`)).toContain('req~a~1');
    }
  });
});

test('coverage tags in comments are told, and cover nothing [PQRS-10]', () => {
  const text =
    '# A\nreq~a~1\n\nText. <!-- [doc->req~b~1] -->\n\n<!-- [doc -> req~c~1 >> impl, utest] --> <!-- [impl~x~2->req~d.e~1] -->\n';
  const { links, findings, statuses } = read(text);
  expect(links).toEqual([]);
  expect(findings.map(({ code, line, detail }) => `${code} ${line} ${detail}`)).toEqual([
    'text_ignored 4 Coverage tags in comments are not read, so that nothing is covered by: [doc->req~b~1].',
    'text_ignored 6 Coverage tags in comments are not read, so that nothing is covered by: [doc -> req~c~1 >> impl, utest], [impl~x~2->req~d.e~1].',
  ]);
  expect(statuses.get('a.md')).toBe('partial');
  const once = read('# A\nreq~a~1\n\nd\n\nNeeds: dsn\n\n<!-- [doc->req~b~1] -->\n').findings;
  expect(once.map(({ line }) => line)).toEqual([8]);
  const others =
    'Text [doc->req~b~1]\n\n<!-- oft:off -->\n<!-- [doc->req~b~1] -->\n<!-- oft:on -->\n';
  const code = '```\n<!-- [doc->req~b~1] -->\n```\n<!-- [doc->b] -->\n';
  const told = read(`# A\nreq~a~1\n\n${others}${code}`).findings.map(({ line }) => line);
  expect(told).toEqual([6]);
});

test('headings that look like an item or a field are told [PQRS-10]', () => {
  const told = (text: string) =>
    read(text).findings.map(({ code, severity, line }) => `${code} ${severity} ${line}`);
  const item = '## A\nreq~a~1\n\nd\n\n';
  for (const id of ['req~c~1: Third', 'req~c~1', '`req~c~1`', '**req~c~1** Third']) {
    expect(told(`${item}## ${id}\n\nText.\n`)).toEqual(['invalid_id warning 6']);
    expect(told(`${item}## ${id}\nreq~c~1\n\nText.\n`)).toEqual([]);
  }
  expect(told(`${item}### Covers\n\n- req~b~1\n\n### Needs:\n\ndsn\n\n### *Rationale*\n`)).toEqual([
    ...['stray_text warning 6', 'stray_text warning 10', 'stray_text warning 14'],
  ]);
  for (const text of ['## Rationale\n\nt\n', '## B\n\n### Covers\n', '### Covers all\n']) {
    expect(told(`${item}${text}`)).toEqual([]);
  }
  const { findings } = read('req~a~1\n\nd\n\n# Needs\n\ndsn\n\n# B\n\n# Rationale\n');
  expect(findings).toMatchObject([{ code: 'stray_text', line: 5, itemId: 'req~a~1' }]);
});

test('an id with backslashes before its tildes is told [PQRS-10]', () => {
  const { findings } = read(
    '# A\nreq~a~1\n\nd\n\n## B\nreq\\~b\\~1\n\nSee.\nreq\\~c\\~1 is text.\n',
  );
  expect(findings).toMatchObject([
    { code: 'invalid_id', line: 7, detail: expect.stringContaining('backslashes') },
  ]);
});

test.each(['b.java', 'b.feature', 'src/b.xml'])(
  'coverage tags of code are told: %s [PQRS-10]',
  (path) => {
    const text = 'class X {\n  // [impl->req~a~1]\n  int x = a[b->c];\n}\n';
    const { findings, statuses } = readOpenFastTrace(filesOf({ [path]: text }));
    expect(findings.map(({ code, line, detail }) => `${code} ${line} ${detail}`)).toEqual([
      'text_ignored 2 Coverage tags of code are not read, so that nothing is covered by: [impl->req~a~1].',
    ]);
    expect(statuses.get(path)).toBe('partial');
  },
);
