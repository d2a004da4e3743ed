// The status of a run, from its report and from how the process that made it went. A report alone
// can lie: a file that failed to load is missing from it, a crash leaves the one of yesterday.
import { constants } from 'node:os';
import type { Execution, HarnessError, ResultTotals } from '../../store/tables/json.ts';
import { noTotals } from '../reports/model.ts';
import type { ReportSummary } from '../reports/read.ts';
import { fileUnder, readTime, rfc3339 } from '../reports/text.ts';

export type { Execution } from '../../store/tables/json.ts';

export type RunStatus = 'broken' | 'failed' | 'passed';

type Report = Pick<ReportSummary, 'head' | 'totals' | 'files' | 'problems'>;

export interface VerdictInput {
  report: Report | null;
  sha256?: string | null;
  execution?: Execution | null | undefined;
  /** The folder that the tests ran in, for expected files that are absolute. */
  root?: string | null;
}

/** The tool of a report that takes a command for one test: what that says of its own is more. */
export const WHOLE_COMMAND_TOOL = 'pqrs agent';
const ABSOLUTE = /^(?:\/|[A-Za-z]:\/)/;
const NAMED = 20;
const MAX_TAILS = 30;
/**
 * A file is dated by the tick of the kernel: up to 10 ms behind the clock, more where the processors
 * are shared with other machines.
 */
const FILE_TICK_MS = 50;

type Fault = [code: string, detail: string] | undefined;

/**
 * Judges a run: `broken` where anything is wrong with the harness, nothing ran, or report and
 * execution disagree; else `failed` where any result failed or broke; else `passed`.
 */
export function judgeRun({ report, sha256 = null, execution, root = null }: VerdictInput) {
  const totals = report?.totals ?? noTotals();
  const faults: Fault[] = report
    ? [...problemsOf(report), idleness(totals)]
    : [['no_report', 'the run left no report']];
  if (execution) {
    faults.push(exitFault(execution, report));
    if (report) {
      faults.push(staleness(execution, report), hashFault(execution, sha256));
      faults.push(missingFiles(execution, report, root), consoleFault(execution, report));
    }
  }
  const harnessErrors = faults.flatMap((fault): HarnessError[] =>
    fault ? [{ code: fault[0], detail: fault[1] }] : [],
  );
  const failed = totals.failed + totals.broken > 0;
  const status: RunStatus = harnessErrors.length > 0 ? 'broken' : failed ? 'failed' : 'passed';
  return { status, harnessErrors, totals };
}

function problemsOf({ problems }: Report): Fault[] {
  return problems.map(({ code, detail, line, pointer }) => {
    const where = line === null ? (pointer ? ` at ${pointer}` : '') : ` at line ${line}`;
    return [code, `${detail}${where}`];
  });
}

function idleness({ tests, passed, failed, broken, skipped, unknown }: ResultTotals): Fault {
  if (tests === 0) return ['no_results', 'the report holds no result'];
  if (passed + failed + broken > 0) return undefined;
  return ['nothing_ran', `nothing ran: ${skipped} skipped, ${unknown} unknown`];
}

function exitFault({ exitCode, signal }: Execution, report: Report | null): Fault {
  if (signal) return ['killed', `the run was ended by ${signal}`];
  if (exitCode === null || exitCode === undefined) return undefined;
  const { failed, broken, tests } = report?.totals ?? noTotals();
  const failing = failed + broken;
  // A shell says so; but some runners exit with the number of tests that failed.
  const [killer] =
    Object.entries(constants.signals).find(([, number]) => exitCode === 128 + number) ?? [];
  if (killer && exitCode !== failing)
    return ['killed', `exit code ${exitCode}: the run was ended by ${killer}`];
  if (report === null || (exitCode === 0) === (failing === 0)) return undefined;
  const said = failing === 0 ? `none of ${tests}` : `${failing} of ${tests}`;
  return ['exit_code_disagrees', `exit code ${exitCode}, and ${said} results failed`];
}

function staleness(execution: Execution, { head }: Report): Fault {
  const started = readTime(execution.startedAt)?.ms;
  if (started === undefined) return undefined;
  const modified = readTime(execution.reportModifiedAt)?.ms ?? Number.NaN;
  const begun = readTime(head.startedAt)?.ms ?? Number.NaN;
  // Without a zone it may be any time of the day.
  const ended = head.zoned
    ? (readTime(head.finishedAt)?.ms ?? begun + (head.durationMs ?? 0))
    : NaN;
  const what =
    endOfSecond(modified) + FILE_TICK_MS < started
      ? `was written at ${rfc3339(modified)}`
      : endOfSecond(ended) < started && `is of a run that ended at ${rfc3339(ended)}`;
  if (!what) return undefined;
  return ['report_stale', `the report ${what}, before the run started at ${rfc3339(started)}`];
}

/** A time in whole seconds may be of any moment in its second. */
function endOfSecond(ms: number): number {
  return ms % 1000 === 0 ? ms + 999 : ms;
}

function hashFault({ reportSha256 }: Execution, sha256: string | null): Fault {
  if (!reportSha256 || !sha256 || reportSha256.toLowerCase() === sha256.toLowerCase())
    return undefined;
  const detail = `the report that arrived has SHA-256 ${sha256}, not ${reportSha256}`;
  return ['report_sha256_mismatch', detail];
}

function missingFiles({ expectedFiles }: Execution, { files }: Report, root: string | null): Fault {
  if (!expectedFiles || files.size === 0) return undefined;
  const seen = new Set([...files].map((file) => fileUnder(root, file)));
  const ends = new Set([...seen].filter((file) => ABSOLUTE.test(file)).flatMap(tailsOf));
  const missing = expectedFiles.filter((expected) => {
    const file = fileUnder(root, expected);
    if (seen.has(file) || ends.has(file)) return false;
    return !ABSOLUTE.test(file) || !tailsOf(file).some((tail) => seen.has(tail));
  });
  if (missing.length === 0) return undefined;
  const more = missing.length > NAMED ? ` and ${missing.length - NAMED} more` : '';
  const detail = `${missing.length} of ${expectedFiles.length} expected files are missing from the report`;
  return ['files_missing', `${detail}: ${missing.slice(0, NAMED).join(', ')}${more}`];
}

/** What a file may be called from the folders above it. */
function tailsOf(file: string): string[] {
  const parts = file.split('/').filter(Boolean).slice(-MAX_TAILS);
  return parts.map((_, at) => parts.slice(at).join('/'));
}

/** Of `bun test`, whose report leaves out what fails outside of tests. */
function consoleFault({ consoleTail }: Execution, { head, totals }: Report): Fault {
  if (!consoleTail || head.tool === WHOLE_COMMAND_TOOL) return undefined;
  const tail = consoleTail.slice(-8192);
  const ran = /^Ran (\d{1,9}) tests? across \d{1,9} files?\./m.exec(tail)?.[1];
  if (ran === undefined) return undefined;
  const errors = Number(/^\s*(\d{1,9}) errors?\s*$/m.exec(tail)?.[1] ?? 0);
  if (errors > 0)
    return ['console_disagrees', `the console reports ${errors} errors outside of tests`];
  if (Number(ran) <= totals.tests) return undefined;
  const detail = `the console reports ${ran} tests, the report holds ${totals.tests}`;
  return ['console_disagrees', detail];
}
