// The pace of long work on the thread of the requests: as fast as it can while nobody asks for
// anything, and else in steps that few requests have to wait for.
import { setTimeout } from 'node:timers/promises';
import { nextTurn } from './turns.ts';

export interface Pace {
  /** To be called after each step: resolves when the next one may begin. */
  rest(): Promise<void>;
}

/** So many requests are answered between two steps, where there are as many: one of them waits. */
const REQUESTS = 300;
/** The longest rest. */
const MOST_MS = 20;

/**
 * Begins a piece of work.
 *
 * @param answered - how many requests were answered so far, this work's own left out
 */
export function createPace(answered: () => number): Pace {
  let seen = answered();
  return {
    async rest() {
      await nextTurn();
      if (answered() > seen) {
        const enough = answered() + REQUESTS;
        const end = performance.now() + MOST_MS;
        while (answered() < enough && performance.now() < end) await setTimeout(1);
      }
      seen = answered();
    },
  };
}
