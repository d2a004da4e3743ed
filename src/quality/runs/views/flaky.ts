// Flakiness, which is derived and never reported: a test that passed and failed in one run, or at one
// commit in one environment.
import type { Attempt, ResultStatus } from '../../reports/model.ts';

/** Whether a status says that a test did not hold. */
export function isFailing(status: ResultStatus): boolean {
  return status === 'failed' || status === 'broken';
}

/** Whether the tries of one result both passed and failed. */
export function isFlaky(result: { status: ResultStatus; attempts: readonly Attempt[] }): boolean {
  const { status, attempts } = result;
  if (attempts.length === 0) return false;
  const failed = isFailing(status) || attempts.some((attempt) => isFailing(attempt.status));
  return failed && (status === 'passed' || attempts.some((one) => one.status === 'passed'));
}

export interface FlakySample {
  testKey: string;
  status: ResultStatus;
  /** Passed and failed in that run. */
  flaky: boolean;
  /** Null where it is not known: then runs can't be compared. */
  commit: string | null;
  environment: string | null;
}

export interface Flakiness {
  testKey: string;
  flaky: boolean;
  /** Runs in which it passed or failed. */
  runs: number;
  passed: number;
  failed: number;
  /** Runs in which it did both. */
  withinRun: number;
  /** Commits, with their environment, at which it passed and failed in different runs. */
  acrossRuns: number;
  /** How often one result differs from the one before, of all the times it could; null for one run. */
  flipRate: number | null;
}

interface State extends Omit<Flakiness, 'flipRate' | 'flaky' | 'acrossRuns'> {
  flips: number;
  last: boolean | null;
  /** How runs ended by commit and environment: 1 passed, 2 failed, 3 both. */
  places: Map<string, number>;
}

export interface FlakinessTally {
  /** Takes a result; those of a test come oldest first. */
  add(sample: FlakySample): void;
  /** What is known of each test, in the order they came. */
  list(): Flakiness[];
  /** The same one by one. */
  each(): Generator<Flakiness>;
}

/** Derives flakiness from results as they are read. */
export function createFlakinessTally(): FlakinessTally {
  const states = new Map<string, State>();
  return { add, each, list: () => [...each()] };

  function* each(): Generator<Flakiness> {
    for (const state of states.values()) yield flakinessOf(state);
  }

  function add({ testKey, status, flaky, commit, environment }: FlakySample): void {
    const failing = isFailing(status);
    if (!failing && status !== 'passed') return;
    let state = states.get(testKey);
    if (state === undefined) {
      state = {
        testKey,
        runs: 0,
        passed: 0,
        failed: 0,
        withinRun: 0,
        flips: 0,
        last: null,
        places: new Map(),
      };
      states.set(testKey, state);
    }
    state.runs += 1;
    if (failing) state.failed += 1;
    else state.passed += 1;
    if (flaky) state.withinRun += 1;
    if (state.last !== null && state.last !== failing) state.flips += 1;
    state.last = failing;
    if (commit === null) return;
    const place = JSON.stringify([commit, environment]);
    state.places.set(place, (state.places.get(place) ?? 0) | (failing ? 2 : 1));
  }
}

function flakinessOf({ flips, last: _, places, ...state }: State): Flakiness {
  const both = [...places.values()].filter((seen) => seen === 3).length;
  return {
    ...state,
    flaky: state.withinRun > 0 || both > 0,
    acrossRuns: both,
    flipRate: state.runs < 2 ? null : flips / (state.runs - 1),
  };
}
