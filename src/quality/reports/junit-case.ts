// One `<testcase>` of a JUnit report and what its outcomes make of it: several failures in one,
// surefire's reruns, skips, and the attributes that some tools say it with instead.

import { secondsToMs } from './figures.ts';
import { type Attempt, type ResultStatus, TEXT_LIMITS } from './model.ts';
import { unique } from './story-links.ts';
import { boundedMessage, boundedTrace, firstLine } from './text.ts';

/** Which try an outcome is of: the test's own, a later one that failed, or an earlier one. */
export type OutcomeKind = 'main' | 'rerun' | 'flaky' | 'skipped';

export interface Outcome {
  kind: OutcomeKind;
  /** An error rather than an assertion that did not hold. */
  broken: boolean;
  type: string;
  message: string;
  time: string | undefined;
  text: string;
}

/** The elements that say how a test went. */
export const OUTCOMES: ReadonlyMap<string, { kind: OutcomeKind; broken: boolean }> = new Map([
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

export interface CaseVerdict {
  status: ResultStatus;
  durationMs: number | null;
  attempts: Attempt[];
  message: string | null;
  trace: string | null;
  /** Failures and errors of its own. */
  failures: number;
}

const NO_ATTEMPTS: Attempt[] = [];

/**
 * What a test's attributes and outcomes say.
 *
 * @param cut - the report ends inside it: without an outcome, nobody knows how it went
 */
export function judgeCase(
  attributes: Record<string, string>,
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
  if (main.length > 0 || reruns.length > 0) {
    const own = main.length > 0 ? main : reruns.slice(-1);
    const failed = tried(own, durationMs);
    const tries = main.length > 0 ? [...flaky, null, ...reruns] : [...flaky, ...reruns];
    const attempts =
      tries.length > 1 ? tries.map((one) => (one === null ? failed : tried([one], null))) : [];
    return { ...failed, attempts: bounded(attempts), failures: own.length };
  }
  const [skip] = of('skipped');
  const status = skip !== undefined ? 'skipped' : cut ? 'unknown' : 'passed';
  const last = { status, durationMs, ...textsOf(skip === undefined ? [] : [skip]) } as const;
  const attempts = flaky.length === 0 ? [] : [...flaky.map((one) => tried([one], null)), last];
  return { ...last, attempts: bounded(attempts), failures: 0 };
}

function tried(outcomes: readonly Outcome[], durationMs: number | null): Attempt {
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

/** The first and last tries, where there were too many. */
function bounded(attempts: Attempt[]): Attempt[] {
  const most = TEXT_LIMITS.attempts;
  if (attempts.length <= most) return attempts;
  return [...attempts.slice(0, most - 1), ...attempts.slice(-1)];
}

/** What `status` and `result` say, as gtest and others write them beside no element at all. */
function saidStatus({ status, result }: Record<string, string>): ResultStatus {
  if (status === undefined && result === undefined) return 'passed';
  const words = `${status ?? ''} ${result ?? ''}`.toLowerCase();
  if (/\b(?:notrun|not run|skipped|disabled|ignored|suppressed|pending|todo)\b/.test(words)) {
    return 'skipped';
  }
  if (/\b(?:fail|failed|failure)\b/.test(words)) return 'failed';
  return /\b(?:error|errored|broken|crashed|timedout|timeout)\b/.test(words) ? 'broken' : 'passed';
}
