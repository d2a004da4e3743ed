// The coverage of one story by what is linked to it, and the status that follows from it.
import { timestamp } from '../../clock.ts';
import type { GraphNode } from '../../requirements/graph/model.ts';
import { NEEDS } from '../../requirements/projects/settings.ts';
import { runAtOnce, type Steps } from '../../runtime/scheduler.ts';
import { nameOf, targetKey } from '../results/target-results.ts';
import type { AssuranceState } from '../state/state.ts';
import { currentVerdict, standingOf } from '../validation/verdicts.ts';
import type {
  CoverageStatus,
  CoveredNeed,
  CoveringTest,
  Judge,
  LastResult,
  LastVerdict,
  Need,
  StoryCoverage,
  StoryTrace,
} from './model.ts';
import { isFailing, type StoryLinks, sortLinks, tracesTo } from './story-links.ts';

export const NEEDS_WORST_FIRST = ['unmet', 'met', 'justified'] as const;

// What most stories have alike they share: lists of their own would take most of a state's memory.
const NONE: never[] = Object.freeze([]) as never;
const alike = new Map<number, CoveredNeed[]>();

function orNone<T extends readonly unknown[]>(list: T): T | never[] {
  return list.length === 0 ? NONE : list;
}

/** The same list for all needs in the same states, where none is justified. */
export function sharedNeeds(needs: CoveredNeed[]): CoveredNeed[] {
  let key = 1;
  for (const { need, state, reason } of needs) {
    if (reason !== null) return needs;
    key = key * 8 + NEEDS.indexOf(need) * 4 + NEEDS_WORST_FIRST.indexOf(state);
  }
  const known = alike.get(key) ?? needs;
  alike.set(key, known);
  return known;
}

/** By its own links. @param routes - those of the catalog that belong to it */
export function coverStory(
  state: AssuranceState,
  { id, kind, title }: GraphNode,
  routes: string[] = NONE,
): StoryCoverage {
  const traces = tracesTo(state, id);
  const links = sortLinks(state, id, traces);
  const needs = sharedNeeds(needsOf(state, id, links));
  const validation = lastVerdict(state, id);
  return {
    storyId: id,
    kind: kind as StoryCoverage['kind'],
    title,
    status: statusOf(needs, links, validation),
    inherited: false,
    needs,
    traces: orNone(traces),
    scenarios: orNone(links.scenarios),
    tests: orNone(links.tests),
    routes: orNone(links.routes.length === 0 ? routes : [...new Set([...routes, ...links.routes])]),
    issues:
      state.issuesOf.get(id)?.map(({ id: issueId, number, severity, status }) => {
        return { id: issueId, number, severity, status };
      }) ?? NONE,
    lastResult: lastResult(state, links),
    validation,
  };
}

/** The coverage of a story; by its own links where it is not counted, being rejected or retired. */
export function coverageFor(state: AssuranceState, node: GraphNode): StoryCoverage {
  return state.coverage().of(node.id) ?? coverStory(state, node);
}

function needsOf(
  { effective, justificationsOf }: AssuranceState,
  id: string,
  { scenarios, tests }: StoryLinks,
): CoveredNeed[] {
  const reasons = justificationsOf.get(id);
  return effective.settings.needs.map((need) => {
    const reason = reasons?.find((one) => one.need === need)?.reason ?? null;
    const met = (need === 'scenario' ? scenarios : tests).length > 0;
    return { need, state: met ? 'met' : reason === null ? 'unmet' : 'justified', reason };
  });
}

function lastResult(state: AssuranceState, { newest }: StoryLinks): LastResult | null {
  return newest ? resultView(state, newest) : null;
}

export function resultView(
  state: AssuranceState,
  { target, result }: NonNullable<StoryLinks['newest']>,
): LastResult {
  const { status, at, runId, durationMs } = result;
  const named = { ...target, name: nameOf(state, target) };
  return { target: named, status, at: timestamp(at), runId, durationMs };
}

function lastVerdict(
  { validationsOf, effective }: AssuranceState,
  storyId: string,
): LastVerdict | null {
  const last = currentVerdict(effective, validationsOf.get(storyId));
  if (!last) return null;
  const { id, verdict, method, at } = last;
  return { id, verdict, method, at: timestamp(at), standing: standingOf(effective, last) };
}

/** What judges a story: its tests; where none of them does, its scenarios, as far as they have run. */
export function judgesOf({ tests, played }: Pick<StoryLinks, 'tests' | 'played'>): Judge[] {
  const counting = tests.filter(({ quarantined }) => !quarantined);
  return counting.length > 0 ? counting : played;
}

/** Whether nothing that runs judges a story, nor has to: a verdict is what shows that it holds. */
export function isLeftToVerdicts({ tests, played }: Pick<StoryLinks, 'tests' | 'played'>): boolean {
  return tests.length + played.length === 0;
}

export function isJustified(needs: readonly CoveredNeed[]): boolean {
  return needs.length > 0 && needs.every(({ state }) => state === 'justified');
}

export function isPassed(validation: LastVerdict | null): validation is LastVerdict {
  return validation?.verdict === 'passed' && validation.standing === 'valid';
}

function statusOf(
  needs: readonly CoveredNeed[],
  links: StoryLinks,
  validation: LastVerdict | null,
): CoverageStatus {
  if (links.failing) return 'failing';
  if (needs.some(({ state }) => state === 'unmet')) return 'uncovered';
  if (isJustified(needs)) return 'justified';
  if (links.suspect) return 'suspect';
  const judges = judgesOf(links);
  if (judges.some(({ stale }) => stale)) return 'stale';
  if (judges.some(({ result }) => result !== 'passed')) return 'unexecuted';
  // Tests in quarantine are as tests that have not run.
  if (judges.length === 0 && !isLeftToVerdicts(links)) return 'unexecuted';
  if (isPassed(validation)) return 'validated';
  return judges.length === 0 ? 'unexecuted' : 'passing';
}

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
  need: Need | null;
  traceId: string | null;
  target: StoryTrace['target'] | null;
}

export interface GapList {
  /** The ids of the stories that have any. */
  stories: ReadonlySet<string>;
  counts: Record<GapKind, number>;
}

const lists = new WeakMap<AssuranceState, GapList>();
/** How many stories are looked at in a step. */
const STEP = 64;

/** Which stories of a project have gaps, and how many there are; made once. */
export function listGaps(state: AssuranceState): GapList {
  return runAtOnce(gapSteps(state));
}

export function* gapSteps(state: AssuranceState): Steps<GapList> {
  const known = lists.get(state);
  if (known) return known;
  const counts = Object.fromEntries(GAP_KINDS.map((kind) => [kind, 0])) as GapList['counts'];
  const stories = new Set<string>();
  for (const [number, story] of state.coverage().stories.entries()) {
    if (number % STEP === 0) yield;
    const gaps = gapsOf(state, story);
    if (gaps.length > 0) stories.add(story.storyId);
    for (const { gap } of gaps) counts[gap] += 1;
  }
  lists.set(state, { stories, counts });
  return { stories, counts };
}

type Ran = Pick<CoveringTest, 'result' | 'stale' | 'quarantined'>;

/** Of its own links alone: the gaps of what it inherits are where that comes from. */
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
  if (trace.state === 'suspect') gaps.push('suspect_trace');
  if (gaps.length > 0 || !ran) return gaps;
  if (ran.quarantined) return ['quarantined_test'];
  if (ran.stale) return ['stale_test'];
  return ran.result === 'passed' ? [] : ['unexecuted_test'];
}
