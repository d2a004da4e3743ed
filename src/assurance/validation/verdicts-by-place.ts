// The verdicts on stories by the places of the stories in a graph, and which of them are as nearly all
// are: the only one, of what its story says today.
import type { GraphIndex } from '../../requirements/graph/graph-index.ts';
import type { GraphNode } from '../../requirements/graph/model.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';
import { listsByPlace } from '../results/lists-by-place.ts';

type Graph = GraphIndex['graph'];
type VerdictsOf = ReadonlyMap<string, readonly ValidationRow[]>;

const made = new WeakMap<VerdictsOf, { graph: Graph; sole: Uint8Array }>();

/**
 * By the place of a node: its verdicts, and 1 in `soleOfToday` where it has one alone, of what it
 * says today. Made once for the same verdicts and the same graph.
 */
export function verdictsByPlace(
  index: GraphIndex,
  verdictsOf: VerdictsOf,
): { lists: readonly (readonly ValidationRow[] | undefined)[]; soleOfToday: Uint8Array } {
  const lists = listsByPlace(index, verdictsOf);
  const { graph } = index;
  const known = made.get(verdictsOf);
  if (known?.graph === graph) return { lists, soleOfToday: known.sole };
  const sole = new Uint8Array(graph.nodes.length);
  for (const [place, node] of graph.nodes.entries()) {
    const [first, ...others] = lists[place] ?? [];
    if (first && others.length === 0 && isOfNode(first, node)) sole[place] = 1;
  }
  made.set(verdictsOf, { graph, sole });
  return { lists, soleOfToday: sole };
}

/** Whether a verdict is of what a node says today, and what it rests on. */
export function isOfNode(verdict: ValidationRow, node: GraphNode | undefined): boolean {
  return (
    verdict.fingerprint === node?.fingerprint && verdict.deepFingerprint === node.deepFingerprint
  );
}
