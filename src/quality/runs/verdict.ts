// The status of a run, from its report and from how the process that made it went. A report alone
// can lie: a file that failed to load is missing from it, a crash leaves the one of yesterday.

import type { Execution, HarnessError, ResultTotals } from '../../store/tables/json.ts';
import { noTotals } from '../reports/model.ts';
import { executionErrors, type Report } from './execution-errors.ts';

export type { Execution, HarnessError } from '../../store/tables/json.ts';

export type RunStatus = 'broken' | 'failed' | 'passed';

export interface Verdict {
  status: RunStatus;
  harnessErrors: HarnessError[];
  totals: ResultTotals;
}

export interface VerdictInput {
  /** What reading the report gave; null where there is none. */
  report: Report | null;
  /** The SHA-256 of the report that arrived. */
  sha256?: string | null;
  execution?: Execution | null;
  /** The folder that the tests ran in, for expected files that are absolute. */
  root?: string;
}

/**
 * Judges a run: `broken` where anything is wrong with the harness, nothing ran, or report and
 * execution disagree; else `failed` where any result failed or broke; else `passed`.
 */
export function judgeRun({ report, sha256, execution, root }: VerdictInput): Verdict {
  const totals = report?.totals ?? noTotals();
  const harnessErrors: HarnessError[] = [];
  if (report === null) {
    harnessErrors.push({ code: 'no_report', detail: 'the run left no report' });
  } else {
    for (const { code, detail, line, pointer } of report.problems) {
      const where = line === null ? (pointer ? ` at ${pointer}` : '') : ` at line ${line}`;
      harnessErrors.push({ code, detail: `${detail}${where}` });
    }
    harnessErrors.push(...idleErrors(totals));
  }
  if (execution !== null && execution !== undefined) {
    harnessErrors.push(...executionErrors(execution, { report, sha256: sha256 ?? null, root }));
  }
  const failed = totals.failed + totals.broken > 0;
  const status = harnessErrors.length > 0 ? 'broken' : failed ? 'failed' : 'passed';
  return { status, harnessErrors, totals };
}

function idleErrors({
  tests,
  passed,
  failed,
  broken,
  skipped,
  unknown,
}: ResultTotals): HarnessError[] {
  if (tests === 0) return [{ code: 'no_results', detail: 'the report holds no result' }];
  if (passed + failed + broken > 0) return [];
  const detail = `nothing ran: ${skipped} skipped, ${unknown} unknown`;
  return [{ code: 'nothing_ran', detail }];
}
