// Traceability as LOBSTER reads it (`lobster-req-trace`, version 3): stories as requirements, with
// their references upwards, what they lack, and the justifications of that. A tag carries the
// beginning of the fingerprint as its version, so that a reference to an earlier text is an error
// there.
import type { GraphNode } from '../../requirements/graph/model.ts';
import { isCounted } from '../coverage/counted.ts';
import type { CoverageStatus, StoryCoverage } from '../coverage/model.ts';
import type { AssuranceState } from '../state/state.ts';
import { isStoryId } from '../traceability/views.ts';

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

/** A document of LOBSTER. */
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
    ...{ framework: 'pqrs', kind: node.kind, text: node.statement, status: node.status },
  };
}

/**
 * What stands in the way of a story. LOBSTER takes one for ok by what refers to it, whatever came of
 * that: what has failed or not run is told here too.
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

/** Of a story that is uncovered or suspect its needs and links say more. */
const SAID: Partial<Record<CoverageStatus, string>> = {
  failing: 'something that verifies it fails',
  stale: 'something that verifies it has passed for an earlier text alone',
  unexecuted: 'not all that has to show that it holds has run',
};

/** The tag of a story without its version. LOBSTER takes what follows the first at sign for one. */
export function keyOf(storyId: string): string {
  return `req ${tagText(storyId)}`;
}

/** A text as part of a tag. */
export function tagText(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('@', '%40');
}

/** The version of a tag: the beginning of the hash in a fingerprint. */
export function versionOf(fingerprint: string): string {
  return fingerprint.slice(fingerprint.indexOf(':') + 1).slice(0, 12);
}

/** Where something stands in the sources; a place of no line is none. */
export function locationOf({ path, line }: { path: string; line: number }) {
  return line < 1 ? { kind: 'void' } : { kind: 'file', file: path, line, column: null };
}
