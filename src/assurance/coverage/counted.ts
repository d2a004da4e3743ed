// The stories of which it is counted whether they are covered and judged.
import { type GraphNode, isNormative } from '../../requirements/graph/model.ts';

/** Whether a node is counted: rejected and retired ones are not. */
export function isCounted(node: Pick<GraphNode, 'kind' | 'active' | 'status'>): boolean {
  return isNormative(node) && node.active && node.status?.trim().toLowerCase() !== 'rejected';
}

/** Why a story is not counted and needs nothing, in a sentence; undefined where it is counted. */
export function whyUncounted(node: Pick<GraphNode, 'kind' | 'active' | 'status'>) {
  if (isCounted(node)) return undefined;
  return `It is ${node.active ? 'rejected' : 'inactive'}: nothing has to show that it holds.`;
}
