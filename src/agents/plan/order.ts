// The order of a plan, as far as the budget goes: by score, each story's first cover before its
// second, with a slice for what has not run for long; and the reasons for it.
import type { PlanRequest, Reason } from './model.ts';
import type { Candidate } from './score.ts';
import { type PlanSettings, RECENT_RUNS } from './settings.ts';

export interface Budget {
  /** Whether there is room for an item; where there is none, there never will be. */
  fits(estimateMs: number): boolean;
  /** Takes an item where it fits; false where it does not. */
  take(estimateMs: number): boolean;
  /** Whether there is room for an item and for as much again beside it. */
  hasRoomBeside(estimateMs: number): boolean;
}

export function openBudget({
  budgetMs,
  maxItems,
}: Pick<PlanRequest, 'budgetMs' | 'maxItems'>): Budget {
  let leftMs = budgetMs ?? Number.POSITIVE_INFINITY;
  let leftItems = maxItems ?? Number.POSITIVE_INFINITY;
  const fits = (estimateMs: number) => leftItems >= 1 && estimateMs <= leftMs;
  return {
    fits,
    take(estimateMs) {
      if (!fits(estimateMs)) return false;
      leftItems -= 1;
      leftMs -= estimateMs;
      return true;
    },
    hasRoomBeside: (estimateMs) => leftItems >= 2 && 2 * estimateMs <= leftMs,
  };
}

export interface Placed {
  candidate: Candidate;
  /** The stories that no item before it covers. */
  first: readonly string[];
  /** It is here because it has not run for long. */
  sliced: boolean;
}

export interface OrderContext {
  settings: PlanSettings;
  budget: Budget;
  ordinal: number;
  /** How many runs are a turn: one of each command that takes turns. */
  turn: number;
}

/**
 * Orders candidates. Those that cover a story which nothing before them covers come first, and those
 * that name none, which stand for themselves; then those that cover again; then the quarantined,
 * whose results do not count. In each part the best score comes first, and equals go by their key.
 *
 * The slice: what has waited longest has one place in so many, and the last one of a plan that has
 * fewer. It has a place in every plan with room for something beside it, and in some of those that
 * have not, so that nothing waits for ever. What the budget has no room for is passed over.
 *
 * @param others - what has a place in the slice alone
 */
export function orderOf(
  selected: readonly Candidate[],
  others: readonly Candidate[],
  context: OrderContext,
): Placed[] {
  const { budget, settings } = context;
  const ranked = [...selected].sort(byScore);
  const counted = ranked.filter(isCounted);
  const waiting = longWaiting([...counted, ...others.filter(isCounted)], context);
  const placed: Placed[] = [];
  const seen = new Set<Candidate>();
  const covered = new Set<string>();
  let next = 0;
  let passedOver = false;
  // Its part of the budget is set aside before all others.
  let held = waiting.find((candidate) => mayHold(candidate, context));
  if (held) budget.take(held.estimateMs);
  const again: Candidate[] = [];
  for (const candidate of counted) {
    fillSlice();
    if (seen.has(candidate)) continue;
    if (candidate.stories.length > 0 && !coversFirst(candidate)) again.push(candidate);
    else place(candidate, isInSlice(candidate));
  }
  for (const candidate of again) {
    fillSlice();
    if (!seen.has(candidate)) place(candidate, isInSlice(candidate));
  }
  if (held) place(held, true);
  for (const candidate of ranked) {
    if (!isCounted(candidate)) place(candidate, false);
  }
  return placed;

  function coversFirst({ stories }: Candidate): boolean {
    return stories.some(({ id }) => !covered.has(id));
  }

  /** Whether it is here for what was set aside alone: better ones had no room. */
  function isInSlice(candidate: Candidate): boolean {
    return candidate === held && passedOver;
  }

  function place(candidate: Candidate, sliced: boolean): void {
    // Who waits may be placed before its turn.
    if (waiting.length > 0) seen.add(candidate);
    if (candidate === held) held = undefined;
    else if (!budget.take(candidate.estimateMs)) {
      passedOver = true;
      return;
    }
    const first: string[] = [];
    if (isCounted(candidate)) {
      for (const { id } of candidate.stories) {
        if (covered.has(id)) continue;
        covered.add(id);
        first.push(id);
      }
    }
    placed.push({ candidate, first, sliced });
  }

  function fillSlice(): void {
    while ((placed.length + 1) % settings.sliceEvery === 0) {
      while (next < waiting.length && seen.has(waiting[next] as Candidate)) next += 1;
      const candidate = held ?? waiting[next];
      if (candidate === undefined) return;
      place(candidate, true);
    }
  }
}

function isCounted({ command }: Candidate): boolean {
  return command.state !== 'quarantined';
}

function longWaiting(candidates: readonly Candidate[], context: OrderContext): Candidate[] {
  const { settings, ordinal, turn } = context;
  const since = ordinal - settings.missedTurns * Math.max(turn, RECENT_RUNS);
  return candidates
    .filter((candidate) => ordinalOf(candidate) < since)
    .sort((a, b) => ordinalOf(a) - ordinalOf(b) || byScore(a, b));
}

const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * Whether the slice may have a part of the budget before all else: where as much is left beside it,
 * and else one time in so many. By the golden ratio such times come whatever rhythm the runs have.
 */
function mayHold({ estimateMs }: Candidate, { budget, ordinal, settings }: OrderContext): boolean {
  if (budget.hasRoomBeside(estimateMs)) return true;
  return budget.fits(estimateMs) && (ordinal * GOLDEN) % 1 < 1 / settings.sliceEveryLone;
}

function ordinalOf({ command }: Candidate): number {
  return command.history.lastOrdinal ?? 0;
}

function byScore(a: Candidate, b: Candidate): number {
  if (a.score !== b.score) return b.score - a.score;
  if (a.command.key === b.command.key) return 0;
  return a.command.key < b.command.key ? -1 : 1;
}

const HIGH = 0.8;

/**
 * The reasons for an item's place, those that weigh most first.
 *
 * @param ordinal - of the project's newest run
 */
export function reasonsOf(placed: Placed, ordinal: number): Reason[] {
  const { candidate, first, sliced } = placed;
  const { command, past, priority, openIssues, isNew, gaps, stories } = candidate;
  const changed = stories.filter((story) => story.changed).map(({ id }) => id);
  const reasons: Reason[] = [];
  if (past.failedLast) because('failed_last', 'Its last run failed.');
  if (past.failures > 0) {
    because('failed_recently', `It failed in ${past.failures} of its last ${runs(past.runs)}.`);
  }
  if (isNew) because('never_ran', 'It never ran.');
  else if (command.changedSince) {
    because('changed', 'It, or a story of it, changed since it last ran.');
  }
  if (changed.length > 0) because('story_changed', `Changed: ${listed(changed)}.`);
  if (gaps.length > 0) {
    because('gap', `Coverage lacks: ${listed(gaps.map(({ id, status }) => `${id} (${status})`))}.`);
  }
  if (priority >= HIGH) because('priority', 'A story of it has a high priority.');
  if (openIssues > 0) {
    because('open_issues', `${openIssues} open ${openIssues === 1 ? 'issue' : 'issues'} on it.`);
  }
  if (past.flaky > 0) {
    because('flaky', `It was flaky in ${past.flaky} of its last ${runs(past.runs)}.`);
  }
  if (first.length > 0) because('first_cover', `It is the first to cover ${listed(first)}.`);
  if (sliced) {
    const missed = ordinal - (command.history.lastOrdinal ?? 0);
    because('not_run_for_long', `The project had ${runs(missed)} since its last.`);
  }
  if (command.state === 'quarantined') {
    because('quarantined', 'It is quarantined: it runs last, and its result does not count.');
  }
  return reasons;

  function because(code: Reason['code'], detail: string): void {
    reasons.push({ code, detail });
  }
}

function runs(count: number): string {
  return count === 1 ? '1 run' : `${count} runs`;
}

const LISTED = 3;

function listed(values: readonly string[]): string {
  const more = values.length - LISTED;
  const shown = values.slice(0, LISTED).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}
