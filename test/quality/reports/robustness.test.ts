// Whatever arrives: cut off anywhere, in chunks of any size, hostile, or no report at all.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { ReadOptions } from '../../../src/quality/reports/read.ts';
import { judgeRun } from '../../../src/quality/runs/verdict.ts';
import { FIXTURES, fixture, inChunks, readAll } from './read-all.ts';
import { readEndless } from './read-endless.ts';

const formatOf = (name: string): ReadOptions['format'] =>
  name.endsWith('.xml')
    ? 'junit'
    : name.endsWith('.tap')
      ? 'tap'
      : name === 'ctrf.json'
        ? 'ctrf'
        : 'pqrs';

describe.each([...FIXTURES])('%s', (name) => {
  const bytes = fixture(name);
  const format = formatOf(name)!;
  const end = bytes.findLastIndex((byte) => byte > 0x20) + 1;

  test('cut off at every byte keeps what came before, and is never green', async () => {
    const whole = await readAll(bytes, { format });
    const names = whole.results.map((result) => result.name);
    const green: number[] = [];
    for (let at = 0; at < end; at += 1) {
      const { results, summary } = await readAll(bytes.subarray(0, at), { format });
      const before = results.slice(0, -1);
      expect(before.map((result) => result.name)).toEqual(names.slice(0, before.length));
      expect(before.map(({ status }) => status)).toEqual(
        whole.results.slice(0, before.length).map(({ status }) => status),
      );
      const { status } = judgeRun({ report: summary });
      // The last line of TAP may end anywhere without anyone being able to tell.
      const isWithinLine = format === 'tap' && bytes[at - 1] !== 0x0a;
      if (status !== 'broken' && !isWithinLine) green.push(at);
    }
    // What stands behind the last plan of TAP are comments.
    const text = new TextDecoder().decode(bytes);
    const from = format === 'tap' ? text.search(/^# tests/m) : end;
    expect(green.filter((at) => at < from)).toEqual([]);
  });

  test('chunks of any size give the same', async () => {
    const whole = await readAll(bytes);
    for (const size of [1, 2, 3, 7, 64, 1000]) {
      const { results, summary } = await readAll(inChunks(bytes, size));
      expect(results).toEqual(whole.results);
      expect(summary).toEqual(whole.summary);
    }
  });

  test('bytes changed anywhere throw nothing', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 5 }),
        async (changes) => {
          const changed = bytes.slice();
          for (const [at, byte] of changes) changed[at] = byte;
          const { results, summary } = await readAll(changed, { format });
          expect(results).toHaveLength(summary.totals.tests);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('no report at all', () => {
  test('random bytes, in every format', async () => {
    const format = fc.constantFrom('junit', 'ctrf', 'tap', 'pqrs', 'json', undefined);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 500 }), format, async (bytes, which) => {
        const { summary } = await readAll(bytes, which === undefined ? {} : { format: which });
        expect(judgeRun({ report: summary }).status).toBe('broken');
      }),
      { numRuns: 300 },
    );
  });

  test('random JSON', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), fc.constantFrom('ctrf', 'pqrs', 'json'), async (text, format) => {
        expect(judgeRun({ report: (await readAll(text, { format })).summary }).status).toBe(
          'broken',
        );
      }),
      { numRuns: 300 },
    );
  });

  test('random words of each format', async () => {
    const words = [
      '<testsuite name="a">',
      '<testcase name="b">',
      '</testcase>',
      '</testsuite>',
      '<failure>',
      '</failure>',
      '<![CDATA[',
      ']]>',
      '&lt;',
      '&x;',
      '<!--',
      '-->',
      'text',
      '\n',
    ];
    const lines = [
      'ok 1\n',
      'not ok 2 - x\n',
      '1..2\n',
      '    ',
      '  ---\n',
      '  ...\n',
      '# Subtest: s\n',
      '}\n',
      'ok {\n',
      'Bail out!\n',
      'TAP version 14\n',
      ' ',
    ];
    const tokens = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"results"',
      '"tests"',
      '"name"',
      '"a',
      '1',
      'tru',
      '\\',
      '"',
    ];
    const pieces = fc.constantFrom(
      ...([
        [words, 'junit'],
        [lines, 'tap'],
        [tokens, 'json'],
      ] as const),
    );
    await fc.assert(
      fc.asyncProperty(
        pieces,
        fc.array(fc.nat(100), { maxLength: 60 }),
        async ([from, format], picks) => {
          const text = picks.map((pick) => from[pick % from.length]).join('');
          const { results, summary } = await readAll(text, { format });
          expect(results).toHaveLength(summary.totals.tests);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('hostile', () => {
  test('an entity bomb is not expanded', async () => {
    const levels = Array.from({ length: 10 }, (_, at) =>
      at === 0 ? '<!ENTITY l0 "lol">' : `<!ENTITY l${at} "${`&l${at - 1};`.repeat(10)}">`,
    );
    const xml = `<!DOCTYPE x [${levels.join('')}]><testsuite><testcase name="t"><failure>&l9;</failure></testcase></testsuite>`;
    const { results, codes } = await readAll(xml);
    expect(results[0]?.trace).toBe('&l9;');
    expect(codes).toEqual(['unexpanded_entity']);
  });

  test.each([
    ['XML', `<testsuite><testcase name="t"/>${'<a>'.repeat(100_000)}`, ['too_large']],
    ['suites', '<testsuite name="s">'.repeat(100_000), ['too_large']],
    ['cases', '<testcase name="s">'.repeat(100_000), ['not_well_formed', 'too_large']],
    ['JSON', `{"results":[{"name":"t","status":"passed"}],"x":${'['.repeat(100_000)}`, undefined],
    [
      'JSON that closes',
      `{"results":[{"name":"t","status":"passed","parameters":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}]}`,
      undefined,
    ],
    [
      'TAP',
      Array.from({ length: 2000 }, (_, at) => `${'    '.repeat(at)}ok 1`).join('\n'),
      undefined,
    ],
  ])('deep nesting: %s', async (_, text, codes) => {
    const read = await readAll(text);
    if (codes !== undefined) expect(read.codes).toEqual(codes);
    expect(read.results.every(({ path }) => path.length <= 64)).toBe(true);
  });

  test.each([
    ['attributes', '<testsuite><testcase ', 'a="b" '],
    ['an attribute', '<testsuite><testcase name="', 'long '],
    ['a name', '<testsuite><', 'long'],
    ['an entity', '<testsuite>&', 'long'],
    ['output', '<testsuite><testcase name="t"><system-out><![CDATA[', 'line of output\n'],
    ['a comment', '<testsuite><!-- ', 'line of a comment\n'],
    ['a document type', '<!DOCTYPE x [', '<!ENTITY a "b">'],
    ['a line of TAP', 'TAP version 13\nok 1 - ', 'long'],
    ['a diagnostic of TAP', 'TAP version 13\nnot ok 1\n  ---\n', '  line: x\n'],
  ])('without end: %s', async (_, start, more) => {
    const { grown, read, status, results } = await readEndless(start, more);
    expect(status).toBe('broken');
    expect(results).toBeLessThan(2);
    // Next to nothing of what came in is kept.
    expect(read).toBeGreaterThanOrEqual(32 * 2 ** 20);
    expect(grown).toBeLessThan(8 * 2 ** 20);
  });

  test('the test behind endless output is read', async () => {
    const piece = new TextEncoder().encode('<output of a test> & more\n'.repeat(2500));
    function* chunks() {
      yield new TextEncoder().encode(
        '<testsuite tests="2"><testcase name="a"><system-out><![CDATA[',
      );
      for (let at = 0; at < 100; at += 1) yield piece;
      yield new TextEncoder().encode(']]></system-out></testcase><testcase name="b"/></testsuite>');
    }
    const { results, codes } = await readAll(chunks());
    expect(results.map(({ name, status }) => `${name} ${status}`)).toEqual([
      'a passed',
      'b passed',
    ]);
    expect(codes).toEqual([]);
  });

  test('texts, names and lists are bounded', async () => {
    const long = 'ä'.repeat(200_000);
    const failures = '<failure message="m"/>'.repeat(500);
    const xml = `<testsuite name="${long}"><testcase name="${long}"><failure message="${long}">${long}</failure>${failures}</testcase><testcase name="${long}x"/></testsuite>`;
    const { results } = await readAll(xml);
    const [first, second] = results;
    expect(Buffer.byteLength(first?.message ?? '')).toBeLessThanOrEqual(8 * 1024);
    expect(Buffer.byteLength(first?.trace ?? '')).toBeLessThanOrEqual(64 * 1024);
    expect(first?.trace).toEndWith('… [cut]');
    expect(first?.name.length).toBeLessThanOrEqual(1024);
    expect(first?.path[0]?.length).toBeLessThanOrEqual(1024);
    expect(second?.testKey).not.toBe(first?.testKey);
  });

  test('results beyond the limit are left out, and that is said', async () => {
    const xml = `<testsuite>${'<testcase name="t"/>'.repeat(30)}</testsuite>`;
    const { results, codes, summary } = await readAll(xml, { limits: { results: 10 } });
    expect(results).toHaveLength(10);
    expect(codes).toEqual(['too_many_results']);
    expect(judgeRun({ report: summary }).status).toBe('broken');
  });

  test('a JSON report over its limit keeps what fits', async () => {
    const results = Array.from({ length: 50 }, (_, at) => ({ name: `t${at}`, status: 'passed' }));
    const text = JSON.stringify({ results });
    const read = await readAll(text, { limits: { jsonBytes: text.length / 2 } });
    expect(read.results.length).toBeGreaterThan(20);
    expect(read.codes).toEqual(['too_large', 'cut_off']);
  });
});

describe('batches', () => {
  test('come while the report comes', async () => {
    const xml = `<testsuite>${'<testcase name="t"/>\n'.repeat(1001)}</testsuite>`;
    const { batches, results } = await readAll(xml);
    expect(batches).toEqual([250, 250, 250, 250, 1]);
    expect(new Set(results.map(({ testKey }) => testKey)).size).toBe(1001);
  });

  test('a chunk may be overwritten when the next is asked for', async () => {
    for (const name of FIXTURES) {
      const bytes = fixture(name);
      const buffer = new Uint8Array(100);
      function* reused() {
        for (const chunk of inChunks(bytes, 100)) {
          buffer.fill(0xff);
          buffer.set(chunk);
          yield buffer.subarray(0, chunk.length);
        }
      }
      expect((await readAll(reused())).results).toEqual((await readAll(bytes)).results);
    }
  });
});
