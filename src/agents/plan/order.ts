// The order of a plan: by score, each story's first cover before its second, with a slice for what
// has not run for long, as far as the budget goes.
import type { Budget } from './budget.ts';
import type { Candidate } from './score.ts';
import type { PlanSettings } from './settings.ts';

/** A candidate at its place. */
export interface Placed extends Candidate {
  /** The stories that no item before it covers. */
  first: readonly string[];
  /** It is here because it has not run for long. */
  sliced: boolean;
}

export interface OrderContext {
  settings: PlanSettings;
  budget: Budget;
  /** The ordinal of the project's newest run. */
  ordinal: number;
  /** How many runs are a turn: one of each command that takes turns. */
  turn: number;
}

/**
 * Orders candidates. Those that cover a story which nothing before them covers come first, and those
 * that name none, which stand for themselves; then those that cover again; then the quarantined,
 * whose results do not count. In each part the best score comes first, and equals go by their key.
 * One place in so many goes to the one that has waited longest, whichever of the first two parts it
 * is in. What the budget has no room for is passed over.
 */
export function orderOf(candidates: readonly Candidate[], context: OrderContext): Placed[] {
  const ranked = [...candidates].sort(byScore);
  const counted = ranked.filter(({ command }) => command.state !== 'quarantined');
  const placed: Placed[] = [];
  const seen = new Set<Candidate>();
  const covered = new Set<string>();
  const waiting = longWaiting(counted, context);
  let waited = 0;
  const again = counted.filter((candidate) => {
    fillSlice();
    if (seen.has(candidate)) return false;
    if (candidate.stories.length > 0 && firstOf(candidate).length === 0) return true;
    place(candidate, false);
    return false;
  });
  for (const candidate of again) {
    fillSlice();
    if (!seen.has(candidate)) place(candidate, false);
  }
  for (const candidate of ranked) {
    if (candidate.command.state === 'quarantined') place(candidate, false);
  }
  return placed;

  function firstOf({ stories }: Candidate): string[] {
    return stories.flatMap(({ id }) => (covered.has(id) ? [] : id));
  }

  function place(candidate: Candidate, sliced: boolean): boolean {
    seen.add(candidate);
    if (!context.budget.take(candidate.estimateMs)) return false;
    const first = candidate.command.state === 'quarantined' ? [] : firstOf(candidate);
    for (const id of first) covered.add(id);
    placed.push({ ...candidate, first, sliced });
    return true;
  }

  // The place of the slice moves on with the runs, so that short plans come to it in their turn.
  function fillSlice(): void {
    while ((placed.length + context.ordinal) % context.settings.sliceEvery === 0) {
      while (waited < waiting.length && seen.has(waiting[waited] as Candidate)) waited += 1;
      const candidate = waiting[waited];
      if (candidate === undefined) return;
      place(candidate, true);
    }
  }
}

/** Those that missed their turns, the one that did longest first. */
function longWaiting(candidates: readonly Candidate[], context: OrderContext): Candidate[] {
  const { settings, ordinal, turn } = context;
  const since = ordinal - settings.missedTurns * turn;
  return candidates
    .filter(({ command }) => (command.history.lastOrdinal ?? ordinal) < since)
    .sort((a, b) => ordinalOf(a) - ordinalOf(b) || byScore(a, b));
}

function ordinalOf({ command }: Candidate): number {
  return command.history.lastOrdinal ?? 0;
}

function byScore(a: Candidate, b: Candidate): number {
  if (a.score !== b.score) return b.score - a.score;
  if (a.command.key === b.command.key) return 0;
  return a.command.key < b.command.key ? -1 : 1;
}
