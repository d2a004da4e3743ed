// The links by which a story is in doubt: what verifies it, linked for an earlier text.
import type { StoryTrace } from './coverage-model.ts';
import type { AssuranceState } from './state.ts';
import { standingOfTarget } from './story-links.ts';

/** Those of a story's links that make it `suspect`; of what covers it no longer there are none. */
export function suspectLinks(
  state: AssuranceState,
  traces: readonly StoryTrace[],
): readonly StoryTrace[] {
  return traces.filter(
    ({ type, target, state: own }) =>
      type === 'verifies' &&
      own === 'suspect' &&
      (target.kind === 'scenario' ||
        standingOfTarget(state, target, state.results.of(target)) !== 'retired'),
  );
}
