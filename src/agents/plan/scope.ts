// Which commands a request asks for, and which stories it asks about.
import { readRoute, shapeOf, templateOf } from '../../quality/routes/route-text.ts';
import type { PlanCommand, PlanRequest, PlanStory } from './model.ts';
import type { Candidate } from './score.ts';

/** What a request is narrowed to. */
type Narrowing = Pick<PlanRequest, 'storyIds' | 'routes' | 'tags'>;

/** Whether a command may be planned at all. A quarantined one still runs and reports. */
export function isPlannable({ state }: Pick<PlanCommand, 'state'>): boolean {
  return state === 'active' || state === 'quarantined';
}

/** A test of whether a command passes what the request is narrowed to; each part must hold. */
export function filterOf(request: Narrowing): (command: PlanCommand) => boolean {
  const [storyIds, tags] = [request.storyIds, request.tags].map((wanted) =>
    wanted === undefined ? undefined : new Set(wanted),
  );
  const isWanted = request.routes === undefined ? undefined : routeFilter(request.routes);
  return (command) =>
    hasAny(command.storyIds, storyIds) &&
    hasAny(command.tags, tags) &&
    (isWanted === undefined || command.routes.some(isWanted));
}

/**
 * A test of whether a route is one of those wanted: by method and path, whatever its parameters are
 * called, and by the path alone where one of the two has no method.
 */
function routeFilter(wanted: readonly string[]): (route: string) => boolean {
  const methods = new Map<string, Set<string | null>>();
  for (const text of wanted) {
    const { method, shape } = shapeOfRoute(text);
    methods.set(shape, (methods.get(shape) ?? new Set()).add(method));
  }
  return (route) => {
    const { method, shape } = shapeOfRoute(route);
    const named = methods.get(shape);
    return named !== undefined && (method === null || named.has(null) || named.has(method));
  };
}

function shapeOfRoute(text: string): { method: string | null; shape: string } {
  const route = readRoute(text);
  if (route === null) return { method: null, shape: text };
  return { method: route.method, shape: shapeOf(templateOf(route.path)) };
}

/**
 * The stories that a plan answers for, sorted by id: those that the request names, else those of the
 * commands that pass its filter, else all but those without a command that others refine, which are
 * verified through these. A named one that does not exist is among them.
 */
export function storiesInQuestion(
  request: Narrowing,
  commands: readonly PlanCommand[],
  stories: ReadonlyMap<string, PlanStory>,
): string[] {
  if (request.storyIds !== undefined) return [...new Set(request.storyIds)].sort();
  const passes = filterOf(request);
  const named = new Set<string>();
  for (const command of commands) {
    if (passes(command)) for (const id of command.storyIds) named.add(id);
  }
  if (request.routes === undefined && request.tags === undefined) {
    for (const { id, inherited } of stories.values()) if (!inherited) named.add(id);
  }
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
