// What is left to do until a story is covered and passes.

import { targetKey } from '../results/target-results.ts';
import type { AssuranceState } from '../state/state.ts';
import type { CoveringTest, Need, StoryCoverage, StoryTrace } from './model.ts';
import { isFailing } from './reasons.ts';
import { isPassed, judgesOf } from './story-coverage.ts';
import { sortLinks, standingOfTarget } from './story-links.ts';

export const GAP_KINDS = [
  'failing_test',
  'unmet_need',
  'broken_trace',
  'suspect_trace',
  'stale_test',
  'unexecuted_test',
  'quarantined_test',
  'nothing_executed',
] as const;
export type GapKind = (typeof GAP_KINDS)[number];

export interface Gap {
  gap: GapKind;
  /** Of `unmet_need`. */
  need: Need | null;
  /** The link that it is about, if it is about one. */
  traceId: string | null;
  target: StoryTrace['target'] | null;
}

export interface StoryGaps {
  story: StoryCoverage;
  gaps: Gap[];
}

export interface GapList {
  items: readonly StoryGaps[];
  counts: Record<GapKind, number>;
}

const lists = new WeakMap<AssuranceState, GapList>();

/** The stories of a project that have gaps, in source order; made once. */
export function listGaps(state: AssuranceState): GapList {
  const known = lists.get(state);
  if (known) return known;
  const counts = Object.fromEntries(GAP_KINDS.map((kind) => [kind, 0])) as GapList['counts'];
  const items: StoryGaps[] = [];
  for (const story of state.coverage().stories) {
    const gaps = gapsOf(state, story);
    if (gaps.length === 0) continue;
    for (const { gap } of gaps) counts[gap] += 1;
    items.push({ story, gaps });
  }
  const list = { items, counts };
  lists.set(state, list);
  return list;
}

/**
 * The gaps of a story, of its own links alone: those of what it inherits are where that comes from.
 */
export function gapsOf(state: AssuranceState, story: StoryCoverage): Gap[] {
  const gaps: Gap[] = [];
  const tests = new Map(story.tests.map((test) => [targetKey(test), test]));
  const played = playedOf(state, story);
  for (const trace of story.traces) {
    const key = trace.type === 'verifies' ? targetKey(trace.target) : undefined;
    const ran = key === undefined ? undefined : (tests.get(key) ?? played.get(key));
    for (const gap of gapsOfTrace(state, trace, ran))
      gaps.push({ gap, need: null, traceId: trace.id, target: trace.target });
  }
  if (!story.inherited) {
    for (const { need, state: met } of story.needs) {
      if (met === 'unmet') gaps.push({ ...NOTHING, gap: 'unmet_need', need });
    }
    if (isUnshown(story) && tests.size + played.size === 0)
      gaps.push({ ...NOTHING, gap: 'nothing_executed' });
  }
  return gaps.sort((a, b) => GAP_KINDS.indexOf(a.gap) - GAP_KINDS.indexOf(b.gap));
}

type Ran = Pick<CoveringTest, 'result' | 'stale' | 'quarantined'>;

const NO_RUNS: ReadonlyMap<string, Ran> = new Map();

/**
 * The scenarios of a story that have run, by kind and id, where they judge it in place of its tests;
 * those that a command in quarantine ran last as well. What one out of use ran is as if it had not run.
 */
function playedOf(
  state: AssuranceState,
  { storyId, traces, tests, scenarios }: StoryCoverage,
): ReadonlyMap<string, Ran> {
  if (scenarios.length === 0 || tests.some(({ quarantined }) => !quarantined)) return NO_RUNS;
  const played = new Map<string, Ran>(
    judgesOf(sortLinks(state, storyId, traces)).map(({ kind, id, result, stale }) => [
      targetKey({ kind, id }),
      { result, stale, quarantined: false },
    ]),
  );
  for (const id of scenarios) {
    const target = { kind: 'scenario', id } as const;
    const key = targetKey(target);
    const result = played.has(key) ? undefined : state.results.of(target);
    if (result && standingOfTarget(state, target, result) === 'quarantined')
      played.set(key, { result: result.status, stale: false, quarantined: true });
  }
  return played;
}

function isUnshown({ status, scenarios, traces, validation }: StoryCoverage): boolean {
  if (status !== 'suspect' || isPassed(validation)) return status === 'unexecuted';
  const keys = new Set(scenarios);
  return traces.some(
    ({ type, target: { kind, id }, state }) =>
      type === 'verifies' && kind === 'scenario' && state === 'valid' && keys.has(id),
  );
}

const NOTHING = { need: null, traceId: null, target: null };

function gapsOfTrace(state: AssuranceState, trace: StoryTrace, ran: Ran | undefined): GapKind[] {
  const { state: own } = trace;
  if (own === 'broken') return ['broken_trace'];
  const gaps: GapKind[] = isFailing(state, trace) ? ['failing_test'] : [];
  // That the test fails is one thing, that nobody knows whether it is the right one another.
  if (own === 'suspect') gaps.push('suspect_trace');
  if (gaps.length > 0 || !ran) return gaps;
  if (ran.quarantined) return ['quarantined_test'];
  if (ran.stale) return ['stale_test'];
  return ran.result === 'passed' ? [] : ['unexecuted_test'];
}
