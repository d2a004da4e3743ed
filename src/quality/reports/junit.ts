// Reads JUnit XML as a stream, as Ant, surefire, pytest, jest, bun and others write it, cut off too.
// Each test is handed out as it ends.

import { isFailing } from '../runs/flaky.ts';
import type { ReaderContext } from './collect.ts';
import {
  checkTotals,
  emptyHead,
  type ReportReader,
  type ReportTry,
  type ResultStatus,
  TEXT_LIMITS,
  type Totals,
} from './model.ts';
import { isStoryLink } from './story-links.ts';
import { boundedField, looksLikeFile, readCount, readTime, rfc3339, secondsToMs } from './text.ts';
import { createXmlInput } from './xml-input.ts';

type Attributes = Record<string, string>;

interface Suite {
  /** Those from the outermost suite to this one that have names: `testsuites` has none. */
  names: readonly string[];
  file: string | undefined;
  storyIds: readonly string[];
  /** Whether it is of Go, whose reports list each try of a test. */
  listsTries: boolean;
  stated: Totals;
  counts: Totals;
  parent: Suite | null;
  level: number;
  /** Its names with the last class name: most tests of a suite have the same. */
  last: { className: string; suites: readonly string[] } | null;
}

type OutcomeKind = 'main' | 'rerun' | 'flaky' | 'skipped';

interface Outcome {
  kind: OutcomeKind;
  /** An error rather than an assertion that did not hold. */
  isBroken: boolean;
  type: string;
  message: string;
  time: string | undefined;
  text: string;
}

const OUTCOMES: ReadonlyMap<string, [kind: OutcomeKind, isBroken: boolean]> = new Map([
  ['failure', ['main', false]],
  ['error', ['main', true]],
  ['rerunFailure', ['rerun', false]],
  ['rerunError', ['rerun', true]],
  ['flakyFailure', ['flaky', false]],
  ['flakyError', ['flaky', true]],
  ['skipped', ['skipped', false]],
]);

interface Case {
  attributes: Attributes;
  outcomes: readonly Outcome[];
  storyIds: readonly string[];
  contentSha256: string | null;
  /** Whether it is a failure of the suite itself, such as a class that does not load. */
  isLoad: boolean;
}

interface Open {
  kind: 'suite' | 'case' | 'property' | 'other';
  into: { text: string } | null;
  name: string;
}

const OTHER: Open = { kind: 'other', into: null, name: '' };
const SUITE: Open = { kind: 'suite', into: null, name: '' };
const CASE: Open = { kind: 'case', into: null, name: '' };
const NONE: readonly never[] = [];
const MAX_LINKS = 100;
const MAX_NAMED = 1000;
const MAX_NAME = 64 * 1024;
const MAX_TEXT = 4 * TEXT_LIMITS.traceBytes;

/** What `go test` prints of a failure, of which its reports say no more than that. */
const GO_FAILURE = /^ +(\w[\w.-]*\.go:\d+: \S[^\n\r]*)/m;

export function createJunitReader({ emit, problems, links }: ReaderContext): ReportReader {
  const head = emptyHead();
  const root = suiteIn(null, {}, false);
  const stack: Open[] = [];
  let top = OTHER;
  let suite = root;
  let current: Case | null = null;
  let firstElement: string | null = null;
  let isJunit = false;
  let isEmpty = true;
  let summedMs: number | null = null;

  const input = createXmlInput(
    {
      open(name, attributes) {
        firstElement ??= name;
        stack.push(top);
        top = opened(name, attributes);
      },
      close() {
        const { kind, name, into } = top;
        top = stack.pop() ?? OTHER;
        if (kind === 'case') finishCase(false);
        else if (kind === 'suite') finishSuite(true);
        else if (kind === 'property') property(name, into?.text ?? '');
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
    head,
    write(chunk) {
      isEmpty &&= chunk.length === 0;
      input.write(chunk);
    },
    end() {
      const end = input.end();
      if (end === 'cut')
        problems.add('cut_off', isEmpty ? 'the report is empty' : 'the report ends before its end');
      if (end !== 'whole') {
        if (current !== null) finishCase(true);
        while (suite !== root) finishSuite(false);
      }
      head.durationMs ??= summedMs;
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
      if (current === null) return openCase(attributes);
      problems.add('not_well_formed', 'a testcase inside a testcase is not read');
      return OTHER;
    }
    if ((name === 'testsuite' || name === 'testsuites') && current === null) {
      isJunit = true;
      suite = suiteIn(suite, attributes, name === 'testsuite');
      if (suite.level <= 2) readHead(attributes);
      return SUITE;
    }
    if (name !== 'property') return outcomeOf(name, attributes);
    const { name: key = '', value } = attributes;
    if (value === undefined) return { kind: 'property', into: { text: '' }, name: key };
    property(key, value);
    return OTHER;
  }

  function openCase(attributes: Attributes, outcomes: readonly Outcome[] = NONE): Open {
    const isLoad = outcomes.length > 0;
    current = { attributes, outcomes, storyIds: NONE, contentSha256: null, isLoad };
    return CASE;
  }

  /** Takes what the outermost suite says of the run, and else what those in it do. */
  function readHead({ name = '', time, timestamp }: Attributes): void {
    const start = readTime(timestamp);
    if (start !== null && head.startedAt === null) {
      head.startedAt = rfc3339(start.ms);
      head.zoned = start.zoned;
    }
    const ms = secondsToMs(time);
    if (suite.level === 1) {
      head.name = boundedField(name);
      head.durationMs = ms;
    } else if (ms !== null) summedMs = (summedMs ?? 0) + ms;
  }

  function outcomeOf(name: string, { type = '', message = '', time }: Attributes): Open {
    const how = OUTCOMES.get(name);
    if (how === undefined) return OTHER;
    const outcome: Outcome = { kind: how[0], isBroken: how[1], type, message, time, text: '' };
    if (top === CASE && current !== null) {
      if (current.outcomes.length < TEXT_LIMITS.attempts)
        current.outcomes = [...current.outcomes, outcome];
      return { kind: 'other', into: outcome, name };
    }
    if (top !== SUITE || how[0] !== 'main') return OTHER;
    // Jenkins calls it so.
    openCase({ name: '<init>' }, [outcome]);
    return { kind: 'case', into: outcome, name };
  }

  function property(name: string, value: string): void {
    const text = value.trim();
    const to = current ?? suite;
    if (isStoryLink(name))
      to.storyIds = [...to.storyIds, ...links.inValue(text)].slice(0, MAX_LINKS);
    if (current !== null) {
      if (/^content[-_.]?sha256$/i.test(name)) current.contentSha256 ??= text;
      return;
    }
    // What web-test-runner and others call the file of a suite.
    suite.listsTries ||= name === 'go.version';
    if (/^(?:test\.)?file(?:name|path)?$/i.test(name)) suite.file ??= text;
  }

  function finishCase(isCut: boolean): void {
    if (current === null) return;
    const { attributes, outcomes, storyIds, contentSha256, isLoad } = current;
    current = null;
    const verdict = judgeCase(attributes, outcomes, isCut);
    const { status, failures, attempts } = verdict;
    const { counts } = suite;
    // A suite's own failure counts among the failures that it states, and not among its tests; with
    // Surefire tries count among both.
    if (!isLoad) counts.tests += Math.max(attempts.length, 1);
    if (status === 'skipped') counts.skipped += 1;
    const least = status === 'skipped' || status === 'passed' ? 0 : 1;
    counts.failing += Math.max(
      attempts.filter((one) => isFailing(one.status)).length,
      failures,
      least,
    );
    emit({
      name: attributes.name ?? '',
      suites: suitesOf(suite, attributes.classname ?? ''),
      file: attributes.file || attributes.filepath || suite.file,
      line: readCount(attributes.line ?? attributes.lineno),
      status,
      durationMs: verdict.durationMs,
      attempts,
      message: verdict.message,
      trace: verdict.trace,
      contentSha256,
      storyIds: suite.storyIds.length === 0 ? storyIds : [...storyIds, ...suite.storyIds],
      listsTries: suite.listsTries,
    });
  }

  function finishSuite(isWhole: boolean): void {
    const { parent, counts, stated, names } = suite;
    if (isWhole) {
      const name = names.at(-1)?.slice(0, 200);
      const place = name === undefined ? 'the report' : `the suite "${name}"`;
      checkTotals(problems, place, stated, counts);
    }
    if (parent === null) return;
    parent.counts.tests += counts.tests;
    parent.counts.failing += counts.failing;
    parent.counts.skipped += counts.skipped;
    suite = parent;
  }
}

function suiteIn(parent: Suite | null, attributes: Attributes, isNamed: boolean): Suite {
  const { name: own = '', package: folder = '' } = attributes;
  const { tests, failures, errors, skipped, skips, disabled } = attributes;
  const isPackaged = own !== '' && folder !== '' && !own.includes(folder) && !folder.includes(own);
  const name = (isPackaged ? `${folder}.${own}` : own || folder).slice(0, MAX_NAME);
  const names = parent?.names ?? [];
  return {
    names: isNamed && name.trim() !== '' && names.length <= MAX_NAMED ? [...names, name] : names,
    file: attributes.file || attributes.filepath || parent?.file,
    storyIds: parent?.storyIds ?? NONE,
    listsTries: parent?.listsTries ?? false,
    stated: {
      tests: readCount(tests) ?? 0,
      failing: (readCount(failures) ?? 0) + (readCount(errors) ?? 0),
      skipped: (readCount(skipped ?? skips) ?? 0) + (readCount(disabled) ?? 0),
    },
    counts: { tests: 0, failing: 0, skipped: 0 },
    parent,
    level: parent === null ? 0 : parent.level + 1,
    last: null,
  };
}

/** The suites of a test. Where they do not nest, the class name is the innermost. */
function suitesOf(suite: Suite, className: string): readonly string[] {
  if (suite.last?.className !== className) {
    const isMore = className.trim() !== '' && !isRepeated(className, suite.names);
    suite.last = { className, suites: isMore ? [...suite.names, className] : suite.names };
  }
  return suite.last.suites;
}

/** Whether a class name says the suites again, joined in one way or another. */
function isRepeated(className: string, suites: readonly string[]): boolean {
  const names = suites.slice(-50).filter((name) => !looksLikeFile(name));
  if (className === suites.at(-1)) return true;
  return [' > ', ' › ', ' ', '.', '::', '/'].some(
    (mark) => className === names.join(mark) || className === names.toReversed().join(mark),
  );
}

interface CaseVerdict extends ReportTry {
  attempts: readonly ReportTry[];
  /** Failures and errors of its own. */
  failures: number;
}

function judgeCase(
  attributes: Attributes,
  outcomes: readonly Outcome[],
  isCut: boolean,
): CaseVerdict {
  const durationMs = secondsToMs(attributes.time ?? attributes.duration);
  if (outcomes.length === 0) {
    const message = isCut ? 'The report is cut off inside this test.' : null;
    const status = isCut ? 'unknown' : saidStatus(attributes);
    return { status, durationMs, message, trace: null, attempts: NONE, failures: 0 };
  }
  const of = (kind: OutcomeKind) => outcomes.filter((outcome) => outcome.kind === kind);
  const main = of('main');
  const before = of('flaky').map((one) => tryOf([one]));
  const later = of('rerun').map((one) => tryOf([one]));
  const first =
    main.length > 0 ? [{ ...tryOf(main), ...(durationMs === null ? {} : { durationMs }) }] : [];
  const [failed] = [...first, ...later.slice(-1)];
  if (failed) {
    const attempts = [...before, ...first, ...later];
    return { ...failed, attempts: attempts.length > 1 ? attempts : [], failures: main.length };
  }
  const skips = of('skipped').slice(0, 1);
  const status = skips.length > 0 ? 'skipped' : isCut ? 'unknown' : 'passed';
  const last = { ...tryOf(skips), status, durationMs } as const;
  return { ...last, attempts: before.length > 0 ? [...before, last] : [], failures: 0 };
}

function tryOf(outcomes: readonly Outcome[]): ReportTry {
  const lines = outcomes.map(({ type, message, text }) => {
    const [first = type] = /\S[^\n\r]*/.exec(text) ?? [];
    const [, ofGo = message] = message === 'Failed' ? (GO_FAILURE.exec(text) ?? []) : [];
    return (ofGo.trim() || first).trimEnd();
  });
  const traces = outcomes.map(({ text }) => text.trim()).filter((text) => text !== '');
  return {
    status: outcomes.every(({ isBroken }) => isBroken) ? 'broken' : 'failed',
    durationMs: secondsToMs(outcomes[0]?.time),
    message: [...new Set(lines)].filter((line) => line !== '').join('\n'),
    trace: traces.join('\n\n'),
  };
}

/** What the attributes of a test say that has no outcome, as GoogleTest writes them. */
function saidStatus({ status = '', result = '' }: Attributes): ResultStatus {
  if (status === '' && result === '') return 'passed';
  const words = `${status} ${result}`.toLowerCase();
  if (/\b(?:notrun|skipped|disabled|suppressed|ignored)\b/.test(words)) return 'skipped';
  if (/\b(?:fail|failed|failure)\b/.test(words)) return 'failed';
  return /\berror\b/.test(words) ? 'broken' : 'passed';
}
