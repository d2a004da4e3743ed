// What waits to be done in a project: what the next actions are made of beside what a handoff shows.

import type { Capability } from '../../access/access.ts';
import type { Need, StoryCoverage } from '../../assurance/coverage/model.ts';
import type { AssuranceState } from '../../assurance/state/state.ts';
import type { Reviewed } from '../../assurance/traceability/model.ts';
import { refusedBefore } from '../../assurance/validation/gone.ts';
import { coveringActions, type NextAction } from '../../assurance/workflow/actions.ts';
import { freeId, freeKey } from '../../assurance/workflow/keys.ts';
import { nextStory, reviewOf, settlerOf } from '../../assurance/workflow/next-story.ts';
import { isNormative } from '../../requirements/graph/model.ts';
import { whatLeft } from '../../requirements/overlay/additions.ts';
import type { EditState } from '../../requirements/overlay/model.ts';
import { type Newer, overtaking } from '../../requirements/overlay/reconcile.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';

export interface Waiting {
  /**
   * An edit that waits for a decision, and one in conflict with the sources, of stories there are;
   * those first that nothing newer has overtaken.
   */
  proposedEdit: WaitingEdit | null;
  conflictedEdit: WaitingEdit | null;
  /**
   * An addition that waits for a decision, and that no story there is stands in the way of; those first
   * that lack nothing that they are linked to.
   */
  proposedAddition: WaitingAddition | null;
  /** Links that were made for an earlier text of their story, each with its fingerprint of now. */
  suspectTraces: Reviewed[];
  uncovered: UncoveredStory | null;
  /** An id that no story has, nor an addition that waits: sources absorb one whose id they bring. */
  newStory: string;
  /** A key that no command has, in whatever state. */
  newCommand: string;
  /** The verdicts on renamed stories that wait to be carried. */
  toCarry: { total: number; first: CarriedVerdict[] };
  /** A story that passes and that nobody has judged as it is, under whatever name. */
  unjudged: UnjudgedStory | null;
}

/** A verdict on a story that was renamed. */
export interface CarriedVerdict {
  from: string;
  to: string;
  verdict: string;
}

export interface WaitingAddition {
  id: string;
  title: string;
  version: number;
  /** Who may decide. */
  settler: Capability;
  /** What it is linked to, or stands below, and is gone, as `whatLeft`. */
  left: string[];
}

/** A story as it would be judged. */
export interface UnjudgedStory {
  storyId: string;
  fingerprint: string;
  deepFingerprint: string;
  /** Its last verdict, whatever that judged. */
  replaces: string | null;
}

export interface WaitingEdit {
  id: string;
  storyId: string;
  /** Of the story as it is. */
  fingerprint: string;
  version: number;
  /** Who may decide. */
  settler: Capability;
  /** Accepted edits that it would overwrite, and that its author may not have seen. */
  overtaken: Newer | null;
}

/** A story that lacks something of what it needs. */
export interface UncoveredStory {
  storyId: string;
  unmet: readonly Need[];
  /** Commands that ran what verifies it, such as its scenarios. */
  runners: readonly string[];
  /** Requests that each meet a need of it. */
  actions: readonly NextAction[];
}

const [TRACES_AT_ONCE, CARRIED_AT_ONCE] = [100, 100];

/**
 * What waits in a project.
 *
 * @param inNeed - its stories that are not settled, those that need work most first
 * @param toCarry - verdicts on renamed stories that wait to be carried, by the new ids
 * @param isScenario - whether a scenario has a key, in whatever state
 */
export function waitingOf(
  state: AssuranceState,
  inNeed: readonly StoryCoverage[],
  toCarry: ReadonlyMap<string, ValidationRow>,
  isScenario: (key: string) => boolean,
): Waiting {
  const { stories } = state.coverage();
  const { edits, additions, node } = state.effective;
  const newerThan = overtaking(edits);
  const added = new Set(additions.map(({ storyId }) => storyId));
  return {
    proposedEdit: firstEdit(state, newerThan, 'proposed'),
    conflictedEdit: firstEdit(state, newerThan, 'conflicted'),
    proposedAddition: firstAddition(state),
    suspectTraces: suspectTraces(state, stories),
    uncovered: firstUncovered(state, inNeed, isScenario),
    newStory: freeId('US', (id) => added.has(id) || node(id) !== undefined),
    newCommand: freeKey('unit', (key) => state.commands.find(key) !== undefined),
    toCarry: {
      total: toCarry.size,
      first: [...toCarry]
        .slice(0, CARRIED_AT_ONCE)
        .map(([to, { storyId: from, verdict }]) => ({ from, to, verdict })),
    },
    unjudged: firstUnjudged(state, stories, toCarry),
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
    if (!story || !isNormative(story)) continue;
    const overtaken = newerThan(edit) ?? null;
    if (first && overtaken) continue;
    const settler = settlerOf(wanted, settings);
    const { id, version } = edit;
    const { id: storyId, fingerprint } = story;
    first = { id, storyId, fingerprint, version, settler, overtaken };
    if (!overtaken) break;
  }
  return first;
}

function firstAddition({ effective }: AssuranceState): WaitingAddition | null {
  const { additions, node, settings } = effective;
  const waiting = additions.filter(
    ({ state, storyId }) => state === 'proposed' && node(storyId) === undefined,
  );
  const first = waiting.find((one) => whatLeft(effective, one).length === 0) ?? waiting[0];
  if (!first) return null;
  const { id, title, version } = first;
  const left = whatLeft(effective, first);
  return { id, title, version, settler: settlerOf('proposed', settings), left };
}

function suspectTraces(state: AssuranceState, stories: readonly StoryCoverage[]): Reviewed[] {
  const found: Reviewed[] = [];
  for (const { storyId, traces } of stories) {
    const suspect = traces.filter((one) => one.state === 'suspect');
    found.push(...reviewOf(state, storyId, suspect));
    if (found.length >= TRACES_AT_ONCE) break;
  }
  return found.slice(0, TRACES_AT_ONCE);
}

function firstUnjudged(
  state: AssuranceState,
  stories: readonly StoryCoverage[],
  toCarry: ReadonlyMap<string, ValidationRow>,
): UnjudgedStory | null {
  const { effective, validationsOf } = state;
  const first = stories.find(
    (story) =>
      isUnjudged(story) && !toCarry.has(story.storyId) && !refusedBefore(state, story.storyId),
  );
  const node = effective.node(first?.storyId ?? '');
  if (!node) return null;
  const { id: storyId, fingerprint, deepFingerprint } = node;
  const replaces = validationsOf.get(storyId)?.at(-1)?.id ?? null;
  return { storyId, fingerprint, deepFingerprint, replaces };
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
  return { storyId: node.id, unmet: story.unmet, runners: story.runners, actions };
}
