// Strongly connected components (Tarjan, 1972), without recursion: chains may be as long as the
// graph is large.

/**
 * The components of a directed graph that are reached from some nodes, all unless told.
 * @returns the nodes of each component, a component behind those that it points at; linear time
 */
export function stronglyConnected(
  targets: readonly (readonly number[] | undefined)[],
  roots: Iterable<number> = targets.keys(),
): number[][] {
  const size = targets.length;
  const order = new Int32Array(size).fill(-1);
  const low = new Int32Array(size);
  const onStack = new Uint8Array(size);
  const next = new Int32Array(size);
  const stack: number[] = [];
  const components: number[][] = [];
  let counter = 0;

  for (const root of roots) {
    if (order[root] !== -1) continue;
    const path = [root];
    while (path.length > 0) {
      const node = path[path.length - 1] as number;
      if (order[node] === -1) {
        order[node] = low[node] = counter;
        counter += 1;
        stack.push(node);
        onStack[node] = 1;
      }
      const edges = targets[node] ?? [];
      const at = next[node] as number;
      if (at < edges.length) {
        next[node] = at + 1;
        const target = edges[at] as number;
        if (order[target] === -1) path.push(target);
        else if (onStack[target])
          low[node] = Math.min(low[node] as number, order[target] as number);
        continue;
      }
      path.pop();
      const parent = path[path.length - 1];
      if (parent !== undefined) low[parent] = Math.min(low[parent] as number, low[node] as number);
      if (low[node] !== order[node]) continue;
      const component = stack.splice(stack.lastIndexOf(node));
      for (const member of component) onStack[member] = 0;
      components.push(component);
    }
  }
  return components;
}
