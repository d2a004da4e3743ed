// Collects what is wrong with a report: bounded, since a hostile one is wrong everywhere.
import type { ProblemCode, ReportProblem } from './model.ts';

const KEPT_PER_CODE = 20;
const DETAIL = 500;

export interface Problems {
  /** Notes a problem; beyond the first twenty of a code and severity they are only counted. */
  error(code: ProblemCode, detail: string, at?: { line?: number; pointer?: string }): void;
  warning(code: ProblemCode, detail: string, at?: { line?: number; pointer?: string }): void;
  /** All that is kept, in the order it came, with a last one that counts those left out. */
  list(): ReportProblem[];
}

/** Starts a collection. */
export function createProblems(): Problems {
  const kept: ReportProblem[] = [];
  const counts = new Map<string, { severity: ReportProblem['severity']; count: number }>();
  const take =
    (severity: ReportProblem['severity']): Problems['error'] =>
    (code, detail, at) => {
      const key = `${severity} ${code}`;
      const known = counts.get(key) ?? { severity, count: 0 };
      known.count += 1;
      counts.set(key, known);
      if (known.count > KEPT_PER_CODE) return;
      const text = detail.toWellFormed().replace(/\p{Cc}+/gu, ' ');
      kept.push({
        code,
        severity,
        detail: text.length > DETAIL ? `${text.slice(0, DETAIL - 1)}…` : text,
        line: at?.line ?? null,
        pointer: at?.pointer ?? null,
      });
    };
  return {
    error: take('error'),
    warning: take('warning'),
    list: () => [...kept, ...leftOut()],
  };

  function leftOut(): ReportProblem[] {
    return [...counts].flatMap(([key, { severity, count }]) => {
      const code = key.slice(severity.length + 1) as ProblemCode;
      if (count <= KEPT_PER_CODE) return [];
      const detail = `and ${count - KEPT_PER_CODE} more like these`;
      return [{ code, severity, detail, line: null, pointer: null }];
    });
  }
}
