// The order of a plan, as far as the budget goes: by score, each story's first cover before its
// second, with a slice for what has not run for long; and the reasons for it.
import type { PlanRequest, Reason } from './model.ts';
import { type Candidate, type PlanSettings, RECENT_RUNS } from './score.ts';

export interface Placed {
  candidate: Candidate;
  first: readonly string[];
  sliced: boolean;
}

export interface OrderContext {
  settings: PlanSettings;
  limits: Pick<PlanRequest, 'budgetMs' | 'maxItems'>;
  ordinal: number;
  /** How many runs are a turn: one of each command that takes turns. */
  turn: number;
}

/**
 * Orders candidates. Those that cover a story which nothing before them covers come first, and
 * those that name none, which stand for themselves; then those that cover again; then the
 * quarantined, whose results do not count. In each part the best score comes first, and equals go
 * by their key. What the budget has no room for is passed over.
 *
 * The slice: one place in so many goes to what has waited longest. Which places those are moves on
 * with the runs of the project, so that short plans have their turn too and nothing waits for ever.
 * @param others - what has a place in the slice alone
 */
export function orderOf(
  selected: readonly Candidate[],
  others: readonly Candidate[],
  context: OrderContext,
): Placed[] {
  let leftMs = context.limits.budgetMs ?? Number.POSITIVE_INFINITY;
  let leftItems = context.limits.maxItems ?? Number.POSITIVE_INFINITY;
  const ranked = [...selected].sort(byScore);
  const counted = ranked.filter(isCounted);
  const waiting = longWaiting([...counted, ...others.filter(isCounted)], context).values();
  const placed: Placed[] = [];
  const seen = new Set<Candidate>();
  const covered = new Set<string>();
  const again: Candidate[] = [];
  for (const candidate of counted) {
    fillSlice();
    const coversNew = candidate.stories.some(({ id }) => !covered.has(id));
    if (candidate.stories.length === 0 || coversNew) place(candidate, false);
    else again.push(candidate);
  }
  for (const candidate of again) {
    fillSlice();
    place(candidate, false);
  }
  fillSlice();
  for (const candidate of ranked) if (!isCounted(candidate)) place(candidate, false);
  return placed;

  function place(candidate: Candidate, sliced: boolean): void {
    const { estimateMs, stories } = candidate;
    if (seen.has(candidate) || leftItems < 1 || estimateMs > leftMs) return;
    seen.add(candidate);
    leftItems -= 1;
    leftMs -= estimateMs;
    const first = isCounted(candidate)
      ? stories.map(({ id }) => id).filter((id) => !covered.has(id))
      : [];
    for (const id of first) covered.add(id);
    placed.push({ candidate, first, sliced });
  }

  function fillSlice(): void {
    while (isSlicePlace(placed.length + 1, context)) {
      const { value } = waiting.next();
      if (value === undefined) return;
      place(value, true);
    }
  }
}

function isCounted({ command }: Candidate): boolean {
  return command.state !== 'quarantined';
}

function longWaiting(
  candidates: readonly Candidate[],
  { settings, ordinal, turn }: OrderContext,
): Candidate[] {
  const since = ordinal - settings.missedTurns * Math.max(turn, RECENT_RUNS);
  return candidates
    .filter((candidate) => lastOrdinal(candidate) < since)
    .sort((a, b) => lastOrdinal(a) - lastOrdinal(b) || byScore(a, b));
}

/** As good as random (MurmurHash3's finalizer), so that no rhythm of plans and runs misses them all. */
function isSlicePlace(place: number, { ordinal, settings }: OrderContext): boolean {
  let hash = ordinal + place;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % settings.sliceEvery === 0;
}

function lastOrdinal({ command }: Candidate): number {
  return command.history.lastOrdinal ?? 0;
}

export function byScore(a: Candidate, b: Candidate): number {
  if (a.score !== b.score) return b.score - a.score;
  if (a.command.key === b.command.key) return 0;
  return a.command.key < b.command.key ? -1 : 1;
}

const HIGH = 0.8;

/** The reasons for an item's place, those that weigh most first. */
export function reasonsOf({ candidate, first, sliced }: Placed, ordinal: number): Reason[] {
  const { command, past, priority, openIssues, isNew, gaps, stories } = candidate;
  const reasons: Reason[] = [];
  const add = (code: Reason['code'], detail: string, about?: readonly string[]) =>
    reasons.push(about ? { code, detail, storyIds: about.slice(0, NAMED) } : { code, detail });
  if (past.failedLast) add('failed_last', 'Its last run failed.');
  if (past.failures > 0)
    add('failed_recently', `Of its last ${past.runs} runs ${past.failures} failed.`);
  if (isNew) add('never_ran', 'It never ran.');
  else if (command.changedSince) add('changed', 'It, or a story of it, changed since it last ran.');
  const changed = idsOf(stories.filter((story) => story.changed));
  if (changed.length > 0) add('story_changed', `Changed: ${listed(changed)}.`, changed);
  if (gaps.length > 0) {
    const lacking = gaps.map(({ id, status }) => `${id} (${status})`);
    add('gap', `Coverage lacks: ${listed(lacking)}.`, idsOf(gaps));
  }
  if (priority >= HIGH) {
    const urgent = idsOf(stories.filter((story) => story.priority >= HIGH));
    add('priority', 'A story of it has a high priority.', urgent);
  }
  if (openIssues > 0) add('open_issues', `Open issues on its stories: ${openIssues}.`);
  if (past.flaky > 0) add('flaky', `Of its last ${past.runs} runs ${past.flaky} were flaky.`);
  if (first.length > 0) add('first_cover', `It is the first to cover ${listed(first)}.`, first);
  if (sliced) {
    const missed = ordinal - lastOrdinal(candidate);
    add('not_run_for_long', `Runs of the project since its last: ${missed}.`);
  }
  if (!isCounted(candidate)) add('quarantined', 'It runs last, and its result does not count.');
  return reasons;
}

const LISTED = 3;
const NAMED = 20;

function idsOf(stories: readonly { id: string }[]): string[] {
  return stories.map(({ id }) => id);
}

function listed(values: readonly string[]): string {
  const more = values.length - LISTED;
  const shown = values.slice(0, LISTED).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}
