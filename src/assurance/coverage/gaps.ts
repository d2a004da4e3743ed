// What is left to do until a story is covered and passes.
import { targetKey } from '../results/target-results.ts';
import type { AssuranceState } from '../state/state.ts';
import type { CoveringTest, Need, StoryCoverage, StoryTrace } from './model.ts';
import { isFailing } from './reasons.ts';
import { sortLinks } from './story-links.ts';

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

export interface GapList {
  /** By the stories that have any, in source order. */
  of: ReadonlyMap<string, Gap[]>;
  counts: Record<GapKind, number>;
}

const lists = new WeakMap<AssuranceState, GapList>();

/** The gaps of a project; made once. */
export function listGaps(state: AssuranceState): GapList {
  const known = lists.get(state);
  if (known) return known;
  const counts = Object.fromEntries(GAP_KINDS.map((kind) => [kind, 0])) as GapList['counts'];
  const of = new Map<string, Gap[]>();
  for (const story of state.coverage().stories) {
    const gaps = gapsOf(state, story);
    if (gaps.length > 0) of.set(story.storyId, gaps);
    for (const { gap } of gaps) counts[gap] += 1;
  }
  lists.set(state, { of, counts });
  return { of, counts };
}

type Ran = Pick<CoveringTest, 'result' | 'stale' | 'quarantined'>;

/**
 * The gaps of a story, of its own links alone: those of what it inherits are where that comes from.
 */
export function gapsOf(state: AssuranceState, story: StoryCoverage): Gap[] {
  const ran = new Map<string, Ran>(story.tests.map((test) => [targetKey(test), test]));
  if (story.scenarios.length > 0 && story.tests.every(({ quarantined }) => quarantined)) {
    const { played } = sortLinks(state, story.storyId, story.traces);
    for (const judge of played) ran.set(targetKey(judge), { ...judge, quarantined: false });
  }
  const gaps = story.traces.flatMap((trace): Gap[] => {
    const { id: traceId, type, target } = trace;
    const own = type === 'verifies' ? ran.get(targetKey(target)) : undefined;
    return gapsOfTrace(state, trace, own).map((gap) => ({ gap, need: null, traceId, target }));
  });
  if (!story.inherited) {
    const whole = { need: null, traceId: null, target: null };
    for (const { need, state: met } of story.needs)
      if (met === 'unmet') gaps.push({ ...whole, gap: 'unmet_need', need });
    if (story.status === 'unexecuted' && ran.size === 0)
      gaps.push({ ...whole, gap: 'nothing_executed' });
  }
  return gaps.sort((a, b) => GAP_KINDS.indexOf(a.gap) - GAP_KINDS.indexOf(b.gap));
}

function gapsOfTrace(state: AssuranceState, trace: StoryTrace, ran: Ran | undefined): GapKind[] {
  if (trace.state === 'broken') return ['broken_trace'];
  const gaps: GapKind[] = isFailing(state, trace) ? ['failing_test'] : [];
  // That the test fails is one thing, that nobody knows whether it is the right one another.
  if (trace.state === 'suspect') gaps.push('suspect_trace');
  if (gaps.length > 0 || !ran) return gaps;
  if (ran.quarantined) return ['quarantined_test'];
  if (ran.stale) return ['stale_test'];
  return ran.result === 'passed' ? [] : ['unexecuted_test'];
}
