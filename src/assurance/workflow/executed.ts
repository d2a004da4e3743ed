// Whether what judges a story has run on what it says today. The results are those that its coverage
// goes by, so that both say the same.
import { timestamp } from '../../clock.ts';
import type { GraphNode } from '../../requirements/graph/model.ts';
import type { CoverageStatus, Judge, StoryCoverage } from '../coverage/model.ts';
import { calledIn } from '../coverage/reasons.ts';
import {
  coverageFor,
  isJustified,
  isLeftToVerdicts,
  isPassed,
  judgesOf,
} from '../coverage/story-coverage.ts';
import { isCurrent, isOfTarget, type StoryLinks, sortLinks } from '../coverage/story-links.ts';
import type { AssuranceState } from '../state/state.ts';
import type { StageFacts } from './stages.ts';

/** Of a story that has the status of what refines it: some statuses leave the stage undone. */
export function inheritedFacts(
  { status }: StoryCoverage,
  undone: readonly CoverageStatus[],
): StageFacts {
  const missing = undone.includes(status) ? [`What refines it is ${status}.`] : [];
  return {
    missing,
    evidence: [],
    since: null,
    suspect: status === 'suspect' && missing.length > 0,
  };
}

export function executedFacts(state: AssuranceState, node: GraphNode): StageFacts {
  const found = coverageFor(state, node);
  const { needs, validation } = found;
  if (found.inherited)
    return inheritedFacts(found, ['failing', 'uncovered', 'stale', 'unexecuted']);
  const links = sortLinks(state, node.id, found.traces);
  const judges = judgesOf(links);
  const unmet = new Set(needs.flatMap(({ need, state: met }) => (met === 'unmet' ? need : [])));
  const untested = unmet.has('test') ? ['There is no test of it to run.'] : [];
  if (judges.length > 0) {
    const facts = factsOf(state, node.id, judges);
    const missing = [...untested, ...facts.missing];
    return { ...facts, missing, suspect: facts.suspect && untested.length === 0 };
  }
  if (untested.length > 0 || (isJustified(needs) && links.tests.length === 0))
    return { missing: untested, evidence: [], since: null };
  if (isLeftToVerdicts(links) && !unmet.has('scenario') && isPassed(validation))
    return { missing: [], evidence: [validation.id], since: validation.at };
  return { missing: [whyUnrun(found, links)], evidence: [], since: null };
}

function factsOf(
  state: AssuranceState,
  storyId: string,
  judges: readonly Judge[],
): StageFacts & { suspect: boolean } {
  const missing: string[] = [];
  const evidence = new Set<string>();
  let [newest, stale] = [0, 0];
  for (const { kind, id } of judges) {
    const target = { kind, id };
    const result = state.results.of(target);
    const what = `The ${kind} ${calledIn(state, target)}`;
    if (result) evidence.add(result.runId);
    newest = Math.max(newest, result?.at ?? 0);
    if (!result) missing.push(`${what} has not run.`);
    else if (result.status === 'skipped' || result.status === 'unknown')
      missing.push(`${what} has not run: its newest result is ${result.status}.`);
    else if (!isCurrent(state, storyId, result)) {
      stale += 1;
      missing.push(`${what} ran for an earlier text of it.`);
    } else if (!isOfTarget(state, target, result)) {
      stale += 1;
      missing.push(`${what} has been changed since it ran.`);
    }
  }
  return {
    missing,
    evidence: [...evidence],
    since: newest === 0 ? null : timestamp(newest),
    suspect: stale > 0 && stale === missing.length,
  };
}

function whyUnrun({ needs }: StoryCoverage, { tests, scenarios }: StoryLinks): string {
  if (tests.length > 0) return 'Every test of it is quarantined.';
  if (scenarios.length > 0) return 'None of its scenarios has a result that counts.';
  const isNeeded = needs.some(({ need }) => need === 'scenario');
  return isNeeded ? 'There is no scenario of it to run.' : 'Nothing that runs verifies it.';
}
