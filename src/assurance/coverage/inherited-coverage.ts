// Stories without links of their own have the worst status of those that refine or derive from them.
import { stronglyConnected } from '../../requirements/graph/components.ts';
import type { GraphIndex } from '../../requirements/graph/graph-index.ts';
import { type StoryCoverage, WORST_FIRST } from './model.ts';

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
