// JUnit XML in its dialects: what each element and attribute means, and what is not well-formed.
import { describe, expect, test } from 'bun:test';
import { fixture, lineOf, readAll } from './read-all.ts';

const one = async (inside: string, attributes = 'name="t"') =>
  (await readAll(`<testsuite name="s"><testcase ${attributes}>${inside}</testcase></testsuite>`))
    .results[0]!;

describe('what bun test 1.4 writes', () => {
  test('suites nest, classname adds nothing, equal names differ by ordinal', async () => {
    const { results, summary, codes } = await readAll(fixture('bun-1.4-load-failure.xml'));
    expect(results.map(lineOf)).toEqual([
      't/a.test.ts | adds [US-1] = passed',
      't/a.test.ts | fails <x> = failed',
      't/a.test.ts | later = skipped',
      't/a.test.ts | skipped = skipped',
      't/a.test.ts | outer | inner > weird | nested pass = passed',
      't/a.test.ts | outer | inner > weird | boom = failed',
      't/a.test.ts | sum 1 | same = passed',
      't/a.test.ts | sum 1 | same = passed',
      't/a.test.ts | sum 3 | same = passed',
      't/a.test.ts | sum 3 | same = passed',
      't/a.test.ts | slow = failed',
    ]);
    expect(new Set(results.map(({ testKey }) => testKey)).size).toBe(11);
    expect(results[0]).toMatchObject({ line: 2, storyIds: ['US-1'], message: null, attempts: [] });
    expect(results[2]?.message).toBe('TODO');
    expect(results[5]).toMatchObject({
      message: 'boom <x>',
      trace: 'TypeError: boom <x>\n      at t/a.test.ts:6:143',
    });
    expect(results[9]?.durationMs).toBe(0);
    expect(summary.head).toMatchObject({ name: 'bun test', durationMs: 143 });
    expect(codes).toEqual([]);
  });
});

describe('surefire', () => {
  test('reruns and flaky tries are attempts in order', async () => {
    const { results, summary, codes } = await readAll(fixture('surefire.xml'));
    const tries = results.map(({ attempts }) =>
      attempts.map(({ status, message, trace, durationMs }) => [
        status,
        message,
        trace,
        durationMs,
      ]),
    );
    expect(tries).toEqual([
      [
        ['failed', 'first', 'first trace', 500],
        ['failed', 'second', 'second trace', 250],
        ['broken', 'third', 'third trace', null],
      ],
      [
        ['failed', 'once', 'once trace', null],
        ['broken', 'twice', 'twice trace', null],
        ['passed', null, null, 100],
      ],
      [],
      [],
    ]);
    expect(results.map(({ status, flaky }) => [status, flaky])).toEqual([
      ['failed', false],
      ['passed', true],
      ['broken', false],
      ['passed', false],
    ]);
    expect(results[2]).toMatchObject({ message: 'boom', trace: 'boom <trace>', durationMs: null });
    expect(summary.head).toMatchObject({
      ...{ durationMs: 1_234_567, zoned: true },
      startedAt: '2026-03-01T08:00:00.000Z',
    });
    expect(codes).toEqual([]);
  });
});

describe('other dialects', () => {
  test('several failures, attributes for outcomes, properties at every level, Latin-1', async () => {
    const { results, summary, codes } = await readAll(fixture('dialects.xml'), {
      root: 'C:\\ci\\project',
    });
    expect(results.map(lineOf)).toEqual([
      'tests/unit.test.js | unit | several = failed',
      'tests/unit.test.js | unit | skips = skipped',
      'tests/unit.test.js | unit | café @US-4 = passed',
      '- | g | runs = passed',
      '- | g | off = skipped',
      '- | g | said to fail = failed',
      '- | g | same = passed',
      '- | g | same = failed',
      '- | g | same = skipped',
    ]);
    expect(results[0]).toMatchObject({
      message: 'one\nsecond failure\nand an error',
      trace: 'trace one\n\nsecond failure\n  at line 2',
      storyIds: ['US-1', 'US-2', 'US-3', 'REQ-ALL'],
      contentSha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    });
    expect(results[2]?.storyIds).toEqual(['REQ-ALL', 'US-4']);
    expect(results[7]?.message).toBe('Assert');
    expect(summary.head.zoned).toBe(false);
    expect([...summary.files]).toEqual(['tests/unit.test.js']);
    expect(codes).toEqual([]);
  });

  test.each([
    [
      'a bare suite',
      '<testsuite name="s"><testcase name="t"/></testsuite>',
      ['- | s | t = passed'],
    ],
    ['cases at the root', '<testsuites><testcase name="t"/></testsuites>', ['- | t = passed']],
    ['a case alone', '<testcase name="t" classname="C"/>', ['- | C | t = passed']],
    [
      'a namespace',
      '<j:testsuite xmlns:j="x"><j:testcase name="t"/></j:testsuite>',
      ['- | t = passed'],
    ],
    [
      'suites in suites, with a class of its own',
      '<testsuite name="a"><testsuite name="b"><testcase name="t" classname="C"/><testcase name="u" classname="a.b"/></testsuite></testsuite>',
      ['- | a | b | C | t = passed', '- | a | b | u = passed'],
    ],
    [
      'a class that does not load',
      '<testsuite name="s" tests="0" errors="1"><error message="no class"/></testsuite>',
      ['- | s | <init> = broken'],
    ],
    [
      'Playwright: the file is the suite and the class',
      '<testsuites><testsuite name="e2e/a.spec.ts"><testcase name="x › y" classname="e2e/a.spec.ts"/></testsuite></testsuites>',
      ['e2e/a.spec.ts | x › y = passed'],
    ],
    ['a name that is missing', '<testsuite><testcase/></testsuite>', ['- | (unnamed) = passed']],
    [
      'a package',
      '<testsuite package="com.x" name="T"><testcase name="t"/></testsuite>',
      ['- | com.x.T | t = passed'],
    ],
  ])('%s', async (_, xml, lines) => {
    const { results, codes } = await readAll(xml);
    expect(results.map(lineOf)).toEqual(lines);
    expect(codes.filter((code) => code.endsWith('!'))).toEqual([]);
  });

  test.each([
    ['status="notrun"', 'skipped'],
    ['status="passed"', 'passed'],
    ['status="run" result="completed"', 'passed'],
    ['result="failed"', 'failed'],
    ['status="error"', 'broken'],
    ['status="disabled"', 'skipped'],
  ])('%s', async (attributes, status) => {
    expect((await one('', `name="t" ${attributes}`)).status).toBe(status as 'passed');
  });

  test('an error alone is broken; an outcome counts before a skip', async () => {
    expect((await one('<error/>')).status).toBe('broken');
    expect((await one('<skipped/><failure/>')).status).toBe('failed');
    expect((await one('<failure/><error/>')).status).toBe('failed');
    expect((await one('<skipped/><flakyFailure message="x"/>')).attempts).toHaveLength(2);
  });
});

describe('totals', () => {
  test.each([
    ['tests="2"', ['totals_disagree']],
    ['tests="2" skipped="1"', []],
    ['tests="1" failures="1"', ['totals_disagree']],
    ['tests="0"', []],
    ['tests="1" failures="0" errors="0" skipped="0"', []],
    ['tests="x"', []],
  ])('%s over one test that passed', async (stated, codes) => {
    const xml = `<testsuite name="s" ${stated}><testcase name="t"/></testsuite>`;
    expect((await readAll(xml)).codes).toEqual(codes);
  });
});

describe('encodings', () => {
  const xml = '<testsuite name="s"><testcase name="größe → 😀"/></testsuite>';
  const wide = (text: string, swap: boolean) => {
    const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le');
    return new Uint8Array(swap ? bytes.swap16() : bytes);
  };
  test.each([
    ['UTF-8', new TextEncoder().encode(xml)],
    ['UTF-8 with a mark', new TextEncoder().encode(`\uFEFF${xml}`)],
    ['UTF-16LE', wide(xml, false)],
    ['UTF-16BE', wide(xml, true)],
    ['a blank line before', new TextEncoder().encode(`\n  <?xml version="1.0"?>${xml}`)],
  ])('%s', async (_, bytes) => {
    const { results, codes } = await readAll(bytes);
    expect(results.map(({ name }) => name)).toEqual(['größe → 😀']);
    expect(codes).toEqual([]);
  });
});

describe('not well-formed', () => {
  test.each([
    ['<testsuite><testcase name="t"></testsuite>', ['not_well_formed'], 1],
    ['<testsuite><testcase name="t"/>', ['cut_off'], 1],
    ['<testsuite><testcase name="t"/></testsuite><testsuite/>', ['not_well_formed'], 1],
    ['<testsuite><testcase name=t/></testsuite>', ['not_well_formed'], 1],
    ['<testsuite><testcase name="t"/>&nope;</testsuite>', ['unexpanded_entity'], 1],
    ['<!DOCTYPE testsuite><testsuite><testcase name="t"/></testsuite>', [], 1],
    [
      '<testsuite><testcase name="a"><testcase name="b"/></testcase></testsuite>',
      ['not_well_formed'],
      1,
    ],
    ['<html><body>502</body></html>', ['not_a_report'], 0],
    ['<testsuites/>', [], 0],
    ['<', ['cut_off', 'not_a_report'], 0],
  ])('%s', async (xml, codes, count) => {
    const { results, codes: found } = await readAll(xml, { format: 'junit' });
    expect(found).toEqual(codes);
    expect(results).toHaveLength(count);
  });

  test('nothing outside is read and no entity expanded', async () => {
    const xml = `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]><testsuite><testcase name="&x;"/></testsuite>`;
    const { results, codes } = await readAll(xml);
    expect(results[0]?.name).toBe('&x;');
    expect(codes).toEqual(['unexpanded_entity']);
  });

  test('a test in which the report is cut off is unknown, unless it failed already', async () => {
    const start = '<testsuite><testcase name="a"/><testcase name="b">';
    const cut = await readAll(`${start}<system-out>half`);
    expect(cut.results.map(lineOf)).toEqual(['- | a = passed', '- | b = unknown']);
    const failed = await readAll(`${start}<failure message="m">half a tra`);
    expect(failed.results[1]).toMatchObject({
      status: 'failed',
      message: 'm',
      trace: 'half a tra',
    });
  });
});
