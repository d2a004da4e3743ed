// Reading Gherkin: scenarios with all that is inherited, and what no scenario holds.
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { dialects } from '@cucumber/gherkin';
import { readGherkin } from '../../../src/requirements/sources/gherkin/reader.ts';
import { sharedData } from '../../support/shared-data.ts';
import { filesIn, filesOf } from '../../support/source-files.ts';

const read = (text: string) => readGherkin(filesOf({ 'a.feature': text }));
const found = (text: string) =>
  read(text).findings.map(({ code, severity, line }) => `${code} ${severity} ${line}`);
const statusOf = (text: string) => String(read(text).statuses.get('a.feature'));

describe('the fixture [PQRS-11]', () => {
  const result = readGherkin(filesIn(join(import.meta.dir, '..', '..', 'fixtures', 'gherkin')));

  test('its scenarios, with keys that say nothing of the file', () => {
    expect(result.findings).toMatchObject([
      { code: 'duplicate_entry', severity: 'info', path: 'login.feature', line: 34 },
      { code: 'not_kept', severity: 'info', path: 'login.feature', line: 29 },
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

test('the same titles in two files give two keys, in the order of the paths [PQRS-11]', () => {
  const text = 'Feature: f\nScenario: s\n';
  const { scenarios } = readGherkin(filesOf({ 'b.feature': text, 'a.feature': text }));
  expect(scenarios.map(({ key, path }) => [key, path])).toEqual([
    ['f / s', 'a.feature'],
    ['f / s #2', 'b.feature'],
  ]);
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
  ])(
    'a table with other columns keeps its heading, with an empty row before it: %s',
    (_name, table, rows) => {
      const { scenarios, findings, statuses } = outline('| user | pin |\n| a | 1 |', table);
      const own = rows.split(', ').map((row) => row.split(' '));
      expect(scenarios[0]?.examples).toEqual([['user', 'pin'], ['a', '1'], [], ...own]);
      expect(findings).toEqual([]);
      expect(statuses.get('a.feature')).toBe('parsed');
    },
  );
});

test('lines end with LF, CRLF or CR [PQRS-11]', () => {
  const text =
    'Feature: F\n\n  text\n\n  @SYS-0\n  Scenario: A\n    Given a\n    """\n    b\n    """\n';
  const plain = read(text);
  expect(plain.scenarios).toMatchObject([{ line: 6, steps: [{ text: 'a\n"""\nb\n"""' }] }]);
  expect(found(text)).toEqual(['not_kept info 3']);
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

describe('a file that Cucumber refuses is failed, with its errors by line [PQRS-11]', () => {
  const GOOD = 'Feature: f\nScenario: s\n  Given a\n';
  test.each<[string, string, number[]]>([
    ['a line that is no step', `${GOOD}  blah\n  When b\nScenario: t\n`, [4]],
    ['two of them', `${GOOD}  blah\nScenario: t\nGiven b\n  blub\n`, [4, 7]],
    ['a table with a short row', `${GOOD}  | a | b |\n  | c |\nScenario: t\n`, [5]],
    ['an open doc string', `${GOOD}Scenario: t\n Given b\n  """\n  x`, [7]],
    ['an unknown language', `# language: zz\n${GOOD}`, [1]],
    ['white space in a tag', `${GOOD}@a b\nScenario: t\n`, [4, 4]],
    ['tags of a background', `Feature: A\n @US-1\n Background:\n  Given z\n`, [3, 4, 5]],
    ['a second feature', `${GOOD}Feature: g\n`, [4]],
    ['no Gherkin', 'Nothing\n', [1]],
  ])('%s', (_name, text, lines) => {
    const { scenarios, findings } = read(text);
    expect(findings.map(({ code, line }) => [code, line])).toEqual(
      lines.map((line) => ['unparsed_source', line]),
    );
    expect([statusOf(text), scenarios]).toEqual(['failed', []]);
  });

  test('the other files stand', () => {
    const { scenarios, statuses } = readGherkin(
      filesOf({ 'a.feature': 'Nothing', 'b.feature': 'Feature: f\nScenario: s\n' }),
    );
    expect(scenarios.map(({ path }) => path)).toEqual(['b.feature']);
    expect([...statuses.values()]).toEqual(['failed', 'parsed']);
  });

  test.each(['', '# x\n'])('a file without a feature is empty: %j', (text) => {
    expect([found(text), statusOf(text)]).toEqual([['empty_document warning 1'], 'parsed']);
  });
});

describe('what no scenario holds is not_kept [PQRS-11]', () => {
  const SCENARIO = 'Scenario: b\nGiven c\n';
  test.each<[string, string, string[]]>([
    ['a description', `Feature: A\n# c\n\n  As a buyer\n  I pay\n${SCENARIO}`, ['info 4']],
    [
      'several',
      `Feature: A\ntext\nRule: r\nmore\n${SCENARIO}Examples:\nsuch\n|n|\n|1|\n`,
      ['info 2'],
    ],
    ['one of a scenario', `Feature: A\nScenario: b\n\ntext\nGiven c\n`, ['info 4']],
    ['one that is the title', `Feature: A\nScenario:\ntext\n\n[utest->req~a~1]\nGiven c\n`, []],
    ['more than a title', `Feature: A\nScenario:\ntext\n\nmore\nGiven c\n`, ['info 5']],
    ['the name of examples', `Feature: A\n${SCENARIO}Examples: of it\n|n|\n|1|\n`, ['info 4']],
    [
      'steps of a rule',
      `Feature: A\nRule: r\nGiven a\n  | b |\nThen d\n${SCENARIO}`,
      ['warning 3'],
    ],
    [
      'steps below a misspelt title',
      `Feature: A\nScenaro: x\nGiven a\n\n${SCENARIO}`,
      ['warning 2'],
    ],
    ['a feature in a description', `Feature: A\nFeature: B\n${SCENARIO}`, ['warning 2']],
    [
      'steps in another language',
      '# language: de\nFunktionalit\u00e4t: A\nRegel: r\nGegeben sei c\nSzenario: b\nDann d\n',
      ['warning 4'],
    ],
  ])('%s', (_name, text, places) => {
    expect(found(text)).toEqual(places.map((place) => `not_kept ${place}`));
    const isPartial = places.some((place) => place.startsWith('warning'));
    expect(statusOf(text)).toBe(isPartial ? 'partial' : 'parsed');
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
  ])('%s: what there is a limit for is left out', (_name, text) => {
    const { scenarios: kept, findings } = read(text);
    expect(findings.map(({ code }) => code)).toContain('limit_exceeded');
    expect(kept.length).toBeLessThan(MANY);
  });

  test('a text of many megabytes is not read', () => {
    const text = `Feature: F\nScenario: s\n${'Given a\n'.repeat(600_000)}`;
    expect([found(text), statusOf(text)]).toEqual([['unparsed_source error 1'], 'failed']);
  });
});

test('real features: outlines without a name, with coverage tags of OpenFastTrace', () => {
  const folder = sharedData('gherkin');
  if (folder === undefined) return;
  const { scenarios, findings } = readGherkin(filesIn(folder));
  expect(findings.map(({ code, line }) => `${code} ${line}`)).toEqual(['not_kept 36']);
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
  test.each<[string, string[]]>([
    ['[utest->req~a~1]', ['req~a~1']],
    ['[utest -> req~a~1, req~b~2]', ['req~a~1', 'req~b~2']],
    ['[utest->REQ-1]', ['REQ-1']],
    ['[utest~own~2->req~a~1]', ['req~a~1']],
    ['[utest->req~a~1>>impl]', ['req~a~1']],
    ['[utest->req~a]', []],
    ['[open -> closed]', []],
  ])('in a description: %s', (text, ids) => {
    const { scenarios } = read(`Feature: F\nScenario: s\n${text}\nGiven x\n`);
    expect(scenarios[0]?.storyIds).toEqual(ids);
  });

  test('texts full of what begins one are read in time', () => {
    for (const part of ['[a->', '[a->req~a~1', '# [a->req~a~1]\n', '@a # [a->', '\n[a->req~a~1]']) {
      for (const before of ['', 'Scenario: s\n', 'Scenario: ', '# ', 'Scenario: s\nGiven ']) {
        read(`Feature: F\n${before}${part.repeat(20_000)}`);
      }
    }
  });
});
