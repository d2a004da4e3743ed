// The coverage of the states of one project as they follow each other: from one to the next, only
// the stories are gone through of which something has changed.

import type { LinkedStories } from '../results/linked-stories.ts';
import type { ResultIndex } from '../results/result-index.ts';
import type { AssuranceState } from '../state/state.ts';
import { type Covered, coverAll } from './coverage.ts';
import type { Coverage } from './model.ts';

/** Indexes that are remembered by what they changed. */
const REMEMBERED = 64;

export interface SuccessiveCoverage {
  /** Remembers what an index changed; to be told of each in turn. */
  follow(index: ResultIndex): void;
  /**
   * The coverage of a state.
   *
   * @param linked - gives the stories that tests and commands verify without naming them
   */
  cover(state: AssuranceState, linked: () => LinkedStories): Coverage;
}

/** Begins with no state. */
export function createSuccessiveCoverage(): SuccessiveCoverage {
  const steps = new Map<number, NonNullable<ResultIndex['changes']>>();
  let last: Covered | undefined;

  /** What was changed from one index to a later one; undefined where that is not known. */
  function between(from: number, to: number) {
    const tests = new Set<string>();
    const commands = new Set<string>();
    let at = to;
    while (at !== from) {
      const step = steps.get(at);
      if (!step) return undefined;
      for (const key of step.tests) tests.add(key);
      for (const id of step.commands) commands.add(id);
      at = step.since;
    }
    return { tests, commands };
  }

  return {
    follow({ number, changes }) {
      if (!changes || steps.has(number)) return;
      steps.set(number, changes);
      for (const oldest of steps.keys()) {
        if (steps.size <= REMEMBERED) break;
        steps.delete(oldest);
      }
    },
    cover(state, linked) {
      const changes = last && between(last.state.tests.number, state.tests.number);
      const covered = coverAll(state, last && changes && { ...last, changes, linked: linked() });
      if (!last || state.tests.number >= last.state.tests.number) last = covered;
      return covered.coverage;
    },
  };
}
