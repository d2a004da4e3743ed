// Counts what a report holds, and compares it with what the report states: a report that states
// more than it holds has lost something.

import type { ResultStatus, StatedTotals } from './model.ts';
import type { Problems } from './problems.ts';

export interface Counts {
  tests: number;
  /** Tests that failed or broke. */
  failing: number;
  /** Failures and errors, of which one test may have several. */
  failures: number;
  skipped: number;
}

/** Nothing counted. */
export function noCounts(): Counts {
  return { tests: 0, failing: 0, failures: 0, skipped: 0 };
}

/** Adds a test with its failures and errors. */
export function countTest(counts: Counts, status: ResultStatus, failures = 1): void {
  counts.tests += 1;
  if (status === 'failed' || status === 'broken') {
    counts.failing += 1;
    counts.failures += Math.max(failures, 1);
  } else if (status === 'skipped') counts.skipped += 1;
}

/** Adds what another place counted. */
export function addCounts(counts: Counts, more: Counts): void {
  counts.tests += more.tests;
  counts.failing += more.failing;
  counts.failures += more.failures;
  counts.skipped += more.skipped;
}

/**
 * Compares what is stated with what is there.
 *
 * @returns `lost` where more tests, or more that failed, are stated than there are: skipped tests
 *   that are stated and not listed are not lost
 */
export function compareTotals(stated: StatedTotals, found: Counts): 'agree' | 'differ' | 'lost' {
  const failing =
    stated.failed === null && stated.broken === null
      ? null
      : (stated.failed ?? 0) + (stated.broken ?? 0);
  if (failing !== null && failing > found.failures) return 'lost';
  const unlisted = Math.max((stated.skipped ?? 0) - found.skipped, 0);
  if (stated.tests !== null && stated.tests - found.tests > unlisted) return 'lost';
  const same =
    (stated.tests === null || stated.tests === found.tests) &&
    (failing === null || (failing >= found.failing && failing <= found.failures)) &&
    (stated.skipped === null || stated.skipped === found.skipped);
  return same ? 'agree' : 'differ';
}

/** Notes where the totals that a place of a report states are not those that it holds. */
export function noteTotals(
  problems: Problems,
  place: string,
  stated: StatedTotals,
  ...found: [Counts, ...Counts[]]
): void {
  // A suite may count those inside it or not: what agrees with either is right.
  const seen = found.map((counts) => compareTotals(stated, counts));
  if (seen.includes('agree')) return;
  const [counts] = found;
  const failing = (stated.failed ?? 0) + (stated.broken ?? 0);
  const says = `${stated.tests ?? '?'} tests, ${failing} failed, ${stated.skipped ?? 0} skipped`;
  const holds = `${counts.tests} tests, ${counts.failing} failed, ${counts.skipped} skipped`;
  const detail = `${place} states ${says} and holds ${holds}`;
  if (seen.includes('differ')) problems.warning('totals_differ', detail);
  else problems.error('totals_disagree', detail);
}
