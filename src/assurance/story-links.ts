// What a story's links amount to: gone through once for each story, for there are many of both.
import type { CoveringTest, StoryTrace } from './coverage-model.ts';
import type { AssuranceState, TargetResult } from './state.ts';
import { importedTraces, storyTrace } from './trace-state.ts';

const NONE: readonly never[] = [];

/** The links of a story, sorted by what they are to. */
export interface StoryLinks {
  /** Keys of the scenarios that verify it. */
  scenarios: string[];
  tests: CoveringTest[];
  routes: string[];
  /** Ids of issues. */
  issues: string[];
  /** Something that verifies it failed or broke. */
  failing: boolean;
  /** Something that verifies it was linked for an earlier text. */
  suspect: boolean;
  /** The newest result of what verifies it. */
  newest: { target: StoryTrace['target']; result: TargetResult } | undefined;
}

const NO_LINKS: StoryLinks = {
  ...{ scenarios: [], tests: [], routes: [], issues: [] },
  ...{ failing: false, suspect: false, newest: undefined },
};

/** The links of a story: the stored ones, the oldest first, behind those of the sources. */
export function tracesTo(state: AssuranceState, id: string): readonly StoryTrace[] {
  const imported = importedTraces(state.catalog).get(id) ?? NONE;
  const rows = state.tracesOf.get(id);
  if (!rows) return imported;
  const stored = rows.map((row) => storyTrace(state, row));
  if (imported.length === 0) return stored;
  const repeated = new Set(
    stored.flatMap(({ type, target }) =>
      type === 'verifies' && target.kind === 'scenario' ? [target.id] : [],
    ),
  );
  return [...imported.filter(({ target }) => !repeated.has(target.id)), ...stored];
}

/** Sorts the links of a story by what they are to. */
export function sortLinks(
  state: AssuranceState,
  storyId: string,
  traces: readonly StoryTrace[],
): Readonly<StoryLinks> {
  if (traces.length === 0) return NO_LINKS;
  const links: StoryLinks = { ...NO_LINKS, scenarios: [], tests: [], routes: [], issues: [] };
  for (const trace of traces) {
    const { target, type, state: own } = trace;
    if (target.kind === 'route') links.routes.push(target.id);
    else if (target.kind === 'issue') links.issues.push(target.id);
    if (type === 'verifies' && own !== 'broken') addVerifying(state, storyId, trace, links);
  }
  return links;
}

function addVerifying(
  { results, effective }: AssuranceState,
  storyId: string,
  { target, state }: StoryTrace,
  links: StoryLinks,
): void {
  const { kind, id } = target;
  const result = results.size === 0 ? undefined : results.get(`${kind} ${id}`);
  if (state === 'suspect') links.suspect = true;
  if (kind === 'scenario') links.scenarios.push(id);
  else if (kind === 'test' || kind === 'command') {
    const stale = result?.status === 'passed' && !isCurrent(effective, storyId, result);
    links.tests.push({ kind, id, state, result: result?.status ?? null, stale });
  }
  if (!result) return;
  if (result.status === 'failed' || result.status === 'broken') links.failing = true;
  if (!links.newest || result.at > links.newest.result.at) links.newest = { target, result };
}

function isCurrent(
  effective: AssuranceState['effective'],
  storyId: string,
  result: TargetResult,
): boolean {
  const pinned = result.fingerprintOf(storyId);
  return pinned !== undefined && effective.under(storyId, pinned) === pinned;
}
