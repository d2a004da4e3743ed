// A command's past as letters: one a run, the newest first, as the planner reads it.

/** How a run of a command ended. */
export type Outcome = 'passed' | 'failed' | 'broken' | 'skipped';

/** Runs of a command that are remembered, the newest: what is older has faded. */
export const REMEMBERED_RUNS = 40;

export const LETTERS: Record<Outcome, string> = {
  passed: 'p',
  failed: 'f',
  broken: 'b',
  skipped: 's',
};

/** A run as the letter that it is in a history: a capital where it was flaky. */
export function outcomeLetter(outcome: Outcome, flaky: boolean): string {
  return flaky ? LETTERS[outcome].toUpperCase() : LETTERS[outcome];
}

/** A history with a newer run in front of it. */
export function remember(outcomes: string, run: { outcome: Outcome; flaky: boolean }): string {
  return (outcomeLetter(run.outcome, run.flaky) + outcomes).slice(0, REMEMBERED_RUNS);
}
