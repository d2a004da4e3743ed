// How many requests may be under way at once.
import { Problem } from './problem.ts';

export interface Gate {
  /**
   * Counts a request in.
   *
   * @throws Problem `unavailable` when there are too many
   */
  enter(): void;
  leave(): void;
  /** How many are under way. */
  readonly inside: number;
}

/** Makes a gate for at most this many. */
export function createGate(most: number): Gate {
  let inside = 0;
  return {
    enter() {
      if (inside >= most) {
        throw new Problem('unavailable', `More than ${most} requests are under way.`, {
          headers: { 'Retry-After': '1' },
        });
      }
      inside += 1;
    },
    leave() {
      inside -= 1;
    },
    get inside() {
      return inside;
    },
  };
}
