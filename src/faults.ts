// What is wrong with the instance until somebody mends it: found by whatever meets it, shown by the
// readiness probe as a check of its own.

export interface Fault {
  /** `fail` makes the instance not ready. */
  status: 'warn' | 'fail';
  /** What is wrong, and what to do about it. */
  output: string;
}

export interface Faults {
  /** Reports a fault under the name of its check (`files:sweep`); one that is there is replaced. */
  report(check: string, fault: Fault): void;
  clear(check: string): void;
  list(): ReadonlyMap<string, Fault>;
}

export function createFaults(): Faults {
  const faults = new Map<string, Fault>();
  return {
    report: (check, fault) => void faults.set(check, fault),
    clear: (check) => void faults.delete(check),
    list: () => faults,
  };
}
