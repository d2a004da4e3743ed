// Where every story stands: one pass over nodes, links and edges. What a story has of its own is
// taken over from an earlier state where nothing of it has changed.
import { type GraphNode, isNormative } from '../requirements/graph/model.ts';
import type { Coverage, StoryCoverage } from './coverage-model.ts';
import { summarize } from './coverage-summary.ts';
import { inheritStatuses } from './inherited-coverage.ts';
import type { IndexChanges } from './result-index.ts';
import type { AssuranceState } from './state.ts';
import { coverStory, hasOwnLinks, routesByStory } from './story-coverage.ts';

export type { Coverage, StoryCoverage } from './coverage-model.ts';

/** What stories have of their own, whatever they inherit, at the places of their nodes. */
export interface OwnCoverage {
  state: AssuranceState;
  stories: readonly (StoryCoverage | undefined)[];
}

/** What is known of an earlier state. */
export interface CoveredBefore extends OwnCoverage {
  /** What has other results or links now. */
  changes: IndexChanges & { scenarios: ReadonlySet<string> };
}

/** Whether a node is counted: rejected and retired ones are not. */
export function isCounted(node: Pick<GraphNode, 'kind' | 'active' | 'status'>): boolean {
  return isNormative(node) && node.active && node.status?.trim().toLowerCase() !== 'rejected';
}

/** What all stories have of their own; linear in nodes and links. */
export function coverOwn(state: AssuranceState, before?: CoveredBefore): OwnCoverage {
  const { nodes } = state.effective.index.graph;
  const routes = routesByStory(state.catalog);
  const isSame = before && sameSince(before, state);
  const stories = nodes.map((node, place) => {
    const known = before?.stories[place];
    if (known && isSame?.(known)) return known;
    return isCounted(node) ? coverStory(state, node, routes.get(node.id)) : undefined;
  });
  return { state, stories };
}

/** Makes what tells whether a story has the same of its own as before; nothing where none can. */
function sameSince(
  { state: before, changes }: CoveredBefore,
  state: AssuranceState,
): ((story: StoryCoverage) => boolean) | undefined {
  const whole = [
    ...(['effective', 'catalog', 'tracesOf', 'justificationsOf'] as const),
    ...(['commands', 'scenarios'] as const),
  ];
  if (whole.some((name) => before[name] !== state[name])) return undefined;
  const { commands, issuesOf, validationsOf, tests } = state;
  const sameIssues = issuesOf === before.issuesOf;
  return ({ storyId, traces }) => {
    if (tests.linksOf.get(storyId) !== before.tests.linksOf.get(storyId)) return false;
    if (!sameIssues && (issuesOf.has(storyId) || before.issuesOf.has(storyId))) return false;
    const [last, lastBefore] = [validationsOf.get(storyId), before.validationsOf.get(storyId)];
    if (last?.at(-1)?.seq !== lastBefore?.at(-1)?.seq) return false;
    for (const { target } of traces) {
      if (target.kind === 'test') {
        if (changes.tests.has(target.id)) return false;
      } else if (target.kind === 'command') {
        if (changes.commands.has(commands.find(target.id)?.id ?? '')) return false;
      } else if (target.kind === 'scenario' && changes.scenarios.has(target.id)) return false;
    }
    return true;
  };
}

/**
 * The coverage of all stories; linear in nodes, edges and links.
 *
 * @param own - what they have of their own, where that is known
 */
export function coverStories(state: AssuranceState, own: OwnCoverage = coverOwn(state)): Coverage {
  const { index } = state.effective;
  const covered = inheritStatuses(
    index,
    own.stories,
    own.stories.map((story) => story !== undefined && hasOwnLinks(story)),
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
