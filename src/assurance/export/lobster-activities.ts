// What verifies the stories as LOBSTER reads it (`lobster-act-trace`, version 3): tests, commands
// and scenarios with their references to the requirements of the other document.

import { isCurrent, isOfTarget, standingOfTarget, textThen } from '../coverage/story-links.ts';
import { nameOf } from '../results/target-names.ts';
import { targetKey } from '../results/target-results.ts';
import type { AssuranceState, TargetResult } from '../state/state.ts';
import type { ListedTrace } from '../traceability/links.ts';
import { documentOf, keyOf, locationOf, tagText, versionOf } from './lobster.ts';

const VERIFYING: ReadonlySet<string> = new Set(['test', 'command', 'scenario']);

/**
 * The document of some links: one activity for each target that verifies a story. Tests and commands
 * that are out of use verify none.
 */
export function writeLobsterActivities(
  state: AssuranceState,
  traces: readonly ListedTrace[],
): string {
  const byTarget = Map.groupBy(
    traces.filter((link) => VERIFYING.has(link.trace.target.kind) && isTold(state, link)),
    ({ trace }) => targetKey(trace.target),
  );
  const scenarios = new Map(state.catalog.scenarios.map((scenario) => [scenario.key, scenario]));
  const data = [...byTarget.values()].flatMap((links) => {
    const target = links[0]?.trace.target;
    if (!target) return [];
    const result = state.results.of(target);
    const standing = standingOfTarget(state, target, result);
    if (standing === 'retired' && target.kind !== 'scenario') return [];
    const { status, of } = statusOf(state, links, standing === 'counts' ? result : undefined);
    const scenario = target.kind === 'scenario' ? scenarios.get(target.id) : undefined;
    return [
      {
        tag: `${target.kind} ${tagText(target.id)}`,
        location: locationOf(scenario ?? { path: '', line: 0 }),
        name: nameOf(state, target) ?? target.id,
        ...{ messages: [], just_up: [], just_down: [], just_global: [] },
        refs: [...new Set(of.map((link) => referenceOf(state, link, result)))],
        ...{ framework: 'pqrs', kind: target.kind },
        status,
      },
    ];
  });
  return documentOf('lobster-act-trace', data);
}

/**
 * Whether a link says that something verifies: one that leads to nothing covers nothing, and of one
 * whose story is gone LOBSTER is to tell.
 */
function isTold({ effective }: AssuranceState, { storyId, trace }: ListedTrace): boolean {
  const { type, state } = trace;
  return type === 'verifies' && (state !== 'broken' || effective.node(storyId) === undefined);
}

/** A reference to the text of the story that the link was made for, or that has passed. */
function referenceOf(
  state: AssuranceState,
  { storyId, trace, row }: ListedTrace,
  result: TargetResult | undefined,
): string {
  const today = state.effective.node(storyId)?.fingerprint;
  const then =
    result && isStale(state, storyId, result) ? textThen(state, storyId, result) : undefined;
  const fingerprint =
    trace.state === 'suspect' ? row?.fingerprint : (then ?? today ?? row?.fingerprint);
  return fingerprint === undefined ? keyOf(storyId) : `${keyOf(storyId)}@${versionOf(fingerprint)}`;
}

/** Whether a target passed, for a text that a story has no longer. */
function isStale(
  state: AssuranceState,
  storyId: string,
  result: TargetResult | undefined,
): boolean {
  return (
    result?.status === 'passed' &&
    state.effective.node(storyId) !== undefined &&
    !isCurrent(state, storyId, result)
  );
}

/**
 * The status, and the links that it is of. Never null, which LOBSTER takes for ok. A pass is one of the
 * texts that are referred to: where it was another command that passed, or nobody knows for which text
 * of any story, it is none; a story of which alone that is so is not referred to.
 *
 * @param result - the newest of the target, where it counts
 */
function statusOf(
  state: AssuranceState,
  links: readonly ListedTrace[],
  result: TargetResult | undefined,
): { status: string; of: readonly ListedTrace[] } {
  if (result?.status === 'passed') {
    const holding = links.filter(
      ({ storyId, trace: { target } }) =>
        isOfTarget(state, target, result) &&
        (!isStale(state, storyId, result) || textThen(state, storyId, result) !== undefined),
    );
    return holding.length > 0 ? { status: 'ok', of: holding } : { status: 'not run', of: links };
  }
  const failed = result?.status === 'failed' || result?.status === 'broken';
  return { status: failed ? 'fail' : 'not run', of: links };
}
