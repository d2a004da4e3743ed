// Where every story stands: one pass over nodes, links and edges.
import { isNormative } from '../requirements/graph/model.ts';
import type { Coverage, StoryCoverage } from './coverage-model.ts';
import { summarize } from './coverage-summary.ts';
import { inheritStatuses } from './inherited-coverage.ts';
import type { AssuranceState } from './state.ts';
import { coverStory, hasOwnLinks, routesByStory } from './story-coverage.ts';

export type { Coverage, StoryCoverage } from './coverage-model.ts';

/** Whether a node is counted: rejected and retired ones are not. */
export function isCounted(node: {
  kind: Parameters<typeof isNormative>[0]['kind'];
  active: boolean;
  status: string | null;
}): boolean {
  return isNormative(node) && node.active && node.status?.trim().toLowerCase() !== 'rejected';
}

/** The coverage of all stories; linear in nodes, edges and links. */
export function coverStories(state: AssuranceState): Coverage {
  const { index } = state.effective;
  const { nodes } = index.graph;
  const routes = routesByStory(state.catalog);
  const covered: (StoryCoverage | undefined)[] = nodes.map((node) =>
    isCounted(node) ? coverStory(state, node, routes.get(node.id)) : undefined,
  );
  inheritStatuses(
    index,
    covered,
    covered.map((story) => story !== undefined && hasOwnLinks(story)),
  );
  const stories: StoryCoverage[] = [];
  const places: number[] = [];
  const byId = new Map<string, StoryCoverage>();
  for (const [place, story] of covered.entries()) {
    if (!story) continue;
    stories.push(story);
    places.push(place);
    byId.set(story.storyId, story);
  }
  return {
    ...{ stories, places },
    of: (storyId) => byId.get(storyId),
    summary: summarize(state, stories),
  };
}
