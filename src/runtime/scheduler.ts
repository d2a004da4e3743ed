// Long work in steps: a generator that yields between them is driven to its end at once, or so that
// requests run on the way.
import { setTimeout } from 'node:timers/promises';

export type Steps<T> = Generator<void, T>;

/** How long others wait at most while steps are done, in milliseconds. */
const SLICE_MS = 4;

export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

export async function runInSlices<T>(steps: Steps<T>, pause: Pause = nextSlice): Promise<T> {
  for (;;) {
    const end = performance.now() + SLICE_MS;
    do {
      const { done, value } = steps.next();
      if (done) return value;
    } while (performance.now() < end);
    await pause();
  }
}

export function yieldToEventLoop(): Promise<void> {
  return new Promise((next) => setImmediate(next));
}

/** Lets others run between two slices of long work, and may refuse to go on. */
export type Pause = () => Promise<void>;

let slices: Promise<void> = Promise.resolve();

/** One slice at a time: those of several do not add up to what others wait. */
export function nextSlice(): Promise<void> {
  slices = slices.then(yieldToEventLoop);
  return slices;
}

export type Throttle = ReturnType<typeof createThrottle>;

const REQUESTS = 300;
const MAX_MS = 20;

export function createThrottle(answered: () => number) {
  let seen = answered();
  return {
    /** To be called after each step: resolves when the next one may begin. */
    async wait() {
      await yieldToEventLoop();
      if (answered() > seen) {
        const enough = answered() + REQUESTS;
        const end = performance.now() + MAX_MS;
        while (answered() < enough && performance.now() < end) await setTimeout(1);
      }
      seen = answered();
    },
  };
}
