// The coverage of one story by what is linked to it, and the status that follows from it.
import { timestamp } from '../../clock.ts';
import type { GraphNode } from '../../requirements/graph/model.ts';
import { nameOf } from '../results/target-results.ts';
import type { AssuranceState } from '../state/state.ts';
import { currentVerdict, standingOf } from '../validation/current.ts';
import type {
  CoverageStatus,
  CoveredNeed,
  Judge,
  LastResult,
  LastVerdict,
  StoryCoverage,
} from './model.ts';
import { type StoryLinks, sortLinks, tracesTo } from './story-links.ts';

/**
 * The coverage of a story by its own links.
 * @param routes - those of the catalog that belong to it
 */
export function coverStory(
  state: AssuranceState,
  { id, kind, title }: GraphNode,
  routes: string[] = [],
): StoryCoverage {
  const traces = tracesTo(state, id);
  const links = sortLinks(state, id, traces);
  const needs = needsOf(state, id, links);
  const validation = lastVerdict(state, id);
  return {
    storyId: id,
    kind: kind as StoryCoverage['kind'],
    title,
    status: statusOf(needs, links, validation),
    inherited: false,
    needs,
    traces,
    scenarios: links.scenarios,
    tests: links.tests,
    routes: links.routes.length === 0 ? routes : [...new Set([...routes, ...links.routes])],
    issues: (state.issuesOf.get(id) ?? []).map(({ id: issueId, number, severity, status }) => {
      return { id: issueId, number, severity, status };
    }),
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
  if (!newest) return null;
  const { status, at, runId, durationMs } = newest.result;
  const target = { ...newest.target, name: nameOf(state, newest.target) };
  return { target, status, at: timestamp(at), runId, durationMs };
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

/** Whether a story says of all that it needs why it needs none. */
export function isJustified(needs: readonly CoveredNeed[]): boolean {
  return needs.length > 0 && needs.every(({ state }) => state === 'justified');
}

/** Whether a verdict says that a story holds as it is. */
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
