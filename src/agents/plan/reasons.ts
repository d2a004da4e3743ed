// Why an item is where it is: a code for programs, a sentence for people.
import type { Reason } from './model.ts';
import type { Placed } from './order.ts';

/** From here on a priority is a reason. */
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
