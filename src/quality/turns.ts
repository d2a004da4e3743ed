// Long work in steps: a generator that yields between them is driven to its end at once, or so that
// requests have their turn on the way.

/** Work that may be interrupted wherever it yields, and what it gives in the end. */
export type Steps<T> = Generator<void, T>;

/** How long others wait at most while steps are done, in milliseconds. */
const TURN_MS = 4;

/** Does all steps without a break. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Does all steps, and lets others run after every few milliseconds. */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const end = performance.now() + TURN_MS;
    do {
      const { done, value } = steps.next();
      if (done) return value;
    } while (performance.now() < end);
    await nextTurn();
  }
}

/** Resolves when whoever waited has had a turn. */
export function nextTurn(): Promise<void> {
  return new Promise((next) => setImmediate(next));
}
