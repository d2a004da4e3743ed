// The rules of gates: what stands in the way of a release, from what is known of the stories.
import type { GateRules } from '../../requirements/projects/gates.ts';
import type { SourceFinding } from '../../requirements/sources/model.ts';
import { summaryOf } from '../coverage/coverage.ts';
import { type StoryCoverage, WORST_FIRST } from '../coverage/model.ts';
import type { Scope } from '../coverage/scope.ts';
import { isFailing, isFailure, standingOfTarget } from '../coverage/story-links.ts';
import type { FindJudged } from '../results/judged-results.ts';
import { findTest } from '../results/model.ts';
import type { AssuranceState, OpenIssue } from '../state/state.ts';
import type { Reason } from './model.ts';
import { calledShortly, whyStatus } from './why.ts';

/** What the state does not say, as far as the rules ask for it. */
export interface GateFacts {
  /** Open triaged blockers, whatever they are of. */
  blockers?: readonly Pick<OpenIssue, 'id' | 'number' | 'status'>[];
  /** Errors that the audit finds. */
  errors?: readonly Pick<SourceFinding, 'code' | 'path' | 'line' | 'itemId' | 'detail'>[];
  /** The results at the time since when failures are new. */
  resultThen?: FindJudged;
  /** How often tests flake, by their `seq`. */
  flakyRates?: ReadonlyMap<number, number>;
}

const LIST = '/api/project-traceability';

export function countedStories(state: AssuranceState, scope?: Scope): readonly StoryCoverage[] {
  const { stories } = state.coverage();
  return scope ? stories.filter(({ storyId }) => scope(storyId)) : stories;
}

/** Why a gate is closed, the worst first; nothing where it is open. */
export function reasonsOf(
  state: AssuranceState,
  rules: GateRules,
  facts: GateFacts,
  scope?: Scope,
): Reason[] {
  const stories = countedStories(state, scope);
  if (stories.length === 0)
    return [general('no_stories', 'There is no story that would have to hold.', LIST)];
  const failOn = new Set<string>(rules.failOn);
  const byStatus = Map.groupBy(stories, ({ status }) => status);
  const reasons: Reason[] = [];
  if (state.coverage().stories.every(isUnjudged))
    reasons.push(general('no_results', 'No story has a result or a verdict.', '/api/test-runs'));
  for (const status of WORST_FIRST.filter((one) => failOn.has(one)))
    for (const story of byStatus.get(status) ?? [])
      reasons.push(ofStory(state, story, status, () => whyStatus(state, story)));
  reasons.push(...lowCoverage(state, rules, scope));
  if (facts.resultThen) reasons.push(...newFailures(state, stories, facts.resultThen));
  if (facts.flakyRates) reasons.push(...flakyTests(state, stories, rules, facts.flakyRates));
  if (failOn.has('blockers')) reasons.push(...blockers(state, stories, facts, scope));
  for (const { code, path, line, itemId, detail } of facts.errors ?? []) {
    if (scope && itemId !== null && !scope(itemId)) continue;
    const link = `/api/srs-source-audit?severity=error&code=${code}`;
    const title = (itemId !== null && state.effective.node(itemId)?.title) || null;
    const source = path === '' ? null : { path, line };
    reasons.push({ rule: 'audit_errors', storyId: itemId, title, why: detail, link, source });
  }
  if (failOn.has('suspect_verdicts')) reasons.push(...suspectVerdicts(state, stories));
  return reasons;
}

function general(rule: Reason['rule'], why: string, link: string): Reason {
  return { rule, storyId: null, title: null, why, link, source: null };
}

function ofStory(
  { effective }: AssuranceState,
  { storyId, title }: StoryCoverage,
  rule: Reason['rule'],
  why: () => string,
  link = `/api/srs-workflow/${encodeURIComponent(storyId)}`,
): Reason {
  const source = effective.node(storyId)?.source ?? null;
  return {
    rule,
    storyId,
    title,
    // Found when it is read: who counts reasons does not.
    get why() {
      return why();
    },
    link,
    source,
  };
}

const JUDGED: ReadonlySet<string> = new Set(['failing', 'stale', 'validated', 'passing']);

function isUnjudged({ status, lastResult, validation }: StoryCoverage): boolean {
  return !JUDGED.has(status) && lastResult === null && validation === null;
}

function lowCoverage(state: AssuranceState, { minCoverage = 0 }: GateRules, scope?: Scope) {
  const { count, total } = summaryOf(state, scope).covered;
  if (count >= minCoverage * total) return [];
  const why = `${count} of ${total} stories are covered, and ${minCoverage} of them have to be.`;
  return [general('min_coverage', why, `${LIST}?status=uncovered`)];
}

/** The failures of stories, each with what fails. */
export function failuresOf(state: AssuranceState, stories: readonly StoryCoverage[]) {
  return stories.flatMap((story) =>
    story.traces.flatMap((trace) =>
      isFailing(state, trace) ? { story, target: trace.target } : [],
    ),
  );
}

function newFailures(
  state: AssuranceState,
  stories: readonly StoryCoverage[],
  resultThen: FindJudged,
): Reason[] {
  return failuresOf(state, stories).flatMap(({ story, target }) => {
    const then = resultThen(target);
    if (then && isFailure(then)) return [];
    const was = then ? `was ${then.status} then` : 'was not there then';
    return ofStory(
      state,
      story,
      'new_failures',
      () => `The ${target.kind} ${calledShortly(state, target)} fails, and ${was}.`,
    );
  });
}

function flakyTests(
  state: AssuranceState,
  stories: readonly StoryCoverage[],
  { maxFlakyRate = 1 }: GateRules,
  rates: ReadonlyMap<number, number>,
): Reason[] {
  return stories.flatMap((story) =>
    story.traces.flatMap(({ type, target, state: own }) => {
      const isTest = type === 'verifies' && own !== 'broken' && target.kind === 'test';
      const test = isTest ? findTest(state.tests, target.id) : undefined;
      const rate = (test && rates.get(test.seq)) ?? 0;
      if (!test || rate <= maxFlakyRate) return [];
      if (standingOfTarget(state, target, test.result) !== 'counts') return [];
      const why = () =>
        `The test ${calledShortly(state, target)} flakes: ${rate} of its newest runs.`;
      return ofStory(state, story, 'flaky_tests', why, `/api/test-runs?testKey=${test.key}`);
    }),
  );
}

/** Those of stories, and where nothing is left out, those of none. */
function blockers(
  state: AssuranceState,
  stories: readonly StoryCoverage[],
  { blockers: all = [] }: GateFacts,
  scope?: Scope,
): Reason[] {
  const known = new Map(all.map((issue) => [issue.id, issue]));
  const why = ({ number, status }: { number: number; status: string }) =>
    // Its title may be anybody's.
    `Issue ${number} is a blocker, and ${status}.`;
  const link = (id: string) => `/api/issues?id=${id}`;
  const left = new Set(known.keys());
  const ofStories = stories.flatMap((story) =>
    story.issues.flatMap((issue) => {
      if (!known.has(issue.id)) return [];
      left.delete(issue.id);
      return ofStory(state, story, 'blockers', () => why(issue), link(issue.id));
    }),
  );
  if (scope) return ofStories;
  const others = all.filter(({ id }) => left.has(id));
  return [...ofStories, ...others.map((one) => general('blockers', why(one), link(one.id)))];
}

function suspectVerdicts(state: AssuranceState, stories: readonly StoryCoverage[]): Reason[] {
  return stories.flatMap((story) => {
    const { validation } = story;
    if (!validation || validation.standing === 'valid') return [];
    const what = validation.standing === 'suspect' ? 'What it rests on' : 'It';
    const why = () => `${what} has changed since it was judged ${validation.verdict}.`;
    return ofStory(state, story, 'suspect_verdicts', why);
  });
}
