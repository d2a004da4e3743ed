// Collects what is wrong with a report, and compares what it states with what it holds.
import type { ProblemCode, ReportProblem } from './model.ts';

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

export interface Totals {
  tests: number;
  /** Failures and errors, of which one test may have several. */
  failing: number;
  /** Skipped, pending and disabled. */
  skipped: number;
}

export function addTotals(totals: Totals, more: Totals): void {
  totals.tests += more.tests;
  totals.failing += more.failing;
  totals.skipped += more.skipped;
}

/**
 * Reports a place that states more tests, or more failures, than it holds: it has lost something.
 * Skipped tests that are stated and not listed are not lost.
 */
export function checkTotals(
  problems: Problems,
  place: string,
  stated: Totals,
  found: Totals,
): void {
  const lost = stated.tests - found.tests;
  if (stated.failing <= found.failing && lost <= Math.max(stated.skipped - found.skipped, 0))
    return;
  const says = `${stated.tests} tests, ${stated.failing} failed, ${stated.skipped} skipped`;
  const holds = `${found.tests} tests, ${found.failing} failed, ${found.skipped} skipped`;
  problems.add('totals_disagree', `${place} states ${says} and holds ${holds}`);
}
