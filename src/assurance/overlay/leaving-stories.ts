// Stories that a new revision takes away. A pure function.
import { type GraphNode, isNormative } from '../../requirements/graph/model.ts';
import type { StoryAdditionRow } from '../../store/tables/assurance.ts';

type Node = Pick<GraphNode, 'id' | 'kind'>;
type Addition = Pick<StoryAdditionRow, 'storyId' | 'state'>;

/**
 * The ids of the stories that are none under a revision: nothing has their id any more, or what has it
 * is a section by now. An active addition stays what it is where nothing in the sources has its id.
 *
 * @param before - the nodes of the revision that there was
 * @param after - the nodes of the one that comes
 */
export function leavingStories(
  before: readonly Node[],
  additions: readonly Addition[],
  after: readonly Node[],
): string[] {
  const stands = new Map(after.map((node) => [node.id, isNormative(node)]));
  const leaving = before.flatMap((node) =>
    isNormative(node) && stands.get(node.id) !== true ? node.id : [],
  );
  for (const { storyId, state } of additions) {
    if (state === 'active' && stands.get(storyId) === false) leaving.push(storyId);
  }
  return leaving;
}
