// Requirements as LOBSTER reads them, version 3 of its `lobster-req-trace`. It takes one for covered by
// what refers to it, whatever came of that: what stands in the way of a story is a message.
import { joinParts } from '../../model/parts.ts';
import type { GraphNode } from '../../requirements/graph/model.ts';
import type { CoverageStatus, StoryCoverage } from '../coverage/model.ts';
import { isCounted } from '../coverage/story-links.ts';
import type { AssuranceState } from '../state/state.ts';

export function* writeLobster(
  state: AssuranceState,
  stories: readonly StoryCoverage[],
): Generator<string> {
  yield '{"data":[\n';
  yield* joinParts(stories, ',\n', (story) => {
    const node = state.effective.node(story.storyId) as GraphNode;
    return JSON.stringify(requirementOf(state, node, story));
  });
  yield '\n],"generator":"pqrs","schema":"lobster-req-trace","version":3}\n';
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
