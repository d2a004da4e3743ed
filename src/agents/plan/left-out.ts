// What a plan covers, and why it leaves out what it does not.
import type { PlanCommand, PlanStory, UncoveredStory, UncoveredWhy } from './model.ts';
import { isPlannable } from './scope.ts';

/** All there was to choose from, and what was chosen. */
export interface Choice {
  commands: readonly PlanCommand[];
  stories: ReadonlyMap<string, PlanStory>;
  /** Ids of the commands that pass the filter of the request. */
  passing: ReadonlySet<string>;
  /** Ids of the commands that its strategy selects of these. */
  selected: ReadonlySet<string>;
  /** Ids of the stories that the plan covers. */
  byPlan: ReadonlySet<string>;
}

/** The nearest to being covered first. */
const NEAREST: readonly UncoveredWhy[] = [
  'over_budget',
  'not_selected',
  'filtered',
  'quarantined',
  'disabled',
];

/**
 * Parts the stories in question into those that the plan covers and those that it does not. What
 * only a quarantined command covers is not covered: its result does not count.
 *
 * @param inQuestion - sorted; so are both answers
 */
export function coverageOf(
  inQuestion: readonly string[],
  choice: Choice,
): { covered: string[]; uncovered: UncoveredStory[] } {
  // Where all are covered nobody asks.
  let whys: ReadonlyMap<string, number> | undefined;
  const [covered, uncovered]: [string[], UncoveredStory[]] = [[], []];
  for (const storyId of inQuestion) {
    if (choice.byPlan.has(storyId)) covered.push(storyId);
    else uncovered.push({ storyId, why: whyOf(storyId) });
  }
  return { covered, uncovered };

  function whyOf(storyId: string): UncoveredWhy {
    const story = choice.stories.get(storyId);
    if (story === undefined) return 'unknown_story';
    whys ??= whysOf(choice);
    const nearest = whys.get(storyId);
    if (nearest !== undefined) return NEAREST[nearest] as UncoveredWhy;
    if (story.inherited) return 'inherited';
    return story.status === 'justified' ? 'justified' : 'no_command';
  }
}

/** By story, the place in `NEAREST` of why its nearest command does not cover it. */
function whysOf({ commands, passing, selected }: Choice): Map<string, number> {
  const whys = new Map<string, number>();
  for (const command of commands) {
    const own = NEAREST.indexOf(whyNot(command, { passing, selected }));
    for (const id of command.storyIds) {
      const known = whys.get(id);
      if (known === undefined || own < known) whys.set(id, own);
    }
  }
  return whys;
}

/** Why a command covers nothing that the plan does not cover already. */
function whyNot(
  command: PlanCommand,
  { passing, selected }: Pick<Choice, 'passing' | 'selected'>,
): UncoveredWhy {
  if (!isPlannable(command)) return 'disabled';
  if (command.state === 'quarantined') return 'quarantined';
  if (!passing.has(command.id)) return 'filtered';
  return selected.has(command.id) ? 'over_budget' : 'not_selected';
}
