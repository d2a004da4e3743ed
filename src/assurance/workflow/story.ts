// One story with all that is known of it: its effective text, what is laid over it, its links both
// ways, how it is covered, judged, and what is open about it.
import type { Static } from '@sinclair/typebox';
import { timestamp } from '../../clock.ts';
import type { GraphEdge, GraphNode } from '../../requirements/graph/model.ts';
import { additionView, EDIT_FIELDS, editView } from '../../requirements/overlay/model.ts';
import { sameValue } from '../../requirements/overlay/reconcile.ts';
import type { LastResult, StoryCoverage } from '../coverage/model.ts';
import { standingOfTarget, tracesTo } from '../coverage/story-links.ts';
import { nameOf } from '../results/target-results.ts';
import type { AssuranceState } from '../state/state.ts';
import { currentVerdict, standingOf } from '../validation/current.ts';
import { validationView } from '../validation/rows.ts';
import type { Story } from './schemas.ts';

export function storyView(state: AssuranceState, node: GraphNode): Static<typeof Story> {
  const { effective, issuesOf, validationsOf } = state;
  const { index, edits, additions } = effective;
  const { id } = node;
  const place = index.at.get(id) ?? 0;
  const isOwn = ({ storyId }: { storyId: string }) => storyId === id;
  const linkTo = ({ type, status }: GraphEdge, other: string) => {
    return { type, status, id: other, title: effective.node(other)?.title ?? null };
  };
  const last = currentVerdict(effective, validationsOf.get(id));
  return {
    ...node,
    revision: effective.revision?.number ?? 0,
    ...canonicalOf(state, node),
    overlays: [
      ...additions.filter(isOwn).map((row) => ({ overlay: 'addition', ...additionView(row) })),
      ...edits.filter(isOwn).map((row) => ({ overlay: 'edit', ...editView(row) })),
    ],
    links: {
      outgoing: (index.outgoing[place] ?? []).map((edge) => linkTo(edge, edge.to)),
      incoming: (index.incoming[place] ?? []).map((edge) => linkTo(edge, edge.from)),
    },
    coverage: coverageView(state.coverage().of(id)),
    validation: last ? { ...validationView(last), standing: standingOf(effective, last) } : null,
    lastResults: lastResults(state, id),
    openIssues: (issuesOf.get(id) ?? []).map(({ storyId: _of, ...issue }) => issue),
  };
}

function coverageView(story: StoryCoverage | undefined) {
  const traces = story?.traces.map(({ storyId: _of, row: _row, ...trace }) => trace);
  return story ? { ...story, traces } : null;
}

function canonicalOf({ effective: { canonical } }: AssuranceState, node: GraphNode) {
  const source = canonical.graph.nodes[canonical.at.get(node.id) ?? -1];
  if (!source) return {};
  const differs = EDIT_FIELDS.some((field) => !sameValue(source[field], node[field]));
  return differs ? { canonical: source } : {};
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
      status,
      at: timestamp(at),
      runId,
      durationMs,
    }));
}
