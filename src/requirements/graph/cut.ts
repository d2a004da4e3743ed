// Parts of a graph: what hangs below a node, what has a kind, a tag, a word.
import type { Graph } from './model.ts';
import { searchOf } from './words.ts';

export interface GraphCut {
  /** Only what hangs below this node, itself included. */
  root?: string | undefined;
  /** At most so many steps below the root. */
  depth?: number | undefined;
  kind?: readonly string[] | undefined;
  tag?: readonly string[] | undefined;
  /** Words, "phrases" and beginnings (`pay*`), all of them in id, title or statement; blank is none. */
  q?: string | undefined;
}

/** The nodes that a cut leaves, and the edges between them and to what dangles. */
export function cutGraph({ nodes, edges }: Graph, cut: GraphCut): Graph {
  const below =
    cut.root === undefined ? undefined : reachBelow({ nodes, edges }, cut.root, cut.depth);
  const holds = cut.q?.trim() ? searchOf(cut.q) : undefined;
  const left = nodes.filter(
    (node) =>
      (!below || below.has(node.id)) &&
      (!cut.kind || cut.kind.includes(node.kind)) &&
      (!cut.tag || cut.tag.some((tag) => node.tags.includes(tag))) &&
      (!holds || holds([node.id, node.title, node.statement])),
  );
  const ids = new Set(left.map(({ id }) => id));
  return {
    nodes: left,
    // What dangles has one end alone: of what contains a story that is the lower one.
    edges: edges.filter(({ from, to, type, status }) =>
      status === 'dangling'
        ? ids.has(type === 'contains' ? to : from)
        : ids.has(from) && ids.has(to),
    ),
  };
}

/** What a node contains, and what refines, derives from, satisfies, verifies or depends on it. */
function reachBelow({ edges }: Graph, root: string, depth = Number.POSITIVE_INFINITY): Set<string> {
  const children = new Map<string, string[]>();
  for (const { from, to, type } of edges) {
    if (type === 'relates' || type === 'conflicts') continue;
    const [upper, lower] = type === 'contains' ? [from, to] : [to, from];
    const list = children.get(upper);
    if (list) list.push(lower);
    else children.set(upper, [lower]);
  }
  const reached = new Set([root]);
  let layer = [root];
  for (let step = 0; step < depth && layer.length > 0; step += 1) {
    layer = layer
      .flatMap((id) => children.get(id) ?? [])
      .filter((id) => !reached.has(id) && reached.add(id));
  }
  return reached;
}
