// Traceability for spreadsheets, for printers and for LOBSTER, with texts that mean harm.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { cellOf } from '../../src/assurance/export/csv.ts';
import { MAX_ROWS, writeHtml } from '../../src/assurance/export/html.ts';
import { writeLobster } from '../../src/assurance/export/lobster.ts';
import type { AssuranceState } from '../../src/assurance/state/state.ts';
import { escapeHtml } from '../../src/requirements/export/html.ts';
import { anyCoverage, wholeOf } from './any-coverage.ts';
import { type MadeCoverage, makeCovered } from './made-coverage.ts';

const HARM = '<script>alert(1)</script>"\'&';

function made(over: Partial<MadeCoverage> = {}): AssuranceState {
  return makeCovered({
    nodes: [
      { id: 'TOP', title: 'Top' },
      { id: 'A@1 %', title: '=HYPERLINK("http://a")', path: 'a.md' },
      { id: HARM, title: `${HARM}\u0000\u202e` },
      { id: 'R', status: 'rejected' },
      { id: 'OUT', active: false },
    ],
    links: [
      ['A@1 %', 'refines', 'TOP'],
      ['A@1 %', 'depends', 'R'],
      ['A@1 %', 'derives', 'R'],
    ],
    needs: ['scenario', 'test'],
    scenarios: [{ key: `F / ${HARM}`, storyIds: [HARM] }],
    routes: [{ method: 'GET', template: `/${HARM}`, storyIds: [HARM] }],
    commands: [{ id: '+cmd' }],
    justified: [[HARM, 'test', `-1+1 ${HARM}`]],
    traces: [
      { storyId: 'A@1 %', to: 'test t@1', note: '=1+1\n"x"' },
      { storyId: 'A@1 %', to: 'command +cmd', old: true },
      { storyId: 'A@1 %', to: 'scenario gone' },
      { storyId: 'GONE', to: `test ${HARM}` },
    ],
    issues: [
      {
        ...{ id: 'iss_1', number: 1, title: HARM, severity: HARM, status: 'open' },
        ...{ storyId: HARM, untrusted: true },
      },
    ],
    results: { 'test t@1': { status: 'failed' } },
    verdicts: [{ storyId: HARM, verdict: 'passed' }],
    ...over,
  });
}

const STATE = made();

/** Reads CSV as RFC 4180 has it. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const cells = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  for (let at = 0; at < text.length; at = cells.lastIndex) {
    cells.lastIndex = at;
    const [, quoted, plain = '', end] = cells.exec(text) ?? [];
    if (end === undefined) throw new Error(`no cell at ${at}`);
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

const textOf = (parts: Iterable<string>) => [...parts].join('');

describe('CSV [PQRS-32]', () => {
  test('begins no cell as a formula begins, whatever a text is', () => {
    for (const text of [
      '=1',
      '+1',
      '-1',
      '@x',
      '\tx',
      '\rx',
      '\nx',
      '\uff1d1',
      '\uff0b1',
      '\uff0d1',
      '\uff20x',
    ])
      expect(readCsv(`${cellOf(text)}\r\n`)).toEqual([[`'${text}`]]);
    expect(cellOf(' =1')).toBe(' =1');
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 5 }),
        (texts) => {
          const [cells] = readCsv(`${texts.map(cellOf).join(',')}\r\n`);
          expect(cells?.map((cell) => cell.replace(/^'/, ''))).toEqual(
            texts.map((text) => text.replace(/^'/, '')),
          );
          for (const cell of cells ?? []) expect(cell).not.toMatch(/^[=+\-@\t\r\n]/);
        },
      ),
    );
  });
});

describe('the page for printing [PQRS-32]', () => {
  const page = textOf(writeHtml(STATE, STATE.coverage().stories, HARM));

  test('escapes every text of the project', () => {
    expect(page).not.toContain('<script');
    expect(page).not.toContain(HARM);
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;');
    const tags = new Set([...page.matchAll(/<\/?([a-z0-9]+)/gi)].map(([, name]) => name));
    expect([...tags].sort()).toEqual(
      [
        ...['a', 'b', 'bdi', 'body', 'br', 'div', 'h1', 'h2', 'head', 'header', 'html', 'i'],
        ...['main', 'meta', 'nav', 'p', 'section', 'span', 'style', 'table', 'tbody', 'td', 'th'],
        ...['thead', 'title', 'tr'],
      ].sort(),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(escapeHtml(text)).not.toMatch(/[<>"'\0]/);
      }),
    );
  });

  test('asks for nothing and runs nothing', () => {
    expect(page).not.toMatch(/\b(?:src|href)="(?!#)/);
    expect(page).not.toMatch(/url\(|@import|\son[a-z]+=/i);
  });

  test('stays readable with 25,000 stories: it says what it leaves out', () => {
    const nodes = Array.from({ length: 25_000 }, (_, at) => `N${at}`);
    const many = makeCovered({
      nodes,
      traces: nodes.slice(0, 100).map((id) => ({ storyId: 'N0', to: `test ${id}` })),
    });
    const long = textOf(writeHtml(many, many.coverage().stories, 'p'));
    expect(long).toContain(`The first ${MAX_ROWS} of 25000 are shown.`);
    expect(long).toContain('and 80 more');
    expect(long.length).toBeLessThan(3_000_000);
    expect(long.match(/<tr>/g)?.length).toBeLessThan(2 * MAX_ROWS + 50);
  });
});

interface LobsterItem {
  tag: string;
  refs: string[];
  just_down: string[];
  messages: string[];
  status: string | null;
  location: { kind: string; line?: number };
}
const read = (text: string) =>
  JSON.parse(text) as { schema: string; version: number; generator: string; data: LobsterItem[] };

describe('LOBSTER [PQRS-32]', () => {
  const requirements = read(textOf(writeLobster(STATE, STATE.coverage().stories)));
  const at = (list: LobsterItem[], key: string) =>
    list.find(({ tag }) => tag === key || tag.startsWith(`${key}@`));

  test('reads stories as requirements, with one at sign in a tag, before its version', () => {
    expect(requirements).toMatchObject({ schema: 'lobster-req-trace', version: 3 });
    for (const { tag } of requirements.data) expect(tag).toMatch(/^req [^@]+@[0-9a-f]{12}$/);
    expect(new Set(requirements.data.map(({ tag }) => tag)).size).toBe(requirements.data.length);
    const item = at(requirements.data, 'req A%401 %25');
    expect(item?.refs.sort()).toEqual(['req TOP']);
    expect(item?.messages).toEqual([
      'the link to command +cmd is suspect',
      'the link to scenario gone is broken',
      'it is failing',
    ]);
    expect(item?.location).toMatchObject({ kind: 'file', file: 'a.md', line: 2 } as object);
  });

  test('shows no story as well that is failing, uncovered, suspect, stale or unexecuted', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(anyCoverage, (parts) => {
        const state = makeCovered(wholeOf(parts));
        const { stories } = state.coverage();
        const { data } = read(textOf(writeLobster(state, stories)));
        for (const { storyId, status, inherited } of stories) {
          const item = data.find(({ tag }) => tag.startsWith(`req ${storyId}@`));
          const isBad = BAD.has(status);
          seen.add(`${status} ${inherited}`);
          if (isBad) expect(item?.messages).not.toEqual([]);
          // Links in doubt are told wherever they are.
          else expect(item?.messages.filter((one) => !one.startsWith('the link'))).toEqual([]);
        }
      }),
      { numRuns: 3000 },
    );
    for (const status of BAD) expect([...seen]).toContain(`${status} false`);
    expect([...seen]).toContain('unexecuted true');
  });
});

const BAD: ReadonlySet<string> = new Set([
  ...['failing', 'uncovered', 'suspect', 'stale', 'unexecuted'],
]);
