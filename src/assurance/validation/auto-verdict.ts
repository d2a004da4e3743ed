// When the service judges a story by itself: a pure function of what covers it, how that went, and
// what has been said of it.
import type { ResultStatus } from '../../quality/reports/model.ts';
import { isFailure } from '../coverage/story-links.ts';

/** The newest judged result of what covers a story. */
export interface CoveringResult {
  status: ResultStatus;
  /**
   * Whether story and test are today what they were for the run: the story's fingerprint, its deep
   * fingerprint, and the test's own.
   */
  current: boolean;
  /** Where its run stands among all, in the order in which they came. */
  runSeq: number;
  /** When its run was submitted, milliseconds since the epoch. */
  receivedAt: number;
}

/** What covers a story and counts. */
export interface CoveringTarget {
  /** Whether it must have run: a test or command. */
  required: boolean;
  /** Its link was made for an earlier text. */
  suspect: boolean;
  /** Undefined where it has none on a judged branch. */
  result: CoveringResult | undefined;
}

/** A verdict, as far as it bears on another one. */
export interface EarlierVerdict {
  verdict: string;
  /** Who said it first, whoever carried it since. */
  byKind: string;
  /** Whether the story says, and rests on, what was judged. */
  sameContent: boolean;
  /** A test that it rests on has changed since. */
  testChanged: boolean;
  /** The run up to which results were known when it was given; null where that was not kept. */
  resultsUpTo: number | null;
  /** When it was given, milliseconds since the epoch. */
  createdAt: number;
}

/**
 * What the service has to say of a story: `passed` where all that covers it passed on what it says
 * and rests on today, `failed` where something then fails: what had failed before it was said to have
 * passed was known then. What a person said of the same content stands, unless that was that it
 * passed. Nothing is said twice, unless it was said by a test that is another one now.
 *
 * @param verdicts - on the story, the oldest first
 */
export function autoVerdict(
  targets: readonly CoveringTarget[],
  verdicts: readonly EarlierVerdict[],
): 'passed' | 'failed' | undefined {
  const outcome = outcomeOf(targets);
  if (outcome === undefined) return undefined;
  const last = verdicts.at(-1);
  if (last?.sameContent && last.verdict === outcome && !last.testChanged) return undefined;
  const onThis = verdicts.findLast(({ sameContent }) => sameContent);
  if (onThis && onThis.byKind === 'person' && onThis.verdict !== 'passed') return undefined;
  if (outcome === 'passed') return outcome;
  return onThis?.verdict === 'passed' && hasFailedSince(targets, onThis) ? outcome : undefined;
}

/** Whether something has failed that was not known when a verdict was given. */
function hasFailedSince(targets: readonly CoveringTarget[], verdict: EarlierVerdict): boolean {
  return targets.some(({ result }) => result && isFailing(result) && isSince(result, verdict));
}

/** By the order of runs; by time where that was not kept, or a run has the place of one that is gone. */
function isSince(
  { runSeq, receivedAt }: CoveringResult,
  { resultsUpTo, createdAt }: EarlierVerdict,
): boolean {
  return (resultsUpTo !== null && runSeq > resultsUpTo) || receivedAt > createdAt;
}

function isFailing(result: CoveringResult): boolean {
  return result.current && isFailure(result);
}

function outcomeOf(targets: readonly CoveringTarget[]): 'passed' | 'failed' | undefined {
  if (targets.some(({ result }) => result && isFailing(result))) return 'failed';
  const judged = targets.filter(({ required, result }) => required || result);
  const passed = judged.every(
    ({ suspect, result }) => !suspect && result?.current && result.status === 'passed',
  );
  return passed && judged.length > 0 ? 'passed' : undefined;
}
