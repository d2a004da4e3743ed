// What waits to be done in a project: what the next actions are made of beside what a handoff shows.

import type { Need, StoryCoverage } from '../../assurance/coverage-model.ts';
import { coveringActions, type NextAction } from '../../assurance/covering-actions.ts';
import { freeKey } from '../../assurance/free-key.ts';
import { nextStory } from '../../assurance/next-story.ts';
import type { AssuranceState } from '../../assurance/state.ts';

export interface Waiting {
  /** An edit that waits for a decision, and one in conflict with the sources. */
  proposedEdit: string | null;
  conflictedEdit: { id: string; storyId: string; fingerprint: string | null } | null;
  /** Links that were made for an earlier text of their story. */
  suspectTraces: string[];
  uncovered: UncoveredStory | null;
  /** A key that no command has, in whatever state. */
  newCommand: string;
  /** A story that passes and that nobody has judged as it is. */
  unjudged: string | null;
}

/** A story that lacks something of what it needs. */
export interface UncoveredStory {
  storyId: string;
  unmet: readonly Need[];
  /** Requests that each meet a need of it. */
  actions: readonly NextAction[];
}

const TRACES_AT_ONCE = 100;

/**
 * What waits in a project.
 *
 * @param inNeed - its stories that are not settled, those that need work most first
 * @param isScenario - whether a scenario has a key, in whatever state
 */
export function waitingOf(
  state: AssuranceState,
  inNeed: readonly StoryCoverage[],
  isScenario: (key: string) => boolean,
): Waiting {
  const { effective } = state;
  const { edits } = effective;
  const { stories } = state.coverage();
  const conflicted = edits.find((edit) => edit.state === 'conflicted');
  return {
    proposedEdit: edits.find((edit) => edit.state === 'proposed')?.id ?? null,
    conflictedEdit: conflicted
      ? {
          id: conflicted.id,
          storyId: conflicted.storyId,
          fingerprint: effective.node(conflicted.storyId)?.fingerprint ?? null,
        }
      : null,
    suspectTraces: stories
      .flatMap(({ traces }) => traces.flatMap((one) => (one.state === 'suspect' && one.id) || []))
      .slice(0, TRACES_AT_ONCE),
    uncovered: firstUncovered(state, inNeed, isScenario),
    newCommand: freeKey('unit', (key) => state.commands.find(key) !== undefined),
    unjudged:
      stories.find(({ status, inherited }) => status === 'passing' && !inherited)?.storyId ?? null,
  };
}

/** The story to be covered first; what inherits from others is covered with them. */
function firstUncovered(
  state: AssuranceState,
  inNeed: readonly StoryCoverage[],
  isScenario: (key: string) => boolean,
): UncoveredStory | null {
  const first = inNeed.find(({ status, inherited }) => status === 'uncovered' && !inherited);
  const node = first && state.effective.node(first.storyId);
  if (!node) return null;
  const story = nextStory(state, node, isScenario);
  const actions = coveringActions(story).filter(({ body }) => body !== undefined);
  return { storyId: node.id, unmet: story.unmet, actions };
}
