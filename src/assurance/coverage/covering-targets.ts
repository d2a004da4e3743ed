// What covers a story and counts, with the results by which the service judges the story.

import type { FindJudged } from '../results/judged-results.ts';
import type { TargetResult } from '../results/model.ts';
import type { AssuranceState } from '../state/state.ts';
import type { CoveringTarget } from '../validation/auto-verdict.ts';
import type { StoryCoverage, StoryTrace } from './model.ts';
import { isCurrent, isOfRequirements, isOfTarget, standingOfTarget } from './story-links.ts';

/** A target, with the run that its result is of. */
export interface JudgedTarget extends CoveringTarget {
  result: (NonNullable<CoveringTarget['result']> & { runId: string }) | undefined;
}

/** The tests and commands that cover a story, which must have run, and the scenarios, which may. */
export function coveringTargets(
  state: AssuranceState,
  { storyId, traces }: StoryCoverage,
  find: FindJudged,
): JudgedTarget[] {
  return traces.flatMap(({ type, target, state: own }) => {
    const required = target.kind === 'test' || target.kind === 'command';
    if (type !== 'verifies' || own === 'broken') return [];
    if (!required && target.kind !== 'scenario') return [];
    if (standingOfTarget(state, target, state.results.of(target)) !== 'counts') return [];
    const result = find(target);
    return [
      {
        ...{ required, suspect: own === 'suspect' },
        result: result && {
          ...{ status: result.status, runId: result.runId },
          ...{ runSeq: result.runSeq, receivedAt: result.receivedAt },
          current: isOfToday(state, storyId, target, result),
        },
      },
    ];
  });
}

/** Whether a result is of the story, of all it rests on, and of the command as they are today. */
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
