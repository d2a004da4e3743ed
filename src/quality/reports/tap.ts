// Reads TAP 12, 13 and 14 as a stream: subtests, YAML diagnostics, directives, bail out, plans. A
// subtest's tests are results; its own point is one only where they do not explain how it went.

import type { ReaderContext } from './collect.ts';
import { emptyHead, type ReportReader, type ResultStatus } from './model.ts';
import { boundedMs } from './text.ts';

const MAX_DEPTH = 60;
const MAX_DIAGNOSTIC_LINES = 2000;

interface Frame {
  suites: readonly string[];
  planned: number | null;
  points: number;
  failing: number;
  parent: Frame | null;
}

interface Pending {
  point: PointLine;
  number: number;
  lines: string[];
  indent: number | null;
}

export function createTapReader({ emit, problems }: ReaderContext): ReportReader {
  const input = createLineInput(take);
  let frame = frameOf([], null);
  let pending: Pending | null = null;
  /** What comments name the subtests that are to come, by the levels at which they stand. */
  const names: (string | undefined)[] = [];
  let isEmpty = true;
  let isTap = false;
  let isBailed = false;

  return { format: 'tap', head: emptyHead(), write: input.write, end };

  function take(line: string, at: number): void {
    isEmpty = false;
    if (isBailed) return;
    const spaces = line.length - line.trimStart().length;
    if (pending !== null && isDiagnostic(pending, line, spaces)) return;
    if (spaces % 4 !== 0 || spaces > 4 * MAX_DEPTH || spaces === line.length) return;
    const read = readTapLine(line.slice(spaces));
    if (read === undefined) return;
    settle();
    handle(read, spaces / 4, at);
  }

  function isDiagnostic(point: Pending, line: string, spaces: number): boolean {
    if (point.indent === null) {
      if (line.trim() !== '---' || spaces === 0) return false;
      point.indent = spaces;
    } else if (line.trim() === '...' && spaces <= point.indent) settle();
    else if (point.lines.length < MAX_DIAGNOSTIC_LINES) point.lines.push(line.slice(point.indent));
    return true;
  }

  function handle(read: TapLine, level: number, line: number): void {
    if (read.kind === 'version') isTap ||= level === 0;
    else if (read.kind === 'subtest') {
      names.length = level;
      names.push(read.name);
    } else if (read.kind === 'bail') {
      isBailed = true;
      problems.add('bail_out', `the run bailed out: ${read.reason}`, { line });
    } else if (read.kind === 'point') {
      if (read.name.endsWith('{'))
        problems.add('not_well_formed', 'a subtest in braces is not read', { line });
      takePoint(read, level);
    } else if (goTo(level)) {
      isTap = true;
      if (frame.planned !== null) problems.add('plan_mismatch', 'a second plan', { line });
      frame.planned ??= read.tests;
    }
  }

  /** Goes to the level of a line; false where nothing can stand there. */
  function goTo(level: number): boolean {
    while (depthOf(frame) > level) close();
    for (let depth = depthOf(frame); depth < level; depth += 1) {
      // The comment stands above its subtest, or is its first line.
      const at = names[depth] === undefined ? depth + 1 : depth;
      const name = names[at];
      if (name === undefined && depth + 1 < level) return false;
      names[at] = undefined;
      frame = frameOf([...frame.suites, name ?? ''], frame);
    }
    return true;
  }

  function takePoint(point: PointLine, level: number): void {
    while (depthOf(frame) > level + 1) close();
    const subtest = depthOf(frame) > level ? close() : undefined;
    if (!goTo(level)) return;
    isTap = true;
    names.length = Math.min(names.length, level);
    frame.points += 1;
    const isExplained =
      subtest !== undefined &&
      subtest.points > 0 &&
      (point.ok || subtest.failing > 0 || point.directive !== null);
    if (isExplained) return;
    pending = { point, number: point.number ?? frame.points, lines: [], indent: null };
  }

  function settle(): void {
    if (pending === null) return;
    const { point, number, lines, indent } = pending;
    pending = null;
    const status = statusOf(point);
    const isFailed = status === 'failed';
    if (isFailed) frame.failing += 1;
    const said = indent === null ? undefined : readDiagnostics(lines);
    const reason = point.directive === 'todo' ? `TODO ${point.reason}` : point.reason;
    emit({
      name: point.name || `test ${number}`,
      suites: frame.suites,
      line: said?.line,
      status,
      durationMs: point.durationMs ?? said?.durationMs,
      message: isFailed ? said?.message : reason.trim(),
      trace: isFailed ? said?.trace : null,
    });
  }

  function close(): Frame {
    const closed = frame;
    checkPlan(closed);
    if (closed.parent !== null) {
      closed.parent.failing += closed.failing;
      frame = closed.parent;
    }
    return closed;
  }

  function checkPlan({ planned, points, parent, suites }: Frame): void {
    if (planned === null) {
      if (parent === null) problems.add('plan_missing', 'no plan: the run may have ended early');
    } else if (planned !== points) {
      const where =
        parent === null ? 'the report' : `the subtest "${suites.at(-1)?.slice(0, 200)}"`;
      problems.add('plan_mismatch', `${where} planned ${planned} tests and holds ${points}`);
    }
  }

  function end(): void {
    input.end();
    if (pending?.indent != null) problems.add('cut_off', 'the report ends inside diagnostics');
    settle();
    if (isEmpty) problems.add('cut_off', 'the report is empty');
    else if (!isTap && !isBailed) problems.add('not_a_report', 'not TAP: no plan and no test');
    if (!isTap || isBailed) return;
    if (frame.parent !== null) problems.add('cut_off', 'the report ends inside a subtest');
    while (frame.parent !== null) close();
    close();
  }
}

function frameOf(suites: readonly string[], parent: Frame | null): Frame {
  return { suites, planned: null, points: 0, failing: 0, parent };
}

function depthOf({ suites }: Frame): number {
  return suites.length;
}

/** What a point says; one that is still to be done does not count as failed (TAP 14). */
function statusOf({ ok, directive }: PointLine): ResultStatus {
  if (directive === 'skip' || (directive === 'todo' && !ok)) return 'skipped';
  return ok ? 'passed' : 'failed';
}

const MAX_LINE = 64 * 1024;

function createLineInput(take: (line: string, number: number) => void) {
  const decoder = new TextDecoder();
  let rest = '';
  let number = 0;
  return {
    write: (chunk: Uint8Array) => feed(decoder.decode(chunk, { stream: true })),
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

type PointLine = ReturnType<typeof pointOf> & {};
type TapLine = ReturnType<typeof readTapLine> & {};

const POINT = /^(not )?ok(?:[ \t]+(\d{1,9})(?![\w.]))?(?:[ \t]+(?:-[ \t]+|-$)?(.*)|[ \t]*)$/s;

export function readTapLine(line: string) {
  if (/^(?:not )?ok/.test(line)) return pointOf(line);
  const [, name] = /^#\s*Subtest(?::\s*(.*))?$/s.exec(line) ?? [];
  if (name !== undefined) return { kind: 'subtest' as const, name: unescaped(name.trim()) };
  const [, first, last] = /^(\d{1,9})\.\.(\d{1,9})[ \t]*(?:#.*)?$/s.exec(line) ?? [];
  if (last !== undefined)
    return { kind: 'plan' as const, tests: Math.max(Number(last) - Number(first) + 1, 0) };
  if (/^TAP version \d{1,3}[ \t]*$/i.test(line)) return { kind: 'version' as const };
  const [, bail] = /^Bail out!\s*(.*)$/is.exec(line) ?? [];
  return bail === undefined ? undefined : { kind: 'bail' as const, reason: bail.trim() };
}

function pointOf(line: string) {
  const [whole, not, number, rest = ''] = POINT.exec(line) ?? [];
  if (whole === undefined) return undefined;
  // A `#` that is not escaped begins a directive; any other stands in the name.
  const { index } = /(?:^|\s)#\s*(?:skip|todo|time[=:]|duration[=:])/i.exec(rest) ?? {};
  const directive = index === undefined ? '' : rest.slice(index).trim();
  const [, word, reason = ''] = /^#\s*(skip|todo)\w*:?\s*(.*)$/is.exec(directive) ?? [];
  const [, time, unit] = /#\s*(?:time|duration)[=:]\s*([\d.]+)\s*(ms|s)?/i.exec(directive) ?? [];
  return {
    kind: 'point' as const,
    ok: not === undefined,
    number: number === undefined ? null : Number(number),
    name: unescaped(rest.slice(0, index).trim()),
    directive: (word?.toLowerCase() ?? null) as 'skip' | 'todo' | null,
    reason: unescaped(reason.trim()),
    durationMs: time === undefined ? null : boundedMs(Number(time) * (unit === 's' ? 1000 : 1)),
  };
}

function unescaped(text: string): string {
  return text.replace(/\\([\\#])/g, '$1');
}

/** The few keys at the top of a block that say why and how long; nothing more of YAML is read. */
function readDiagnostics(lines: readonly string[]) {
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
  if (/^".*"$/s.test(text)) return text.slice(1, -1).replaceAll('\\"', '"');
  if (/^'.*'$/s.test(text)) return text.slice(1, -1).replaceAll("''", "'");
  return text === '~' || text === 'null' ? '' : text;
}
