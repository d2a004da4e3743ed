// Reads TAP 12, 13 and 14 as a stream: subtests, YAML diagnostics, directives, bail out, plans. A
// subtest's tests are results; its own point is one only where they do not explain how it went.
import { createLineInput } from './lines.ts';
import type { ResultStatus } from './model.ts';
import { emptyHead, noStatedTotals, type ReaderContext, type ReportReader } from './model.ts';
import { DIAGNOSTIC_LINES, readDiagnostics } from './tap-diagnostics.ts';
import { createFrames, notePlan } from './tap-frames.ts';
import { readTapLine, type TapLine } from './tap-line.ts';
import { boundedMessage, boundedName, boundedTrace, wholeName } from './text.ts';

const DEPTH = 60;

type Point = Extract<TapLine, { kind: 'point' }>;
type Plan = Extract<TapLine, { kind: 'plan' }>;

/** A point that waits for the diagnostics that may follow it. */
interface Held {
  point: Point;
  number: number;
  /** The tests of its subtest say how it went. */
  explained: boolean;
  lines: string[];
  /** The indentation of its diagnostics while they are open. */
  indent: number | null;
}

/** Starts a reader of TAP. */
export function createTapReader(context: ReaderContext): ReportReader {
  const { problems } = context;
  const head = emptyHead();
  const stated = noStatedTotals();
  const frames = createFrames(context);
  /** Subtests in braces, as older versions wrote them: their points stand before them. */
  const braces: { depth: number; point: Point; number: number }[] = [];
  let held: Held | null = null;
  /** A subtest that a comment named: on its own level, or on that of its parent. */
  let announced: { name: string; level: number } | null = null;
  let seen = { lines: false, version: false, tap: false };
  let misnumbered = false;
  let bailed = false;
  const input = createLineInput(take, problems);

  return { format: 'tap', head, runFields: {}, write: input.write, end };

  function take(line: string, at: number): void {
    seen.lines = true;
    if (bailed) return;
    const spaces = line.length - line.trimStart().length;
    if (held !== null && isDiagnostic(held, line, spaces)) return;
    if (spaces % 4 !== 0 || spaces > 4 * DEPTH || spaces === line.length) return;
    const read = readTapLine(line.slice(spaces));
    if (read === undefined) return;
    settle();
    handle(read, spaces / 4, at);
  }

  /** Whether a line belongs to the diagnostics of the point that is held. */
  function isDiagnostic(point: Held, line: string, spaces: number): boolean {
    if (point.indent === null) {
      if (line.trim() !== '---' || spaces === 0) return false;
      point.indent = spaces;
    } else if (line.trim() === '...' && spaces <= point.indent) settle();
    else if (point.lines.length < DIAGNOSTIC_LINES) point.lines.push(line.slice(point.indent));
    return true;
  }

  function handle(read: TapLine, level: number, at: number): void {
    if (read.kind === 'version') seen.version ||= level === 0;
    else if (read.kind === 'subtest') announce(read.name, level);
    else if (read.kind === 'count') {
      if (level === 0 && read.of === 'tests') stated.tests = read.count;
      if (level === 0 && read.of === 'fail') stated.failed = read.count;
      if (level === 0 && read.of === 'pass') stated.passed = read.count;
    } else if (read.kind === 'bail') {
      bailed = true;
      problems.error('bail_out', `the run bailed out: ${read.reason}`, { line: at });
    } else if (read.kind === 'closes') closeBraces(level);
    else if (read.kind === 'plan') plan(read, level);
    else point(read, level, at);
  }

  function announce(name: string, level: number): void {
    // A comment one level further in says that the subtest announced before it has begun.
    const begun = announced !== null && level === announced.level + 1 && level > frames.depth();
    if (begun) frames.open(announced?.name ?? null);
    announced = { name, level };
  }

  /** Goes to the level of a line; false where nothing can stand there. */
  function goTo(level: number): boolean {
    const depth = frames.depth();
    if (level > depth + 1) return false;
    if (level === depth + 1) {
      const near = announced?.level === level || announced?.level === depth;
      frames.open(near ? (announced?.name ?? null) : null);
      announced = null;
    }
    while (frames.depth() > level) frames.close(null);
    while ((braces.at(-1)?.depth ?? 0) > level) braces.pop();
    return true;
  }

  function plan(read: Plan, level: number): void {
    if (!goTo(level)) return;
    seen.tap = true;
    const frame = frames.current;
    if (frame.planned !== null) {
      problems.error('plan_mismatch', 'a second plan');
      return;
    }
    frame.first = read.first;
    frame.planned = Math.max(read.last - read.first + 1, 0);
  }

  function point(read: Point, level: number, at: number): void {
    const name = wholeName(read.name) || null;
    let explained = false;
    if (level < frames.depth()) {
      while (frames.depth() > level + 1) frames.close(null);
      const { failing, points } = frames.close(name ?? '');
      explained = points > 0 && (read.ok || failing > 0 || read.directive !== null);
    }
    if (!goTo(level)) return;
    seen.tap = true;
    if (announced !== null && announced.level <= level) announced = null;
    const number = count(read, at);
    if (read.opens) {
      braces.push({ depth: level + 1, point: read, number });
      frames.open(name ?? '');
    } else held = { point: read, number, explained, lines: [], indent: null };
  }

  function count(read: Point, at: number): number {
    const frame = frames.current;
    frame.points += 1;
    const due = frame.first + frame.points - 1;
    const number = read.number ?? due;
    frame.highest = Math.max(frame.highest, number);
    if (number !== due && !misnumbered) {
      misnumbered = true;
      problems.warning('numbering', `test ${number} comes where ${due} is due`, { line: at });
    }
    return number;
  }

  function closeBraces(level: number): void {
    const brace = braces.at(-1);
    if (brace === undefined || brace.depth !== level + 1) return;
    while (frames.depth() > brace.depth) frames.close(null);
    braces.pop();
    const { points, failing } = frames.close(null);
    const explained = points > 0 && (brace.point.ok || failing > 0);
    const { point: read, number } = brace;
    held = { point: read, number, explained, lines: [], indent: null };
  }

  /** Makes the result of the point that is held: nothing more belongs to it. */
  function settle(): void {
    if (held === null) return;
    const { point: read, number, explained, lines, indent } = held;
    held = null;
    if (explained) return;
    const status = statusOf(read);
    const said = indent === null ? null : readDiagnostics(lines);
    const failed = status === 'failed';
    const reason = read.directive === 'todo' ? `TODO ${read.reason}`.trim() : read.reason;
    frames.add({
      name: boundedName(read.name) || `test ${number}`,
      ...{ line: said?.line || null, parameters: null, status },
      durationMs: read.durationMs ?? said?.durationMs ?? null,
      attempts: [],
      message: boundedMessage(failed ? said?.message : reason),
      trace: failed ? boundedTrace(said?.trace) : null,
      contentSha256: null,
      storyIds: context.links.inName(read.name),
    });
  }

  function end(): void {
    const ended = input.end();
    if (held?.indent != null) problems.error('cut_off', 'the report ends inside diagnostics');
    settle();
    if (!seen.tap && !seen.version && !bailed) {
      if (seen.lines) problems.error('not_a_report', 'not TAP: no plan and no test');
      else problems.error('cut_off', 'the report is empty');
    } else finish(ended);
    seen = { lines: false, version: false, tap: false };
  }

  function finish(ended: boolean): void {
    if (!ended) problems.warning('no_final_newline', 'the last line has no end');
    if (!seen.version) problems.warning('version_missing', 'no line with the version of TAP');
    if (frames.depth() > 0 && !bailed) {
      problems.error('cut_off', 'the report ends inside a subtest');
    }
    while (frames.depth() > 0) frames.close(null);
    frames.flush();
    if (!bailed) notePlan(frames.current, problems);
    const says = [stated.tests, stated.failed, stated.passed].some((number) => number !== null);
    head.stated = says ? stated : null;
    if ((stated.failed ?? 0) > 0 && frames.current.failing === 0) {
      problems.error('totals_disagree', `the report states ${stated.failed} failed and holds none`);
    }
  }
}

/** What a point says; one that is still to be done does not count as failed (TAP 14). */
function statusOf({ ok, directive }: Point): ResultStatus {
  if (directive === 'skip' || (directive === 'todo' && !ok)) return 'skipped';
  return ok ? 'passed' : 'failed';
}
