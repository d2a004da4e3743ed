// How the agent ends when it is asked to: it takes nothing new at once, and gives up what it has begun
// when the grace is over or it is asked a second time.

export interface Stopping {
  /** Aborted as soon as the agent is to take nothing new. */
  soft: AbortSignal;
  /** Aborted when what is under way must end. */
  hard: AbortSignal;
  /** Asks, as a signal does. */
  ask(): void;
  /** Listens no more. */
  end(): void;
}

/** Thrown where something was under way when the agent had to end. */
export class Stopped extends Error {
  override name = 'Stopped';
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Signals to a whole group of processes may come twice: only a later one means haste. */
const HASTE_AFTER_MS = 1000;

/**
 * Listens for the signals that ask a process to end.
 *
 * @param graceMs - how long what is under way may go on
 * @param onAsked - is told when it is asked first
 */
export function listenForStop(graceMs: number, onAsked: () => void): Stopping {
  const soft = new AbortController();
  const hard = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let askedAt = 0;

  function ask(): void {
    if (!soft.signal.aborted) {
      askedAt = performance.now();
      soft.abort(new Stopped('the agent was asked to end'));
      timer = setTimeout(end, graceMs);
      onAsked();
    } else if (performance.now() - askedAt > HASTE_AFTER_MS) end();
  }

  function end(): void {
    hard.abort(new Stopped('the agent had to end'));
  }

  for (const signal of SIGNALS) process.on(signal, ask);
  return {
    soft: soft.signal,
    hard: hard.signal,
    ask,
    end() {
      clearTimeout(timer);
      for (const signal of SIGNALS) process.off(signal, ask);
    },
  };
}
