// The row of a run, made of what was said of it, of its report, and of its claim.
import { invalid, Problem } from '../../errors.ts';
import { type CommandReport, commandFingerprint } from '../../quality/commands/model.ts';
import { readTime } from '../../quality/reports/figures.ts';
import { emptyHead, type ReportHead, type ReportProblem } from '../../quality/reports/model.ts';
import { executionOf, withTimesInUtc } from '../../quality/runs/fields.ts';
import type { MaskText } from '../../quality/runs/rows.ts';
import { type Execution, judgeRun, type RunStatus } from '../../quality/runs/verdict.ts';
import type { AgentName, ClaimedItem } from '../../store/tables/json.ts';
import type { testRuns } from '../../store/tables/quality.ts';
import type { RunContext } from './context.ts';
import type { ReadRows } from './reading.ts';
import type { ReceivedReport } from './report.ts';

export interface NewRun
  extends Omit<
    typeof testRuns.$inferInsert,
    | 'seq'
    | 'id'
    | 'projectId'
    | 'batch'
    | 'late'
    | 'counts'
    | 'ordinal'
    | 'bodySha256'
    | 'authorToken'
    | 'authorLabel'
    | 'createdAt'
  > {
  externalId: string | null;
  status: RunStatus;
  startedAt: number | null;
  finishedAt: number | null;
  durationMs: number | null;
  commitId: string | null;
  environment: string | null;
}

const MAX_EXPECTED = 1000;

/**
 * Judges a run and makes its row.
 *
 * @param report - null where the run left none
 * @param sha256 - of the report as it came
 */
export function newRun(
  { fields, state, item, command, pinned, lent }: RunContext,
  report: ReadRows | null,
  sha256: string | null,
): NewRun & { flaky: boolean } {
  const mask = lent?.mask?.text ?? ((text: string) => text);
  const head = report?.head ?? emptyHead();
  const execution = executionOf(fields);
  const { status, harnessErrors, totals } = judgeRun({
    report: report && { ...report, files: filesOf(report) },
    sha256,
    execution,
    ...(typeof fields.root === 'string' ? { root: fields.root } : {}),
  });
  const text = (value: string | null | undefined) => (value ? mask(value) : null);
  return {
    status,
    flaky: totals.flaky > 0,
    externalId: text(fields.externalId) ?? head.reportId,
    name: text(fields.name) ?? head.name ?? text(item?.name ?? command?.name) ?? 'Test run',
    planId: state?.planId ?? null,
    suiteId: state?.suiteId ?? null,
    commandId: command?.id ?? null,
    commandFingerprint: command ? (claimedFingerprint(item) ?? command.fingerprint) : null,
    attempt: state?.attempt ?? null,
    agent: agentOf(fields.agent ?? state?.agent, mask),
    ...timesOf(execution, head),
    commitId: text(fields.commit) ?? head.commit,
    branch: text(fields.branch) ?? head.branch,
    environment: text(fields.environment) ?? head.environment,
    revision: pinned.revision,
    totals,
    harnessErrors: harnessErrors.map(({ code, detail }) => ({ code, detail: mask(detail) })),
    format: report?.format ?? null,
    tool: head.tool,
    execution: fields.execution ? storedExecution(fields.execution, mask) : null,
    properties: head.properties,
  };
}

function filesOf({ files }: ReadRows): ReadonlySet<string> {
  return new Set(files === '' ? [] : files.split('\0'));
}

function claimedFingerprint(item: ClaimedItem | null): string | undefined {
  const { kind, argv, cwd, report } = item ?? {};
  if (kind === undefined || argv === undefined || report === undefined) return undefined;
  return commandFingerprint({ kind, argv, cwd: cwd ?? null, report: report as CommandReport });
}

function agentOf(
  agent: { name: string; version?: string | null } | null | undefined,
  mask: MaskText,
): AgentName | null {
  if (!agent) return null;
  const { name, version } = agent;
  return { name: mask(name), version: version ? mask(version) : null };
}

function timesOf(execution: Execution | null, head: ReportHead) {
  const startedAt = readTime(execution?.startedAt ?? head.startedAt)?.ms ?? null;
  const finishedAt = readTime(execution?.finishedAt ?? head.finishedAt)?.ms ?? null;
  const between = startedAt === null || finishedAt === null ? -1 : finishedAt - startedAt;
  return { startedAt, finishedAt, durationMs: between < 0 ? head.durationMs : between };
}

function storedExecution(execution: Execution, mask: MaskText): Execution {
  const { signal, expectedFiles, consoleTail } = execution;
  return {
    ...withTimesInUtc(execution),
    ...(signal ? { signal: mask(signal) } : {}),
    ...(expectedFiles ? { expectedFiles: expectedFiles.slice(0, MAX_EXPECTED).map(mask) } : {}),
    ...(consoleTail ? { consoleTail: mask(consoleTail) } : {}),
  };
}

/**
 * The report of a submission; null where it has none, but says how the run went. No report at all, and
 * one of ours with a wrong field, is no submission; one that is cut off or not well-formed is one, and
 * its run is broken.
 *
 * @param read - what reading it gave; null for a form without one
 * @throws Problem `invalid`; `malformed_body` for a body that is to be JSON and is not
 */
export function requireReport(
  { report, form }: { report: ReceivedReport | undefined; form: object | undefined },
  { fields, claim }: Pick<RunContext, 'fields' | 'claim'>,
  read: ReadRows | null,
): ReadRows | null {
  const executed = Boolean(fields.execution);
  if (read === null || report === undefined) {
    if (executed) return null;
    throw invalid('/report', 'is required where nothing is said of the execution');
  }
  const errors = read.problems;
  const codes = new Set(errors.map(({ code }) => code));
  const isWhole = !codes.has('cut_off') && !codes.has('not_well_formed');
  if (read.format === 'pqrs' && isWhole) {
    const wrong = errors.filter(({ code }) => code === 'invalid_field');
    if (executed && wrong.length === 1 && isWithoutResults(wrong[0])) return null;
    if (wrong.length > 0) throw wrongFields(wrong);
  }
  const cutToNothing = read.format === 'pqrs' && !isWhole;
  const isNone = isBlank(report.content) || codes.has('not_a_report') || cutToNothing;
  if (!isNone || read.totals.tests > 0 || executed || claim) return read;
  const detail = `is no report: ${errors[0]?.detail ?? 'it is empty'}`;
  if (form) throw invalid('/report', detail);
  if (report.mediaType?.endsWith('json') && !codes.has('not_a_report'))
    throw new Problem('malformed_body', 'The body is not JSON.');
  throw new Problem('invalid', `The body ${detail}.`, { errors: [{ pointer: '', detail }] });
}

function isBlank(content: Uint8Array | string): boolean {
  return typeof content !== 'string' && !/\S/.test(Buffer.from(content).toString('latin1'));
}

export function isWithoutResults(problem: Pick<ReportProblem, 'pointer' | 'detail'> | undefined) {
  return problem?.pointer === '/results' && problem.detail === 'is required';
}

function wrongFields(problems: readonly ReportProblem[]): Problem {
  const errors = problems.map(({ pointer, detail }) => ({ pointer: pointer ?? '', detail }));
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return new Problem('invalid', `${first?.pointer}: ${first?.detail}${more}`, { errors });
}
