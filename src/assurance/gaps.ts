// What is left to do until a story is covered and passes.
import type { CoveringTest, Need, StoryCoverage, StoryTrace } from './coverage-model.ts';
import type { AssuranceState } from './state.ts';
import { isCurrent, isFailure, standingOfTarget } from './story-links.ts';
import { targetKey } from './target-results.ts';

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

/** All stories with gaps and the places of their nodes, and how many gaps of a kind there are. */
export interface GapList {
  keys: readonly number[];
  items: readonly StoryGaps[];
  counts: Record<GapKind, number>;
}

const lists = new WeakMap<AssuranceState, GapList>();

/** The stories of a project that have gaps, in source order; made once. */
export function listGaps(state: AssuranceState): GapList {
  const known = lists.get(state);
  if (known) return known;
  const { stories, places } = state.coverage();
  const counts = Object.fromEntries(GAP_KINDS.map((kind) => [kind, 0])) as GapList['counts'];
  const keys: number[] = [];
  const items: StoryGaps[] = [];
  for (const [at, story] of stories.entries()) {
    const gaps = gapsOf(state, story);
    if (gaps.length === 0) continue;
    for (const { gap } of gaps) counts[gap] += 1;
    keys.push(places[at] ?? 0);
    items.push({ story, gaps });
  }
  const list = { keys, items, counts };
  lists.set(state, list);
  return list;
}

/**
 * The gaps of a story. What it inherits is told where it comes from; only gaps of its own links are
 * told of it.
 */
export function gapsOf(state: AssuranceState, story: StoryCoverage): Gap[] {
  const gaps: Gap[] = [];
  const tests = new Map(story.tests.map((test) => [targetKey(test), test]));
  const isJudgedByScenarios = story.tests.every(({ quarantined }) => quarantined);
  for (const trace of story.traces) {
    const test = trace.type === 'verifies' ? tests.get(targetKey(trace.target)) : undefined;
    const found = gapsOfTrace(state, trace, test);
    const isStale =
      isJudgedByScenarios && story.status === 'stale' && isStaleScenario(state, story, trace);
    if (found.length === 0 && isStale) found.push('stale_test');
    for (const gap of found)
      gaps.push({ gap, need: null, traceId: trace.id, target: trace.target });
  }
  if (!story.inherited) {
    for (const { need, state: met } of story.needs) {
      if (met === 'unmet') gaps.push({ ...NOTHING, gap: 'unmet_need', need });
    }
    if (story.status === 'unexecuted' && story.tests.length === 0)
      gaps.push({ ...NOTHING, gap: 'nothing_executed' });
  }
  return gaps.sort((a, b) => GAP_KINDS.indexOf(a.gap) - GAP_KINDS.indexOf(b.gap));
}

/** Whether a scenario passed, but for an earlier text of its story. */
function isStaleScenario(
  state: AssuranceState,
  { storyId }: StoryCoverage,
  { type, target }: StoryTrace,
): boolean {
  if (type !== 'verifies' || target.kind !== 'scenario') return false;
  const result = state.results.of(target);
  return result?.status === 'passed' && !isCurrent(state, storyId, result);
}

const NOTHING = { need: null, traceId: null, target: null };

function gapsOfTrace(
  state: AssuranceState,
  { type, target, state: own }: StoryTrace,
  test: CoveringTest | undefined,
): GapKind[] {
  if (own === 'broken') return ['broken_trace'];
  const gaps: GapKind[] = isFailing(state, type, target) ? ['failing_test'] : [];
  // That the test fails is one thing, that nobody knows whether it is the right one another.
  if (own === 'suspect') gaps.push('suspect_trace');
  if (gaps.length > 0 || !test) return gaps;
  if (test.quarantined) return ['quarantined_test'];
  if (test.stale) return ['stale_test'];
  return test.result === 'passed' ? [] : ['unexecuted_test'];
}

function isFailing(
  state: AssuranceState,
  type: StoryTrace['type'],
  target: StoryTrace['target'],
): boolean {
  const result = type === 'verifies' ? state.results.of(target) : undefined;
  return (
    result !== undefined &&
    isFailure(result) &&
    standingOfTarget(state, target, result) === 'counts'
  );
}
