// The ids of a project's requirements that nothing tells from other words, such as `LOGIN` or `12`:
// who looks for ids in texts has to know them. Most projects have none.
import type { Effective } from './graph/effective.ts';
import { type Graph, isNormative } from './graph/model.ts';
import { looksLikeId } from './sources/item-ids.ts';

const found = new WeakMap<Graph, ReadonlySet<string>>();

/** The ids of all that is normative in the effective graph, but for those that look like ids. */
export function unlikelyIds({ index: { graph } }: Pick<Effective, 'index'>): ReadonlySet<string> {
  const known = found.get(graph);
  if (known !== undefined) return known;
  const ids = graph.nodes.flatMap((node) =>
    isNormative(node) && !looksLikeId(node.id) ? [node.id] : [],
  );
  const made = new Set(ids);
  found.set(graph, made);
  return made;
}
