// What makes a story fail: what verifies it, counts, and did not pass.

import { nameOf } from '../results/target-names.ts';
import type { AssuranceState } from '../state/state.ts';
import type { StoryTrace } from './model.ts';
import { isFailure, standingOfTarget } from './story-links.ts';

const NAMED_MOST = 3;

/** Whether what a link leads to failed or broke when it last ran, and counts. */
export function isFailing(
  state: AssuranceState,
  { type, target, state: own }: StoryTrace,
): boolean {
  const result = type === 'verifies' && own !== 'broken' ? state.results.of(target) : undefined;
  return (
    result !== undefined &&
    isFailure(result) &&
    standingOfTarget(state, target, result) === 'counts'
  );
}

/** Which of a story's tests, commands and scenarios fail, in a sentence; undefined where none does. */
export function whyFailing(
  state: AssuranceState,
  traces: readonly StoryTrace[],
): string | undefined {
  const failing = traces.filter((trace) => isFailing(state, trace)).map(({ target }) => target);
  const named = failing
    .slice(0, NAMED_MOST)
    .map((target) => `the ${target.kind} ${calledIn(state, target)}`);
  const [first, ...others] = named;
  if (first === undefined) return undefined;
  const more = failing.length - named.length;
  const rest = more > 0 ? [...others, `${more} more`] : others;
  const last = rest.pop();
  const all = last === undefined ? first : `${[first, ...rest].join(', ')} and ${last}`;
  return `${all.charAt(0).toUpperCase()}${all.slice(1)} ${failing.length > 1 ? 'fail' : 'fails'}.`;
}

/** What a target is called in a sentence: a scenario's key says more than its title. */
export function calledIn(state: AssuranceState, target: StoryTrace['target']): string {
  return target.kind === 'scenario' ? target.id : (nameOf(state, target) ?? target.id);
}
