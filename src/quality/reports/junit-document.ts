// Walks through the elements of a JUnit report, in whatever dialect, and hands out each test as it
// ends: suites in suites, a bare suite, tests at the root, properties at every level.

import { addCounts, countTest, noteTotals } from './counts.ts';
import { readCount } from './figures.ts';
import { plainFile } from './files.ts';
import { type CaseVerdict, judgeCase, OUTCOMES, type Outcome } from './junit-case.ts';
import { junitHead } from './junit-head.ts';
import { placeOf, rootSuite, suiteIn } from './junit-suite.ts';
import { type ReaderContext, type ReportHead, TEXT_LIMITS } from './model.ts';
import { isStoryLink, unique } from './story-links.ts';
import { boundedName, sha256Of } from './text.ts';
import type { XmlHandlers } from './xml-input.ts';

export interface JunitDocument extends XmlHandlers {
  /** Completes the head, and takes what is still open where the report was cut off. */
  finish(whole: boolean): void;
  head: ReportHead;
}

interface Case {
  attributes: Record<string, string>;
  outcomes: readonly Outcome[];
  storyIds: readonly string[];
  contentSha256: string | null;
  /** The one that it stands in, which no tool should write. */
  outer: Case | null;
}

/** An element that is open, and where the text in it goes. */
interface Open {
  kind: 'suite' | 'case' | 'load' | 'outcome' | 'property' | 'other';
  into: { text: string } | null;
  name: string;
}

const OTHER: Open = { kind: 'other', into: null, name: '' };
const SUITE: Open = { kind: 'suite', into: null, name: '' };
/** Most cases have neither. */
const NO_OUTCOMES: readonly Outcome[] = [];
const NO_IDS: readonly string[] = [];
const CASE: Open = { kind: 'case', into: null, name: '' };
/** Longer than any text that is kept. */
const TEXT_LENGTH = 4 * TEXT_LIMITS.traceBytes;

/** Starts a document. */
export function createJunitDocument({ emit, problems, links }: ReaderContext): JunitDocument {
  const { head, ...heading } = junitHead();
  const root = rootSuite();
  const stack: Open[] = [];
  let top = OTHER;
  let suite = root;
  let level = 0;
  let current: Case | null = null;
  let firstElement: string | null = null;
  let known = false;

  return { open, close, text, finish, head };

  function open(name: string, attributes: Record<string, string>): void {
    firstElement ??= name;
    stack.push(top);
    top = opened(name, attributes);
  }

  function opened(name: string, attributes: Record<string, string>): Open {
    if (top.into !== null && top.kind !== 'property') {
      // What stands inside a failure, such as surefire's `stackTrace`, is its text.
      const output = name === 'system-out' || name === 'system-err';
      return output ? OTHER : { kind: 'other', into: top.into, name: '' };
    }
    if (name === 'testcase') {
      current = caseOf(attributes);
      return CASE;
    }
    if ((name === 'testsuite' || name === 'testsuites') && current === null) {
      known = true;
      suite = suiteIn(suite, name, attributes, links);
      level += 1;
      heading.suite(name, attributes, level, suite.stated);
      return SUITE;
    }
    if (name === 'property') {
      const { name: key = '', value } = attributes;
      if (value === undefined) return { kind: 'property', into: { text: '' }, name: key };
      property(key, value);
      return OTHER;
    }
    return outcomeOf(name, attributes);
  }

  function caseOf(attributes: Record<string, string>): Case {
    known = true;
    return {
      attributes,
      outcomes: NO_OUTCOMES,
      storyIds: NO_IDS,
      contentSha256: null,
      outer: current,
    };
  }

  function outcomeOf(name: string, attributes: Record<string, string>): Open {
    const how = OUTCOMES.get(name);
    if (how === undefined) return OTHER;
    const { type = '', message = '', time } = attributes;
    const outcome: Outcome = { ...how, type, message, time, text: '' };
    if (top === CASE && current !== null) {
      if (current.outcomes.length < TEXT_LIMITS.attempts) {
        current.outcomes = [...current.outcomes, outcome];
      }
      return { kind: 'outcome', into: outcome, name };
    }
    if (top !== SUITE || how.kind === 'skipped') return OTHER;
    // A failure of the suite itself, such as a class that does not load: Jenkins calls it <init>.
    current = caseOf({ name: '<init>' });
    const own: Outcome = { ...outcome, kind: 'main' };
    current.outcomes = [own];
    return { kind: 'load', into: own, name };
  }

  function close(): void {
    const closed = top;
    top = stack.pop() ?? OTHER;
    if (closed.kind === 'case') finishCase(false);
    else if (closed.kind === 'load') finishLoad();
    else if (closed.kind === 'suite') finishSuite(true);
    else if (closed.kind === 'property') property(closed.name, closed.into?.text ?? '');
  }

  function text(text: string): void {
    const { into } = top;
    if (into === null || into.text.length > TEXT_LENGTH) return;
    into.text += text.length > TEXT_LENGTH ? text.slice(0, TEXT_LENGTH) : text;
  }

  function property(name: string, value: string): void {
    const text = value.trim();
    const ids = isStoryLink(name) ? links.inValue(text) : [];
    if (current !== null) {
      if (ids.length > 0) current.storyIds = unique([...current.storyIds, ...ids]);
      if (/^content[-_.]?sha256$/i.test(name)) current.contentSha256 ??= sha256Of(text);
      return;
    }
    if (ids.length > 0) suite.storyIds = unique([...suite.storyIds, ...ids]);
    // What web-test-runner and others call the file of a suite.
    if (/^(?:test\.)?file(?:name|path)?$/i.test(name)) suite.file ??= boundedName(plainFile(text));
    heading.property(name, text, level);
  }

  function finishCase(cut: boolean): void {
    if (current === null) return;
    const ended = current;
    current = ended.outer;
    const verdict = judgeCase(ended.attributes, ended.outcomes, cut);
    countTest(suite.own, verdict.status, verdict.failures);
    emitCase(ended, verdict);
  }

  /** A suite's own failure counts among the failures that it states, and not among its tests. */
  function finishLoad(): void {
    if (current === null) return;
    const ended = current;
    current = ended.outer;
    const verdict = judgeCase(ended.attributes, ended.outcomes, false);
    suite.own.failing += 1;
    suite.own.failures += verdict.failures;
    emitCase(ended, verdict);
  }

  function emitCase({ attributes, storyIds, contentSha256 }: Case, verdict: CaseVerdict): void {
    const place = placeOf(suite, attributes, links);
    const named = links.inName(attributes.name ?? '');
    const linked = storyIds.length + place.storyIds.length + suite.storyIds.length;
    // Spreads cost more than all else here, and there may be a hundred thousand.
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
    addCounts(all, own);
    if (compare && stated !== null) {
      const place = name === '' ? 'the report' : `the suite "${name.slice(0, 200)}"`;
      noteTotals(problems, place, stated, all, own);
    }
    if (parent === null) return;
    addCounts(parent.all, all);
    suite = parent;
    level -= 1;
  }

  function finish(whole: boolean): void {
    if (!whole) {
      while (current !== null) finishCase(true);
      while (suite !== root) finishSuite(false);
    }
    heading.finish();
    if (known) return;
    const what = firstElement === null ? 'no element' : `<${firstElement.slice(0, 100)}>`;
    problems.error('not_a_report', `not a JUnit report: it begins with ${what}`);
  }
}
