// Why a story stands as it does: whether it is counted, and which of its links fail, are suspect or broken.
import { type GraphNode, isNormative } from '../../requirements/graph/model.ts';
import { nameOf } from '../results/target-results.ts';
import type { AssuranceState } from '../state/state.ts';
import type { StoryTrace } from './model.ts';
import { isFailure, standingOfTarget } from './story-links.ts';

type Counted = Pick<GraphNode, 'kind' | 'active' | 'status'>;

/** Whether a node is counted: rejected and retired ones are not. */
export function isCounted(node: Counted): boolean {
  return isNormative(node) && node.active && node.status?.trim().toLowerCase() !== 'rejected';
}

/** Why a story is not counted and needs nothing, in a sentence; undefined where it is counted. */
export function whyUncounted(node: Counted): string | undefined {
  if (isCounted(node)) return undefined;
  return `It is ${node.active ? 'rejected' : 'inactive'}: nothing has to show that it holds.`;
}

export function isFailing(state: AssuranceState, { type, target, state: own }: StoryTrace) {
  const result = type === 'verifies' && own !== 'broken' ? state.results.of(target) : undefined;
  if (!result || !isFailure(result)) return false;
  return standingOfTarget(state, target, result) === 'counts';
}

/** Which of a story's tests, commands and scenarios fail, in a sentence; undefined where none does. */
export function whyFailing(state: AssuranceState, traces: readonly StoryTrace[]) {
  const failing = traces
    .filter((trace) => isFailing(state, trace))
    .map(({ target }) => `${target.kind} ${calledIn(state, target)}`);
  if (failing.length === 0) return undefined;
  return `The ${failing.join(', the ')} ${failing.length > 1 ? 'fail' : 'fails'}.`;
}

/** What a target is called in a sentence: a scenario's key says more than its title. */
export function calledIn(state: AssuranceState, target: StoryTrace['target']): string {
  return target.kind === 'scenario' ? target.id : (nameOf(state, target) ?? target.id);
}

/** Those of a story's links that make it `suspect`; of what covers it no longer there are none. */
export function suspectLinks(state: AssuranceState, traces: readonly StoryTrace[]): StoryTrace[] {
  return traces.filter(
    (trace) => trace.type === 'verifies' && trace.state === 'suspect' && isInUse(state, trace),
  );
}

/** Whether a link leads to what covers still, where it verifies; a scenario does, whatever ran it. */
export function isInUse(state: AssuranceState, { target, state: own }: StoryTrace): boolean {
  if (own === 'broken' || target.kind === 'scenario') return own !== 'broken';
  return standingOfTarget(state, target, state.results.of(target)) !== 'retired';
}

/** Why a link that is broken leads to nothing, in a sentence. */
export function whyBroken({ id, target }: StoryTrace): string {
  const why =
    target.kind === 'test' ? 'several tests are called so' : 'it is not there, or archived';
  return `${id} leads to no ${target.kind} ${target.id}: ${why}.`;
}
