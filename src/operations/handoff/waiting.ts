// What waits to be done in a project: what the next actions are made of beside what a handoff shows.

import type { Need, StoryCoverage } from '../../assurance/coverage-model.ts';
import { coveringActions, type NextAction } from '../../assurance/covering-actions.ts';
import { freeId, freeKey } from '../../assurance/free-key.ts';
import { nextStory, settlerOf } from '../../assurance/next-story.ts';
import type { AssuranceState } from '../../assurance/state.ts';
import type { Capability } from '../../http/access.ts';
import type { EditState } from '../../requirements/overlay/model.ts';
import { type Newer, overtaking } from '../../requirements/overlay/overtaken.ts';

export interface Waiting {
  /**
   * An edit that waits for a decision, and one in conflict with the sources, of stories there are;
   * those first that nothing newer has overtaken.
   */
  proposedEdit: WaitingEdit | null;
  conflictedEdit: WaitingEdit | null;
  /** Links that were made for an earlier text of their story. */
  suspectTraces: string[];
  uncovered: UncoveredStory | null;
  /** An id that no story has, nor an addition that waits: sources absorb one whose id they bring. */
  newStory: string;
  /** A key that no command has, in whatever state. */
  newCommand: string;
  /** A story that passes and that nobody has judged as it is. */
  unjudged: string | null;
}

export interface WaitingEdit {
  id: string;
  storyId: string;
  /** Of the story as it is. */
  fingerprint: string;
  /** Who may decide. */
  settler: Capability;
  /** Accepted edits that it would overwrite, and that its author may not have seen. */
  overtaken: Newer | null;
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
  const { stories } = state.coverage();
  const { edits, additions, node } = state.effective;
  const newerThan = overtaking(edits);
  const added = new Set(additions.map(({ storyId }) => storyId));
  return {
    proposedEdit: firstEdit(state, newerThan, 'proposed'),
    conflictedEdit: firstEdit(state, newerThan, 'conflicted'),
    suspectTraces: stories
      .flatMap(({ traces }) => traces.flatMap((one) => (one.state === 'suspect' && one.id) || []))
      .slice(0, TRACES_AT_ONCE),
    uncovered: firstUncovered(state, inNeed, isScenario),
    newStory: freeId('US', (id) => added.has(id) || node(id) !== undefined),
    newCommand: freeKey('unit', (key) => state.commands.find(key) !== undefined),
    unjudged: stories.find(isUnjudged)?.storyId ?? null,
  };
}

function firstEdit(
  { effective: { edits, node, settings } }: AssuranceState,
  newerThan: ReturnType<typeof overtaking>,
  wanted: EditState,
): WaitingEdit | null {
  let first: WaitingEdit | null = null;
  for (const edit of edits) {
    const story = edit.state === wanted ? node(edit.storyId) : undefined;
    if (!story) continue;
    const overtaken = newerThan(edit) ?? null;
    if (first && overtaken) continue;
    const settler = settlerOf(wanted, settings);
    first = { id: edit.id, storyId: story.id, fingerprint: story.fingerprint, settler, overtaken };
    if (!overtaken) break;
  }
  return first;
}

function isUnjudged({ status, inherited, validation }: StoryCoverage): boolean {
  return status === 'passing' && !inherited && validation?.standing !== 'valid';
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
