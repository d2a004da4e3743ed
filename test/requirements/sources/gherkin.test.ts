// Reading Gherkin: scenarios with all that is inherited, and what is left of a file with errors.
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { AstBuilder, dialects, GherkinClassicTokenMatcher, Parser } from '@cucumber/gherkin';
import fc from 'fast-check';
import { scenarioFingerprint } from '../../../src/quality/scenario-fingerprint.ts';
import { readGherkin } from '../../../src/requirements/sources/gherkin.ts';
import { piecesOf } from '../../../src/requirements/sources/gherkin-pieces.ts';
import { sharedData } from '../../support/shared-data.ts';
import { filesIn, filesOf } from '../../support/source-files.ts';

const read = (text: string) => readGherkin(filesOf({ 'a.feature': text }));
const told = (text: string) => read(text).findings.map(({ code, line }) => `${code} ${line}`);

describe('the fixture [PQRS-11]', () => {
  const result = readGherkin(filesIn(join(import.meta.dir, '..', '..', 'fixtures', 'gherkin')));

  test('its scenarios, with keys that say nothing of the file', () => {
    expect(result.findings).toMatchObject([
      { code: 'duplicate_scenario', severity: 'info', path: 'login.feature', line: 34 },
      { code: 'unread_name', severity: 'info', path: 'login.feature', line: 29 },
    ]);
    expect(result.scenarios.map(({ key, line }) => [key, line])).toEqual([
      ['Login / right pin', 7],
      ['Login / lockout / [US-3] three wrong pins', 20],
      ['Login / lockout / again', 33],
      ['Login / lockout / again #2', 34],
    ]);
    expect(result.items).toEqual([]);
  });

  test('steps with background and arguments', () => {
    expect(result.scenarios[0]?.steps).toEqual([
      { keyword: 'Given', text: 'a user' },
      { keyword: 'When', text: 'the pin is right\n"""json\n{"pin": 1}\n"""' },
      { keyword: 'Then', text: 'they are in' },
    ]);
    expect(result.scenarios[1]?.steps.map(({ text }) => text)).toEqual([
      ...['a user', 'a lock', 'the pin is <n>\n| a | b\\|c |'],
    ]);
  });

  test('tags, examples and ids', () => {
    expect(result.scenarios[1]).toMatchObject({
      tags: ['REQ-12', 'smoke', 'story:US-7', 'REQ-14~2', 'REQ-15'],
      storyIds: ['REQ-12', 'US-7', 'REQ-14', 'REQ-15', 'US-3'],
      examples: [['n'], ['3'], ['4']],
    });
    expect(result.scenarios[0]).toMatchObject({ tags: ['REQ-12', 'smoke'], storyIds: ['REQ-12'] });
  });
});

test.each([
  ['@US-1', ['US-1']],
  ['@us-1', ['us-1']],
  ['@req~a~1', ['req~a~1']],
  ['@TUT017', ['TUT017']],
  ['@REQ_001 @SRS-A.2', ['REQ_001', 'SRS-A.2']],
  ['@US-1@US-2', ['US-1', 'US-2']],
  ['@story=US-1', ['US-1']],
  ['@smoke @v2 @wip @slow-10s @utf-8', []],
])('the ids of %s', (tags, ids) => {
  expect(read(`${tags}\nFeature: f\nScenario: s\n`).scenarios[0]?.storyIds).toEqual(ids);
});

test('the beginning of a longer word in a title is no id [PQRS-11]', () => {
  const idsOf = (title: string) =>
    read(`Feature: f\nScenario: ${title}\n`).scenarios[0]?.storyIds ?? [];
  const id = `US-${'1'.repeat(197)}`;
  expect(idsOf(`a @${id}`)).toEqual([id]);
  expect(idsOf(`a @${id}1`)).toEqual([]);
});

describe('what looks as if it linked something and does not is told [PQRS-11]', () => {
  const remarks = (text: string) =>
    read(text)
      .findings.filter(({ code }) => code === 'invalid_reference')
      .map(({ severity, line, detail }) => [severity, line, detail]);

  test.each([
    ['a number', `US-${'1'.repeat(300)}`],
    ['a triple', `req~${'a'.repeat(300)}~1`],
    ['a word before it', `story:US-${'1'.repeat(300)}`],
    ['a revision', `US-${'1'.repeat(300)}~2`],
  ])('ids that are too long, in tags: %s', (_name, tag) => {
    const text = `Feature: f\n@${tag}\nScenario: s\nGiven a\n`;
    expect(read(text).scenarios[0]).toMatchObject({ tags: [tag], storyIds: [] });
    expect(remarks(text)).toEqual([
      ['info', 2, expect.stringMatching(/^"[^"]{101}" has more than the 200 characters .* tag\.$/)],
    ]);
    expect(remarks(`@${tag}\n${text.replace(tag, 'x')}`)).toMatchObject([
      ['info', 1, expect.any(String)],
    ]);
  });

  test('ids that are too long, in titles', () => {
    const id = `US-${'1'.repeat(198)}`;
    for (const title of [`a [${id}] @${id}`, `${id}: a`]) {
      expect(remarks(`Feature: f\nScenario: ${title}\nGiven a\n`)).toEqual([
        ['info', 2, expect.stringContaining('kept as text')],
      ]);
    }
  });

  test.each([
    ['@POST:/b?c=x', 'looks like a route'],
    ['@DELETE:x', 'looks like a route'],
    ['@GET:https://h/x', 'looks like a route'],
    ['@route:get=/b#c', 'looks like a route'],
    ['@get:/b?c', 'looks like a route'],
    ['@US-7,US-8', 'one id'],
    ['@req~a', 'ends in a revision'],
    ['@story:dsn~a.b-c~', 'ends in a revision'],
    ['@story:US-7;US-8', 'one id'],
    ['@US-7+slow', 'one id'],
    ['@GET:/b', undefined],
    ['@trace:US-7', undefined],
    ['@post:mortem', undefined],
    ['@a,b', undefined],
    ['@US-7', undefined],
    ['@req~a~1', undefined],
    ['@5~x', undefined],
  ])('tags: %s', (tag, told) => {
    const expected = told === undefined ? [] : [['info', 2, expect.stringContaining(told)]];
    expect(remarks(`Feature: f\n${tag}\nScenario: s\nGiven a\n`)).toEqual(expected);
  });
});

describe('an outline without examples is told [PQRS-11]', () => {
  test.each([
    ['none', 'Scenario Outline: s\nGiven <a>\n', 'has no examples'],
    ['none in German', 'Szenariogrundriss: s\nAngenommen <a>\n', 'has no examples'],
    ['no rows', 'Scenario: s\nGiven <a>\nExamples:\n|a|\n', 'never runs'],
    ['no table', 'Scenario Outline: s\nGiven <a>\nExamples:\n', 'never runs'],
  ])('%s', (_name, body, why) => {
    const isGerman = body.startsWith('Szen');
    const text = isGerman ? `# language: de\nFunktionalität: f\n${body}` : `\nFeature: f\n${body}`;
    expect(read(text).findings).toMatchObject([
      ...[{ code: 'missing_field', severity: 'info', line: 3 }],
    ]);
    expect(read(text).findings[0]?.detail).toContain(why);
    expect(read(text).statuses.get('a.feature')).toBe('parsed');
  });

  test('and no other scenario', () => {
    const rows = 'Examples:\n|a|\nExamples:\n|a|\n|1|\n';
    expect(
      told(`Feature: f\nScenario: s\nGiven <a>\nScenario Outline: o\nGiven <a>\n${rows}`),
    ).toEqual([]);
  });
});

test('the same titles in two files give two keys, in the order of the paths [PQRS-11]', () => {
  const text = 'Feature: f\nScenario: s\n';
  const { scenarios } = readGherkin(filesOf({ 'b.feature': text, 'a.feature': text }));
  expect(scenarios.map(({ key, path }) => [key, path])).toEqual([
    ['f / s', 'a.feature'],
    ['f / s #2', 'b.feature'],
  ]);
});

describe('a scenario with the key of another is told [PQRS-11]', () => {
  const second = (line: number, path: string, number: number) =>
    `The scenario on line ${line} of ${path} has the same key; the key of this one ends in #${number}, ` +
    'after their order: where they change places, what links to the one means the other.';

  test('in one file, each with the place of the first', () => {
    const { findings, statuses } = read(
      'Feature: F\nScenario: S\nScenario: T\nScenario: S\nScenario: S\n',
    );
    expect(findings).toEqual(
      [2, 3].map((number) => ({
        ...{ code: 'duplicate_scenario', severity: 'info', path: 'a.feature', line: number + 2 },
        ...{ itemId: null, relatedIds: [], detail: second(2, 'a.feature', number) },
      })),
    );
    expect(statuses.get('a.feature')).toBe('parsed');
  });

  test('in another file', () => {
    const text = 'Feature: f\n\nScenario: s\n';
    const { findings } = readGherkin(filesOf({ 'b.feature': text, 'a.feature': text }));
    expect(findings).toMatchObject([{ path: 'b.feature', detail: second(3, 'a.feature', 2) }]);
  });

  test('where a title is the key that a number makes', () => {
    const text = 'Feature: f\nScenario: s\nScenario: s\nScenario: s #2\nScenario: s\n';
    const { scenarios, findings } = read(text);
    expect(scenarios.map(({ key }) => key)).toEqual([
      ...['f / s', 'f / s #2', 'f / s #2 #2', 'f / s #3'],
    ]);
    expect(findings.map(({ detail }) => detail)).toEqual([
      second(2, 'a.feature', 2),
      second(3, 'a.feature', 2),
      second(2, 'a.feature', 3),
    ]);
  });
});

describe('tables of examples below one another [PQRS-11]', () => {
  const outline = (...tables: string[]) => {
    const examples = tables.map((rows) => `Examples:\n${rows}\n`).join('');
    return read(`Feature: A\nScenario Outline: o\nGiven a\n${examples}`);
  };

  test('a table with the columns in another order is read in that of the first', () => {
    const { scenarios, findings } = outline(
      '| user | pin |\n| a | 1 |',
      '| pin | user |\n| 2 | b |',
      '| user | pin |\n| c | 3 |',
    );
    expect(findings).toEqual([]);
    expect(scenarios[0]?.examples).toEqual([
      ['user', 'pin'],
      ['a', '1'],
      ['b', '2'],
      ['c', '3'],
    ]);
  });

  test.each([
    ['other names', '| user | id |\n| b | 2 |', 'user id, b 2'],
    ['fewer', '| user |\n| b |', 'user, b'],
    ['more', '| user | pin | id |\n| b | 2 | 3 |', 'user pin id, b 2 3'],
    ['a name twice', '| pin | pin |\n| 2 | b |', 'pin pin, 2 b'],
  ])('a table with other columns keeps its heading, and is told: %s', (_name, table, rows) => {
    const { scenarios, findings, statuses } = outline('| user | pin |\n| a | 1 |', table);
    const own = rows.split(', ').map((row) => row.split(' '));
    expect(scenarios[0]?.examples).toEqual([['user', 'pin'], ['a', '1'], [], ...own]);
    expect(findings).toMatchObject([{ code: 'other_columns', severity: 'info', line: 8 }]);
    expect(statuses.get('a.feature')).toBe('parsed');
  });

  test('one table with the rows of two is another scenario than these', () => {
    const fingerprints = [
      ['| a | b |\n| 1 | 2 |', '| a | c |\n| 3 | 4 |'],
      ['| a | b |\n| 1 | 2 |\n| a | c |\n| 3 | 4 |'],
      ['| a | b |\n| 1 | 2 |', '| a | b |\n| a | c |\n| 3 | 4 |'],
    ].map((tables) => scenarioFingerprint(outline(...tables).scenarios[0]!));
    expect(fingerprints[1]).toBe(
      's1:e816e22cfc1361b39190c8fe6d63526b4a524285167b5544233330fa7f5549c4',
    );
    expect(fingerprints[2]).toBe(fingerprints[1]!);
    expect(fingerprints[0]).not.toBe(fingerprints[1]!);
  });

  test('names that repeat have no other order', () => {
    const { scenarios, findings } = outline(
      '| a | a | b |\n| 1 | 2 | 3 |',
      '| b | a | a |\n| 4 | 5 | 6 |',
    );
    expect(scenarios[0]?.examples).toHaveLength(5);
    expect(findings).toMatchObject([{ code: 'other_columns', line: 8 }]);
  });
});

test.each([
  ['a scenario', 'Scenario: s\nGiven a\n| b |\n\n"""\nc\n"""\n', 6],
  ['a background', 'Background:\nGiven a\n| b |\n"""\nc\n"""\nScenario: s\n', 5],
])('a table and a doc string of one step are told: in %s [PQRS-11]', (_name, body, line) => {
  const { scenarios, findings } = read(`Feature: A\n${body}`);
  expect(scenarios[0]?.steps).toEqual([{ keyword: 'Given', text: 'a\n"""\nc\n"""\n| b |' }]);
  const detail = expect.stringContaining('both are kept');
  expect(findings).toMatchObject([{ code: 'second_argument', severity: 'info', line, detail }]);
});

test('lines end with LF, CRLF or CR [PQRS-11]', () => {
  const text =
    'Feature: F\n\n  text\n\n  @SYS-0\n  Scenario: A\n    Given a\n    """\n    b\n    """\n  blah\n';
  const plain = read(text);
  expect(plain.scenarios).toMatchObject([{ line: 6, steps: [{ text: 'a\n"""\nb\n"""' }] }]);
  expect(told(text)).toEqual(['unparsed_source 11', 'unread_description 3']);
  expect(read(text.replaceAll('\n', '\r\n'))).toEqual(plain);
  expect(read(text.replaceAll('\n', '\r'))).toEqual(plain);
});

test('every language of Gherkin is read [PQRS-11]', () => {
  const keys = Object.entries(dialects);
  expect(keys.length).toBeGreaterThan(70);
  for (const [language, dialect] of keys) {
    const word = (words: readonly string[]) => words.find((one) => !one.startsWith('*')) ?? '';
    const text = `# language: ${language}\n${word(dialect.feature)}: f\n${word(dialect.scenario)}: s\n${word(dialect.given)}x\n`;
    const { scenarios, findings } = read(text);
    expect([language, findings]).toEqual([language, []]);
    expect(scenarios[0]?.steps[0]).toEqual({ keyword: word(dialect.given).trim(), text: 'x' });
  }
});

describe('errors', () => {
  const GOOD = 'Feature: f\nScenario: s\n  Given a\n';
  test.each([
    [
      'a line that is no step',
      `${GOOD}  blah\n  When b\nScenario: t\n`,
      ['unparsed_source 4'],
      2,
      'partial',
    ],
    [
      'many of them',
      `${GOOD}${'blah\n'.repeat(30)}Scenario: t\n`,
      Array.from({ length: 30 }, (_, i) => `unparsed_source ${i + 4}`),
      2,
      'partial',
    ],
    [
      'a table with a short row',
      `${GOOD}  | a | b |\n  | c |\nScenario: t\n`,
      ['unparsed_source 5'],
      2,
      'partial',
    ],
    [
      'an open doc string',
      `${GOOD}Scenario: t\n Given b\n  """\n  x\n`,
      ['unparsed_source 6'],
      2,
      'partial',
    ],
    ['an unknown language', `# language: zz\n${GOOD}`, ['unparsed_source 1'], 1, 'partial'],
    ['white space in a tag', `${GOOD}@a b\nScenario: t\n`, ['unparsed_source 4'], 2, 'partial'],
    ['no Gherkin', 'Nothing\n', ['unparsed_source 1'], 0, 'failed'],
    ['nothing', '', ['empty_document 1'], 0, 'parsed'],
    ['a comment alone', '# x\n', ['empty_document 1'], 0, 'parsed'],
    ['a feature alone', '# x\n@US-1\nFeature: x\n', ['empty_document 3'], 0, 'parsed'],
    [
      'a background alone',
      'Feature: x\nRule: r\nBackground:\nGiven a\n',
      ['empty_document 1'],
      0,
      'parsed',
    ],
    [
      'no scenario but an error',
      'Feature: x\nScenaro: a\nGiven b\n@x y\n',
      ['unparsed_source 4', 'unread_steps 2'],
      0,
      'partial',
    ],
  ])('%s', (_name, text, findings, scenarios, status) => {
    const result = read(text);
    expect(told(text)).toEqual(findings);
    expect(result.scenarios.length).toBe(scenarios);
    expect(result.statuses.get('a.feature')).toBe(status as 'failed');
  });
});

describe('one mistake is told once, and costs nothing else [PQRS-11]', () => {
  const SCENARIO = 'Scenario: b\n    Given c\n';
  test.each<[string, string, number, number]>([
    ['tags of a background', `Feature: A\n @US-1\n Background:\n  Given z\n ${SCENARIO}`, 2, 0],
    ['tags of a step', `Feature: A\n${SCENARIO}@US-1 @x y\n@US-2\n  When d\n`, 4, 0],
    ['tags of nothing', `Feature: A\n${SCENARIO}\n@US-1\n\n# end`, 5, 0],
    ['tags in a description', `Feature: A\n@US-1\ntext\n${SCENARIO}`, 2, 3],
    ['tags of examples without a scenario', `Feature: A\n@US-1\nExamples:\n${SCENARIO}`, 2, 3],
  ])('%s', (_name, text, line, described) => {
    const { scenarios, statuses } = read(text);
    const others = described > 0 ? [`unread_description ${described}`] : [];
    expect(told(text)).toEqual([`unparsed_source ${line}`, ...others]);
    expect(scenarios).toMatchObject([{ key: 'A / b', storyIds: [] }]);
    expect(statuses.get('a.feature')).toBe('partial');
  });

  test.each([
    ['of a scenario', `Feature: A\n@US-1\n# c\n@x y\n${SCENARIO}`, [4]],
    ['first of them', `Feature: A\n@x y\n@US-1\n${SCENARIO}`, [2]],
    ['of a scenario, twice', `Feature: A\n@x @y z\n@US-1\n@ a\n${SCENARIO}`, [2, 4]],
    ['of examples', `Feature: A\n${SCENARIO}@US-1\n@x y\nExamples:\n|n|\n|1|\n`, [5]],
    ['of a feature', `@US-1\n@x y\nFeature: A\n${SCENARIO}`, [2]],
    ['of a rule', `Feature: A\n@US-1\n@x y\nRule: r\n${SCENARIO}`, [3]],
    ['with a comment', `Feature: A\n@US-1 #x y\n@x #\n${SCENARIO}`, []],
  ])('a line of tags of which one is none, %s', (_name, text, lines) => {
    const after = `${text}\n@US-2\nScenario: c\nGiven d\n`;
    expect(told(after)).toEqual(lines.map((line) => `unparsed_source ${line}`));
    const [first, second, ...others] = read(after).scenarios;
    expect([first?.title, first?.storyIds, second?.title, others]).toEqual([
      ...['b', ['US-1'], 'c', []],
    ]);
    expect(second?.storyIds).toContain('US-2');
  });

  const GERMAN = 'Szenario: b\nGegeben sei c\n';
  const feature = 'Funktionalit\u00e4t';
  const nobody: string[] = [];
  test.each([
    ['alone', `Feature: A\n${SCENARIO}Feature: B\n  ${SCENARIO}`, 4, nobody],
    ['with tags', `Feature: A\n${SCENARIO}@US-1\n# x\n@y\nFeature: B\n${SCENARIO}`, 7, ['US-1']],
    ['after a rule', `Feature: A\n${SCENARIO}Rule: r\n@x\nFeature: B\n${SCENARIO}`, 6, nobody],
    [
      'in another language',
      `# language: de\n${feature}: A\n${GERMAN}${feature}: B\n${GERMAN}`,
      ...([5, nobody] as const),
    ],
    [
      'after examples',
      `Feature: A\n${SCENARIO}Examples:\n|n|\n|1|\nFeature: B\n${SCENARIO}`,
      ...([7, nobody] as const),
    ],
  ])('a second feature, %s', (_name, text, line, storyIds) => {
    const others = text.includes('Rule') ? ['empty_rule 4'] : [];
    expect(told(text)).toEqual([`unparsed_source ${line}`, ...others]);
    const at = text.split('\n').findLastIndex((one) => /^ *(?:Scenario|Szenario)/.test(one));
    expect(read(text).scenarios).toMatchObject([
      { key: 'A / b', feature: 'A', storyIds: [] },
      { key: 'B / b', feature: 'B', storyIds, line: at + 1 },
    ]);
  });

  const LATE = 'Given late\n"""\nScenario: x\n"""\n| a |\n';
  test.each([
    ['a late background', `Background:\n${LATE}`, [5]],
    ['a word with a mistake', `@US-1\nScenaro: x\n${LATE}`, [6]],
    ['one with examples', `Scenario Outlin: x\n${LATE}@t\nExamples:\n|n|\n|1|\n`, [5]],
    ['one after the other', `Background:\n${LATE}Scenaro: x\n${LATE}`, [5, 11]],
  ])('what stands below a title that is none is of no scenario: %s', (_name, wrong, lines) => {
    const text = `Feature: A\nScenario: a\nGiven a\n\n${wrong}@US-2\n${SCENARIO}`;
    expect(told(text)).toEqual(lines.map((line) => `unparsed_source ${line}`));
    expect(read(text).findings[0]?.detail).toContain('left out with all that follows it');
    expect(read(text).scenarios).toMatchObject([
      { key: 'A / a', steps: [{ keyword: 'Given', text: 'a' }], examples: [], storyIds: [] },
      { key: 'A / b', steps: [{ keyword: 'Given', text: 'c' }], storyIds: ['US-2'] },
    ]);
  });

  test('what is no title leaves the steps below it to their scenario', () => {
    for (const wrong of ['blah', 'Then: x', 'see http://a']) {
      const text = `Feature: A\nScenario: a\nGiven a\n${wrong}\nThen b\n`;
      expect(told(text)).toEqual(['unparsed_source 4']);
      expect(read(text).scenarios[0]?.steps.map(({ text: said }) => said)).toEqual(['a', 'b']);
    }
  });

  const QUOTE = '"""\nScenario: x\n"""\n';
  test.each([
    ['a table', `Wenn b\n| c |\n\n# c\n| d |\n`, ['table on lines 5 to 8']],
    ['a doc string', `Wenn b\n${QUOTE}`, ['doc string on lines 5 to 7']],
    ['both', `Wenn b\n| c |\n${QUOTE}`, ['table on line 5', 'doc string on lines 6 to 8']],
    ['after a text', `blah\n\nblah\n| c |\n`, ['table on line 7']],
    ['after its own', `| c |\nWenn b\n| d |\n`, ['table on line 6']],
    ['two', `Wenn b\n| c |\nWenn d\n| e |\n`, ['table on line 5', 'table on line 7']],
    [
      'a mark too many',
      `Wenn b\n${QUOTE}"""\n`,
      ['doc string on lines 5 to 7', 'doc string on line 8'],
    ],
  ])('an argument below a line that is no step goes with it: %s', (_name, wrong, wanted) => {
    const text = `Feature: A\nScenario: a\nGiven a\n${wrong}Then e\n| f |\n`;
    const { scenarios, findings, statuses } = read(text);
    expect(scenarios).toMatchObject([{ title: 'a' }]);
    const own = wrong.startsWith('|') ? '\n| c |' : '';
    expect(scenarios[0]?.steps.map((one) => one.text)).toEqual([`a${own}`, 'e\n| f |']);
    const left = findings.filter(({ detail }) => !detail.startsWith('expected'));
    expect(left.map(({ code, detail }) => `${code} ${detail}`)).toEqual(
      wanted.map(
        (what) =>
          `unparsed_source The ${what} stands below a line that could not be read; it is left out with that line.`,
      ),
    );
    expect(statuses.get('a.feature')).toBe('partial');
  });

  test('many of them are left out in time', () => {
    const text = `Feature: A\n${SCENARIO}${'Wenn b\n| c |\n"""\n'.repeat(100_000)}`;
    const { findings } = read(text);
    expect(findings).toHaveLength(201);
    expect(findings.at(-1)?.detail).toStartWith('299797 more');
  });

  test.each([
    ['', '\n"""\nx\n\nScenario: b\nGiven c\n"""', 'became text of the step above it'],
    ['Wenn b\n', '', 'is left out'],
    ['Scenaro: b\nGiven b\n', '', 'is left out'],
  ])('a doc string without an end is told where it begins: %j', (before, kept, became) => {
    const text = `Feature: A\nScenario: a\nGiven a\n${before}"""\nx\n\n${SCENARIO.replace('    ', '')}`;
    const { scenarios, findings, statuses } = read(text);
    expect(scenarios.map(({ steps }) => steps.map((one) => one.text))).toEqual([[`a${kept}`]]);
    const line = text.split('\n').indexOf('"""') + 1;
    const last = text.split('\n').length - 1;
    expect(findings.at(-1)).toMatchObject({
      ...{ code: 'unparsed_source', severity: 'error', line },
      detail: `The doc string that begins here has no end: all up to the end of the file, line ${last}, ${became}.`,
    });
    expect(findings).toHaveLength(before === '' ? 1 : 2);
    expect(statuses.get('a.feature')).toBe('partial');
  });

  test('a tag or a feature in a doc string is text', () => {
    const text = `Feature: A\n${SCENARIO}"""\n@US-1\nFeature: B\n"""\n`;
    expect(read(text)).toMatchObject({ findings: [], scenarios: [{ key: 'A / b' }] });
  });

  test('what Cucumber takes is left as it is', () => {
    const line = fc.constantFrom(
      ...['', '# c', '@t', '@t @u', 'Background:', 'Rule: r', 'Scenario: s', 'Scenario Outline: o'],
      ...['Examples:', '| a |', 'Given g', '* x', 'And y', '"""', '```', 'text', 'Feature: G'],
      ...['Given g', 'Scenario: s', '| a |', '@t #c d', '@t@u @', 'Scenaro: s', 'Note: n'],
    );
    let taken = 0;
    fc.assert(
      fc.property(fc.array(line, { maxLength: 14 }), (lines) => {
        const text = ['Feature: F', ...lines].join('\n');
        const builder = new AstBuilder(() => '');
        try {
          new Parser(builder, new GherkinClassicTokenMatcher()).parse(text);
        } catch {
          return;
        }
        taken++;
        const pieces = [{ text, before: 0 }];
        expect(piecesOf(text)).toEqual({ pieces, language: 'en', faults: [] });
      }),
      {
        numRuns: 5000,
        examples: [[['Scenario: s', 'Given g', '| a |', '"""', 'Background:', '"""']]],
      },
    );
    expect(taken).toBeGreaterThan(200);
  });

  test('a language that is none is told once', () => {
    expect(told(`# language: constructor\nFeature: A\n${SCENARIO}`)).toHaveLength(1);
  });

  test('many features are read in seconds', () => {
    const text = `Feature: F\n${SCENARIO}`.repeat(20_000);
    expect(read(text).scenarios).toHaveLength(20_000);
  });
});

describe('what no scenario holds is told [PQRS-11]', () => {
  const SCENARIO = 'Scenario: b\nGiven c\n';
  test.each([
    [
      'a description',
      `Feature: A\n# c\n\n  As a buyer\n  I pay\n${SCENARIO}`,
      ['unread_description 4'],
    ],
    [
      'descriptions, once',
      `Feature: A\ntext\nBackground:\nmore\nRule: r\n| a |\n${SCENARIO}Examples:\nsuch\n|n|\n|1|\n`,
      ['unread_description 2'],
    ],
    ['one below a name', `Feature: A\nScenario: b\n\ntext\nGiven c\n`, ['unread_description 4']],
    ['a title without a name', `Feature: A\nScenario:\ntext\n\n[utest->req~a~1]\nGiven c\n`, []],
    [
      'more than a title',
      `Feature: A\nScenario:\ntext\n\nmore\nGiven c\n`,
      ['unread_description 5'],
    ],
    ['a rule', `Feature: A\n${SCENARIO}Rule: r\n\nRule: s\n${SCENARIO}`, ['empty_rule 4']],
    [
      'steps of a rule',
      `Feature: A\nRule: r\nGiven a\n  | b |\nThen d\n${SCENARIO}`,
      ['unread_steps 3'],
    ],
    [
      'a sentence of a rule',
      `Feature: A\nRule: r\nWhen a is b, c.\n${SCENARIO}`,
      ['unread_description 3'],
    ],
    ['a rule of one step', `Feature: A\n${SCENARIO}Rule: r\nWhen a\n`, ['unread_steps 5']],
    ['steps of nothing', `Feature: A\nGiven a\nThen d\n`, ['empty_document 1', 'unread_steps 2']],
    ['steps below a word', `Feature: A\nScenaro: x\nGiven a\n\n${SCENARIO}`, ['unread_steps 2']],
    [
      'a table before the steps',
      `Feature: A\nScenario: b\n| a |\n| b |\nGiven c\n`,
      ['unread_steps 3'],
    ],
    [
      'in another language',
      '# language: de\nFunktionalit\u00e4t: A\nRegel: r\nGegeben sei c\nDann e\nSzenario: b\nDann d\n',
      ['unread_steps 4'],
    ],
  ])('%s', (_name, text, findings) => {
    expect(told(text)).toEqual(findings);
    const isLost = findings.some((one) => one.startsWith('unread_steps'));
    expect(read(text).statuses.get('a.feature')).toBe(isLost ? 'partial' : 'parsed');
  });

  test('a rule without a scenario, with its tags and its background', () => {
    const text = `Feature: A\n@US-1\nRule: r\nBackground:\nGiven a\n\nRule: s\n${SCENARIO}`;
    expect(read(text).findings).toMatchObject([
      { code: 'empty_rule', severity: 'warning', line: 3, detail: expect.stringContaining('tags') },
    ]);
  });

  test('many scenarios of a rule are looked at in no time', () => {
    const many = Array.from({ length: 150_000 }, (_, at) => `Scenario:${at}\n`);
    expect(told(`Feature: F\nRule: r\n${many.join('')}`)).toEqual([]);
  });

  test.each([
    ['a background', `Feature: A\nBackground: before all\nGiven a\n${SCENARIO}`, 2],
    ['examples', `Feature: A\n${SCENARIO}Examples: of it\n|n|\n|1|\nExamples: more\n|n|\n`, 4],
    ['one of a rule', `Feature: A\nRule: r\nBackground: of r\nGiven a\n${SCENARIO}`, 3],
  ])('the name of %s', (_name, text, line) => {
    expect(told(text)).toEqual([`unread_name ${line}`]);
    expect(read(text).statuses.get('a.feature')).toBe('parsed');
  });

  const listed = Array.from({ length: 20 }, (_, at) => 3 * at + 3).join(', ');
  test.each([
    [1, 'is not kept.'],
    [2, 'is not kept (2 times: lines 3 and 6).'],
    [20, `is not kept (20 times: lines ${listed.replace(/, 60$/, ' and 60')}).`],
    [25, `is not kept (25 times: lines ${listed} and 5 more).`],
  ])('%i descriptions are told once, with their lines', (count, end) => {
    const some = Array.from({ length: count }, (_, at) => `Scenario: ${at}\ntext\nGiven a\n`);
    const { findings } = read(`Feature: F\n${some.join('')}`);
    expect(findings).toMatchObject([{ code: 'unread_description', severity: 'info', line: 3 }]);
    expect(findings[0]?.detail).toBe(`A description is in no scenario and ${end}`);
  });

  test('many names, with their lines', () => {
    const text = `Feature: A\nBackground: all\nGiven a\n${SCENARIO}Examples: of it\n|n|\n|1|\nExamples:\n|n|\n`;
    expect(read(text).findings.map(({ detail }) => detail)).toEqual([
      'The name of a background or of examples is in no scenario and is not kept (2 times: lines 2 and 6).',
    ]);
  });

  test('a coverage tag that is of no scenario', () => {
    expect(told(`Feature: A\n[utest->req~a~1]\n${SCENARIO}`)).toEqual(['text_ignored 2']);
  });

  test.each([
    ['nothing', 'Feature: A\n', 'info', ''],
    ['tags', '@US-1\nFeature: A\n', 'info', '; its tags are left out'],
    ['a text', 'Feature: A\ntext\n', 'info', '; its description is left out'],
    [
      'a background',
      'Feature: A\nBackground:\nGiven a\n',
      'warning',
      '; its background is left out',
    ],
    ['rules', '@t\nFeature: A\nRule: a\n', 'warning', '; its tags and its rules are left out'],
    [
      'all of it',
      '@t\nFeature: A\ntext\nBackground: b\nmore\nGiven a\nRule: a\ntext\n',
      'warning',
      '; its tags, its description, its background and its rules are left out',
    ],
  ])('a feature without a scenario, with %s', (_name, text, severity, leftOut) => {
    const { findings, statuses } = read(text);
    const detail = `The feature has no scenario${leftOut}.`;
    expect(findings).toMatchObject([{ code: 'empty_document', severity, detail }]);
    expect(statuses.get('a.feature')).toBe('parsed');
  });

  test('a second feature without a scenario, with its tags', () => {
    const text = `Feature: A\n${SCENARIO}@t\nFeature: B\nBackground:\nGiven a\n`;
    expect(told(text)).toEqual(['unparsed_source 5', 'empty_document 5']);
  });

  test('many descriptions are looked at in no time', () => {
    const many = Array.from({ length: 20_000 }, (_, at) => `Scenario: ${at}\ntext\nGiven a\n`);
    expect(told(`Feature: F\n${many.join('')}`)).toEqual(['unread_description 3']);
  });
});

test('a row of another length is left out, and the others of its table stay [PQRS-11]', () => {
  const text =
    'Feature: A\nScenario Outline: o\nGiven a\n| a | b |\n| c |\n| d | e |\nExamples:\n| n | m |\n| 1 | 2 |\n| 3 |\n| 4 | 5 | 6 |\n| 7 | 8 |\n';
  const { scenarios, findings, statuses } = read(text);
  expect(findings.map(({ code, line, detail }) => [code, line, detail])).toEqual([
    ['unparsed_source', 5, 'The row has 1 cell and the first of its table 2; it is left out.'],
    ['unparsed_source', 10, 'The row has 1 cell and the first of its table 2; it is left out.'],
    ['unparsed_source', 11, 'The row has 3 cells and the first of its table 2; it is left out.'],
  ]);
  expect(scenarios).toMatchObject([
    {
      steps: [{ text: 'a\n| a | b |\n| d | e |' }],
      examples: [
        ['n', 'm'],
        ['1', '2'],
        ['7', '8'],
      ],
    },
  ]);
  expect(statuses.get('a.feature')).toBe('partial');
});

describe('what stands behind the end is told where it stands [PQRS-11]', () => {
  const OUTLINE = 'Feature: A\nScenario: o\nGiven a\n';
  const lost = (what: string) => `What stands behind ${what} is not kept: mk001`;
  test.each([
    [
      'rows of examples',
      `${OUTLINE}Examples:\n| a | mk001\n| 1 | mk001\n`,
      [5, 6],
      'the last | of a row',
    ],
    ['rows of a step', `${OUTLINE}| a\\| | mk001\n| b |\n`, [4], 'the last | of a row'],
    ['one that is no cell', `${OUTLINE}| mk001\n`, [4], 'the last | of a row'],
    ['a doc string', `${OUTLINE}"""\nx\n""" mk001\n`, [6], 'the end of a doc string'],
    ['another one', `${OUTLINE}\`\`\`md\n"""\n\`\`\`mk001\n`, [6], 'the end of a doc string'],
  ])('of %s', (_name, text, lines, what) => {
    const { findings, statuses } = read(text);
    expect(findings).toMatchObject(
      lines.map((line) => ({ code: 'unparsed_source', severity: 'error', line })),
    );
    for (const { detail } of findings) expect(detail).toBe(lost(what));
    expect(statuses.get('a.feature')).toBe('partial');
  });

  test('of a row of another length, which is left out', () => {
    const { findings } = read(`${OUTLINE}| a | b |\n| 1 | 2\n| 3 | 4 |\n`);
    expect(findings.map(({ line, detail }) => [line, detail])).toEqual([
      [
        5,
        'The row has 1 cell and the first of its table 2; it is left out. What stands behind its last | is no cell.',
      ],
    ]);
  });

  test('as information where it is meant as a comment', () => {
    const { findings, statuses } = read(`${OUTLINE}| a | # of it\nWhen b\n"""\nx\n""" # y\n`);
    expect(findings.map(({ severity, line }) => [severity, line])).toEqual([
      ['info', 4],
      ['info', 8],
    ]);
    expect(statuses.get('a.feature')).toBe('parsed');
  });

  test('as information where there are many of them', () => {
    const { findings, statuses } = read(`${OUTLINE}${'| a | # b\n'.repeat(1500)}`);
    expect(findings).toHaveLength(201);
    expect(findings[199]).toMatchObject({ severity: 'info', line: 203 });
    expect(findings[200]).toMatchObject({
      severity: 'info',
      detail: expect.stringMatching(/^1300 /),
    });
    expect(statuses.get('a.feature')).toBe('parsed');
  });

  test('shortened where it is long', () => {
    const [finding] = read(`${OUTLINE}| a | ${'x'.repeat(1_000_000)}\n`).findings;
    expect(finding?.detail.length).toBeLessThan(300);
  });
});

describe('what is made to exhaust [PQRS-15]', () => {
  const MANY = 8000;
  const steps = 'Given a\n'.repeat(MANY);
  const scenarios = Array.from({ length: MANY }, (_, at) => `Scenario: ${at}\nGiven b\n`).join('');
  const tags = Array.from({ length: MANY }, (_, at) => `@t${at}`).join(' ');
  const rules = Array.from({ length: MANY }, (_, at) => `Rule: ${at}\nBackground:\nGiven b\n`);
  test.each([
    ['a long background in many scenarios', `Feature: F\nBackground:\n${steps}${scenarios}`],
    ['many tags of many scenarios', `${tags}\nFeature: F\n${scenarios}`],
    ['a long background in many rules', `Feature: F\nBackground:\n${steps}${rules.join('')}`],
  ])('%s: what there is room for is kept, and told', (_name, text) => {
    const { scenarios: kept, findings, statuses } = read(text);
    expect(findings.map(({ code, severity }) => `${code} ${severity}`)).toEqual(['too_much error']);
    expect(findings[0]?.line).toBeGreaterThan(0);
    expect(kept.length).toBeLessThan(MANY);
    expect(statuses.get('a.feature')).toBe('partial');
  });

  const LONG = 'x'.repeat(100_000);
  test.each([
    [
      'tags and a background',
      `@${LONG}\n`,
      `Background:\nGiven ${LONG}\n`,
      'the tags and the background',
    ],
    ['a background', '', `Background:\nGiven ${LONG}\n`, 'the background'],
    ['tags', `@${LONG}\n`, '', 'the tags'],
  ])('what is said again and how much is left out is told: %s', (_name, before, below, again) => {
    const some = Array.from({ length: 400 }, (_, at) => `Scenario: ${at}\n`).join('');
    const { scenarios: kept, findings } = read(`${before}Feature: F\n${below}${some}`);
    expect(findings.map(({ detail }) => detail)).toEqual([
      `The scenarios hold more than is kept together, with ${again} in each; ${400 - kept.length} scenarios of this file are left out.`,
    ]);
  });

  test('the faults of all lines are counted', () => {
    const text = `Feature: F\nScenario: s\nGiven a\n${'junk\n'.repeat(5000)}`;
    const { findings, statuses } = read(text);
    expect(findings).toHaveLength(201);
    expect(findings.at(-1)?.detail).toBe('4800 more findings of this kind are in the file.');
    expect(statuses.get('a.feature')).toBe('partial');
  });

  test('a text of many megabytes is not read', () => {
    const {
      scenarios: kept,
      findings,
      statuses,
    } = read(`Feature: F\nScenario: s\n${'Given a\n'.repeat(600_000)}`);
    expect(kept).toEqual([]);
    expect(findings[0]?.detail).toContain('longer than');
    expect(statuses.get('a.feature')).toBe('failed');
  });
});

test('real features: outlines without a name, with coverage tags of OpenFastTrace', () => {
  const folder = sharedData('gherkin');
  if (folder === undefined) return;
  const { scenarios, findings } = readGherkin(filesIn(folder));
  expect(findings.map(({ code, line }) => `${code} ${line}`)).toEqual(['unread_description 36']);
  expect(scenarios.length).toBe(6);
  expect(new Set(scenarios.map(({ key }) => key)).size).toBe(6);
  expect(scenarios.map(({ examples }) => examples.length)).toEqual([2, 19, 21, 12, 14, 28]);
  expect(scenarios.every(({ title }) => title.startsWith('Developers using'))).toBe(true);
  const ids = [...new Set(scenarios.flatMap(({ storyIds }) => storyIds))];
  expect(ids).toEqual([
    ...['req~uuid-hex-and-dash~1', 'dsn~uri-pattern-matching~2', 'req~uri-serialization~1'],
    ...['dsn~uri-scheme~1', 'dsn~uri-host-only~2', 'dsn~uri-authority-mapping~1'],
    'dsn~uri-path-mapping~2',
  ]);
});

describe('coverage tags of OpenFastTrace [PQRS-11]', () => {
  const below = (text: string) => {
    const { scenarios, findings } = read(`Feature: F\nScenario: s\n${text}\nGiven x\n`);
    const said = findings.map(({ code, severity, line }) => `${code} ${severity} ${line}`);
    return [scenarios[0]?.storyIds, ...said];
  };

  test.each([
    ['[utest->req~a~1]', ['req~a~1'], []],
    ['[utest -> req~a~1, req~b~2]', ['req~a~1', 'req~b~2'], []],
    ['[utest->req:a, v1, req:b, v2]', ['req~a~1', 'req~b~2'], []],
    ['[utest->REQ-1]', ['REQ-1'], []],
    ['[utest->req~a]', [], ['invalid_reference']],
    ['[utest->]', [], ['invalid_reference']],
    ['[utest->req~a~x text]', [], ['invalid_reference']],
    ['[u-test->req~a~1]', [], ['invalid_reference']],
    ['[u_test2->req~a~1]', [], ['invalid_reference']],
    ['[utest->req~a~1, req~b]', ['req~a~1'], ['invalid_reference']],
    ['[utest->req~a~1 req~b~1 more]', ['req~a~1'], ['invalid_reference']],
    ['[utest~own~2->req~a~1]', ['req~a~1'], ['text_ignored']],
    ['[utest->req~a~1>>bad need]', ['req~a~1'], ['text_ignored']],
    ['[open -> closed]', [], ['unread_description']],
    [`[utest->${'a'.repeat(700)}~1]`, [], ['unread_description']],
  ])('in a description: %s', (text, ids, codes) => {
    expect(below(text)).toEqual([ids, ...codes.map((code) => `${code} info 3`)]);
  });

  test('what is wrong in one is named', () => {
    const { findings } = read('Feature: F\nScenario: s\n\n# c\n[utest->req~a~1, req~b]\nGiven x\n');
    expect(findings).toMatchObject([
      {
        line: 5,
        detail: expect.stringContaining('links no more than req~a~1: behind its arrow stand ids'),
      },
    ]);
  });

  test('each names what it covers where it stands', () => {
    const { namingLines } = read(
      'Feature: F\nScenario: s\n# c\n[utest->req~a~1]\n# d\n[utest->req~b~1]\nGiven x\n',
    );
    expect([...(namingLines ?? [])]).toEqual([
      [JSON.stringify(['a.feature', 'req~a~1']), 4],
      [JSON.stringify(['a.feature', 'req~b~1']), 6],
    ]);
  });

  test('in comments right above a scenario or its tags they are of that; the others are told', () => {
    const tag = (name: string) => `[utest->req~${name}~1]`;
    const { scenarios, findings, statuses } = read(
      `# ${tag('z')}\nFeature: F ${tag('y')}\n\n# ${tag('a')}\n@x # ${tag('b')}\n# ${tag('c')}\n` +
        `Scenario: s ${tag('x')}\nGiven a\n"""\n# ${tag('q')}\n"""\n# ${tag('m')}\nWhen ${tag('w')}\n\n` +
        `# ${tag('n')}\n\nScenario: t\nGiven a\n`,
    );
    expect(scenarios.map(({ storyIds }) => storyIds)).toEqual([
      ['req~a~1', 'req~b~1', 'req~c~1'],
      [],
    ]);
    const above = 'Coverage tags in comments are read right above a scenario alone';
    const text = 'Coverage tags in names and in steps are text';
    expect(findings.map(({ line, detail }) => [line, detail])).toEqual(
      [
        ...[[1, above, 'z'] as const, [12, above, 'm'] as const, [15, above, 'n'] as const],
        ...[[2, text, 'y'] as const, [7, text, 'x'] as const, [13, text, 'w'] as const],
      ].map(([line, why, name]) => [line, `${why}, so that nothing is covered by: ${tag(name)}.`]),
    );
    expect(statuses.get('a.feature')).toBe('parsed');
  });

  test('in descriptions of anything but a scenario they are told where they stand', () => {
    const TAG = '[utest->req~a~1]';
    const { scenarios, findings, statuses } = read(
      `Feature: F\n\n# c\n${TAG}\n# d\ntext\nRule: x\n${TAG} more\nBackground:\n${TAG}\n[utest->req~b]\nGiven a\n` +
        `Scenario Outline: o\n${TAG}\nfoo\nGiven <n>\nExamples:\n${TAG} ${TAG}\n|n|\n|1|\n`,
    );
    expect(scenarios.map(({ storyIds }) => storyIds)).toEqual([['req~a~1']]);
    const why =
      'Coverage tags are read in the description of a scenario alone, so that nothing is covered by:';
    expect(findings.map(({ line, detail }) => `${line} ${detail}`)).toEqual([
      '6 A description is in no scenario and is not kept (3 times: lines 6, 8 and 15).',
      ...[`4 ${why} ${TAG}.`, `8 ${why} ${TAG}.`, `10 ${why} ${TAG}.`],
      ...[`11 ${why} [utest->req~b].`, `18 ${why} ${TAG}, ${TAG}.`],
    ]);
    expect(statuses.get('a.feature')).toBe('parsed');
  });

  test('texts full of what begins one are read in time', () => {
    for (const part of ['[a->', '[a->req~a~1', '# [a->req~a~1]\n', '@a # [a->', '\n[a->req~a~1]']) {
      for (const before of ['', 'Scenario: s\n', 'Scenario: ', '# ', 'Scenario: s\nGiven ']) {
        read(`Feature: F\n${before}${part.repeat(20_000)}`);
      }
    }
  });
});
