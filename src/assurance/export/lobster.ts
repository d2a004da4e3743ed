// Requirements and what verifies them as LOBSTER reads it, version 3 of its formats: stories as a
// `lobster-req-trace`; tests, commands and scenarios with references to them as a `lobster-act-trace`.

import type { GraphNode } from '../../requirements/graph/model.ts';
import type { CoverageStatus, StoryCoverage } from '../coverage/model.ts';
import { isCounted } from '../coverage/reasons.ts';
import { isCurrent, isOfTarget, standingOfTarget, textThen } from '../coverage/story-links.ts';
import type { TargetResult } from '../results/model.ts';
import { nameOf, targetKey } from '../results/target-results.ts';
import type { AssuranceState } from '../state/state.ts';
import type { ListedTrace } from '../traceability/links.ts';
import { isStoryId } from '../traceability/pages.ts';

/**
 * The document.
 *
 * @param stories - the counted ones that are to be in it; those that are not counted come along
 *   where all counted ones do, justified as a whole
 */
export function writeLobster(state: AssuranceState, stories: readonly StoryCoverage[]): string {
  const { index } = state.effective;
  const whole = stories.length === state.coverage().stories.length;
  const wanted = new Map(stories.map((story) => [story.storyId, story]));
  const data = index.graph.nodes.flatMap((node, place) => {
    const story = wanted.get(node.id);
    if (!story && !(whole && isStoryId(state, node.id) && !isCounted(node))) return [];
    return [requirementOf(state, node, place, story)];
  });
  return documentOf('lobster-req-trace', data);
}

export function documentOf(schema: string, data: readonly object[]): string {
  return `${JSON.stringify({ data, generator: 'pqrs', schema, version: 3 }, null, 1)}\n`;
}

function requirementOf(
  state: AssuranceState,
  node: GraphNode,
  place: number,
  story: StoryCoverage | undefined,
) {
  const upwards = (state.effective.index.outgoing[place] ?? []).filter(
    ({ type, to }) => (type === 'refines' || type === 'derives') && isStoryId(state, to),
  );
  return {
    tag: `${keyOf(node.id)}@${versionOf(node.fingerprint)}`,
    location: locationOf(node.source),
    name: node.title,
    messages: story ? messagesOf(story) : [],
    just_up: [],
    just_down: (story?.needs ?? []).flatMap(({ need, state: met, reason }) =>
      met === 'justified' ? [`${need}: ${reason}`] : [],
    ),
    just_global: story ? [] : [node.active ? 'it is rejected' : 'its source has retired it'],
    refs: [...new Set(upwards.map(({ to }) => keyOf(to)))],
    framework: 'pqrs',
    kind: node.kind,
    text: node.statement,
    status: node.status,
  };
}

/**
 * What stands in the way of a story. LOBSTER takes one for ok by what refers to it, whatever came of
 * that: what has failed or not run is a message here too.
 */
function messagesOf({ traces, needs, status, inherited }: StoryCoverage): string[] {
  const messages = traces.flatMap(({ target: { kind, id }, state }) =>
    state === 'valid' ? [] : `the link to ${kind} ${id} is ${state}`,
  );
  if (inherited) {
    if (OPEN.has(status)) messages.push(`what refines it or derives from it is ${status}`);
    return messages;
  }
  for (const { need, state } of needs) {
    if (state === 'unmet') messages.push(`no ${need} verifies it`);
  }
  const said = SAID[status];
  if (said !== undefined) messages.push(said);
  return messages;
}

const OPEN: ReadonlySet<CoverageStatus> = new Set([
  ...(['failing', 'uncovered', 'suspect', 'stale', 'unexecuted'] as const),
]);

const SAID: Partial<Record<CoverageStatus, string>> = {
  failing: 'something that verifies it fails',
  stale: 'something that verifies it has passed for an earlier text alone',
  unexecuted: 'not all that has to show that it holds has run',
};

export function keyOf(storyId: string): string {
  return `req ${tagText(storyId)}`;
}

export function tagText(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('@', '%40');
}

export function versionOf(fingerprint: string): string {
  return fingerprint.slice(fingerprint.indexOf(':') + 1).slice(0, 12);
}

export function locationOf({ path, line }: { path: string; line: number }) {
  return line < 1 ? { kind: 'void' } : { kind: 'file', file: path, line, column: null };
}

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
    traces.filter((link) => VERIFYING.has(link.trace.target.kind) && isIncluded(state, link)),
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
        messages: [],
        just_up: [],
        just_down: [],
        just_global: [],
        refs: [...new Set(of.map((link) => referenceOf(state, link, result)))],
        framework: 'pqrs',
        kind: target.kind,
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
function isIncluded({ effective }: AssuranceState, { storyId, trace }: ListedTrace): boolean {
  const { type, state } = trace;
  return type === 'verifies' && (state !== 'broken' || effective.node(storyId) === undefined);
}

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
