// What stands in a file that API documents refer to, and is not what they refer to.
import type { TreeNode } from './openapi-tree.ts';
import type { Unkept } from './openapi-unkept.ts';

/** The keys on the way to what is referred to; null where something itself is. */
type Ways = Map<string, Ways | null>;

/**
 * Adds the members of a file, at any depth, that are not on the way to anything that is referred to.
 *
 * @param pointers - the JSON pointers (RFC 6901) of what is referred to, as keys
 */
export function addUnreferred(
  top: TreeNode,
  pointers: Iterable<readonly string[]>,
  unkept: Unkept,
): void {
  const ways: Ways = new Map();
  for (const keys of pointers) {
    if (keys.length === 0) return;
    addWay(ways, keys);
  }
  const open: [TreeNode, Ways, string][] = [[top, ways, 'the file']];
  for (let next = open.pop(); next; next = open.pop()) {
    const [node, known, named] = next;
    for (const entry of node.entries().values()) {
      const way = known.get(entry.key);
      if (way === undefined) unkept.add(entry, `${named}, to which nothing refers`);
      else if (way !== null) open.push([entry.node, way, entry.key.slice(0, 100)]);
    }
  }
}

function addWay(ways: Ways, keys: readonly string[]): void {
  let here = ways;
  for (const key of keys.slice(0, -1)) {
    const next = here.get(key);
    if (next === null) return;
    const way = next ?? new Map();
    here.set(key, way);
    here = way;
  }
  here.set(keys.at(-1) ?? '', null);
}
