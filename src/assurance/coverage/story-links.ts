// What a story's links amount to: gone through once for each story, for there are many of both.

import type { Effective } from '../../requirements/graph/effective.ts';
import { isNormative } from '../../requirements/graph/model.ts';
import type { TargetResult } from '../results/model.ts';
import { nameOf, ownTest, targetKey } from '../results/target-results.ts';
import type { AssuranceState } from '../state/state.ts';
import { importedTraces, storyTrace } from './link-state.ts';
import type { CoveringTest, Judge, StoryTrace } from './model.ts';

const NONE: readonly never[] = [];

export interface StoryLinks {
  /** Keys of the scenarios that verify it. */
  scenarios: string[];
  tests: CoveringTest[];
  routes: string[];
  /** Ids of issues. */
  issues: string[];
  /** Something that verifies it failed or broke, and counts. */
  failing: boolean;
  /** Something that verifies it was linked for an earlier text. */
  suspect: boolean;
  /** The newest results of its scenarios, as far as they have any that count. */
  played: Judge[];
  /** The newest result of what verifies it. */
  newest: { target: StoryTrace['target']; result: TargetResult } | undefined;
}

const NO_LINKS: StoryLinks = {
  scenarios: [],
  tests: [],
  routes: [],
  issues: [],
  failing: false,
  suspect: false,
  played: [],
  newest: undefined,
};

/**
 * The links that no row holds: those of the sources, of stored scenarios and of commands as they are
 * declared, and those that tests make by the names that they have.
 */
export function unwrittenTraces(
  { catalog, scenarios, commands, tests }: AssuranceState,
  id: string,
): readonly StoryTrace[] {
  const lists = [
    importedTraces(catalog).get(id),
    scenarios.linksOf.get(id),
    commands.linksOf.get(id),
    tests.linksOf.get(id),
  ].filter((list) => list !== undefined);
  return lists.length > 1 ? lists.flat() : (lists[0] ?? NONE);
}

/**
 * The links of a story: the stored ones, the oldest first, behind those that no row holds. Of what is
 * no story, such as a section that was one, the stored ones alone.
 */
export function tracesTo(state: AssuranceState, id: string): readonly StoryTrace[] {
  const found = unwrittenTraces(state, id);
  const node = found.length === 0 ? undefined : state.effective.node(id);
  const unwritten = node && isNormative(node) ? found : NONE;
  const rows = state.tracesOf.get(id);
  if (!rows) return unwritten;
  const stored = rows.map((row) => storyTrace(state, row));
  if (unwritten.length === 0) return stored;
  const repeated = new Set(
    stored.flatMap(({ type, target }) => (type === 'verifies' ? sameKey(state, target) : [])),
  );
  return [...unwritten.filter(({ target }) => !repeated.has(targetKey(target))), ...stored];
}

function sameKey(state: AssuranceState, { kind, id }: StoryTrace['target']): string {
  return targetKey(ownTest(state, { kind, id }));
}

export function sortLinks(
  state: AssuranceState,
  storyId: string,
  traces: readonly StoryTrace[],
): Readonly<StoryLinks> {
  if (traces.length === 0) return NO_LINKS;
  const links: StoryLinks = {
    ...NO_LINKS,
    scenarios: [],
    tests: [],
    routes: [],
    issues: [],
    played: [],
  };
  for (const trace of traces) {
    const { target, type, state: own } = trace;
    if (target.kind === 'route') links.routes.push(target.id);
    else if (target.kind === 'issue') links.issues.push(target.id);
    if (type === 'verifies' && own !== 'broken') addVerifying(state, storyId, trace, links);
  }
  return links;
}

export type TargetStanding = 'counts' | 'quarantined' | 'retired';

/**
 * How far a target counts, by its command, or by the command that ran it last: what is quarantined
 * covers, and its results say nothing; what is disabled or archived does not cover.
 */
export function standingOfTarget(
  { commands }: AssuranceState,
  { kind, id }: StoryTrace['target'],
  result: TargetResult | undefined,
): TargetStanding {
  const name = kind === 'command' ? id : (result?.commandId ?? undefined);
  const state = name === undefined ? undefined : commands.find(name)?.state;
  if (state === 'quarantined') return state;
  return state === 'disabled' || state === 'archived' ? 'retired' : 'counts';
}

function addVerifying(
  state: AssuranceState,
  storyId: string,
  { target, state: own }: StoryTrace,
  links: StoryLinks,
): void {
  const { kind, id } = target;
  const { results } = state;
  const result = results.size === 0 ? undefined : results.of(target);
  const standing = standingOfTarget(state, target, result);
  // A scenario is one, whoever last ran it.
  if (standing === 'retired' && kind !== 'scenario') return;
  if (own === 'suspect') links.suspect = true;
  if (standing === 'retired') {
    links.scenarios.push(id);
    return;
  }
  const quarantined = standing === 'quarantined';
  const stale =
    result?.status === 'passed' &&
    !(isCurrent(state, storyId, result) && isOfTarget(state, target, result));
  if (kind === 'scenario') {
    links.scenarios.push(id);
    if (result && !quarantined) links.played.push({ kind, id, result: result.status, stale });
  } else if (kind === 'test' || kind === 'command') {
    const name = nameOf(state, target);
    links.tests.push({
      kind,
      id,
      name,
      state: own,
      result: result?.status ?? null,
      stale,
      quarantined,
    });
  }
  if (!result) return;
  if (!quarantined && isFailure(result)) links.failing = true;
  if (!links.newest || result.at > links.newest.result.at) links.newest = { target, result };
}

export function isFailure({ status }: Pick<TargetResult, 'status'>): boolean {
  return status === 'failed' || status === 'broken';
}

/** Whether a command was run as it is today; of other targets nobody can say that they are others. */
export function isOfTarget(
  { commands }: Pick<AssuranceState, 'commands'>,
  { kind, id }: StoryTrace['target'],
  { ownFingerprint }: Pick<TargetResult, 'ownFingerprint'>,
): boolean {
  const command = kind === 'command' ? commands.find(id) : undefined;
  return command === undefined || command.fingerprint === ownFingerprint;
}

/** Whether a result is of the requirements as they all are today. */
export function isOfRequirements(
  { revision, overlayClock }: Pick<Effective, 'revision' | 'overlayClock'>,
  { requirements }: Pick<TargetResult, 'requirements'>,
): boolean {
  return (
    requirements !== null &&
    requirements.revision === (revision?.number ?? 0) &&
    requirements.overlayClock === overlayClock
  );
}

/**
 * The fingerprint that a story had for a result: pinned by its run, or read from the requirements as they
 * were then.
 */
export function textThen(
  { past }: Pick<AssuranceState, 'past'>,
  storyId: string,
  { fingerprintOf, requirements }: Pick<TargetResult, 'fingerprintOf' | 'requirements'>,
): string | undefined {
  return fingerprintOf(storyId) ?? (requirements ? past.of(storyId, requirements)?.[0] : undefined);
}

/**
 * Whether a result is of a run for which the story said what it says today, pinned by the run or not:
 * the story may have been linked later.
 */
export function isCurrent(
  { effective, past }: Pick<AssuranceState, 'effective' | 'past'>,
  storyId: string,
  result: Pick<TargetResult, 'fingerprintOf' | 'requirements'>,
): boolean {
  const pinned = result.fingerprintOf(storyId);
  if (pinned === undefined && isOfRequirements(effective, result)) return true;
  const then = textThen({ past }, storyId, result);
  if (then === undefined) return false;
  // Nearly all are made as today's are, and need not be made anew.
  return effective.node(storyId)?.fingerprint === then || effective.under(storyId, then) === then;
}
