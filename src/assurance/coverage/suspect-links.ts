// The links by which a story is in doubt: what verifies it, linked for an earlier text.

import type { AssuranceState } from '../state/state.ts';
import type { StoryTrace } from './model.ts';
import { standingOfTarget } from './story-links.ts';

/** Those of a story's links that make it `suspect`; of what covers it no longer there are none. */
export function suspectLinks(
  state: AssuranceState,
  traces: readonly StoryTrace[],
): readonly StoryTrace[] {
  return traces.filter(
    (trace) => trace.type === 'verifies' && trace.state === 'suspect' && isInUse(state, trace),
  );
}

/** Whether a link leads to what covers still, where it verifies; a scenario does, whatever ran it. */
export function isInUse(state: AssuranceState, { target, state: own }: StoryTrace): boolean {
  if (own === 'broken') return false;
  return (
    target.kind === 'scenario' ||
    standingOfTarget(state, target, state.results.of(target)) !== 'retired'
  );
}
