// The lines of TAP (Test Anything Protocol, versions 12 to 14): cut from bytes as they come, and read
// one by one; and the YAML blocks under test points.
import { boundedMs } from './figures.ts';

const MAX_LINE = 64 * 1024;

export function createLineInput(take: (line: string, number: number) => void) {
  const decoder = new TextDecoder();
  let rest = '';
  let number = 0;
  return {
    write: (chunk: Uint8Array) => feed(decoder.decode(chunk, { stream: true })),
    /** Hands out the last line. */
    end() {
      feed(decoder.decode());
      if (rest !== '') hand(rest);
    },
  };

  function feed(text: string): void {
    const lines = text.split('\n');
    for (const line of lines.slice(0, -1)) {
      hand(rest + line);
      rest = '';
    }
    if (rest.length <= MAX_LINE) rest += (lines.at(-1) ?? '').slice(0, MAX_LINE + 1);
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
}

export type TapLine =
  | PointLine
  | { kind: 'version' }
  | { kind: 'plan'; tests: number }
  | { kind: 'subtest'; name: string }
  | { kind: 'bail'; reason: string };

const POINT = /^(not )?ok(?:[ \t]+(\d{1,9})(?![\w.]))?(?:[ \t]+(?:-[ \t]+|-$)?(.*)|[ \t]*)$/s;

export function readTapLine(line: string): TapLine | undefined {
  if (/^(?:not )?ok/.test(line)) return pointOf(line);
  const [, name] = /^#\s*Subtest(?::\s*(.*))?$/s.exec(line) ?? [];
  if (name !== undefined) return { kind: 'subtest', name: unescaped(name.trim()) };
  const [, first, last] = /^(\d{1,9})\.\.(\d{1,9})[ \t]*(?:#.*)?$/s.exec(line) ?? [];
  if (last !== undefined)
    return { kind: 'plan', tests: Math.max(Number(last) - Number(first) + 1, 0) };
  if (/^TAP version \d{1,3}[ \t]*$/i.test(line)) return { kind: 'version' };
  const [, bail] = /^Bail out!\s*(.*)$/is.exec(line) ?? [];
  return bail === undefined ? undefined : { kind: 'bail', reason: bail.trim() };
}

function pointOf(line: string): TapLine | undefined {
  const [whole, not, number, rest = ''] = POINT.exec(line) ?? [];
  if (whole === undefined) return undefined;
  // A `#` that is not escaped begins a directive; any other stands in the name.
  const { index } = /(?:^|\s)#\s*(?:skip|todo|time[=:]|duration[=:])/i.exec(rest) ?? {};
  const directive = index === undefined ? '' : rest.slice(index).trim();
  const [, word, reason = ''] = /^#\s*(skip|todo)\w*:?\s*(.*)$/is.exec(directive) ?? [];
  const [, time, unit] = /#\s*(?:time|duration)[=:]\s*([\d.]+)\s*(ms|s)?/i.exec(directive) ?? [];
  return {
    kind: 'point',
    ok: not === undefined,
    number: number === undefined ? null : Number(number),
    name: unescaped(rest.slice(0, index).trim()),
    directive: word === undefined ? null : word.toLowerCase() === 'skip' ? 'skip' : 'todo',
    reason: unescaped(reason.trim()),
    durationMs: time === undefined ? null : boundedMs(Number(time) * (unit === 's' ? 1000 : 1)),
  };
}

function unescaped(text: string): string {
  return text.replace(/\\([\\#])/g, '$1');
}

/**
 * Reads a block, its lines without their common indentation: only the few keys at its top that say
 * why and how long. Anything may stand in such a block, so nothing more of YAML is read.
 */
export function readDiagnostics(lines: readonly string[]) {
  const block = lines.join('\n');
  const fields = new Map<string, string>();
  for (const [, key = '', first = '', rest = ''] of block.matchAll(FIELD)) {
    if (!fields.has(key)) fields.set(key, scalarOf(first.trim(), rest));
  }
  const text = (...names: string[]) => names.map((name) => fields.get(name)).find(Boolean);
  const [, line] = /:(\d{1,9})(?::\d+)?\)?$/.exec(text('location') ?? '') ?? [];
  return {
    message: text('message', 'error', 'operator', 'code'),
    trace: text('stack', 'trace', 'stackTrace') ?? block,
    durationMs: boundedMs(Number(text('duration_ms', 'duration') ?? Number.NaN)),
    line: line === undefined ? null : Number(line),
  };
}

const FIELD = /^([\w-]+):(?:[ \t]+(.*))?((?:\n(?:[ \t].*|$))*)/gm;

function scalarOf(first: string, rest: string): string {
  const inner = rest.replace(/^[ \t]+/gm, '').trim();
  if (/^[|>][-+\d]*$/.test(first)) return inner;
  const text = `${first}\n${inner}`.trim();
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
