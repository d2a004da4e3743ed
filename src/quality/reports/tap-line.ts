// What one line of TAP says (Test Anything Protocol, versions 12 to 14), its indentation taken off.
import { boundedMs } from './figures.ts';

export type TapLine =
  | { kind: 'version'; version: number }
  | { kind: 'plan'; first: number; last: number; reason: string | null }
  | {
      kind: 'point';
      ok: boolean;
      number: number | null;
      name: string;
      directive: 'skip' | 'todo' | null;
      reason: string;
      durationMs: number | null;
      /** Its subtest follows in braces, as older versions wrote it. */
      opens: boolean;
    }
  | { kind: 'subtest'; name: string }
  | { kind: 'count'; of: 'tests' | 'pass' | 'fail'; count: number }
  | { kind: 'bail'; reason: string }
  | { kind: 'closes' };

const POINT = /^(not )?ok(?:[ \t]+(\d{1,9})(?![\w.]))?(?:[ \t]+(?:-[ \t]+|-$)?(.*)|[ \t]*)$/s;

/** Reads a line; undefined where it is none of TAP, such as output of the tests. */
export function readTapLine(line: string): TapLine | undefined {
  switch (line.charCodeAt(0)) {
    case 0x6e: // n
    case 0x6f: // o
      return pointOf(line);
    case 0x23: // #
      return commentOf(line);
    case 0x7d: // }
      return line.trimEnd() === '}' ? { kind: 'closes' } : undefined;
    default:
      return otherOf(line);
  }
}

function pointOf(line: string): TapLine | undefined {
  const parts = POINT.exec(line);
  if (parts === null) return undefined;
  const [, not, number, rest = ''] = parts;
  const opens = /[ \t]\{[ \t]*$/.test(rest);
  const text = opens ? rest.replace(/[ \t]\{[ \t]*$/, '') : rest;
  const hash = directiveAt(text);
  const [, word = '', reason = ''] =
    hash === -1 ? [] : (/^#\s*(skip|todo)\w*:?\s*(.*)$/is.exec(text.slice(hash)) ?? []);
  const [, time, unit] = /#\s*(?:time|duration)[=:]\s*([\d.]+)\s*(ms|s)?/i.exec(text) ?? [];
  const described = hash === -1 ? text : text.slice(0, hash);
  return {
    kind: 'point',
    ok: not === undefined,
    number: number === undefined ? null : Number(number),
    name: plain(described.trim()),
    directive: word === '' ? null : word.toLowerCase() === 'skip' ? 'skip' : 'todo',
    reason: plain(reason.trim()),
    durationMs: time === undefined ? null : boundedMs(Number(time) * (unit === 's' ? 1000 : 1)),
    opens,
  };
}

/** Where a directive begins: at an unescaped `#` that a directive's word follows. */
function directiveAt(text: string): number {
  for (let at = text.indexOf('#'); at !== -1; at = text.indexOf('#', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === '\\') slashes += 1;
    const apart = at === 0 || /\s/.test(text[at - 1] ?? '');
    if (
      slashes % 2 === 0 &&
      apart &&
      /^#\s*(?:skip|todo|time[=:]|duration[=:])/i.test(text.slice(at, at + 40))
    ) {
      return at;
    }
  }
  return -1;
}

/** A description without its escapes (TAP 14). */
function plain(text: string): string {
  return text.includes('\\') ? text.replace(/\\([\\#])/g, '$1') : text;
}

function commentOf(line: string): TapLine | undefined {
  const [, name] = /^#\s*Subtest(?::\s*(.*))?$/s.exec(line) ?? [];
  if (name !== undefined) return { kind: 'subtest', name: plain(name.trim()) };
  const [, word, count] = /^#\s*(tests|pass|fail)\s+(\d{1,9})\s*$/.exec(line) ?? [];
  if (word === undefined) return undefined;
  return { kind: 'count', of: word as 'tests' | 'pass' | 'fail', count: Number(count) };
}

function otherOf(line: string): TapLine | undefined {
  const [, first, last, reason] = /^(\d{1,9})\.\.(\d{1,9})[ \t]*(?:#\s*(.*))?$/s.exec(line) ?? [];
  if (last !== undefined) {
    const why = reason === undefined ? null : reason.replace(/^skip\w*:?\s*/i, '').trim();
    return { kind: 'plan', first: Number(first), last: Number(last), reason: why };
  }
  const [, version] = /^TAP version (\d{1,3})[ \t]*$/i.exec(line) ?? [];
  if (version !== undefined) return { kind: 'version', version: Number(version) };
  const [, bail] = /^Bail out!\s*(.*)$/is.exec(line) ?? [];
  return bail === undefined ? undefined : { kind: 'bail', reason: bail.trim() };
}
