// Writes that rest on what was read before them: where another write came between, they are begun
// anew, and then alone.
import { Problem } from '../errors.ts';

/** Thrown in a write that is to be begun anew: something was written since what it rests on was read. */
export class WriteConflict extends Error {
  override name = 'WriteConflict';
}

/** Serialized work still conflicts with writers that never wait, such as an import. */
const TRIES = 5;

/**
 * Repeats work until nothing was written meanwhile.
 * @throws Problem `unavailable` where it conflicts again and again
 */
export async function retryOnConflict<T>(attempt: () => Promise<T>): Promise<T> {
  for (let left = TRIES; ; left -= 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof WriteConflict)) throw error;
      if (left > 0) continue;
      throw new Problem('unavailable', 'Too much else is written at this moment; try again.', {
        headers: { 'Retry-After': '1' },
        cause: error,
      });
    }
  }
}

/** The same for what seldom conflicts: it waits for nobody at first. */
export async function serialized<T>(
  alone: (work: () => Promise<T>) => Promise<T>,
  attempt: () => Promise<T>,
): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof WriteConflict)) throw error;
    return alone(() => retryOnConflict(attempt));
  }
}
