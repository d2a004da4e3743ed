// What is written of a run, made of what was said of it, of its report, and of its claim.
import { type CommandReport, commandFingerprint } from '../../quality/commands/model.ts';
import { readTime } from '../../quality/reports/figures.ts';
import { emptyHead, type ReportHead } from '../../quality/reports/model.ts';
import { executionOf, withTimesInUtc } from '../../quality/runs/fields.ts';
import type { MaskText } from '../../quality/runs/rows.ts';
import type { RunAgent } from '../../quality/runs/test-runs.ts';
import { type Execution, judgeRun, type RunStatus } from '../../quality/runs/verdict.ts';
import type { testRuns } from '../../store/tables/quality.ts';
import type { ClaimedItem } from '../runs/view.ts';
import type { RunContext } from './claim.ts';
import type { ReadRows } from './rows.ts';

/** A run before it has its place among the others. */
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

/** Of the files that were expected, so many are kept with the run. */
const EXPECTED_KEPT = 1000;

/**
 * Judges a run and makes its row.
 *
 * @param report - null where the run left none
 * @param sha256 - of the report as it came
 * @param mask - takes out of each text what must not be stored
 */
export function newRun(
  { fields, state, item, command, pinned }: RunContext,
  report: ReadRows | null,
  sha256: string | null,
  mask: MaskText,
): NewRun & { flaky: boolean } {
  const head = report?.head ?? emptyHead();
  const execution = executionOf(fields);
  const { status, harnessErrors, totals } = judgeRun({
    report: report && { ...report, files: filesOf(report) },
    ...{ sha256, execution },
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
    agent: agentOf(fields.agent ?? (state?.agent ? JSON.parse(state.agent) : null), mask),
    ...timesOf(execution, head),
    commitId: text(fields.commit) ?? head.commit,
    branch: text(fields.branch) ?? head.branch,
    environment: text(fields.environment) ?? head.environment,
    revision: pinned.revision,
    totals: JSON.stringify(totals),
    harnessErrors: JSON.stringify(
      harnessErrors.map(({ code, detail }) => ({ code, detail: mask(detail) })),
    ),
    format: report?.format ?? null,
    tool: head.tool,
    execution: fields.execution ? JSON.stringify(kept(fields.execution, mask)) : null,
    properties: JSON.stringify(head.properties),
  };
}

function filesOf({ files }: ReadRows): ReadonlySet<string> {
  return new Set(files === '' ? [] : files.split('\0'));
}

/** The fingerprint of a command as it was claimed: it may have been changed since. */
function claimedFingerprint(item: ClaimedItem | null): string | undefined {
  const { kind, argv, cwd, report } = item ?? {};
  if (kind === undefined || argv === undefined || report === undefined) return undefined;
  return commandFingerprint({ kind, argv, cwd: cwd ?? null, report: report as CommandReport });
}

function agentOf(
  agent: { name: string; version?: string | null } | null | undefined,
  mask: MaskText,
): string | null {
  if (!agent) return null;
  const { name, version } = agent;
  const masked: RunAgent = { name: mask(name), version: version ? mask(version) : null };
  return JSON.stringify(masked);
}

/** The times of the process, else those of the report. */
function timesOf(execution: Execution | null, head: ReportHead) {
  const startedAt = readTime(execution?.startedAt ?? head.startedAt)?.ms ?? null;
  const finishedAt = readTime(execution?.finishedAt ?? head.finishedAt)?.ms ?? null;
  const between = startedAt === null || finishedAt === null ? -1 : finishedAt - startedAt;
  return { startedAt, finishedAt, durationMs: between < 0 ? head.durationMs : between };
}

function kept(execution: Execution, mask: MaskText): Execution {
  const { signal, expectedFiles, consoleTail } = execution;
  return {
    ...withTimesInUtc(execution),
    ...(signal ? { signal: mask(signal) } : {}),
    ...(expectedFiles ? { expectedFiles: expectedFiles.slice(0, EXPECTED_KEPT).map(mask) } : {}),
    ...(consoleTail ? { consoleTail: mask(consoleTail) } : {}),
  };
}
