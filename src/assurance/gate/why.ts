// Why a story has the status that it has, in a line.
import type { StoryCoverage, StoryTrace } from '../coverage/model.ts';
import { calledIn, suspectLinks, whyFailing } from '../coverage/story-links.ts';
import type { AssuranceState } from '../state/state.ts';
import { executedFacts } from '../workflow/facts.ts';

const MAX_CHARACTERS = 500;

function shortened(text: string): string {
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS - 1)}…`;
}

export function calledShortly(state: AssuranceState, target: StoryTrace['target']): string {
  return shortened(calledIn(state, target));
}

export function whyStatus(state: AssuranceState, story: StoryCoverage): string {
  return shortened(story.inherited ? whyInherited(state, story) : whyOwn(state, story));
}

function whyInherited(state: AssuranceState, { storyId, status }: StoryCoverage): string {
  const { at, incoming } = state.effective.index;
  const below = incoming(at.get(storyId))
    .filter(({ type }) => type === 'refines' || type === 'derives')
    .map(({ from }) => from)
    .filter((id) => state.coverage().of(id)?.status === status);
  return `What refines it is ${status}: ${[...new Set(below)].join(', ')}.`;
}

function whyOwn(state: AssuranceState, story: StoryCoverage): string {
  const { storyId, status, needs, traces } = story;
  const node = state.effective.node(storyId);
  if (status === 'failing') return whyFailing(state, traces) ?? 'It fails.';
  if (status === 'uncovered') {
    const unmet = needs.flatMap(({ need, state: met }) => (met === 'unmet' ? need : []));
    return `No ${unmet.join(' and no ')} verifies it.`;
  }
  if (status === 'suspect') {
    const targets = suspectLinks(state, traces).map(({ target }) => {
      return `the ${target.kind} ${calledIn(state, target)}`;
    });
    return `Linked for an earlier text of it: ${targets.join(', ')}.`;
  }
  if ((status === 'stale' || status === 'unexecuted') && node)
    return executedFacts(state, node).missing.join(' ') || `It is ${status}.`;
  return `It is ${status}.`;
}
