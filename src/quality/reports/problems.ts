// Collects what is wrong with a report, and compares what it states with what it holds.
import type { ProblemCode, Problems, ReportProblem, ResultStatus, StatedTotals } from './model.ts';

const MAX_PER_CODE = 20;
const MAX_DETAIL = 500;

export function createProblems(): Problems {
  const problems: ReportProblem[] = [];
  const counts = new Map<ProblemCode, number>();
  return {
    add(code, detail, at) {
      const count = (counts.get(code) ?? 0) + 1;
      counts.set(code, count);
      if (count > MAX_PER_CODE) return;
      const text = detail.toWellFormed().replace(/\p{Cc}+/gu, ' ');
      problems.push({
        code,
        detail: text.length > MAX_DETAIL ? `${text.slice(0, MAX_DETAIL - 1)}…` : text,
        line: at?.line ?? null,
        pointer: at?.pointer ?? null,
      });
    },
    list: () => [
      ...problems,
      ...[...counts]
        .filter(([, count]) => count > MAX_PER_CODE)
        .map(([code, count]) => {
          const detail = `and ${count - MAX_PER_CODE} more like these`;
          return { code, detail, line: null, pointer: null };
        }),
    ],
  };
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
 *
 * @param found - a suite may count those inside it or not: what is right by either is right
 */
export function checkTotals(
  problems: Problems,
  place: string,
  stated: StatedTotals,
  ...found: [Counts, ...Counts[]]
): void {
  if (!found.every((counts) => hasLost(stated, counts))) return;
  const [counts] = found;
  const says = `${stated.tests ?? '?'} tests, ${stated.failing ?? 0} failed, ${stated.skipped ?? 0} skipped`;
  const holds = `${counts.tests} tests, ${counts.failures} failed, ${counts.skipped} skipped`;
  problems.add('totals_disagree', `${place} states ${says} and holds ${holds}`);
}

/** Skipped tests that are stated and not listed are not lost. */
function hasLost({ tests, failing, skipped }: StatedTotals, found: Counts): boolean {
  if (failing !== null && failing > found.failures) return true;
  const unlisted = Math.max((skipped ?? 0) - found.skipped, 0);
  return tests !== null && tests - found.tests > unlisted;
}
