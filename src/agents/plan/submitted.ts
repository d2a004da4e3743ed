// A plan that somebody else has made: what is wrong with it, or the plan as it is stored.
import type { FieldError } from '../../errors.ts';
import type { Plan, PlanInput, PlanItem, SubmittedItem } from './model.ts';
import { coverageOf, isPlannable, storiesInQuestion } from './plan.ts';
import { typicalDuration } from './score.ts';

/**
 * Checks the items of a plan: their commands are there, active or quarantined, each of them once, and
 * so are the stories that they name.
 *
 * @param isStory - whether there is a story of an id
 * @returns the errors, with pointers below `/plan/items`
 */
export function checkItems(
  items: readonly SubmittedItem[],
  { commands }: Pick<PlanInput, 'commands'>,
  isStory: (id: string) => boolean,
): FieldError[] {
  const states = new Map(commands.map(({ id, state }) => [id, state]));
  const places = new Map<string, number>();
  const errors: FieldError[] = [];
  for (const [at, { commandId, storyIds = [] }] of items.entries()) {
    const pointer = `/plan/items/${at}/commandId`;
    const state = states.get(commandId);
    const earlier = places.get(commandId);
    if (state === undefined) {
      errors.push({ pointer, detail: 'there is no such test command in this project' });
    } else if (!isPlannable({ state })) {
      errors.push({
        pointer,
        detail: `is ${state}: active and quarantined commands can be planned`,
      });
    } else if (earlier !== undefined) {
      errors.push({ pointer, detail: `stands at /plan/items/${earlier} already` });
    }
    if (earlier === undefined) places.set(commandId, at);
    for (const [place, id] of storyIds.entries()) {
      if (isStory(id)) continue;
      const where = `/plan/items/${at}/storyIds/${place}`;
      errors.push({ pointer: where, detail: 'there is no such story in this project' });
    }
  }
  return errors;
}

/** The plan of items that were checked: in their order, without scores and reasons. */
export function submittedPlan(items: readonly SubmittedItem[], input: PlanInput): Plan {
  const { commands } = input;
  const byId = new Map(commands.map((command) => [command.id, command]));
  const stories = new Map(input.stories.map((story) => [story.id, story]));
  const typicalMs = typicalDuration(commands.filter(isPlannable));
  const byPlan = new Set<string>();
  const planned: PlanItem[] = [];
  for (const { commandId, storyIds } of items) {
    const command = byId.get(commandId);
    if (!command) continue;
    const own = [...new Set(storyIds ?? command.storyIds.filter((id) => stories.has(id)))];
    if (command.state === 'active') for (const id of own) byPlan.add(id);
    planned.push({
      position: planned.length + 1,
      commandId,
      storyIds: own,
      score: null,
      reasons: [],
      estimateMs: command.estimateMs ?? typicalMs,
    });
  }
  const ids = commands.filter(isPlannable).map(({ id }) => id);
  const choice = { commands, stories, byPlan, passing: new Set(ids), selected: new Set<string>() };
  return {
    items: planned,
    ...coverageOf(storiesInQuestion({}, commands, stories), choice),
    estimateMs: planned.reduce((sum, { estimateMs }) => sum + estimateMs, 0),
  };
}
