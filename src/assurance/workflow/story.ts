// One story with all that is known of it: its effective text, what is laid over it, its links both
// ways, how it is covered, judged, and what is open about it.
import { timestamp } from '../../clock.ts';
import type { GraphEdge, GraphNode } from '../../requirements/graph/model.ts';
import { EDIT_FIELDS } from '../../requirements/overlay/model.ts';
import { sameValue } from '../../requirements/overlay/reconcile.ts';
import { additionView, editView } from '../../requirements/overlay/views.ts';
import type { LastResult } from '../coverage/model.ts';
import { standingOfTarget, tracesTo } from '../coverage/story-links.ts';
import { nameOf } from '../results/target-names.ts';
import type { AssuranceState } from '../state/state.ts';
import { currentVerdict, standingOf } from '../validation/current.ts';
import { validationView } from '../validation/rows.ts';

/** A link of a story, seen from it. */
export interface StoryLink {
  type: string;
  status: string;
  id: string;
  /** Null where nothing has the id. */
  title: string | null;
}

/** A story as it is shown. */
export function storyView(state: AssuranceState, node: GraphNode) {
  const { effective, issuesOf, validationsOf } = state;
  const { id } = node;
  const place = effective.index.at.get(id) ?? 0;
  const covered = state.coverage().of(id);
  const last = currentVerdict(effective, validationsOf.get(id));
  return {
    ...node,
    revision: effective.revision?.number ?? 0,
    ...canonicalOf(state, node),
    overlays: overlaysOf(state, id),
    links: {
      outgoing: (effective.index.outgoing[place] ?? []).map((edge) => linkTo(state, edge, edge.to)),
      incoming: (effective.index.incoming[place] ?? []).map((edge) =>
        linkTo(state, edge, edge.from),
      ),
    },
    coverage: covered ?? null,
    validation: last ? { ...validationView(last), standing: standingOf(effective, last) } : null,
    lastResults: lastResults(state, id),
    openIssues: (issuesOf.get(id) ?? []).map(({ storyId: _of, ...issue }) => issue),
  };
}

/** The canonical node, where an edit makes another of it; nothing for an added story. */
function canonicalOf({ effective: { canonical } }: AssuranceState, node: GraphNode) {
  const place = canonical.at.get(node.id);
  const source = place === undefined ? undefined : canonical.graph.nodes[place];
  if (!source) return {};
  const differs = EDIT_FIELDS.some((field) => !sameValue(source[field], node[field]));
  return differs ? { canonical: source } : {};
}

function overlaysOf({ effective: { edits, additions } }: AssuranceState, id: string) {
  return [
    ...additions
      .filter(({ storyId }) => storyId === id)
      .map((row) => ({ overlay: 'addition' as const, ...additionView(row) })),
    ...edits
      .filter(({ storyId }) => storyId === id)
      .map((row) => ({ overlay: 'edit' as const, ...editView(row) })),
  ];
}

function linkTo({ effective }: AssuranceState, edge: GraphEdge, id: string): StoryLink {
  const { type, status } = edge;
  return { type, status, id, title: effective.node(id)?.title ?? null };
}

/**
 * The newest result of each test, command and scenario that verifies a story, the newest first; what
 * commands out of use ran last is none.
 */
export function lastResults(state: AssuranceState, storyId: string): LastResult[] {
  const traces = state.coverage().of(storyId)?.traces ?? tracesTo(state, storyId);
  const found = traces.flatMap(({ type, target }) => {
    const result = type === 'verifies' ? state.results.of(target) : undefined;
    if (!result || standingOfTarget(state, target, result) === 'retired') return [];
    return { target, result };
  });
  return found
    .sort((one, other) => other.result.at - one.result.at)
    .map(({ target, result: { status, at, runId, durationMs } }) => ({
      target: { ...target, name: nameOf(state, target) },
      ...{ status, at: timestamp(at), runId, durationMs },
    }));
}
