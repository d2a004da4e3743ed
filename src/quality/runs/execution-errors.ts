// Where a report and the execution that made it disagree.
import type { Execution, HarnessError } from '../../store/tables/json.ts';
import { type ReportTime, readTime, rfc3339 } from '../reports/figures.ts';
import type { ReportSummary } from '../reports/read.ts';
import { fileUnder } from '../reports/test-key.ts';

/** What judging a run takes of its report. */
export type Report = Pick<ReportSummary, 'head' | 'totals' | 'files' | 'problems'>;

const KILLED: ReadonlyMap<number, string> = new Map([
  [129, 'SIGHUP'],
  [130, 'SIGINT'],
  [131, 'SIGQUIT'],
  [132, 'SIGILL'],
  [134, 'SIGABRT'],
  [135, 'SIGBUS'],
  [136, 'SIGFPE'],
  [137, 'SIGKILL'],
  [139, 'SIGSEGV'],
  [143, 'SIGTERM'],
]);
/** The tool of a report that takes a command for one test: what that says of its own is more. */
export const WHOLE_COMMAND_TOOL = 'pqrs agent';
const NAMED = 20;
/**
 * A file is dated by the tick of the kernel: up to 10 ms behind the clock, more where the processors
 * are shared with other machines.
 */
const FILE_TICK_MS = 50;

export function executionErrors(
  execution: Execution,
  {
    report,
    sha256,
    root,
  }: { report: Report | null; sha256: string | null; root?: string | undefined },
): HarnessError[] {
  const errors = [...exitErrors(execution, report)];
  if (report === null) return errors;
  return [
    ...errors,
    ...staleErrors(execution, report),
    ...hashErrors(execution, sha256),
    ...fileErrors(execution, report, root),
    ...consoleErrors(execution, report),
  ];
}

function* exitErrors(
  { exitCode, signal }: Execution,
  report: Report | null,
): Generator<HarnessError> {
  if (signal !== null && signal !== undefined && signal !== '') {
    yield { code: 'killed', detail: `the run was ended by ${signal}` };
    return;
  }
  if (exitCode === null || exitCode === undefined) return;
  const { failed, broken, tests } = report?.totals ?? { failed: 0, broken: 0, tests: 0 };
  const failing = failed + broken;
  // Some runners exit with the number of tests that failed.
  const killer = exitCode === failing ? undefined : KILLED.get(exitCode);
  if (killer !== undefined) {
    yield { code: 'killed', detail: `exit code ${exitCode}: the run was ended by ${killer}` };
  } else if (exitCode !== 0 && failing === 0 && report !== null) {
    const detail = `exit code ${exitCode}, and none of ${tests} results failed`;
    yield { code: 'exit_code_disagrees', detail };
  } else if (exitCode === 0 && failing > 0) {
    const detail = `exit code 0, and ${failing} of ${tests} results failed`;
    yield { code: 'exit_code_disagrees', detail };
  }
}

function* staleErrors(execution: Execution, { head }: Report): Generator<HarnessError> {
  const started = readTime(execution.startedAt);
  if (started === null) return;
  const modified = readTime(execution.reportModifiedAt);
  if (modified !== null && isBefore(modified, { ...started, ms: started.ms - FILE_TICK_MS })) {
    const detail = `the report was written at ${rfc3339(modified.ms)}, before the run started at ${rfc3339(started.ms)}`;
    yield { code: 'report_stale', detail };
    return;
  }
  const ended = head.zoned ? endOf(head) : null;
  if (ended !== null && isBefore(ended, started)) {
    const detail = `the report is of a run that ended at ${rfc3339(ended.ms)}, before this one started at ${rfc3339(started.ms)}`;
    yield { code: 'report_stale', detail };
  }
}

function endOf({ startedAt, finishedAt, durationMs }: Report['head']): ReportTime | null {
  const finished = readTime(finishedAt);
  if (finished !== null) return finished;
  const started = readTime(startedAt);
  return started === null ? null : { ...started, ms: started.ms + (durationMs ?? 0) };
}

/** Whether a time is before another; one in whole seconds may be of any moment in its second. */
function isBefore(one: ReportTime, other: ReportTime): boolean {
  const latest = one.ms % 1000 === 0 ? one.ms + 999 : one.ms;
  return latest < other.ms;
}

function* hashErrors({ reportSha256 }: Execution, sha256: string | null): Generator<HarnessError> {
  if (reportSha256 === null || reportSha256 === undefined || sha256 === null) return;
  if (reportSha256.toLowerCase() === sha256.toLowerCase()) return;
  const detail = `the report that arrived has SHA-256 ${sha256}, not ${reportSha256}`;
  yield { code: 'report_sha256_mismatch', detail };
}

function* fileErrors(
  { expectedFiles }: Execution,
  { files }: Report,
  root: string | undefined,
): Generator<HarnessError> {
  if (expectedFiles === null || expectedFiles === undefined || files.size === 0) return;
  const seen = new Set([...files].map((file) => fileUnder(root, file)));
  const absolute = [...seen].filter((file) => /^(?:\/|[A-Za-z]:\/)/.test(file));
  const ends = new Set(absolute.flatMap(tailsOf));
  const missing = expectedFiles.filter((expected) => {
    const file = fileUnder(root, expected);
    return (
      !seen.has(file) &&
      !ends.has(file) &&
      !(file.startsWith('/') && tailsOf(file).some((tail) => seen.has(tail)))
    );
  });
  if (missing.length === 0) return;
  const named = missing.slice(0, NAMED).join(', ');
  const more = missing.length > NAMED ? ` and ${missing.length - NAMED} more` : '';
  const detail = `${missing.length} of ${expectedFiles.length} expected files are missing from the report: ${named}${more}`;
  yield { code: 'files_missing', detail };
}

function tailsOf(file: string): string[] {
  const parts = file
    .split('/')
    .filter((part) => part !== '')
    .slice(-30);
  return parts.map((_, at) => parts.slice(at).join('/'));
}

function* consoleErrors(
  { consoleTail }: Execution,
  { head, totals }: Report,
): Generator<HarnessError> {
  if (consoleTail === null || consoleTail === undefined) return;
  if (head.tool === WHOLE_COMMAND_TOOL) return;
  const tail = consoleTail.slice(-8192);
  const [, ran] = /^Ran (\d{1,9}) tests? across \d{1,9} files?\./m.exec(tail) ?? [];
  if (ran === undefined) return;
  const [, errors] = /^\s*(\d{1,9}) errors?\s*$/m.exec(tail) ?? [];
  if (errors !== undefined && Number(errors) > 0) {
    const detail = `the console reports ${errors} errors outside of tests`;
    yield { code: 'console_disagrees', detail };
  } else if (Number(ran) > totals.tests) {
    const detail = `the console reports ${ran} tests, the report holds ${totals.tests}`;
    yield { code: 'console_disagrees', detail };
  }
}
