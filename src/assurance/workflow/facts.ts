// What the stages of a story's workflow look at.
import { timestamp } from '../../clock.ts';
import { completeFindings, type Finding } from '../../requirements/audit/findings.ts';
import type { GraphNode } from '../../requirements/graph/model.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';
import type { CoverageStatus, Judge, StoryCoverage } from '../coverage/model.ts';
import {
  coverageFor,
  isJustified,
  isLeftToVerdicts,
  isPassed,
  judgesOf,
} from '../coverage/story-coverage.ts';
import {
  calledIn,
  isCurrent,
  isInUse,
  isOfTarget,
  sortLinks,
  suspectLinks,
  whyBroken,
  whyUncounted,
} from '../coverage/story-links.ts';
import { danglingEnds } from '../overlay/findings.ts';
import type { AssuranceState } from '../state/state.ts';
import { currentVerdict, standingOf } from '../validation/verdicts.ts';
import type { StageFacts, StageName } from './model.ts';

export function lackingTexts(node: Pick<GraphNode, 'kind' | 'statement' | 'acceptance'>): string[] {
  const hasText = (texts: readonly string[]) => texts.some((text) => text.trim() !== '');
  const lacking: string[] = [];
  if (!hasText([node.statement])) lacking.push('It has no statement.');
  if (node.kind === 'story' && !hasText(node.acceptance))
    lacking.push('It has no acceptance criteria.');
  return lacking;
}

/** @param findings - those of its project's latest revision */
export function stageFacts(
  state: AssuranceState,
  node: GraphNode,
  findings: readonly Finding[],
  toCarry?: ValidationRow,
): Record<StageName, StageFacts> {
  const uncounted = whyUncounted(node);
  if (uncounted !== undefined) {
    // It needs nothing, but its edits are still to be settled.
    const idle: StageFacts = { missing: [uncounted], evidence: [], since: null };
    const specified = { ...idle, missing: [] };
    const settled = agreed(state, node.id);
    return { specified, agreed: settled, covered: idle, executed: idle, validated: idle };
  }
  return {
    specified: specified(state, node, findings),
    agreed: agreed(state, node.id),
    covered: covered(state, node),
    executed: executedFacts(state, node),
    validated: validated(state, node, toCarry),
  };
}

function specified(
  { effective }: AssuranceState,
  node: GraphNode,
  findings: readonly Finding[],
): StageFacts {
  const { id } = node;
  const { revision, canonical } = effective;
  const missing = lackingTexts(node);
  const errors = canonical.at.has(id)
    ? findings.filter((one) => one.severity === 'error' && isOn(one, id))
    : completeFindings(
        effective.additions
          .filter(({ storyId }) => storyId === id)
          .flatMap((addition) => danglingEnds(effective, addition)),
      );
  for (const { code, detail } of errors) missing.push(`${code}: ${detail}`);
  const since = revision && canonical.at.has(id) ? timestamp(revision.createdAt) : null;
  return { missing, evidence: errors.map(({ fingerprint }) => fingerprint), since };
}

function isOn({ code, itemId, relatedIds }: Finding, id: string): boolean {
  return itemId === id || (code === 'cycle' && relatedIds.includes(id));
}

function agreed({ effective: { edits, additions } }: AssuranceState, id: string): StageFacts {
  const own = edits.filter(({ storyId }) => storyId === id);
  const waiting = own.filter(({ state }) => state === 'proposed');
  const conflicted = own.filter(({ state }) => state === 'conflicted');
  const added = additions.filter(({ storyId, state }) => storyId === id && state === 'proposed');
  const decided = own.flatMap(({ decidedAt }) => decidedAt ?? []);
  const open = [...conflicted, ...waiting, ...added];
  return {
    missing: [
      ...conflicted.map((edit) => `${editBy(edit)} is in conflict with the sources.`),
      ...waiting.map((edit) => `${editBy(edit)} waits for a decision.`),
      ...added.map(() => 'Its addition waits to be activated.'),
    ],
    evidence: (open.length > 0 ? open : own).map((one) => one.id),
    since: decided.length > 0 ? timestamp(Math.max(...decided)) : null,
    blocked: conflicted.length > 0,
  };
}

function editBy({ authorLabel }: { authorLabel: string | null }): string {
  return authorLabel === null ? 'An edit' : `An edit by ${authorLabel}`;
}

function covered(state: AssuranceState, node: GraphNode): StageFacts {
  const { id } = node;
  const found = coverageFor(state, node);
  const newest = state.tracesOf.get(id)?.at(-1);
  if (found.inherited) return inheritedFacts(found, ['uncovered', 'suspect']);
  const unmet = found.needs.filter((need) => need.state === 'unmet');
  const suspects = isJustified(found.needs) ? [] : suspectLinks(state, found.traces);
  const broken =
    unmet.length === 0
      ? []
      : found.traces.filter(({ type, state: own }) => type === 'verifies' && own === 'broken');
  return {
    missing: [
      ...unmet.map(({ need }) => `No ${need} verifies it, and the need is not justified.`),
      ...broken.map(whyBroken),
      ...suspects.map(
        ({ target }) =>
          `The link to the ${target.kind} ${calledIn(state, target)} was made for an earlier text of it.`,
      ),
    ],
    evidence: found.traces
      .filter((trace) => trace.type !== 'verifies' || isInUse(state, trace))
      .map(({ id: traceId, target }) => traceId ?? target.id),
    since: newest ? timestamp(newest.createdAt) : null,
    suspect: unmet.length === 0 && suspects.length > 0,
  };
}

function validated(
  state: AssuranceState,
  node: GraphNode,
  toCarry: ValidationRow | undefined,
): StageFacts {
  const { id } = node;
  const last = currentVerdict(state.effective, state.validationsOf.get(id));
  // Only what somebody has looked at and kept stands in the way.
  const blockers = (state.issuesOf.get(id) ?? []).filter(
    ({ severity, status }) => severity === 'blocker' && status !== 'open',
  );
  // Its title may be that of a web page, and this is read as what is to be done.
  const missing = blockers.map(({ number }) => `Issue ${number} blocks it.`);
  const standing = last ? standingOf(state.effective, last) : undefined;
  const stands = last ?? toCarry;
  if (!last && toCarry)
    missing.push(`The verdict on ${toCarry.storyId} waits to be carried: ${toCarry.verdict}.`);
  else if (!last) missing.push('Nobody has judged it.');
  else if (standing === 'invalidated')
    missing.push(`It has changed since the verdict on revision ${last.revision}.`);
  else if (standing === 'suspect')
    missing.push(`What it rests on has changed since the verdict on revision ${last.revision}.`);
  else if (last.verdict !== 'passed')
    missing.push(`The verdict on revision ${last.revision} is ${last.verdict}.`);
  return {
    missing,
    evidence: [...blockers.map((issue) => issue.id), ...(stands ? [stands.id] : [])],
    since: last ? timestamp(last.at) : null,
    blocked: blockers.length > 0,
    suspect: last?.verdict === 'passed' && standing !== 'valid',
  };
}

/** Of a story that has the status of what refines it: some statuses leave the stage undone. */
function inheritedFacts({ status }: StoryCoverage, undone: readonly CoverageStatus[]): StageFacts {
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
  return { missing: ['Nothing that counts has run for it.'], evidence: [], since: null };
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
    if (!result || result.status === 'skipped' || result.status === 'unknown')
      missing.push(`${what} has not run.`);
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
