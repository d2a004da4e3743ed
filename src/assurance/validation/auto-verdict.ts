// When the service judges a story by itself: a pure function of what covers it, how that went, and
// what has been said of it.
import type { ValidationRow } from '../../store/tables/assurance.ts';
import type { StoryCoverage, StoryTrace } from '../coverage/model.ts';
import {
  isCurrent,
  isFailure,
  isOfRequirements,
  isOfTarget,
  standingOfTarget,
} from '../coverage/story-links.ts';
import type { FindJudged } from '../results/judged-results.ts';
import type { TargetResult } from '../results/model.ts';
import type { AssuranceState } from '../state/state.ts';

export interface CoveringResult
  extends Pick<TargetResult, 'status' | 'runId' | 'runSeq' | 'receivedAt'> {
  /** Whether story, what it rests on, and test are today what they were for the run. */
  current: boolean;
}

export interface CoveringTarget {
  /** Whether it must have run: a test or command. */
  required: boolean;
  /** Its link was made for an earlier text. */
  suspect: boolean;
  /** Undefined where it has none on a judged branch. */
  result: CoveringResult | undefined;
}

/** `byKind` is who said it first, whoever carried it since. */
export interface EarlierVerdict
  extends Pick<ValidationRow, 'verdict' | 'byKind' | 'resultsUpTo' | 'createdAt'> {
  /** Whether the story says, and rests on, what was judged. */
  sameContent: boolean;
  /** A test that it rests on has changed since. */
  testChanged: boolean;
}

/**
 * What the service has to say of a story: `passed` where all that covers it passed on what it says
 * and rests on today, `failed` where something then fails: what had failed before it was said to have
 * passed was known then. What a person said of the same content stands, unless that was that it
 * passed. Nothing is said twice, unless it was said by a test that is another one now.
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

function outcomeOf(targets: readonly CoveringTarget[]): 'passed' | 'failed' | undefined {
  if (targets.some(({ result }) => result?.current && isFailure(result))) return 'failed';
  const judged = targets.filter(({ required, result }) => required || result);
  const passed = judged.every(
    ({ suspect, result }) => !suspect && result?.current && result.status === 'passed',
  );
  return passed && judged.length > 0 ? 'passed' : undefined;
}

/** By the order of runs, and by time, as that is not always known. */
function hasFailedSince(
  targets: readonly CoveringTarget[],
  { resultsUpTo, createdAt }: EarlierVerdict,
): boolean {
  return targets.some(
    ({ result }) =>
      result?.current &&
      isFailure(result) &&
      ((resultsUpTo !== null && result.runSeq > resultsUpTo) || result.receivedAt > createdAt),
  );
}

/** The tests and commands that cover a story, which must have run, and the scenarios, which may. */
export function coveringTargets(
  state: AssuranceState,
  { storyId, traces }: StoryCoverage,
  find: FindJudged,
): CoveringTarget[] {
  return traces.flatMap(({ type, target, state: own }) => {
    const required = target.kind === 'test' || target.kind === 'command';
    if (type !== 'verifies' || own === 'broken') return [];
    if (!required && target.kind !== 'scenario') return [];
    if (standingOfTarget(state, target, state.results.of(target)) !== 'counts') return [];
    const found = find(target);
    const result = found && { ...found, current: isOfToday(state, storyId, target, found) };
    return [{ required, suspect: own === 'suspect', result }];
  });
}

function isOfToday(
  state: AssuranceState,
  storyId: string,
  target: StoryTrace['target'],
  result: TargetResult,
): boolean {
  if (!isOfTarget(state, target, result) || !isCurrent(state, storyId, result)) return false;
  const { effective, past } = state;
  const { requirements } = result;
  const pinned = result.deepFingerprintOf(storyId);
  if (pinned === undefined && isOfRequirements(effective, result)) return true;
  const deep = pinned ?? (requirements && past.of(storyId, requirements)?.[1]);
  return deep != null && effective.under(storyId, deep) === deep;
}
