// The lines of TAP (Test Anything Protocol, versions 12 to 14): cut from bytes as they come, and read
// one by one; and the YAML blocks under test points.
import { boundedMs } from './figures.ts';

const MAX_LINE = 64 * 1024;

export function createLineInput(take: (line: string, number: number) => void): {
  write(chunk: Uint8Array): void;
  /** Hands out the last line. */
  end(): void;
} {
  const decoder = new TextDecoder();
  let rest = '';
  let number = 0;
  return {
    write: (chunk) => feed(decoder.decode(chunk, { stream: true })),
    end() {
      feed(decoder.decode());
      if (rest !== '') hand(rest);
      rest = '';
    },
  };

  function feed(text: string): void {
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      hand(rest + text.slice(start, end));
      rest = '';
      start = end + 1;
    }
    if (rest.length <= MAX_LINE) rest += text.slice(start, start + MAX_LINE + 1);
  }

  function hand(line: string): void {
    number += 1;
    take(line.replace(/\r$/, '').slice(0, MAX_LINE), number);
  }
}

export interface PointLine {
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

export type TapLine =
  | PointLine
  | { kind: 'version' }
  | { kind: 'plan'; first: number; last: number }
  | { kind: 'subtest'; name: string }
  /** How many failed, by a comment at the end. */
  | { kind: 'failed'; count: number }
  | { kind: 'bail'; reason: string }
  | { kind: 'closes' };

const POINT = /^(not )?ok(?:[ \t]+(\d{1,9})(?![\w.]))?(?:[ \t]+(?:-[ \t]+|-$)?(.*)|[ \t]*)$/s;

export function readTapLine(line: string): TapLine | undefined {
  switch (line[0]) {
    case 'n':
    case 'o':
      return pointOf(line);
    case '#':
      return commentOf(line);
    case '}':
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
  const [, word = '', reason = ''] = /^#\s*(skip|todo)\w*:?\s*(.*)$/is.exec(text.slice(hash)) ?? [];
  const [, time, unit] = /#\s*(?:time|duration)[=:]\s*([\d.]+)\s*(ms|s)?/i.exec(text) ?? [];
  return {
    kind: 'point',
    ok: not === undefined,
    number: number === undefined ? null : Number(number),
    name: unescaped(text.slice(0, hash).trim()),
    directive: word === '' ? null : word.toLowerCase() === 'skip' ? 'skip' : 'todo',
    reason: unescaped(reason.trim()),
    durationMs: time === undefined ? null : boundedMs(Number(time) * (unit === 's' ? 1000 : 1)),
    opens,
  };
}

/** Where a directive begins, at a `#` that is not escaped; the end of the text where there is none. */
function directiveAt(text: string): number {
  const found = /(?:^|\s)#\s*(?:skip|todo|time[=:]|duration[=:])/i.exec(text);
  return found === null ? text.length : text.indexOf('#', found.index);
}

function unescaped(text: string): string {
  return text.includes('\\') ? text.replace(/\\([\\#])/g, '$1') : text;
}

function commentOf(line: string): TapLine | undefined {
  const [, name] = /^#\s*Subtest(?::\s*(.*))?$/s.exec(line) ?? [];
  if (name !== undefined) return { kind: 'subtest', name: unescaped(name.trim()) };
  const [, count] = /^#\s*fail\s+(\d{1,9})\s*$/.exec(line) ?? [];
  return count === undefined ? undefined : { kind: 'failed', count: Number(count) };
}

function otherOf(line: string): TapLine | undefined {
  const [, first, last] = /^(\d{1,9})\.\.(\d{1,9})[ \t]*(?:#.*)?$/s.exec(line) ?? [];
  if (last !== undefined) return { kind: 'plan', first: Number(first), last: Number(last) };
  if (/^TAP version \d{1,3}[ \t]*$/i.test(line)) return { kind: 'version' };
  const [, bail] = /^Bail out!\s*(.*)$/is.exec(line) ?? [];
  return bail === undefined ? undefined : { kind: 'bail', reason: bail.trim() };
}

export interface Diagnostics {
  message: string | null;
  trace: string | null;
  durationMs: number | null;
  line: number | null;
}

/**
 * Reads a block, its lines without their common indentation: only the few keys at its top that say
 * why and how long. Anything may stand in such a block, so nothing more of YAML is read.
 */
export function readDiagnostics(lines: readonly string[]): Diagnostics {
  const fields = fieldsOf(lines);
  const text = (...names: string[]) => names.map((name) => fields.get(name)).find(Boolean);
  const expected = text('expected', 'wanted');
  const actual = text('actual', 'found');
  const compared = expected && actual && `expected ${expected}, found ${actual}`;
  const [, line] = /:(\d{1,9})(?::\d+)?\)?$/.exec(text('location') ?? '') ?? [];
  return {
    message: (text('message', 'error') ?? compared) || (text('operator', 'code') ?? null),
    trace: text('stack', 'trace', 'stackTrace') ?? (lines.join('\n').trim() || null),
    durationMs: boundedMs(Number(text('duration_ms', 'duration') ?? Number.NaN)),
    line: line === undefined ? null : Number(line),
  };
}

function fieldsOf(lines: readonly string[]): Map<string, string> {
  const fields = new Map<string, string>();
  let at = 0;
  while (at < lines.length) {
    const [, key, rest = ''] = /^([\w-]+):(?:[ \t]+(.*))?$/s.exec(lines[at] ?? '') ?? [];
    at += 1;
    if (key === undefined) continue;
    const start = at;
    while (at < lines.length && /^(?:\s|$)/.test(lines[at] ?? '')) at += 1;
    if (!fields.has(key)) fields.set(key, scalarOf(rest.trim(), lines.slice(start, at)).trim());
  }
  return fields;
}

function scalarOf(first: string, inner: readonly string[]): string {
  if (/^[|>][-+\d]*$/.test(first)) {
    const indents = inner.filter((line) => /\S/.test(line)).map((line) => line.search(/\S/));
    const least = indents.length === 0 ? 0 : Math.min(...indents);
    return inner.map((line) => line.slice(least)).join('\n');
  }
  const text = [first, ...inner.map((line) => line.trim())].join('\n').trim();
  if (/^".*"$/s.test(text)) {
    try {
      return String(JSON.parse(text.replaceAll('\n', ' ')));
    } catch {
      return text.slice(1, -1);
    }
  }
  if (/^'.*'$/s.test(text)) return text.slice(1, -1).replaceAll("''", "'");
  return text === '~' || text === 'null' ? '' : text;
}
