// Every word of a source is in what is read of it, or a finding says that it is not: each is made
// another word, which is then looked for.
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { FindingCode } from '../../../src/requirements/sources/findings.ts';
import type { SourceFile } from '../../../src/requirements/sources/model.ts';
import { readSources } from '../../support/read-sources.ts';
import { filesIn } from '../../support/source-files.ts';

const MARK = 'zq';

/**
 * Where words may be others without a word of it: a finding of the code tells of the place and not
 * what stands there, or (without a code) any other word there would say the same.
 */
type Reported = readonly [line: RegExp, word: RegExp, code: FindingCode | null];

const ANY = /./;
const REPORTED: [format: string, reported: readonly Reported[]][] = [
  ['doorstop', []],
  ['gherkin', []],
  // The label says which item the link leads to.
  ['markdown', [[/\[REQ-2\]\(#req-2\)/, /req|2/, null]]],
  [
    'needs-json',
    [
      [/^"1\.0"/, ANY, 'not_kept'],
      // No default, or an empty one, and types of fields that are no links.
      [/"field_type"/, ANY, 'not_kept'],
    ],
  ],
  [
    'openapi',
    [
      [/^#/, ANY, null],
      [/^"?info/, ANY, 'not_kept'],
      [/required: true/, /true/, 'not_kept'],
      [/old\.shop\.example/, ANY, 'not_kept'],
      // The host of a server, and a variable of it.
      [/^- url: https/, ANY, null],
      [/^region:/, ANY, null],
      [/^paid:/, ANY, 'not_kept'],
      // Of a file that nothing but parameters is taken from, and of a schema the first type.
      [/parameters|"Page"/, ANY, 'not_kept'],
      [/^Count:/, /null/, 'not_kept'],
    ],
  ],
  // An anchor beside an id leads where the id does.
  ['openfasttrace', [[/\(#rubber-ducky\)/, /rubber|ducky/, null]]],
  [
    'reqif',
    [
      [/^<r:REQ-IF xmlns/, ANY, null],
      [/<h:br\/>/, /br/, null],
      [/LAST-CHANGE=/, /^\d[\dTZ]+$/, 'not_kept'],
      [/IS-SIMPLIFIED=/, /true/, 'not_kept'],
      [/EMBEDDED-VALUE KEY/, /1/, 'not_kept'],
      [/(?:MULTI-VALUED|IS-TABLE-INTERNAL)=/, /true|false/, 'not_kept'],
      [/^<r:DATATYPE/, /^\d$/, 'not_kept'],
      [/IDENTIFIER="header"/, /header/, 'not_kept'],
      [/^<r:(?:RELATION-GROUP|SPEC-HIERARCHY) /, /^[gp1-4]$/, 'not_kept'],
      [/IDENTIFIER="a-priority"/, /^(?:a|priority)$/, 'not_kept'],
      [/<h:object data=/, /application|rtf/, 'not_kept'],
    ],
  ],
  ['srs-json', []],
  [
    'strictdoc',
    // Of a grammar nothing is kept but what it finds.
    [
      [/^TYPE: SingleChoice/, /Functional/, 'not_kept'],
      [/^- TITLE: MID/, /MID/, 'not_kept'],
      [/^(?:HUMAN_TITLE|IS_COMPOSITE|ROLE|REVERSE_ROLE|- TYPE):/, ANY, 'not_kept'],
    ],
  ],
];

interface Silent {
  line: string;
  word: string;
}

interface Reading {
  text: string;
  findings: readonly { code: string; line: number; said: string }[];
}

function read(files: readonly SourceFile[]): Reading {
  const { graph, catalog, findings } = readSources(
    files.map((file) => ({ ...file, format: null })),
    ['title'],
  );
  return {
    text: JSON.stringify([graph, catalog]),
    findings: findings.map(({ code, line, path, detail }) => ({
      ...{ code, line, said: `${path} ${line} ${code} ${detail}` },
    })),
  };
}

/** The words that can be others without anything of what is read being another, with their lines. */
function silentWords(files: readonly SourceFile[]): { words: number; silent: Silent[] } {
  const known = new Set(read(files).findings.map(({ said }) => said));
  const silent: Silent[] = [];
  let words = 0;
  for (const file of files) {
    const text = new TextDecoder().decode(file.bytes);
    for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}_]+/gu)) {
      words += 1;
      const end = index + word.length;
      const bytes = new TextEncoder().encode(`${text.slice(0, end)}${MARK}${text.slice(end)}`);
      const now = read(files.map((one) => (one === file ? { ...one, bytes } : one)));
      if (now.text.includes(MARK) || now.findings.some(({ said }) => !known.has(said))) continue;
      const line = text.slice(text.lastIndexOf('\n', index) + 1).split('\n', 1)[0] ?? '';
      silent.push({ line: line.trim(), word });
    }
  }
  return { words, silent };
}

describe('every word is kept or reported', () => {
  test.each(REPORTED)('%s', (format, reported) => {
    const files = filesIn(join(import.meta.dir, '..', '..', 'fixtures', format));
    const { findings } = read(files);
    const { words, silent } = silentWords(files);
    expect(words).toBeGreaterThan(50);
    const codes = new Set(findings.map(({ code }) => code));
    const isTold = ({ line, word }: Silent) =>
      reported.some(([where, what, code]) => {
        return where.test(line) && what.test(word) && (code === null || codes.has(code));
      });
    const untold = silent.filter((one) => !isTold(one));
    expect(untold).toEqual([]);
  });
});
