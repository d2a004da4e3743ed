// What is kept by the ids of stories, found by the places of the stories in a graph: for who goes
// through thousands of them, a place in a list is found many times as fast as a name in a map.
import type { GraphIndex } from '../../requirements/graph/graph-index.ts';

type Lists<T> = readonly (readonly T[] | undefined)[];

const made = new WeakMap<object, { at: GraphIndex['at']; lists: Lists<unknown> }>();

/**
 * The lists of a map by the places of the nodes with its keys; keys of no node are left out.
 * Made once for the same map and the same nodes.
 */
export function listsByPlace<T>(
  { at, graph }: GraphIndex,
  map: ReadonlyMap<string, readonly T[]>,
): Lists<T> {
  const known = made.get(map);
  if (known?.at === at) return known.lists as Lists<T>;
  const lists: (readonly T[] | undefined)[] = new Array(graph.nodes.length).fill(undefined);
  for (const [id, list] of map) {
    const place = at.get(id);
    if (place !== undefined) lists[place] = list;
  }
  made.set(map, { at, lists });
  return lists;
}
