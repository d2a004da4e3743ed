// The stories that need work most, and why.

import { priorityLevel } from '../../agents/plan/score.ts';
import { type Gap, listGaps } from '../../assurance/coverage/gaps.ts';
import { type StoryCoverage, WORST_FIRST } from '../../assurance/coverage/model.ts';
import type { AssuranceState } from '../../assurance/state/state.ts';
import { type Excerpt, type HandoffStory, SHOWN } from './model.ts';

const SETTLED: ReadonlySet<string> = new Set(['passing', 'validated', 'justified']);

/**
 * Stories that are not settled: the worst status first, then by priority, by open issues, and in
 * source order.
 */
export function storiesInNeed(state: AssuranceState): StoryCoverage[] {
  const openOn = openIssuesOf(state);
  return state
    .coverage()
    .stories.filter(({ status }) => !SETTLED.has(status))
    .map((story, at) => ({
      story,
      at,
      priority: state.effective.node(story.storyId)?.priority ?? null,
      rank: WORST_FIRST.indexOf(story.status),
    }))
    .sort(
      (a, b) =>
        a.rank - b.rank ||
        priorityLevel(b.priority) - priorityLevel(a.priority) ||
        openOn(b.story.storyId) - openOn(a.story.storyId) ||
        a.at - b.at,
    )
    .map(({ story }) => story);
}

function openIssuesOf({ issuesOf }: AssuranceState): (storyId: string) => number {
  return (storyId) => issuesOf.get(storyId)?.length ?? 0;
}

/**
 * Those of them that a handoff shows.
 *
 * @param inNeed - all of them in their order
 */
export function showStories(
  state: AssuranceState,
  inNeed: readonly StoryCoverage[],
): Excerpt<HandoffStory> {
  const openOn = openIssuesOf(state);
  const gaps = new Map(listGaps(state).items.map((one) => [one.story.storyId, one.gaps]));
  const items = inNeed.slice(0, SHOWN.stories).map((story): HandoffStory => {
    const { storyId: id, kind, title, status, inherited } = story;
    const priority = state.effective.node(id)?.priority ?? null;
    const own = (gaps.get(id) ?? []).map(sentence);
    const why = inherited ? [`What refines it is ${status}.`] : [...new Set(own)].slice(0, 5);
    return { id, kind, title, priority, status, openIssues: openOn(id), why };
  });
  return { total: inNeed.length, items };
}

function sentence({ gap, need, traceId, target }: Gap): string {
  const link = target === null ? (traceId ?? 'a link') : `the ${target.kind} ${target.id}`;
  switch (gap) {
    case 'unmet_need':
      return `No ${need} verifies it.`;
    case 'failing_test':
      return `What verifies it failed: ${link}.`;
    case 'broken_trace':
      return `A link leads nowhere: ${link}.`;
    case 'suspect_trace':
      return `Linked for an earlier text of it: ${link}.`;
    case 'stale_test':
      return `Passed for an earlier text of it: ${link}.`;
    case 'unexecuted_test':
      return `Has not passed yet: ${link}.`;
    default:
      return 'Nothing has shown yet that it holds.';
  }
}
