// Requirements and what verifies them as LOBSTER reads it, version 3 of its formats: stories as a
// `lobster-req-trace`; tests, commands and scenarios with references to them as a `lobster-act-trace`.
import { joinParts, type Parts } from '../../model/parts.ts';
import type { GraphNode } from '../../requirements/graph/model.ts';
import type { CoverageStatus, StoryCoverage, StoryTrace } from '../coverage/model.ts';
import {
  isCounted,
  isCurrent,
  isFailure,
  isOfTarget,
  standingOfTarget,
} from '../coverage/story-links.ts';
import type { TargetResult } from '../results/model.ts';
import { nameOf, targetKey } from '../results/target-results.ts';
import type { AssuranceState } from '../state/state.ts';

export function writeLobster(state: AssuranceState, stories: readonly StoryCoverage[]): Parts {
  function* requirements() {
    for (const story of stories) {
      const node = state.effective.node(story.storyId);
      if (node) yield requirementOf(state, node, story);
    }
  }
  return documentOf('lobster-req-trace', requirements());
}

function* documentOf(schema: string, data: Iterable<object>): Generator<string> {
  yield '{"data":[\n';
  yield* joinParts(data, ',\n', (one) => JSON.stringify(one));
  yield `\n],"generator":"pqrs","schema":"${schema}","version":3}\n`;
}

const NOTHING = { messages: [], just_up: [], just_down: [], just_global: [], framework: 'pqrs' };

function requirementOf({ effective }: AssuranceState, node: GraphNode, story: StoryCoverage) {
  const { at, outgoing } = effective.index;
  const upwards = outgoing(at.get(node.id)).filter(({ type, to }) => {
    const target = effective.node(to);
    return (type === 'refines' || type === 'derives') && target && isCounted(target);
  });
  return {
    ...NOTHING,
    tag: referenceTo(node.id, node.fingerprint),
    location: locationOf(node.source),
    name: node.title,
    messages: messagesOf(story),
    just_down: story.needs.flatMap(({ need, state: met, reason }) =>
      met === 'justified' && reason !== null ? [`${need}: ${reason}`] : [],
    ),
    refs: [...new Set(upwards.map(({ to }) => referenceTo(to)))],
    kind: node.kind,
    text: node.statement,
    status: node.status,
  };
}

const SETTLED: readonly CoverageStatus[] = ['justified', 'validated', 'passing'];

/**
 * What stands in the way of a story. LOBSTER takes one for ok by what refers to it, whatever came of
 * that: what has failed or not run is a message here too.
 */
function messagesOf({ traces, status, inherited }: StoryCoverage): string[] {
  const links = traces.flatMap(({ target: { kind, id }, state }) =>
    state === 'valid' ? [] : `the link to ${kind} ${id} is ${state}`,
  );
  if (SETTLED.includes(status)) return links;
  return [...links, `${inherited ? 'what refines it or derives from it' : 'it'} is ${status}`];
}

/** A tag holds one at sign, before its version. */
function referenceTo(storyId: string, fingerprint?: string): string {
  const version = fingerprint?.slice(fingerprint.indexOf(':') + 1).slice(0, 12);
  return `req ${tagText(storyId)}${version === undefined ? '' : `@${version}`}`;
}

function tagText(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('@', '%40');
}

function locationOf({ path, line }: { path: string; line: number }) {
  return line < 1 ? { kind: 'void' } : { kind: 'file', file: path, line, column: null };
}

const VERIFYING: ReadonlySet<string> = new Set(['test', 'command', 'scenario']);

/** The document of some links: one activity for each target in use that verifies a story. */
export function writeLobsterActivities(
  state: AssuranceState,
  traces: readonly StoryTrace[],
): Parts {
  return documentOf('lobster-act-trace', activitiesOf(state, traces));
}

function* activitiesOf(state: AssuranceState, traces: readonly StoryTrace[]): Generator<object> {
  const verifying = traces.filter(
    ({ storyId, type, target, state: own }) =>
      type === 'verifies' &&
      VERIFYING.has(target.kind) &&
      // One that leads to nothing covers nothing; of one whose story is gone LOBSTER is to tell.
      (own !== 'broken' || state.effective.node(storyId) === undefined),
  );
  const scenarios = new Map(state.catalog.scenarios.map((scenario) => [scenario.key, scenario]));
  const byTarget = Map.groupBy(verifying, ({ target }) => targetKey(target));
  for (const links of byTarget.values()) {
    const target = links[0]?.target;
    if (!target) continue;
    const result = state.results.of(target);
    const standing = standingOfTarget(state, target, result);
    if (standing === 'retired' && target.kind !== 'scenario') continue;
    const scenario = target.kind === 'scenario' ? scenarios.get(target.id) : undefined;
    yield {
      ...NOTHING,
      tag: `${target.kind} ${tagText(target.id)}`,
      location: locationOf(scenario ?? { path: '', line: 0 }),
      name: nameOf(state, target) ?? target.id,
      kind: target.kind,
      ...outcomeOf(state, links, standing === 'counts' ? result : undefined),
    };
  }
}

/**
 * The status, never null, which LOBSTER takes for ok, and the stories that it is of. A pass is of those
 * alone that say today what they said for it; for the others nothing has run.
 */
function outcomeOf(
  state: AssuranceState,
  links: readonly StoryTrace[],
  result: TargetResult | undefined,
): { refs: string[]; status: string } {
  const passed = links.filter(
    ({ storyId, target }) =>
      result?.status === 'passed' &&
      isOfTarget(state, target, result) &&
      (isCurrent(state, storyId, result) || state.effective.node(storyId) === undefined),
  );
  const refsTo = (some: readonly StoryTrace[]) => {
    const refs = some.map(({ storyId, state: own, row }) => {
      const today = state.effective.node(storyId)?.fingerprint;
      return referenceTo(storyId, own === 'valid' ? today : row?.fingerprint);
    });
    return [...new Set(refs)];
  };
  if (passed.length > 0) return { refs: refsTo(passed), status: 'ok' };
  return { refs: refsTo(links), status: result && isFailure(result) ? 'fail' : 'not run' };
}
