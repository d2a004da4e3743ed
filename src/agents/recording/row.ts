// The row of a run, made of what was said of it, of its report, and of its claim.
import { invalid, Problem } from '../../errors.ts';
import { maskBody } from '../../masking/body.ts';
import { invalidFields } from '../../model/validate.ts';
import { type CommandReport, commandFingerprint } from '../../quality/commands/model.ts';
import { emptyHead, type ReportHead, type ReportProblem } from '../../quality/reports/model.ts';
import type { ReportSummary } from '../../quality/reports/read.ts';
import { readTime, rfc3339 } from '../../quality/reports/values.ts';
import { executionOf, RunFields } from '../../quality/runs/fields.ts';
import { type Execution, judgeRun } from '../../quality/runs/verdict.ts';
import type { ClaimedItem } from '../../store/tables/json.ts';
import type { RunContext } from './context.ts';
import type { ReceivedReport } from './receive.ts';

const MAX_EXPECTED = 1000;

export type NewRun = ReturnType<typeof newRun>['row'];

/**
 * Judges a run and makes its row.
 * @param report - null where the run left none
 * @param sha256 - of the report as it came
 */
export function newRun(
  { fields, state, command, pinned, lent }: RunContext,
  report: ReportSummary | null,
  sha256: string | null,
) {
  const mask = lent?.mask?.text ?? ((text: string) => text);
  const said = lent?.mask ? (maskBody(fields, [RunFields], mask) as RunFields) : fields;
  const head = report?.head ?? emptyHead();
  const item = state?.item ?? null;
  const { root } = fields;
  const { status, harnessErrors, totals } = judgeRun({
    report,
    sha256,
    execution: executionOf(fields),
    ...(typeof root === 'string' ? { root } : {}),
  });
  const agent = said.agent ?? state?.agent ?? null;
  const row = {
    status,
    externalId: said.externalId || head.reportId,
    name: said.name || head.name || mask(item?.name ?? command?.name ?? 'Test run'),
    planId: state?.planId ?? null,
    suiteId: state?.suiteId ?? null,
    commandId: command?.id ?? null,
    commandFingerprint: command ? (claimedFingerprint(item) ?? command.fingerprint) : null,
    attempt: state?.attempt ?? null,
    agent: agent && {
      name: mask(agent.name),
      version: agent.version ? mask(agent.version) : null,
    },
    ...timesOf(executionOf(fields), head),
    commitId: said.commit || head.commit,
    branch: said.branch || head.branch,
    environment: said.environment || head.environment,
    revision: pinned.revision,
    totals,
    harnessErrors: harnessErrors.map(({ code, detail }) => ({ code, detail: mask(detail) })),
    format: report?.format ?? null,
    tool: head.tool,
    execution: said.execution ? storedExecution(said.execution) : null,
    properties: head.properties,
  };
  return { row, flaky: totals.flaky > 0 };
}

function claimedFingerprint(item: ClaimedItem | null): string | undefined {
  const { kind, argv, cwd, report } = item ?? {};
  if (kind === undefined || argv === undefined || report === undefined) return undefined;
  return commandFingerprint({ kind, argv, cwd: cwd ?? null, report: report as CommandReport });
}

function timesOf(execution: Execution | null, head: ReportHead) {
  const startedAt = readTime(execution?.startedAt ?? head.startedAt)?.ms ?? null;
  const finishedAt = readTime(execution?.finishedAt ?? head.finishedAt)?.ms ?? null;
  const between = startedAt === null || finishedAt === null ? -1 : finishedAt - startedAt;
  return { startedAt, finishedAt, durationMs: between < 0 ? head.durationMs : between };
}

function storedExecution(execution: Execution): Execution {
  const stored = { ...execution };
  for (const name of ['startedAt', 'finishedAt', 'reportModifiedAt'] as const) {
    if (stored[name] === undefined) continue;
    const time = readTime(stored[name]);
    stored[name] = time && rfc3339(time.ms);
  }
  const { expectedFiles } = stored;
  return expectedFiles
    ? { ...stored, expectedFiles: expectedFiles.slice(0, MAX_EXPECTED) }
    : stored;
}

/**
 * The report of a submission; null where it has none, but says how the run went. No report at all,
 * and one of ours with a wrong field, is no submission; one that is cut off or not well-formed is
 * one, and its run is broken.
 * @param read - what reading it gave; null for a form without one
 */
export function requireReport(
  { report, form }: { report: ReceivedReport | undefined; form: object | undefined },
  { fields, claim }: Pick<RunContext, 'fields' | 'claim'>,
  read: ReportSummary | null,
): ReportSummary | null {
  const executed = Boolean(fields.execution);
  if (read === null || report === undefined) {
    if (executed) return null;
    throw invalid('/report', 'is required where nothing is said of the execution');
  }
  const isOurs = read.format === 'pqrs';
  const codes = new Set(read.problems.map(({ code }) => code));
  const isCut = codes.has('cut_off') || codes.has('not_well_formed');
  const wrong = read.problems.filter(({ code }) => code === 'invalid_field');
  if (isOurs && !isCut && wrong.length > 0) {
    if (executed && wrong.length === 1 && isWithoutResults(wrong[0])) return null;
    throw invalidFields(wrong.map(({ pointer, detail }) => ({ pointer: pointer ?? '', detail })));
  }
  const isNone = isBlank(report.content) || codes.has('not_a_report') || (isOurs && isCut);
  if (!isNone || read.totals.tests > 0 || executed || claim) return read;
  if (!form && report.mediaType?.endsWith('json') && !codes.has('not_a_report'))
    throw new Problem('malformed_body', 'The body is not JSON.');
  const why = read.problems[0]?.detail ?? 'it is empty';
  throw invalid(form ? '/report' : '', `is no report: ${why}`);
}

function isBlank(content: Uint8Array | string): boolean {
  return typeof content !== 'string' && !/\S/.test(Buffer.from(content).toString('latin1'));
}

export function isWithoutResults(problem: Pick<ReportProblem, 'pointer' | 'detail'> | undefined) {
  return problem?.pointer === '/results' && problem.detail === 'is required';
}
