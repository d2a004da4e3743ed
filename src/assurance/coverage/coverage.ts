// Coverage of all stories: what each has of its own, then what it inherits, in one pass over nodes,
// links and edges, made as far as it is asked for.

import { stronglyConnected } from '../../requirements/graph/components.ts';
import type { GraphIndex } from '../../requirements/graph/graph-index.ts';
import type { AssuranceState } from '../state/state.ts';
import { type Coverage, type CoverageSummary, type StoryCoverage, WORST_FIRST } from './model.ts';
import { isCounted } from './reasons.ts';
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

const NONE: readonly number[] = [];
const RANK = new Map(WORST_FIRST.map((status, rank) => [status, rank]));

/**
 * Stories with the statuses that they inherit. The members of a ring that refine one another share
 * the worst of those outside that refine one of them; where there are none, each keeps its own.
 * Linear in nodes and edges, without recursion.
 *
 * @param known - at the places of their nodes; undefined for nodes that are not counted
 * @param own - whether the node at a place has links of its own
 */
export function inheritStatuses(
  index: GraphIndex,
  known: readonly (StoryCoverage | undefined)[],
  own: readonly boolean[],
): (StoryCoverage | undefined)[] {
  const stories = [...known];
  const below = stories.map((story, place) =>
    story && !own[place] ? refiningPlaces(index, place, stories) : NONE,
  );
  const ring = new Int32Array(stories.length);
  for (const [number, members] of stronglyConnected(below).entries()) {
    for (const member of members) ring[member] = number;
    let worst = WORST_FIRST.length;
    for (const member of members) {
      for (const place of below[member] ?? NONE) {
        const status = ring[place] === number ? undefined : stories[place]?.status;
        if (status !== undefined) worst = Math.min(worst, RANK.get(status) ?? worst);
      }
    }
    const status = WORST_FIRST[worst];
    if (status === undefined) continue;
    for (const member of members) {
      const story = stories[member];
      if (story) stories[member] = { ...story, status, inherited: true };
    }
  }
  return stories;
}

function refiningPlaces(
  { at, incoming }: GraphIndex,
  place: number,
  stories: readonly (StoryCoverage | undefined)[],
): readonly number[] {
  const places: number[] = [];
  for (const { type, from } of incoming[place] ?? []) {
    if (type !== 'refines' && type !== 'derives') continue;
    const source = at.get(from);
    if (source !== undefined && source !== place && stories[source]) places.push(source);
  }
  return places.length === 0 ? NONE : places;
}
