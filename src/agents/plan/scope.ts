// Which commands a request asks for, and which stories it asks about.
import type { PlanCommand, PlanRequest, PlanStory } from './model.ts';
import type { Candidate } from './score.ts';

/** Whether a command may be planned at all. A quarantined one still runs and reports. */
export function isPlannable({ state }: PlanCommand): boolean {
  return state === 'active' || state === 'quarantined';
}

/** A test of whether a command passes what the request is narrowed to; each part must hold. */
export function filterOf(request: PlanRequest): (command: PlanCommand) => boolean {
  const [storyIds, routes, tags] = [request.storyIds, request.routes, request.tags].map((wanted) =>
    wanted === undefined ? undefined : new Set(wanted),
  );
  return (command) =>
    hasAny(command.storyIds, storyIds) &&
    hasAny(command.routes, routes) &&
    hasAny(command.tags, tags);
}

/**
 * The stories that a plan answers for, sorted by id: those that the request names, else those of the
 * commands that pass its filter, else all. A named one that does not exist is among them.
 */
export function storiesInQuestion(
  request: PlanRequest,
  commands: readonly PlanCommand[],
  stories: ReadonlyMap<string, PlanStory>,
): string[] {
  if (request.storyIds !== undefined) return [...new Set(request.storyIds)].sort();
  if (request.routes === undefined && request.tags === undefined) return [...stories.keys()].sort();
  const passes = filterOf(request);
  const named = new Set(commands.filter(passes).flatMap(({ storyIds }) => storyIds));
  return [...named].filter((id) => stories.has(id)).sort();
}

/**
 * Whether a strategy wants a candidate: `failures` what failed of late, `gaps` what closes a gap in
 * coverage, `changed` what is new or changed, itself or a story of it, `risk` and `full` everything.
 */
export function isSelected(candidate: Candidate, { strategy }: PlanRequest): boolean {
  if (strategy === 'failures') return candidate.past.failures > 0;
  if (strategy === 'gaps') return candidate.gaps.length > 0;
  if (strategy === 'changed') return candidate.isNew || candidate.isChanged;
  return true;
}

function hasAny(values: readonly string[], wanted: ReadonlySet<string> | undefined): boolean {
  return wanted === undefined || values.some((value) => wanted.has(value));
}
