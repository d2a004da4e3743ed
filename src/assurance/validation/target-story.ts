// The stories of what verdicts are held against.
import { type GraphNode, isNormative } from '../../requirements/graph/model.ts';
import type { TransferTarget } from './dispositions.ts';

/** A story of a target; undefined where nothing has its id, or a section does. */
export function storyOfTarget({ node }: TransferTarget, id: string): GraphNode | undefined {
  const found = node(id);
  return found && isNormative(found) ? found : undefined;
}
