// Where items stand in a ReqIF export: which are specifications, and what the others stand below.
import type { Graph, GraphNode } from '../graph/model.ts';

export interface ReqifPlan {
  /** With what stands right in each; null for the one of items that no document holds. */
  specifications: { document: GraphNode | null; children: readonly GraphNode[] }[];
  /** All that are no specifications, in the order of the hierarchies. */
  objects: GraphNode[];
  childrenOf(node: GraphNode): readonly GraphNode[];
}

export const MAX_NESTING = 200;

export function planReqif({ nodes, edges }: Graph): ReqifPlan {
  const parents = new Map(
    edges.flatMap(({ from, to, type }) => (type === 'contains' ? [[to, from]] : [])),
  );
  const below = Map.groupBy(nodes, ({ id }) => parents.get(id) ?? null);
  const children = new Map<GraphNode | null, GraphNode[]>();
  const documents: GraphNode[] = [];
  const objects: GraphNode[] = [];
  const reached = new Set<GraphNode>();
  // What hangs in a ring has no root.
  for (const root of [...(below.get(null) ?? []), ...nodes]) {
    if (reached.has(root)) continue;
    const stack = [{ node: root, holder: null as GraphNode | null, depth: 0 }];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const { node, holder, depth } = next;
      if (reached.has(node)) continue;
      reached.add(node);
      if (node === root && node.kind === 'document') documents.push(node);
      else {
        objects.push(node);
        const list = children.get(holder) ?? [];
        list.push(node);
        children.set(holder, list);
      }
      const isHolder = depth < MAX_NESTING;
      for (const child of (below.get(node.id) ?? []).toReversed())
        stack.push({ node: child, holder: isHolder ? node : holder, depth: depth + 1 });
    }
  }
  const childrenOf = (node: GraphNode | null) => children.get(node) ?? [];
  const specifications: ReqifPlan['specifications'] = documents.map((document) => ({
    document,
    children: childrenOf(document),
  }));
  const loose = childrenOf(null);
  if (loose.length > 0 || documents.length === 0)
    specifications.push({ document: null, children: loose });
  return { specifications, objects, childrenOf };
}
