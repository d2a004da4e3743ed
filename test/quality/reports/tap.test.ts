// TAP 12 to 14: points, plans, subtests in all their forms, diagnostics, directives, bail out.
import { describe, expect, test } from 'bun:test';
import { readTapLine } from '../../../src/quality/reports/tap.ts';
import { fixture, lineOf, readAll } from './read-all.ts';

const read = (...lines: string[]) => readAll(`${lines.join('\n')}\n`, { format: 'tap' });

test('TAP 14', async () => {
  const { results, codes } = await readAll(fixture('tap-14.tap'));
  expect(results.map(lineOf)).toEqual([
    '- | outer | first [US-7] = passed',
    '- | outer | second = failed',
    '- | plain = passed',
    '- | not now = skipped',
    '- | planned = skipped',
    '- | with # hash and \\ slash = passed',
    '- | last = passed',
  ]);
  expect(results[0]?.storyIds).toEqual(['US-7']);
  expect(results[1]).toMatchObject({
    ...{ message: 'two "lines"', durationMs: 13 },
    trace: 'at x (a.js:1:2)\nat y (b.js:3:4)',
  });
  expect(results[2]?.durationMs).toBe(35);
  expect(results[3]?.message).toBe('no network');
  expect(results[4]?.message).toBe('TODO write it');
  expect(codes).toEqual([]);
});

test('what node:test writes', async () => {
  const { results, codes } = await readAll(fixture('node-20.tap'));
  expect(results.map(lineOf)).toEqual([
    '- | adds [US-1] = passed',
    '- | outer | inner | passes = passed',
    '- | outer | inner | fails = failed',
    '- | outer | inner | later = skipped',
    '- | outer | inner | someday = passed',
    '- | parent | child # hash = passed',
    '- | parent = failed',
  ]);
  expect(results[2]).toMatchObject({ message: '1 == 2', line: 3, durationMs: 1 });
  expect(results[2]?.trace).toStartWith('TestContext.<anonymous> (file:///home/ci');
  expect(codes).toEqual([]);
});

describe('plans', () => {
  const version = 'TAP version 13';
  test.each([
    ['first', [version, '1..2', 'ok 1', 'ok 2'], []],
    ['last', [version, 'ok 1', 'ok 2', '1..2'], []],
    ['too long', [version, '1..3', 'ok 1', 'ok 2'], ['plan_mismatch']],
    ['too short', [version, '1..1', 'ok 1', 'ok 2'], ['plan_mismatch']],
    ['none', [version, 'ok 1'], ['plan_missing']],
    ['twice', [version, '1..1', 'ok 1', '1..1'], ['plan_mismatch']],
    ['of nothing', [version, '1..0 # SKIP no database'], []],
    ['without a version', ['1..1', 'ok 1'], []],
    ['bailed out', [version, '1..9', 'ok 1', 'Bail out! disk full', 'ok 2'], ['bail_out']],
    ['of a subtest', [version, '1..1', '    1..2', '    ok 1', 'ok 1 - s'], ['plan_mismatch']],
    ['none of a subtest', [version, '1..1', '    ok 1', 'ok 1 - s'], []],
    ['numbers out of order', [version, '1..2', 'ok 2', 'ok 1'], []],
    ['in braces', [version, '1..1', 'ok 1 - a {', '    ok 1', '}'], ['not_well_formed', 'cut_off']],
  ])('%s', async (_, lines, codes) => {
    expect((await read(...lines)).codes).toEqual(codes);
  });
});

describe('subtests', () => {
  test('the end inside one is a cut', async () => {
    const { results, codes } = await read(
      'TAP version 14',
      '1..1',
      '    # Subtest: s',
      '    ok 1 - x',
    );
    expect(results.map(lineOf)).toEqual(['- | s | x = passed']);
    expect(codes).toContain('cut_off');
  });
});

describe('diagnostics', () => {
  const failed = (...yaml: string[]) =>
    read(
      'TAP version 13',
      'not ok 1 - t',
      '  ---',
      ...yaml.map((line) => `  ${line}`),
      '  ...',
      '1..1',
    );
  test('what tape writes', async () => {
    const { results } = await failed(
      'operator: equal',
      'expected: 2',
      "actual:   'it''s 1'",
      'at: f',
    );
    expect(results[0]?.message).toBe('equal');
    expect(results[0]?.trace).toContain('operator: equal');
  });
});

test.each([
  ['ok', { kind: 'point', ok: true, number: null, name: '' }],
  ['not ok 12', { ok: false, number: 12 }],
  ['ok 1 description', { number: 1, name: 'description' }],
  ['ok 1 - a - b', { name: 'a - b' }],
  ['ok 2nd time', { number: null, name: '2nd time' }],
  ['ok 3 # SKIP', { directive: 'skip', name: '', reason: '' }],
  ['ok 3 - x # skipped: why', { directive: 'skip', name: 'x', reason: 'why' }],
  ['ok 3 - x \\# skip', { directive: null, name: 'x # skip' }],
  ['ok 3 - issue #12', { directive: null, name: 'issue #12' }],
  ['not ok 4 - x # todo later', { directive: 'todo', reason: 'later' }],
  ['ok 5 - x # time=1.5s', { durationMs: 1500, name: 'x' }],
  ['okay', undefined],
  ['not okay', undefined],
  ['1..5', { kind: 'plan', tests: 5 }],
  ['1..x', undefined],
  ['# Subtest: a', { kind: 'subtest', name: 'a' }],
  ['# a comment', undefined],
  ['bail out! why', { kind: 'bail', reason: 'why' }],
  ['pragma +strict', undefined],
])('%s', (line, expected) => {
  const found = readTapLine(line);
  if (expected === undefined) expect(found).toBeUndefined();
  else expect(found).toMatchObject(expected as { kind: 'point' });
});
