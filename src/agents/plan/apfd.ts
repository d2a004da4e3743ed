// How early an order finds what fails, after the fact. APFD, the average percentage of faults
// detected: G. Rothermel, R. Untch, C. Chu, M. J. Harrold, "Prioritizing Test Cases for Regression
// Testing", IEEE TSE 27(10), 2001. APFDc, the same by what tests cost: S. Elbaum, A. Malishevsky,
// G. Rothermel, "Incorporating Varying Test Costs and Fault Severities into Test Case
// Prioritization", ICSE 2001. A test that fails is taken for one fault, and all faults for equal.
import type { Figures } from './model.ts';

export interface Executed {
  failed: boolean;
  durationMs: number;
}

/**
 * APFD = 1 - (TF1 + .. + TFm) / (n m) + 1 / (2 n), for n tests of which those at the places TF1 to
 * TFm (from 1) failed: 0 to 1, the higher the earlier; null where nothing failed.
 */
export function apfd(order: readonly Executed[]): number | null {
  return apfdc(order.map(({ failed }) => ({ failed, durationMs: 1 })));
}

/**
 * APFDc = the mean over the failing tests of (the cost from a test to the end - half its own) / the
 * cost of all. Where nothing costs anything, all cost the same and it is APFD.
 */
export function apfdc(order: readonly Executed[]): number | null {
  let [faults, left, detected] = [0, 0, 0];
  for (const { failed, durationMs } of order.toReversed()) {
    left += durationMs;
    if (!failed) continue;
    faults += 1;
    detected += left - durationMs / 2;
  }
  if (faults === 0) return null;
  return left === 0 ? apfd(order) : detected / (left * faults);
}

/** The order that no other beats in either measure: what fails first, the cheapest before. */
export function optimalOrder<Test extends Executed>(executed: readonly Test[]): Test[] {
  return [...executed].sort(
    (a, b) => Number(b.failed) - Number(a.failed) || a.durationMs - b.durationMs,
  );
}

export function figuresOf(orders: readonly (readonly Executed[])[]): Figures {
  const best = orders.map(optimalOrder);
  const measure = (of: typeof apfd) => ({
    planned: mean(orders.map(of)),
    // An order and its reverse always add up to one.
    random: orders.length === 0 ? null : 0.5,
    optimal: mean(best.map(of)),
  });
  return { cycles: orders.length, apfd: measure(apfd), apfdc: measure(apfdc) };
}

function mean(values: readonly (number | null)[]): number | null {
  const sum = values.reduce<number>((total, value) => total + (value ?? 0), 0);
  return values.length === 0 ? null : sum / values.length;
}
