// Reads JUnit XML in all its dialects as a stream: what Ant, surefire, pytest, jest, bun and others
// write, cut off or not quite well-formed too. Each test is handed out as it ends.
import { readCount, secondsToMs } from './figures.ts';
import { plainFile } from './files.ts';
import { createHeadReader, placeOf, rootSuite, suiteIn } from './junit-suites.ts';
import {
  type Attempt,
  type ReaderContext,
  type ReportReader,
  type ResultStatus,
  TEXT_LIMITS,
} from './model.ts';
import { type Counts, checkTotals, countTest } from './problems.ts';
import { isStoryLink, unique } from './story-links.ts';
import {
  boundedAttempts,
  boundedMessage,
  boundedName,
  boundedTrace,
  firstLine,
  sha256Of,
} from './text.ts';
import { createXmlInput } from './xml-input.ts';

type OutcomeKind = 'main' | 'rerun' | 'flaky' | 'skipped';

interface Outcome {
  kind: OutcomeKind;
  /** An error rather than an assertion that did not hold. */
  broken: boolean;
  type: string;
  message: string;
  time: string | undefined;
  text: string;
}

const OUTCOMES: ReadonlyMap<string, { kind: OutcomeKind; broken: boolean }> = new Map([
  ['failure', { kind: 'main', broken: false }],
  ['error', { kind: 'main', broken: true }],
  ['rerunFailure', { kind: 'rerun', broken: false }],
  ['rerunError', { kind: 'rerun', broken: true }],
  ['flakyFailure', { kind: 'flaky', broken: false }],
  ['flakyError', { kind: 'flaky', broken: true }],
  ['skipped', { kind: 'skipped', broken: false }],
  ['skip', { kind: 'skipped', broken: false }],
  ['ignored', { kind: 'skipped', broken: false }],
]);

type Attributes = Record<string, string>;

interface Case {
  attributes: Attributes;
  outcomes: readonly Outcome[];
  storyIds: readonly string[];
  contentSha256: string | null;
  /** The one that it stands in, which no tool should write. */
  outer: Case | null;
}

interface Open {
  kind: 'suite' | 'case' | 'load' | 'outcome' | 'property' | 'other';
  into: { text: string } | null;
  name: string;
}

const OTHER: Open = { kind: 'other', into: null, name: '' };
const SUITE: Open = { kind: 'suite', into: null, name: '' };
const CASE: Open = { kind: 'case', into: null, name: '' };
const NO_OUTCOMES: readonly Outcome[] = [];
const NO_IDS: readonly string[] = [];
const NO_ATTEMPTS: Attempt[] = [];
/** More of a text is not collected. */
const MAX_TEXT = 4 * TEXT_LIMITS.traceBytes;

export function createJunitReader({ emit, problems, links }: ReaderContext): ReportReader {
  const heading = createHeadReader();
  const root = rootSuite();
  const stack: Open[] = [];
  let top = OTHER;
  let suite = root;
  let current: Case | null = null;
  let firstElement: string | null = null;
  let isJunit = false;
  let isEmpty = true;

  const input = createXmlInput(
    {
      open(name, attributes) {
        firstElement ??= name;
        stack.push(top);
        top = opened(name, attributes);
      },
      close() {
        const closed = top;
        top = stack.pop() ?? OTHER;
        if (closed.kind === 'case') finishCase(false);
        else if (closed.kind === 'load') finishLoad();
        else if (closed.kind === 'suite') finishSuite(true);
        else if (closed.kind === 'property') property(closed.name, closed.into?.text ?? '');
      },
      text(text) {
        const { into } = top;
        if (into !== null && into.text.length <= MAX_TEXT) into.text += text.slice(0, MAX_TEXT);
      },
    },
    problems,
  );

  return {
    format: 'junit',
    head: heading.head,
    runFields: {},
    write(chunk) {
      isEmpty &&= chunk.length === 0;
      input.write(chunk);
    },
    end() {
      const end = input.end();
      if (end === 'cut')
        problems.add('cut_off', isEmpty ? 'the report is empty' : 'the report ends before its end');
      if (end !== 'whole') {
        while (current !== null) finishCase(true);
        while (suite !== root) finishSuite(false);
      }
      heading.finish();
      if (isJunit) return;
      const what = firstElement === null ? 'no element' : `<${firstElement.slice(0, 100)}>`;
      problems.add('not_a_report', `not a JUnit report: it begins with ${what}`);
    },
  };

  function opened(name: string, attributes: Attributes): Open {
    if (top.into !== null && top.kind !== 'property') {
      // What stands inside a failure, such as surefire's `stackTrace`, is its text.
      const isOutput = name === 'system-out' || name === 'system-err';
      return isOutput ? OTHER : { kind: 'other', into: top.into, name: '' };
    }
    if (name === 'testcase') {
      isJunit = true;
      current = caseOf(attributes);
      return CASE;
    }
    if ((name === 'testsuite' || name === 'testsuites') && current === null) {
      isJunit = true;
      suite = suiteIn(suite, name, attributes, links);
      heading.suite(name, attributes, suite.level);
      return SUITE;
    }
    if (name !== 'property') return outcomeOf(name, attributes);
    const { name: key = '', value } = attributes;
    if (value === undefined) return { kind: 'property', into: { text: '' }, name: key };
    property(key, value);
    return OTHER;
  }

  function caseOf(attributes: Attributes): Case {
    return {
      attributes,
      outcomes: NO_OUTCOMES,
      storyIds: NO_IDS,
      contentSha256: null,
      outer: current,
    };
  }

  function outcomeOf(name: string, attributes: Attributes): Open {
    const how = OUTCOMES.get(name);
    if (how === undefined) return OTHER;
    const { type = '', message = '', time } = attributes;
    const { kind, broken } = how;
    const outcome: Outcome = { kind, broken, type, message, time, text: '' };
    if (top === CASE && current !== null) {
      if (current.outcomes.length < TEXT_LIMITS.attempts) {
        current.outcomes = [...current.outcomes, outcome];
      }
      return { kind: 'outcome', into: outcome, name };
    }
    if (top !== SUITE || kind === 'skipped') return OTHER;
    // A failure of the suite itself, such as a class that does not load: Jenkins calls it <init>.
    current = caseOf({ name: '<init>' });
    outcome.kind = 'main';
    current.outcomes = [outcome];
    return { kind: 'load', into: outcome, name };
  }

  function property(name: string, value: string): void {
    const text = value.trim();
    const ids = isStoryLink(name) ? links.inValue(text) : NO_IDS;
    if (current !== null) {
      if (ids.length > 0) current.storyIds = unique([...current.storyIds, ...ids]);
      if (/^content[-_.]?sha256$/i.test(name)) current.contentSha256 ??= sha256Of(text);
      return;
    }
    if (ids.length > 0) suite.storyIds = unique([...suite.storyIds, ...ids]);
    // What web-test-runner and others call the file of a suite.
    if (/^(?:test\.)?file(?:name|path)?$/i.test(name)) suite.file ??= boundedName(plainFile(text));
    heading.property(name, text, suite.level);
  }

  function finishCase(cut: boolean): void {
    if (current === null) return;
    const { attributes, outcomes } = current;
    const verdict = judgeCase(attributes, outcomes, cut);
    countTest(suite.own, verdict.status, verdict.failures);
    emitCase(current, verdict);
    current = current.outer;
  }

  /** A suite's own failure counts among the failures that it states, and not among its tests. */
  function finishLoad(): void {
    if (current === null) return;
    const verdict = judgeCase(current.attributes, current.outcomes, false);
    suite.own.failures += verdict.failures;
    emitCase(current, verdict);
    current = current.outer;
  }

  function emitCase({ attributes, storyIds, contentSha256 }: Case, verdict: CaseVerdict): void {
    const place = placeOf(suite, attributes, links);
    const named = links.inName(attributes.name ?? '');
    const linked = storyIds.length + place.storyIds.length + suite.storyIds.length;
    // Field by field: a spread costs more than all else here.
    emit({
      name: boundedName(attributes.name ?? '') || '(unnamed)',
      path: place.path,
      file: place.file,
      line: readCount(attributes.line ?? attributes.lineno) || null,
      parameters: null,
      status: verdict.status,
      durationMs: verdict.durationMs,
      attempts: verdict.attempts,
      message: verdict.message,
      trace: verdict.trace,
      contentSha256,
      storyIds:
        linked === 0
          ? named
          : unique([...storyIds, ...named, ...place.storyIds, ...suite.storyIds]),
    });
  }

  function finishSuite(compare: boolean): void {
    const { parent, own, all, stated, name } = suite;
    add(all, own);
    if (compare && stated !== null) {
      const place = name === '' ? 'the report' : `the suite "${name.slice(0, 200)}"`;
      checkTotals(problems, place, stated, all, own);
    }
    if (parent === null) return;
    add(parent.all, all);
    suite = parent;
  }
}

function add(counts: Counts, more: Counts): void {
  counts.tests += more.tests;
  counts.failures += more.failures;
  counts.skipped += more.skipped;
}

interface CaseVerdict extends Attempt {
  attempts: Attempt[];
  /** Failures and errors of its own. */
  failures: number;
}

/** What a test's attributes and outcomes say. */
function judgeCase(
  attributes: Attributes,
  outcomes: readonly Outcome[],
  cut: boolean,
): CaseVerdict {
  const durationMs = secondsToMs(attributes.time ?? attributes.duration);
  if (outcomes.length === 0) {
    const status = cut ? 'unknown' : saidStatus(attributes);
    const message = cut ? 'The report is cut off inside this test.' : null;
    return { status, durationMs, attempts: NO_ATTEMPTS, message, trace: null, failures: 0 };
  }
  const of = (kind: OutcomeKind) => outcomes.filter((outcome) => outcome.kind === kind);
  const [main, reruns, flaky] = [of('main'), of('rerun'), of('flaky')];
  const before = flaky.map((one) => attemptOf([one], null));
  if (main.length > 0 || reruns.length > 0) {
    const own = main.length > 0 ? main : reruns.slice(-1);
    const failed = attemptOf(own, durationMs);
    const later = reruns.map((one) => attemptOf([one], null));
    const attempts = main.length > 0 ? [...before, failed, ...later] : [...before, ...later];
    const isOne = attempts.length === 1;
    return { ...failed, attempts: isOne ? [] : boundedAttempts(attempts), failures: own.length };
  }
  const skips = of('skipped').slice(0, 1);
  const status = skips.length > 0 ? 'skipped' : cut ? 'unknown' : 'passed';
  const last: Attempt = { status, durationMs, ...textsOf(skips) };
  const attempts = before.length === 0 ? [] : boundedAttempts([...before, last]);
  return { ...last, attempts, failures: 0 };
}

function attemptOf(outcomes: readonly Outcome[], durationMs: number | null): Attempt {
  const status = outcomes.every(({ broken }) => broken) ? 'broken' : 'failed';
  return { status, durationMs: durationMs ?? secondsToMs(outcomes[0]?.time), ...textsOf(outcomes) };
}

function textsOf(outcomes: readonly Outcome[]): Pick<Attempt, 'message' | 'trace'> {
  const lines = outcomes.map(({ type, message, text }) =>
    /\S/.test(message) ? message.trim() : firstLine(text) || type,
  );
  const traces = outcomes.map(({ text }) => text.trim()).filter((text) => text !== '');
  return {
    message: boundedMessage(unique(lines.filter((line) => line !== '')).join('\n')),
    trace: boundedTrace(traces.join('\n\n')),
  };
}

function saidStatus({ status, result }: Attributes): ResultStatus {
  if (status === undefined && result === undefined) return 'passed';
  const words = `${status ?? ''} ${result ?? ''}`.toLowerCase();
  if (/\b(?:notrun|not run|skipped|disabled|ignored|suppressed|pending|todo)\b/.test(words)) {
    return 'skipped';
  }
  if (/\b(?:fail|failed|failure)\b/.test(words)) return 'failed';
  return /\b(?:error|errored|broken|crashed|timedout|timeout)\b/.test(words) ? 'broken' : 'passed';
}
