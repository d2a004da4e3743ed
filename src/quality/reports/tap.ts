// Reads TAP 12, 13 and 14 as a stream: subtests, YAML diagnostics, directives, bail out, plans. A
// subtest's tests are results; its own point is one only where they do not explain how it went.
import { looksLikeFile, plainFile } from './files.ts';
import {
  emptyHead,
  type ReaderContext,
  type ReportReader,
  type ReportResult,
  type ResultStatus,
  type StoryLinks,
} from './model.ts';
import { unique } from './story-links.ts';
import {
  createLineInput,
  type PointLine,
  readDiagnostics,
  readTapLine,
  type TapLine,
} from './tap-lines.ts';
import { boundedMessage, boundedName, boundedPath, boundedTrace, wholeName } from './text.ts';

const MAX_DEPTH = 60;
const MAX_DIAGNOSTIC_LINES = 2000;

interface Frame {
  /** Null until it is known: it may come behind the results of the subtest. */
  name: string | null;
  /** What its name links to; null until it is asked for. */
  storyIds: readonly string[] | null;
  planned: number | null;
  first: number;
  points: number;
  /** The highest number that a point gave itself. */
  highest: number;
  /** Results at its level and below that failed. */
  failing: number;
  depth: number;
  parent: Frame | null;
}

interface Pending {
  point: PointLine;
  number: number;
  /** The tests of its subtest say how it went. */
  explained: boolean;
  lines: string[];
  /** The indentation of its diagnostics while they are open. */
  indent: number | null;
}

type Unplaced = Omit<ReportResult, 'path' | 'file'>;

export function createTapReader({ emit, problems, links }: ReaderContext): ReportReader {
  const input = createLineInput(take);
  let frame = frameIn(null, '');
  let unnamed = 0;
  const waiting: { result: Unplaced; frame: Frame }[] = [];
  /** Subtests in braces, as older versions wrote them: their points stand before them. */
  const braces: { depth: number; point: PointLine; number: number }[] = [];
  let pending: Pending | null = null;
  /** A subtest that a comment named: on its own level, or on that of its parent. */
  let announced: { name: string; level: number } | null = null;
  let statedFailed = 0;
  let isEmpty = true;
  let isTap = false;
  let bailed = false;

  return { format: 'tap', head: emptyHead(), runFields: {}, write: input.write, end };

  function take(line: string, at: number): void {
    isEmpty = false;
    if (bailed) return;
    const spaces = line.length - line.trimStart().length;
    if (pending !== null && isDiagnostic(pending, line, spaces)) return;
    if (spaces % 4 !== 0 || spaces > 4 * MAX_DEPTH || spaces === line.length) return;
    const read = readTapLine(line.slice(spaces));
    if (read === undefined) return;
    settle();
    handle(read, spaces / 4, at);
  }

  /** Whether a line belongs to the diagnostics of the pending point. */
  function isDiagnostic(point: Pending, line: string, spaces: number): boolean {
    if (point.indent === null) {
      if (line.trim() !== '---' || spaces === 0) return false;
      point.indent = spaces;
    } else if (line.trim() === '...' && spaces <= point.indent) settle();
    else if (point.lines.length < MAX_DIAGNOSTIC_LINES) point.lines.push(line.slice(point.indent));
    return true;
  }

  function handle(read: TapLine, level: number, at: number): void {
    switch (read.kind) {
      case 'version':
        isTap ||= level === 0;
        break;
      case 'failed':
        if (level === 0) statedFailed = read.count;
        break;
      case 'subtest':
        announce(read.name, level);
        break;
      case 'closes':
        closeBraces(level);
        break;
      case 'bail':
        bailed = true;
        problems.add('bail_out', `the run bailed out: ${read.reason}`, { line: at });
        break;
      case 'plan':
        if (!goTo(level)) break;
        isTap = true;
        if (frame.planned !== null) problems.add('plan_mismatch', 'a second plan', { line: at });
        else {
          frame.first = read.first;
          frame.planned = Math.max(read.last - read.first + 1, 0);
        }
        break;
      case 'point':
        takePoint(read, level);
    }
  }

  function announce(name: string, level: number): void {
    // A comment one level further in says that the subtest announced before it has begun.
    const begun = announced !== null && level === announced.level + 1 && level > frame.depth;
    if (begun) open(announced?.name ?? null);
    announced = { name, level };
  }

  /** Goes to the level of a line; false where nothing can stand there. */
  function goTo(level: number): boolean {
    if (level > frame.depth + 1) return false;
    if (level === frame.depth + 1) {
      const isNear = announced?.level === level || announced?.level === frame.depth;
      open(isNear ? (announced?.name ?? null) : null);
      announced = null;
    }
    while (frame.depth > level) close(null);
    while ((braces.at(-1)?.depth ?? 0) > level) braces.pop();
    return true;
  }

  function takePoint(point: PointLine, level: number): void {
    const name = wholeName(point.name);
    let explained = false;
    if (level < frame.depth) {
      while (frame.depth > level + 1) close(null);
      const { failing, points } = close(name);
      explained = points > 0 && (point.ok || failing > 0 || point.directive !== null);
    }
    if (!goTo(level)) return;
    isTap = true;
    if (announced !== null && announced.level <= level) announced = null;
    frame.points += 1;
    const number = point.number ?? frame.first + frame.points - 1;
    frame.highest = Math.max(frame.highest, number);
    if (point.opens) {
      braces.push({ depth: level + 1, point, number });
      open(name);
    } else pending = { point, number, explained, lines: [], indent: null };
  }

  function closeBraces(level: number): void {
    const brace = braces.at(-1);
    if (brace === undefined || brace.depth !== level + 1) return;
    while (frame.depth > brace.depth) close(null);
    braces.pop();
    const { points, failing } = close(null);
    const { point, number } = brace;
    const explained = points > 0 && (point.ok || failing > 0);
    pending = { point, number, explained, lines: [], indent: null };
  }

  /** Makes the result of the pending point: nothing more belongs to it. */
  function settle(): void {
    if (pending === null) return;
    const { point, number, explained, lines, indent } = pending;
    pending = null;
    if (explained) return;
    const status = statusOf(point);
    const said = indent === null ? null : readDiagnostics(lines);
    const isFailed = status === 'failed';
    const reason = point.directive === 'todo' ? `TODO ${point.reason}`.trim() : point.reason;
    const result: Unplaced = {
      name: boundedName(point.name) || `test ${number}`,
      line: said?.line || null,
      parameters: null,
      status,
      durationMs: point.durationMs ?? said?.durationMs ?? null,
      attempts: [],
      message: boundedMessage(isFailed ? said?.message : reason),
      trace: isFailed ? boundedTrace(said?.trace) : null,
      contentSha256: null,
      storyIds: links.inName(point.name),
    };
    if (isFailed) frame.failing += 1;
    if (unnamed === 0) emit(placed(result, frame, links));
    else waiting.push({ result, frame });
  }

  function open(name: string | null): void {
    if (name === null) unnamed += 1;
    frame = frameIn(frame, name);
  }

  /** Ends the innermost subtest; its name where that was not known. */
  function close(name: string | null): Frame {
    const closed = frame;
    if (closed.parent === null) return closed;
    if (closed.name === null) {
      closed.name = name ?? '';
      unnamed -= 1;
    }
    closed.parent.failing += closed.failing;
    frame = closed.parent;
    checkPlan(closed);
    if (unnamed === 0) flush();
    return closed;
  }

  function flush(): void {
    for (const { result, frame } of waiting.splice(0)) emit(placed(result, frame, links));
  }

  function checkPlan({ planned, points, parent, name, highest, first }: Frame): void {
    const where = parent === null ? 'the report' : `the subtest "${(name ?? '').slice(0, 200)}"`;
    if (planned === null) {
      if (parent === null) problems.add('plan_missing', 'no plan: the run may have ended early');
    } else if (planned !== points) {
      problems.add('plan_mismatch', `${where} planned ${planned} tests and holds ${points}`);
    } else if (highest > first + planned - 1) {
      problems.add('plan_mismatch', `${where} has test ${highest} beyond its plan`);
    }
  }

  function end(): void {
    input.end();
    if (pending?.indent != null) problems.add('cut_off', 'the report ends inside diagnostics');
    settle();
    if (isEmpty) problems.add('cut_off', 'the report is empty');
    else if (!isTap && !bailed) problems.add('not_a_report', 'not TAP: no plan and no test');
    if (!isTap) return;
    if (frame.depth > 0 && !bailed) problems.add('cut_off', 'the report ends inside a subtest');
    while (frame.depth > 0) close(null);
    if (!bailed) checkPlan(frame);
    if (statedFailed > 0 && frame.failing === 0) {
      const detail = `the report states ${statedFailed} failed and holds none`;
      problems.add('totals_disagree', detail);
    }
  }
}

function frameIn(parent: Frame | null, name: string | null): Frame {
  return {
    name,
    storyIds: null,
    planned: null,
    first: 1,
    points: 0,
    highest: 0,
    failing: 0,
    depth: parent === null ? 0 : parent.depth + 1,
    parent,
  };
}

/** What a point says; one that is still to be done does not count as failed (TAP 14). */
function statusOf({ ok, directive }: PointLine): ResultStatus {
  if (directive === 'skip' || (directive === 'todo' && !ok)) return 'skipped';
  return ok ? 'passed' : 'failed';
}

function placed(result: Unplaced, innermost: Frame, links: StoryLinks): ReportResult {
  const frames: Frame[] = [];
  for (let at: Frame | null = innermost; at !== null; at = at.parent) frames.unshift(at);
  const ofFile = frames.find(({ name }) => looksLikeFile(name ?? ''));
  const suites = frames.filter((one) => one !== ofFile);
  const linked = suites.flatMap((suite) => {
    suite.storyIds ??= links.inName(suite.name ?? '');
    return suite.storyIds;
  });
  return {
    ...result,
    path: boundedPath(suites.map(({ name }) => name ?? '')),
    file: ofFile ? boundedName(plainFile(ofFile.name ?? '')) : null,
    storyIds: unique([...result.storyIds, ...linked]),
  };
}
