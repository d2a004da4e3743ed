// Where every story stands: one pass over nodes, links and edges. What a story has of its own is
// taken over from an earlier state where nothing of it has changed.
import { affectedStories } from '../impact/affected-stories.ts';
import type { LinkedStories } from '../results/linked-stories.ts';
import type { IndexChanges } from '../results/result-index.ts';
import type { AssuranceState } from '../state/state.ts';
import { isCounted } from './counted.ts';
import { inheritStatuses } from './inherited-coverage.ts';
import type { Coverage, StoryCoverage } from './model.ts';
import { coverStory, hasOwnLinks, routesByStory } from './story-coverage.ts';
import { tracesTo } from './story-links.ts';
import { areSummedUpAlike, isSummedUpAlike, summarize } from './summary.ts';

export type { Coverage, StoryCoverage } from './model.ts';

/** Stories at the places of their nodes; undefined for nodes that are not counted. */
type Places = readonly (StoryCoverage | undefined)[];

/** The coverage of a state, with what the next one takes over. */
export interface Covered {
  state: AssuranceState;
  /** What stories have of their own, whatever they inherit. */
  own: Places;
  all: Places;
  coverage: Coverage;
}

/** What is known of an earlier state. */
export interface CoveredBefore extends Covered {
  /** What has other results or links now. */
  changes: IndexChanges;
  /** The stories that tests and commands verify without naming them, then as now. */
  linked: LinkedStories;
}

/** The coverage of all stories; linear in nodes, edges and links. */
export function coverStories(state: AssuranceState): Coverage {
  return coverAll(state).coverage;
}

/** The same, with what the next state takes over; from an earlier one it costs what has changed. */
export function coverAll(state: AssuranceState, before?: CoveredBefore): Covered {
  const affected = before && affectedStories(before.state, state, before.changes, before.linked);
  return before && affected ? coverAgain(state, before, affected) : coverAnew(state);
}

function coverAnew(state: AssuranceState): Covered {
  const { index } = state.effective;
  const routes = routesByStory(state.routes);
  const own = index.graph.nodes.map((node) =>
    isCounted(node) ? coverStory(state, node, routes.get(node.id)) : undefined,
  );
  const all = inherit(state, own);
  const places = all.flatMap((story, place) => (story ? [place] : []));
  return { state, own, all, coverage: coverageOf(state, all, places) };
}

function coverAgain(
  state: AssuranceState,
  before: CoveredBefore,
  affected: ReadonlySet<string>,
): Covered {
  const { index } = state.effective;
  const routes = affected.size > 0 ? routesByStory(state.routes) : undefined;
  const own = [...before.own];
  const all = [...before.all];
  let [inherits, sumsUp] = [false, false];
  for (const id of affected) {
    const place = index.at.get(id) ?? -1;
    const [node, earlier, shown] = [index.graph.nodes[place], own[place], all[place]];
    // Of a node that is not counted, only the links are.
    if (node && !earlier)
      sumsUp ||= !areSummedUpAlike(tracesTo(before.state, id), tracesTo(state, id));
    if (!node || !earlier || !shown) continue;
    const story = coverStory(state, node, routes?.get(id));
    own[place] = story;
    all[place] = shown.inherited ? { ...story, status: shown.status, inherited: true } : story;
    inherits ||= story.status !== earlier.status || hasOwnLinks(story) !== hasOwnLinks(earlier);
    sumsUp ||= !isSummedUpAlike(story, earlier);
  }
  const shown = inherits ? inherit(state, own) : all;
  const summary = inherits || sumsUp ? undefined : before.coverage.summary;
  return {
    state,
    own,
    all: shown,
    coverage: coverageOf(state, shown, before.coverage.places, summary),
  };
}

function inherit(state: AssuranceState, own: Places): Places {
  return inheritStatuses(
    state.effective.index,
    own,
    own.map((story) => story !== undefined && hasOwnLinks(story)),
  );
}

function coverageOf(
  state: AssuranceState,
  all: Places,
  places: readonly number[],
  summary?: Coverage['summary'],
): Coverage {
  const { at } = state.effective.index;
  const stories = all.filter((story) => story !== undefined);
  return {
    ...{ stories, places, summary: summary ?? summarize(state, stories) },
    of: (storyId) => all[at.get(storyId) ?? -1],
  };
}
