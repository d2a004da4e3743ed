// Parts of a graph: what hangs below a node, what has a kind, a tag, a word.
import { textMatcher } from '../../store/search-terms.ts';
import type { Graph, GraphEdge } from './model.ts';

export interface GraphCut {
  root?: string | undefined;
  depth?: number | undefined;
  kind?: readonly string[] | undefined;
  tag?: readonly string[] | undefined;
  /** Words, "phrases" and beginnings (`pay*`), all of them in id, title or statement; blank is none. */
  q?: string | undefined;
}

export function cutGraph({ nodes, edges }: Graph, cut: GraphCut): Graph {
  const below = cut.root === undefined ? undefined : reachBelow(edges, cut.root, cut.depth);
  const holds = cut.q?.trim() ? (textMatcher(cut.q) ?? (() => false)) : undefined;
  const left = nodes.filter(
    (node) =>
      (!below || below.has(node.id)) &&
      (!cut.kind || cut.kind.includes(node.kind)) &&
      (!cut.tag || cut.tag.some((tag) => node.tags.includes(tag))) &&
      (!holds || holds([node.id, node.title, node.statement])),
  );
  const ids = new Set(left.map(({ id }) => id));
  // What dangles has one end alone: of what contains a story that is the lower one.
  const hasEnds = ({ from, to, type, status }: GraphEdge) =>
    status === 'dangling' ? ids.has(type === 'contains' ? to : from) : ids.has(from) && ids.has(to);
  return { nodes: left, edges: edges.filter(hasEnds) };
}

/** The ids below a node, its own among them. */
export function reachBelow(
  edges: readonly GraphEdge[],
  root: string,
  depth = Number.POSITIVE_INFINITY,
): Set<string> {
  const steps = edges
    .filter(({ type }) => type !== 'relates' && type !== 'conflicts')
    .map(
      ({ from, to, type }) => (type === 'contains' ? [from, to] : [to, from]) as [string, string],
    );
  const below = Map.groupBy(steps, ([above]) => above);
  const reached = new Set([root]);
  let layer = [root];
  for (let step = 0; step < depth && layer.length > 0; step += 1) {
    layer = layer
      .flatMap((id) => below.get(id) ?? [])
      .map(([, lower]) => lower)
      .filter((id) => !reached.has(id) && reached.add(id));
  }
  return reached;
}
