// What a change of stories reaches: stories that rest on them, links that turn suspect, verdicts
// that hold no longer, tests to run again.
import { reachedBy } from '../../requirements/graph/graph-index.ts';
import { type GraphNode, isNormative } from '../../requirements/graph/model.ts';
import { type Draft, UNSEEN } from '../../requirements/overlay/draft.ts';
import type { AssuranceState } from '../state/state.ts';
import { linksOf } from './links.ts';
import { verdictsOf } from './verdicts.ts';

export interface Impact {
  /** By distance along refines, derives and depends; the changed stories themselves at 0. */
  stories: { id: string; distance: number; via: string | null }[];
  /** Keys of the scenarios that verify one of them. */
  scenarios: string[];
  /** Ids of the commands that verify one of them, or that ran a test of one last. */
  testCommands: string[];
  routes: string[];
  /** Links of the changed stories, and what they become. */
  traces: { id: string; becomes: 'suspect' | 'broken' }[];
  /** Verdicts that would stand otherwise than they do, and not hold. */
  validations: { storyId: string; becomes: 'invalidated' | 'suspect' | 'orphaned' }[];
  /** Tests and commands that verify one of the stories, as `<kind> <id>`. */
  testsToRerun: { kind: 'test' | 'command'; id: string }[];
  /** How long they took when they last ran; null where that is known of none of them. */
  estimateMs: number | null;
}

/** The stories that a change reaches. */
export interface ReachedStories {
  stories: Impact['stories'];
  /** Their places in the graph, one for each. */
  places: Int32Array;
  /** The ids of those whose own fingerprint changes. */
  changed: ReadonlySet<string>;
  /** Whether the own fingerprints of the changed ones do, under the profile of a stored one. */
  moves(stored: string): boolean;
}

export const NO_IMPACT: Impact = {
  ...{ stories: [], scenarios: [], testCommands: [], routes: [] },
  ...{ traces: [], validations: [], testsToRerun: [], estimateMs: null },
};

/**
 * The impact of a change; linear in what it reaches.
 *
 * @param changed - ids of stories whose own fingerprint changes
 * @param draft - what they would say; something that nobody has said before unless told
 */
export function impactOf(
  state: AssuranceState,
  changed: readonly string[],
  draft: Draft = UNSEEN,
): Impact {
  const { index } = state.effective;
  const { nodes } = index.graph;
  const origins = changed.flatMap((id) => index.at.get(id) ?? []);
  const { count, places: reached, distances, via } = reachedBy(index, origins);
  const stories: Impact['stories'] = [];
  const places = new Int32Array(count);
  for (let at = 0; at < count; at += 1) {
    const place = reached[at] as number;
    const node = nodes[place] as GraphNode;
    if (!isNormative(node)) continue;
    const before = nodes[via[at] as number]?.id ?? null;
    places[stories.length] = place;
    stories.push({ id: node.id, distance: distances[at] as number, via: before });
  }
  const found = {
    ...{ stories, places: places.subarray(0, stories.length) },
    ...{ changed: new Set(changed), moves: draft.moves },
  };
  const validations = verdictsOf(state, found, draft);
  return { stories, ...linksOf(state, found), validations };
}
