// Reading specification items of OpenFastTrace from Markdown.
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { readOpenFastTrace } from '../../../src/requirements/sources/openfasttrace/reader.ts';
import { filesIn, filesOf } from '../../support/source-files.ts';

const read = (text: string) => readOpenFastTrace(filesOf({ 'a.md': text }));
const found = (text: string) =>
  read(text).findings.map(({ code, severity, line }) => `${code} ${severity} ${line}`);
const statusOf = (text: string) => String(read(text).statuses.get('a.md'));
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
      ['not_kept', 'info', 40],
      ['uncovered_need', 'info', 1],
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
    ['It is passed on: `arch-->dsn:req~a~1`, as is req~b~1.', []],
    ['req~a~1\nCovers:\n- feat~b~1\n\n* arch-->dsn:req~c~1', ['req~a~1', 'arch~c~1']],
    ['req~a~1\nText of `arch-->dsn:req~b~1`.\n- arch-->dsn:req~c~1', ['req~a~1', 'arch~c~1']],
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
    ['Needs:\n- unit test', undefined],
    ['Needs: impl utest', undefined],
    ['Needs: impl utest, dsn', ['dsn']],
  ])('%s', (text, needs) => {
    expect(item(text)?.attributes.needs).toEqual(needs);
  });

  test.each([
    ['Description:\nText.', 'Text.', null],
    ['Status: draft\nDescription: Text.', 'Text.', null],
    ['Text.\nDescription:\nmore', 'Text.\nDescription:\nmore', null],
    ['Rationale:\nWhy.\nDescription:\nmore', '', 'Why.\nDescription:\nmore'],
  ])('%j has a description where it begins', (text, statement, rationale) => {
    expect(item(text)).toMatchObject({ statement, rationale });
  });

  test('a link is to the id in its address [PQRS-10]', () => {
    const covers = '[Up](#feat~up~1), [feat~b~2](a.md#feat~c~3)\n- [The third](a.md#feat~d~4)';
    const { links } = read(`req~a~1\n\nCovers:\n- ${covers}`);
    expect(links.map(({ to, line }) => [to, line])).toEqual([
      ['feat~up~1', 4],
      ['feat~c~3', 4],
      ['feat~d~4', 5],
    ]);
  });

  test.each<[string, string[]]>([
    ['[Nice text](#feat~a~1)', ['not_kept info 4']],
    ['[feat~a~1](http://x)', ['not_kept info 4']],
    ['[feat~b~1](#feat~a~1)', ['not_kept info 4']],
    ['[feat~a~1](#feat~a~1)', []],
    ['[feat~a~1](#anchor)', []],
    ['`feat~a~1` because', ['not_kept info 4']],
    ['feat~a~1, nothing', ['not_kept warning 4']],
    ['**feat~a~1**', []],
  ])('what an entry says besides the id is not_kept: %s [PQRS-10]', (entry, losses) => {
    const text = `req~r~1\n\nDepends:\n- ${entry}`;
    expect(read(text).links[0]).toMatchObject({ to: 'feat~a~1', type: 'depends' });
    expect(found(text)).toEqual(losses);
  });

  test.each([
    ['Needs:\n- unit test', 'not_kept', 'partial'],
    ['Needs: !', 'not_kept', 'partial'],
    ['Needs: impl utest', 'not_kept', 'partial'],
    ['Status: draft\nStatus: approved', 'not_kept', 'partial'],
    ['Covers:\n- nothing', 'not_kept', 'partial'],
    ['Depends: nothing', 'not_kept', 'partial'],
  ])('%j is %s', (text, code, status) => {
    const { findings, statuses } = read(`## T\nreq~a~1\n\n${text}`);
    expect(findings.filter((one) => one.code !== 'uncovered_need').map((one) => one.code)).toEqual([
      code as 'not_kept',
    ]);
    expect(String(statuses.get('a.md'))).toBe(status);
  });
});

test('what is needed and no source holds is said once a file [PQRS-10]', () => {
  const { findings } = readOpenFastTrace(
    filesOf({
      'a.md': 'feat~a~1\nNeeds: req, impl\n\nfeat~b~1\nNeeds: req, utest\n',
      'b.md': 'req~a~1\nNeeds: feat\n',
    }),
  );
  expect(findings.map(({ code, path, severity }) => [code, path, severity])).toEqual([
    ['uncovered_need', 'a.md', 'info'],
  ]);
  expect(findings[0]?.detail).toContain('impl, utest');
});

describe('what stands between `oft:off` and `oft:on` is left out [PQRS-10]', () => {
  test.each<[string, string, string[]]>([
    [
      '# T\n<!-- oft:off -->\na\n<!-- oft:off -->\nb\n<!-- oft:on -->\nc',
      'parsed',
      ['not_kept info 2'],
    ],
    ['# T\n<!-- oft:off -->\n~~~\noft:on\n~~~\n\nreq~a~1\n', 'parsed', ['not_kept info 2']],
    ['Note <!-- oft:off -->\n<!-- oft:on --> more', 'parsed', ['not_kept info 1']],
    [
      'req~a~1\nCovers:\n<!-- oft:off -->\n<!-- oft:on -->\nb',
      'partial',
      ['not_kept warning 5', 'not_kept info 3'],
    ],
  ])('%j', (text, status, losses) => {
    expect([statusOf(text), found(text)]).toEqual([status, losses]);
  });
});

describe('front matter [PQRS-10]', () => {
  const text = '# Title\n\n## T\nreq~a~1\n';

  test('names the document, and is its attributes', () => {
    const { items, findings } = read(
      `---\ntitle: Ducks\nowner: y\nversion: 1.10\ntags: [a]\n---\n${text}`,
    );
    expect(findings).toEqual([]);
    expect(items.map(({ title, line }) => [title, line])).toEqual([
      ['Ducks', 1],
      ['Title', 7],
      ['T', 9],
    ]);
    expect(items[0]?.attributes).toEqual({ owner: 'y', version: '1.10', tags: ['a'] });
  });
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
      lost: findings.filter(({ code }) => code === 'not_kept').map(({ line }) => line),
    };
  };
  const item = { statement: 'd', ids: 2 };

  test.each([
    [
      'Covers:\n- feat~y~1\n  why\n  so\n- feat~z~1\n\nNeeds: impl',
      { to: ['feat~y~1', 'feat~z~1'], needs: ['impl'], lost: [8] },
    ],
    ['Covers:\n<!-- why -->\n- feat~z~1', { to: ['feat~z~1'], lost: [7] }],
    ['Covers:\n\nThe following:\n\n- feat~z~1', { to: ['feat~z~1'], lost: [8] }],
    ['Needs:\nnamely\n- impl\n\n  Java\n- utest', { needs: ['impl', 'utest'], lost: [7, 10] }],
    ['Tags:\n- a\n  why\n- b\n\n---\n\n- c', { tags: ['a', 'b', 'c'], lost: [8] }],
    ['Covers:\n- feat~z~1\n  ```\n  code\n  ```', { lost: [8] }],
    ['Covers:\nNone.\n\nNeeds: impl', { to: [], lost: [7] }],
  ])('a line that is no entry ends none, and is not_kept: %j', (text, wanted) => {
    expect(listed(text)).toMatchObject({ ...item, ...wanted });
  });

  test.each([
    ['Needs: impl\n\nMore.\n\n- a point\n- two\n\nTags: a', 'd\n\nMore.\n\n- a point\n- two'],
    ['Needs:\n- impl\n\nMore:\n- a point\n- two', 'd\n\nMore:\n- a point\n- two'],
    ['Tags: a\nMore.\nStatus: draft', 'd\n\nMore.\nStatus: draft'],
    ['Covers:\n- feat~b~1\n\n```\n- feat~c~1\n\nb\n```', 'd\n\n```\n- feat~c~1\n\nb\n```'],
    ['Depends:\n- feat~y~1\n\nAnd this:\n\n- no id', 'd\n\nAnd this:\n\n- no id'],
  ])('text behind the entries of a list is of the description: %j', (text, statement) => {
    expect(listed(text)).toMatchObject({ ids: 2, statement, lost: [] });
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
    const { needs, tags } = listed(`Needs: ${words}\nTags: ${words}`);
    expect([needs, tags].map((all) => (all as string[]).length)).toEqual([50_000, 50_000]);
  });
});

test.each([
  ['d\nStatus: draft\ne', { statement: 'd\nStatus: draft\ne', rationale: null }],
  ['Rationale:\nr\nStatus: x\ne', { statement: '', rationale: 'r\nStatus: x\ne' }],
  ['Comment:\nStatus: rejected', { attributes: { comment: 'Status: rejected' } }],
])('a status in a text is text: %j [PQRS-10]', (text, wanted) => {
  const { items, findings } = read(`## T\nreq~a~1\n${text}`);
  expect(items.at(-1)).toMatchObject({ ...wanted, status: 'approved' });
  expect(findings).toEqual([]);
});

test.each([
  ['1000000000', 1_000_000_000],
  ['12345678901234567890', '12345678901234567890'],
])('the revision %s is that of an item, exactly [PQRS-10]', (digits, revision) => {
  expect(read(`## B\n\`req~b~${digits}\`\n\nd\n`).items.at(-1)).toMatchObject({
    id: `req~b~${digits}`,
    attributes: { revision },
  });
});

describe('what is written like a part of OpenFastTrace and is none is text [PQRS-10]', () => {
  test.each([
    ...['`sw-req~b~1`', 'req2~num~1', 'req ~ sp~1', '`req~nored`', 'req~a~1a', 'req\\~b\\~1'],
    ...[
      'arch --> : req~f~1',
      'arch->dsn:req~x~1',
      'covers: feat~a~1',
      'Needs : dsn',
      '**Needs:** x',
    ],
    ...['- req~b~1', '  `req~b~1`', '<!-- [doc->req~b~1] -->', 'US-1: Log in'],
  ])('%s', (line) => {
    const { items, links, findings } = read(`\`req~a~1\`\nText.\n\n${line}\nMore.\n`);
    expect(items.at(-1)).toMatchObject({ id: 'req~a~1', statement: `Text.\n\n${line}\nMore.` });
    expect([links, findings]).toEqual([[], []]);
  });

  test('long lines are read in time', () => {
    const parts = [
      ...['needs: ', 'Covers :', 'a-', '~a', 'a ~ ', '-->', 'a-->', '`', '**Needs', ' ', '<!--'],
      ...['[a', '<!-- [a->'],
    ];
    for (const part of parts) {
      const line = part.repeat(200_000);
      expect(idsOf(`req~a~1\n${line}\n${line}~1\n${line}: req~b~1 ->x`)).toContain('req~a~1');
      expect(idsOf(`req~a~1\nCovers:\n- ${line}\nNeeds: ${line}`)).toContain('req~a~1');
    }
  });
});
