// Reads the YAML block under a test point of TAP: only the few keys at its top that say why and
// how long. Anything may stand in such a block, so nothing more of YAML is read.
import { boundedMs } from './figures.ts';

export interface Diagnostics {
  message: string | null;
  trace: string | null;
  durationMs: number | null;
  line: number | null;
}

/** Lines of a block that are kept; the rest is passed over. */
export const DIAGNOSTIC_LINES = 2000;

/** Reads a block, its lines without their common indentation. */
export function readDiagnostics(lines: readonly string[]): Diagnostics {
  const fields = fieldsOf(lines);
  const text = (...names: string[]) =>
    names
      .map((name) => fields.get(name)?.trim())
      .find((value) => value !== undefined && value !== '');
  const expected = text('expected', 'wanted');
  const actual = text('actual', 'found');
  const compared =
    expected === undefined || actual === undefined
      ? undefined
      : `expected ${expected}, found ${actual}`;
  const duration = Number(text('duration_ms', 'duration') ?? Number.NaN);
  const [, line] = /:(\d{1,9})(?::\d+)?\)?$/.exec(text('location') ?? '') ?? [];
  const whole = lines.join('\n').trim();
  return {
    message: text('message', 'error') ?? compared ?? text('operator', 'code') ?? null,
    trace: text('stack', 'trace', 'stackTrace') ?? (whole === '' ? null : whole),
    durationMs: boundedMs(duration),
    line: line === undefined ? null : Number(line),
  };
}

/** The keys at the top of a block with their scalars; lists and maps as they are written. */
function fieldsOf(lines: readonly string[]): Map<string, string> {
  const fields = new Map<string, string>();
  let at = 0;
  while (at < lines.length) {
    const [, key, rest = ''] = /^([\w-]+):(?:[ \t]+(.*))?$/s.exec(lines[at] ?? '') ?? [];
    at += 1;
    if (key === undefined) continue;
    const start = at;
    while (at < lines.length && /^(?:\s|$)/.test(lines[at] ?? '')) at += 1;
    const inner = lines.slice(start, at);
    if (!fields.has(key)) fields.set(key, scalarOf(rest.trim(), inner));
  }
  return fields;
}

function scalarOf(first: string, inner: readonly string[]): string {
  if (/^[|>][-+\d]*$/.test(first)) return unindented(inner).join('\n');
  const text = [first, ...inner.map((line) => line.trim())].join('\n').trim();
  if (text.startsWith('"') && text.endsWith('"')) {
    try {
      return String(JSON.parse(text.replaceAll('\n', ' ')));
    } catch {
      return text.slice(1, -1);
    }
  }
  const single = text.length > 1 && text.startsWith("'") && text.endsWith("'");
  if (single) return text.slice(1, -1).replaceAll("''", "'");
  return text === '~' || text === 'null' ? '' : text;
}

function unindented(lines: readonly string[]): string[] {
  const indents = lines.filter((line) => /\S/.test(line)).map((line) => line.search(/\S/));
  const least = indents.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  return lines.map((line) => line.slice(Number.isFinite(least) ? least : 0));
}
