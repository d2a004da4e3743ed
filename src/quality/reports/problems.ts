// Collects what is wrong with a report, and compares what it states with what it holds.
import type { ProblemCode, ReportProblem, ResultStatus } from './model.ts';

const MAX_PER_CODE = 20;
const MAX_DETAIL = 500;

export type Problems = ReturnType<typeof createProblems>;

export function createProblems() {
  const problems: ReportProblem[] = [];
  const counts = new Map<ProblemCode, number>();
  return {
    /** Beyond the first twenty of a code problems are only counted. */
    add(code: ProblemCode, detail: string, at: { line?: number; pointer?: string } = {}): void {
      const count = (counts.get(code) ?? 0) + 1;
      counts.set(code, count);
      if (count > MAX_PER_CODE) return;
      const text = detail
        .toWellFormed()
        .replace(/\p{Cc}+/gu, ' ')
        .slice(0, MAX_DETAIL);
      problems.push({ code, detail: text, line: at.line ?? null, pointer: at.pointer ?? null });
    },
    /** In the order in which they came, with a last one of a code that counts those left out. */
    list(): ReportProblem[] {
      const more = [...counts].filter(([, count]) => count > MAX_PER_CODE);
      return [
        ...problems,
        ...more.map(([code, count]) => {
          const detail = `and ${count - MAX_PER_CODE} more like these`;
          return { code, detail, line: null, pointer: null };
        }),
      ];
    },
  };
}

/** What a report says that it holds; null where it does not say. */
export interface StatedTotals {
  tests: number | null;
  /** Failures and errors together. */
  failing: number | null;
  /** Skipped, pending and disabled. */
  skipped: number;
}

export interface Counts {
  tests: number;
  /** Failures and errors, of which one test may have several. */
  failures: number;
  skipped: number;
}

export function noCounts(): Counts {
  return { tests: 0, failures: 0, skipped: 0 };
}

export function countTest(counts: Counts, status: ResultStatus, failures = 1): void {
  counts.tests += 1;
  if (status === 'failed' || status === 'broken') counts.failures += Math.max(failures, 1);
  else if (status === 'skipped') counts.skipped += 1;
}

/**
 * Reports a place that states more tests, or more failures, than it holds: it has lost something.
 * Skipped tests that are stated and not listed are not lost.
 *
 * @param found - a suite may count those inside it or not: what is right by either is right
 */
export function checkTotals(
  problems: Problems,
  place: string,
  { tests, failing, skipped }: StatedTotals,
  ...found: [Counts, ...Counts[]]
): void {
  const hasLost = (counts: Counts) =>
    (failing ?? 0) > counts.failures ||
    (tests ?? 0) - counts.tests > Math.max(skipped - counts.skipped, 0);
  if (!found.every(hasLost)) return;
  const [counts] = found;
  const says = `${tests ?? '?'} tests, ${failing ?? 0} failed, ${skipped} skipped`;
  const holds = `${counts.tests} tests, ${counts.failures} failed, ${counts.skipped} skipped`;
  problems.add('totals_disagree', `${place} states ${says} and holds ${holds}`);
}
