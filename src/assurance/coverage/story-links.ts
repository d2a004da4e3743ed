// The links of a story: their states, and what they amount to.
import { type GraphNode, isNormative } from '../../requirements/graph/model.ts';
import type { TraceRow } from '../../store/tables/assurance.ts';
import type { TargetResult } from '../results/model.ts';
import { nameOf, ownTest, targetKey } from '../results/target-results.ts';
import type { AssuranceState } from '../state/state.ts';
import type { CoveringTest, Judge, StoryTrace, TraceState } from './model.ts';

export function traceStateOf(state: AssuranceState, row: TraceRow): TraceState {
  const { effective } = state;
  const { storyId, fingerprint } = row;
  const node = effective.node(storyId);
  if (!node || !isNormative(node) || leadsNowhere(state, row)) return 'broken';
  return effective.under(storyId, fingerprint) === fingerprint ? 'valid' : 'suspect';
}

/** Whether a target is known not to be there; of those that are not named here nobody can say. */
function leadsNowhere(
  { scenarios, commands }: AssuranceState,
  { targetKind, targetId }: Pick<TraceRow, 'targetKind' | 'targetId'>,
): boolean {
  if (targetKind === 'scenario') return !scenarios.has(targetId);
  return targetKind === 'command' && (commands.find(targetId)?.state ?? 'archived') === 'archived';
}

export function storyTrace(state: AssuranceState, row: TraceRow): StoryTrace {
  const { id, storyId, type, targetKind: kind, targetId, origin } = row;
  const target = { kind, id: targetId };
  return { id, storyId, type, target, origin, state: traceStateOf(state, row), row };
}

const NONE: readonly StoryTrace[] = [];

/** The links of a story: those that no row holds first; of a section that was one, the stored ones alone. */
export function tracesTo(state: AssuranceState, id: string): readonly StoryTrace[] {
  const { scenarios, commands, tests, effective, tracesOf } = state;
  const stored = tracesOf.get(id)?.map((row) => storyTrace(state, row)) ?? NONE;
  const node = effective.node(id);
  if (!node || !isNormative(node)) return stored;
  let unwritten = NONE;
  for (const { linksOf } of [scenarios, commands, tests]) {
    const list = linksOf.get(id);
    if (list) unwritten = unwritten.length > 0 ? unwritten.concat(list) : list;
  }
  if (unwritten.length === 0) return stored;
  if (stored.length === 0) return unwritten;
  const repeated = new Set(
    stored
      .filter(({ type }) => type === 'verifies')
      .map(({ target: { kind, id: name } }) => targetKey(ownTest(state, { kind, id: name }))),
  );
  return [...unwritten.filter(({ target }) => !repeated.has(targetKey(target))), ...stored];
}

export interface StoryLinks {
  scenarios: string[];
  /** The tests and commands that verify it, but for those out of use. */
  tests: CoveringTest[];
  routes: string[];
  /** Something that verifies it failed or broke, and counts. */
  failing: boolean;
  suspect: boolean;
  /** The newest results of its scenarios, as far as they have any that count. */
  played: Judge[];
  newest: { target: StoryTrace['target']; result: TargetResult } | undefined;
}

export function sortLinks(
  state: AssuranceState,
  storyId: string,
  traces: readonly StoryTrace[],
): StoryLinks {
  const links: StoryLinks = {
    scenarios: [],
    tests: [],
    routes: [],
    failing: false,
    suspect: false,
    played: [],
    newest: undefined,
  };
  for (const { target, type, state: own } of traces) {
    const { kind, id } = target;
    if (kind === 'route') links.routes.push(id);
    if (type !== 'verifies' || own === 'broken') continue;
    const result = state.results.of(target);
    const standing = standingOfTarget(state, target, result);
    // A scenario is one, whoever last ran it.
    if (kind === 'scenario') links.scenarios.push(id);
    else if (standing === 'retired') continue;
    if (own === 'suspect') links.suspect = true;
    if (standing === 'retired') continue;
    const quarantined = standing === 'quarantined';
    const stale =
      result?.status === 'passed' &&
      !(isCurrent(state, storyId, result) && isOfTarget(state, target, result));
    if (kind === 'test' || kind === 'command') {
      const name = nameOf(state, target);
      const status = result?.status ?? null;
      links.tests.push({ kind, id, name, state: own, result: status, stale, quarantined });
    }
    if (!result) continue;
    if (kind === 'scenario' && !quarantined)
      links.played.push({ kind, id, result: result.status, stale });
    if (!quarantined && isFailure(result)) links.failing = true;
    if (!links.newest || result.at > links.newest.result.at) links.newest = { target, result };
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
  const name = kind === 'command' ? id : result?.commandId;
  const state = name == null ? undefined : commands.find(name)?.state;
  if (state === 'quarantined') return state;
  return state === 'disabled' || state === 'archived' ? 'retired' : 'counts';
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

/**
 * Whether the story said for a run what it says today. What was linked later is not pinned: of that
 * nobody can say, once anything has changed since the run.
 */
export function isCurrent(
  { effective: { revision, overlayClock, under } }: Pick<AssuranceState, 'effective'>,
  storyId: string,
  result: Pick<TargetResult, 'fingerprintOf' | 'revision' | 'overlayClock'>,
): boolean {
  const pinned = result.fingerprintOf(storyId);
  if (pinned !== undefined) return under(storyId, pinned) === pinned;
  return result.revision === (revision?.number ?? 0) && result.overlayClock === overlayClock;
}

type Counted = Pick<GraphNode, 'kind' | 'active' | 'status'>;

export function isCounted(node: Counted): boolean {
  return isNormative(node) && node.active && node.status?.trim().toLowerCase() !== 'rejected';
}

/** Why a story is not counted and needs nothing, in a sentence; undefined where it is counted. */
export function whyUncounted(node: Counted): string | undefined {
  if (isCounted(node)) return undefined;
  return `It is ${node.active ? 'rejected' : 'inactive'}: nothing has to show that it holds.`;
}

export function isFailing(state: AssuranceState, { type, target, state: own }: StoryTrace) {
  const result = type === 'verifies' && own !== 'broken' ? state.results.of(target) : undefined;
  if (!result || !isFailure(result)) return false;
  return standingOfTarget(state, target, result) === 'counts';
}

export function whyFailing(state: AssuranceState, traces: readonly StoryTrace[]) {
  const failing = traces
    .filter((trace) => isFailing(state, trace))
    .map(({ target }) => `${target.kind} ${calledIn(state, target)}`);
  if (failing.length === 0) return undefined;
  return `The ${failing.join(', the ')} ${failing.length > 1 ? 'fail' : 'fails'}.`;
}

/** What a target is called in a sentence: a scenario's key says more than its title. */
export function calledIn(state: AssuranceState, target: StoryTrace['target']): string {
  return target.kind === 'scenario' ? target.id : (nameOf(state, target) ?? target.id);
}

/** Those of a story's links that make it `suspect`; of what covers it no longer there are none. */
export function suspectLinks(state: AssuranceState, traces: readonly StoryTrace[]): StoryTrace[] {
  return traces.filter(
    (trace) => trace.type === 'verifies' && trace.state === 'suspect' && isInUse(state, trace),
  );
}

/** Whether a link leads to what covers still, where it verifies; a scenario does, whatever ran it. */
export function isInUse(state: AssuranceState, { target, state: own }: StoryTrace): boolean {
  if (own === 'broken' || target.kind === 'scenario') return own !== 'broken';
  return standingOfTarget(state, target, state.results.of(target)) !== 'retired';
}

export function whyBroken({ id, target }: StoryTrace): string {
  return `${id} leads to no ${target.kind} ${target.id}: it is not there, or archived.`;
}
