// Texts that are cut off, random or made to exhaust: every reader of text ends soon, throws nothing,
// and gives each file its state.
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import fc from 'fast-check';
import { detectFormat } from '../../../src/requirements/sources/detect.ts';
import { readGherkin } from '../../../src/requirements/sources/gherkin/reader.ts';
import { readMarkdown } from '../../../src/requirements/sources/markdown/reader.ts';
import type { SourceReader } from '../../../src/requirements/sources/model.ts';
import { readNeedsJson } from '../../../src/requirements/sources/needs-json/reader.ts';
import { readOpenFastTrace } from '../../../src/requirements/sources/openfasttrace/reader.ts';
import { readSrsJson } from '../../../src/requirements/sources/srs-json/reader.ts';
import { filesIn, filesOf } from '../../support/source-files.ts';

const READERS: [string, SourceReader][] = [
  ['srs-json', readSrsJson],
  ['markdown', readMarkdown],
  ['openfasttrace', readOpenFastTrace],
  ['gherkin', readGherkin],
  ['needs-json', readNeedsJson],
];

const WORDS = fc.constantFrom(
  ...[
    'US-1:',
    '# ',
    '### REQ-2',
    '- ',
    '  ',
    '\n',
    '\n\n',
    '```',
    '~~~\n',
    '<!--',
    '-->',
    '> ',
    '[US-3]',
  ],
  ...[
    'Status: x',
    'Refines:',
    'Acceptance criteria:',
    '- [ ] ',
    '**',
    '`req~a~1`',
    'Covers:\n',
    '---\n',
  ],
  ...[
    'Feature: f\n',
    'Scenario: s\n',
    'Given g\n',
    '@US-1\n',
    '| a |\n',
    '"""\n',
    'Examples:\n',
    'Rule: r\n',
  ],
  ...[
    '{',
    '}',
    '[',
    ']',
    '"',
    ':',
    ',',
    '"needs"',
    '"versions"',
    '\\',
    '\r',
    '\t',
    'oft:off',
    '===\n',
    '1. ',
  ],
);

function invariants(read: SourceReader, bytes: Uint8Array): void {
  const { items, findings, statuses, links } = read([{ path: 'x', bytes }]);
  const status = statuses.get('x');
  expect(['parsed', 'partial', 'failed']).toContain(String(status));
  if (status !== 'parsed') expect(findings.length).toBeGreaterThan(0);
  const lines = new TextDecoder().decode(bytes).split(/\r\n|\n|\r/).length;
  const ids = new Set(items.map(({ id }) => id));
  for (const { path, line, parentId, id } of items) {
    expect(id).not.toBe('');
    // Our own format may say that an item was first written elsewhere.
    if (path === 'x') expect(line).toBeGreaterThan(0);
    if (path === 'x') expect(line).toBeLessThanOrEqual(lines);
    if (parentId !== null) expect(ids.has(parentId)).toBe(true);
  }
  for (const { line, from } of links) {
    expect(ids.has(from)).toBe(true);
    expect(line).toBeLessThanOrEqual(lines);
  }
  for (const { line } of findings) expect(line).toBeLessThanOrEqual(lines);
}

describe.each(READERS)('%s [PQRS-15]', (name, read) => {
  const fixtures = filesIn(join(import.meta.dir, '..', '..', 'fixtures', name));

  test('a fixture that is cut off anywhere', () => {
    for (const { bytes } of fixtures) {
      for (let length = 0; length <= bytes.length; length++)
        invariants(read, bytes.subarray(0, length));
    }
  }, 60_000);

  test('random bytes and random words of the format', () => {
    const words = fc
      .array(WORDS, { maxLength: 60 })
      .map((all) => new TextEncoder().encode(all.join('')));
    const bytes = fc.oneof(fc.uint8Array({ maxLength: 300 }), words);
    fc.assert(
      fc.property(bytes, (one) => invariants(read, one)),
      { numRuns: 400 },
    );
  });

  test('the order in which files come changes nothing', () => {
    const files = [...fixtures, ...fixtures.map((file) => ({ ...file, path: `a/${file.path}` }))];
    const forwards = read(files);
    const backwards = read(files.toReversed());
    expect(backwards).toEqual(forwards);
  });

  test.each([
    ['open brackets', '['.repeat(200_000)],
    ['open objects', '{"a":'.repeat(100_000)],
    ['one long line', `# ${'a '.repeat(300_000)}`],
    ['spaces', `# ${' '.repeat(300_000)}x`],
    ['hashes', '#'.repeat(300_000)],
    ['stars', '*a **b '.repeat(50_000)],
    ['backticks', '`a``b```c'.repeat(50_000)],
    ['quotes', `${'> '.repeat(20_000)}x\n${'\n'.repeat(20_000)}`],
    ['lists in lists', `${'- '.repeat(20_000)}x\n${'\n'.repeat(20_000)}`],
    [
      'indented lists',
      Array.from({ length: 600 }, (_, i) => `${'  '.repeat(i)}- US-${i}: x`).join('\n'),
    ],
    ['an open comment', `<!--${'x\n'.repeat(100_000)}`],
    ['an open fence', `\`\`\`\n${'# US-1: x\n\n'.repeat(50_000)}`],
    ['tags', `Feature: x\n${'@a\n'.repeat(100_000)}`],
    ['bad steps', `Feature: x\nScenario: y\n${'bad\n'.repeat(50_000)}`],
    ['blank lines', '\n'.repeat(500_000)],
    ['html', '<div>\n'.repeat(50_000)],
    [
      'aliases',
      `---\na: &a [x,x]\n${Array.from({ length: 20 }, (_, i) => `k${i}: &k${i} [*${i ? `k${i - 1}` : 'a'}, *${i ? `k${i - 1}` : 'a'}]`).join('\n')}\n---\n`,
    ],
    ['brackets in front matter', `---\na: ${'['.repeat(50_000)}\n---\n`],
    ['references', '[US-1]'.repeat(50_000)],
    ['ids', `US-${'1-'.repeat(100_000)}`],
    ['tildes', `req~${'a.'.repeat(100_000)}~1`],
    ['status lines', `### US-1: x\n${'Status: a\n'.repeat(50_000)}`],
  ])('%s', (_name, text) => {
    const bytes = new TextEncoder().encode(text);
    const { statuses } = read([{ path: 'x', bytes }]);
    expect(statuses.size).toBe(1);
  });
});

test('finding the format never throws [PQRS-15]', () => {
  const path = fc.constantFrom('a.json', 'a.md', 'a.yml', 'a.xml', 'a', 'a.txt', '.doorstop.yml');
  fc.assert(
    fc.property(path, fc.uint8Array({ maxLength: 200 }), (name, bytes) => {
      const format = detectFormat({ path: name, bytes });
      expect(format === null || typeof format === 'string').toBe(true);
    }),
  );
  expect(filesOf({ 'a.json': '{"a":'.repeat(100_000) }).map(detectFormat)).toEqual([null]);
});
