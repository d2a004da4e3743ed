// Coverage of all stories: what each has of its own, then what it inherits, in one pass over nodes,
// links and edges, made as far as it is asked for.
import type { AssuranceState } from '../state/state.ts';
import { isCounted } from './counted.ts';
import { inheritStatuses } from './inherited-coverage.ts';
import type { Coverage, CoverageSummary, StoryCoverage } from './model.ts';
import { coverStory, hasOwnLinks, routesByStory } from './story-coverage.ts';
import { summarize } from './summary.ts';

/** The coverage of a state's stories; linear in nodes, edges and links, of one story in its own links. */
export function coverStories(state: AssuranceState): Coverage {
  const { at, graph, incoming } = state.effective.index;
  const own = new Array<StoryCoverage | null | undefined>(graph.nodes.length);
  let routes: ReadonlyMap<string, readonly string[]> | undefined;
  let all: readonly (StoryCoverage | undefined)[] | undefined;
  let stories: readonly StoryCoverage[] | undefined;
  let summary: CoverageSummary | undefined;

  function ownAt(place: number): StoryCoverage | undefined {
    const known = own[place];
    if (known !== undefined) return known ?? undefined;
    const node = graph.nodes[place];
    routes ??= routesByStory(state.routes);
    const made = node && isCounted(node) ? coverStory(state, node, routes.get(node.id)) : undefined;
    own[place] = made ?? null;
    return made;
  }

  function whole(): readonly (StoryCoverage | undefined)[] {
    if (all) return all;
    const covered = graph.nodes.map((_, place) => ownAt(place));
    all = inheritStatuses(
      state.effective.index,
      covered,
      covered.map((story) => story !== undefined && hasOwnLinks(story)),
    );
    return all;
  }

  return {
    get stories() {
      stories ??= whole().filter((story) => story !== undefined);
      return stories;
    },
    get summary() {
      summary ??= summarize(state, this.stories);
      return summary;
    },
    of(storyId) {
      const place = at.get(storyId);
      if (place === undefined) return undefined;
      if (all) return all[place];
      const story = ownAt(place);
      const mayInherit =
        story &&
        !hasOwnLinks(story) &&
        incoming[place]?.some(({ type }) => type === 'refines' || type === 'derives');
      return mayInherit ? whole()[place] : story;
    },
  };
}
