// How early an order finds what fails, after the fact. APFD, the average percentage of faults
// detected: G. Rothermel, R. Untch, C. Chu, M. J. Harrold, "Prioritizing Test Cases for Regression
// Testing", IEEE TSE 27(10), 2001. APFDc, the same by what tests cost: S. Elbaum, A. Malishevsky,
// G. Rothermel, "Incorporating Varying Test Costs and Fault Severities into Test Case
// Prioritization", ICSE 2001. A test that fails is taken for one fault, and all faults for equal.

/** A test that was run, and how it ended. */
export interface Executed {
  failed: boolean;
  /** What it cost. */
  durationMs: number;
}

/**
 * APFD = 1 - (TF1 + ... + TFm) / (n m) + 1 / (2 n), for n tests of which those at the places TF1 to
 * TFm (from 1) failed.
 *
 * @returns 0 to 1, the higher the earlier; null where nothing failed
 */
export function apfd(order: readonly Executed[]): number | null {
  const n = order.length;
  let [faults, places] = [0, 0];
  for (const [at, { failed }] of order.entries()) {
    if (!failed) continue;
    faults += 1;
    places += at + 1;
  }
  return faults === 0 ? null : 1 - places / (n * faults) + 1 / (2 * n);
}

/**
 * APFDc = the mean over the failing tests of (the cost from a test to the end - half its own) / the
 * cost of all. Where nothing costs anything, all cost the same and it is APFD.
 *
 * @returns 0 to 1, the higher the earlier; null where nothing failed
 */
export function apfdc(order: readonly Executed[]): number | null {
  let [faults, left, detected] = [0, 0, 0];
  for (let at = order.length - 1; at >= 0; at -= 1) {
    const { failed, durationMs } = order[at] as Executed;
    left += durationMs;
    if (!failed) continue;
    faults += 1;
    detected += left - durationMs / 2;
  }
  if (faults === 0) return null;
  return left === 0 ? apfd(order) : detected / (left * faults);
}

/**
 * What a random order is expected to reach in either measure: exactly one half, since an order and
 * its reverse always add up to one.
 *
 * @returns null where nothing failed
 */
export function randomExpectation(executed: readonly Executed[]): number | null {
  return executed.some(({ failed }) => failed) ? 0.5 : null;
}

/** The order that no other beats in either measure: what fails first, the cheapest before. */
export function optimalOrder<Test extends Executed>(executed: readonly Test[]): Test[] {
  return [...executed].sort(
    (a, b) => Number(b.failed) - Number(a.failed) || a.durationMs - b.durationMs,
  );
}
