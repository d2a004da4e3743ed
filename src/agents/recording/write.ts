// The write by which a run comes to be, with its pins and attachments, what is learned of its command,
// and the end of the run that was claimed. From then on its results are seen.
import { and, desc, eq, sql } from 'drizzle-orm';
import type { Actor } from '../../access/caller.ts';
import { invalid, Problem } from '../../errors.ts';
import { type AttachedFile, attachToRun, requireQuota } from '../../evidence/attachments/rows.ts';
import { maskBody } from '../../masking/body.ts';
import { invalidFields } from '../../model/validate.ts';
import { type CommandReport, commandFingerprint } from '../../quality/commands/model.ts';
import { learnFromRun } from '../../quality/commands/rows.ts';
import { emptyHead, type ReportHead, type ReportProblem } from '../../quality/reports/model.ts';
import type { ReportSummary } from '../../quality/reports/read.ts';
import { readTime, rfc3339 } from '../../quality/reports/values.ts';
import { executionOf, RunFields } from '../../quality/runs/fields.ts';
import type { PinnedState, Pins } from '../../quality/runs/pins.ts';
import { attachmentsOfRuns, runTime } from '../../quality/runs/runs.ts';
import { type Execution, judgeRun } from '../../quality/runs/verdict.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import type { AttachmentRow } from '../../store/tables/evidence.ts';
import type { ClaimedItem } from '../../store/tables/json.ts';
import { runPins, type TestRunRow, testRuns } from '../../store/tables/quality.ts';
import { endRun } from '../runs/end.ts';
import { type Claim, claimForReport } from '../runs/write.ts';
import type { ReceivedReport } from './receive.ts';
import type { RunContext } from './record.ts';

export interface Submitted {
  projectId: string;
  externalId: string | null;
  claim: Claim | undefined;
  bodySha256: string;
}

export interface ReadyRun extends Submitted {
  batch: number;
  row: NewRun;
  flaky: boolean;
  pins: Pins;
  /** The state of the requirements that it is a run of, beside the revision. */
  requirements: Pick<PinnedState, 'overlayClock' | 'profile'>;
  files: readonly AttachedFile[];
  quotaBytes: number | null;
  actor: Actor;
  now: number;
}

export interface WrittenRun {
  row: TestRunRow;
  attached: AttachmentRow[];
  /** The run was there before: nothing was written. */
  replayed: boolean;
}

/** Writes a run; or finds it, where the same submission made it before. */
export async function writeRun(db: Db, ready: ReadyRun): Promise<WrittenRun> {
  const { projectId, batch, claim, actor, now, bodySha256, files } = ready;
  const before = await findSubmitted(db, ready);
  if (before) return before;
  const claimed = claim && (await claimForReport(db, claim, now));
  const late = claimed?.late ?? false;
  const counts = !late && !claimed?.run.fromWidget;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > 0) await requireQuota(db, projectId, ready.quotaBytes, bytes);
  const isReported = claimed && (await runById(db, claimed.run.id)) !== undefined;
  const [row] = await db
    .insert(testRuns)
    .values({
      ...ready.row,
      projectId,
      batch,
      bodySha256,
      late,
      counts,
      id: claimed && !isReported ? claimed.run.id : newId('run'),
      ordinal: counts ? (await lastOrdinal(db, projectId)) + 1 : null,
      authorToken: actor.tokenId,
      authorLabel: actor.label,
      createdAt: now,
    })
    .returning();
  if (!row) throw new Error('the run was not inserted');
  const pins = JSON.stringify(ready.pins);
  await db.insert(runPins).values({ batch, ...ready.requirements, pins });
  const attached = await attachToRun(db, { projectId, runId: row.id }, files, actor, now);
  if (claimed && !late) await endRun(db, claimed, ready.row.status, now);
  if (counts) await learn(db, row, ready.flaky);
  return { row, attached, replayed: false };
}

/**
 * The run that the same submission made before, if there is one: by its external id, or under the
 * same claim.
 */
export async function findSubmitted(
  db: Db,
  { projectId, externalId, claim, bodySha256 }: Submitted,
): Promise<WrittenRun | undefined> {
  const named = externalId === null ? undefined : eq(testRuns.externalId, externalId);
  const [known] = named
    ? await db
        .select()
        .from(testRuns)
        .where(and(eq(testRuns.projectId, projectId), named))
    : [];
  if (known && known.bodySha256 !== bodySha256)
    throw new Problem('conflict', 'Another run with this externalId was recorded before.', {
      errors: [{ pointer: '/externalId', detail: `is that of ${known.id}` }],
    });
  const reported = known ?? (claim && (await runById(db, claim.runId)));
  if (reported?.projectId !== projectId || reported.bodySha256 !== bodySha256) return undefined;
  const attached = await attachmentsOfRuns(db, [reported.id]);
  return { row: reported, attached, replayed: true };
}

async function runById(db: Db, id: string): Promise<TestRunRow | undefined> {
  const [row] = await db.select().from(testRuns).where(eq(testRuns.id, id));
  return row;
}

async function lastOrdinal(db: Db, projectId: string): Promise<number> {
  const [last] = await db
    .select({ ordinal: testRuns.ordinal })
    .from(testRuns)
    .where(and(eq(testRuns.projectId, projectId), sql`${testRuns.counts} = 1`))
    .orderBy(desc(testRuns.seq))
    .limit(1);
  return last?.ordinal ?? 0;
}

async function learn(db: Db, row: TestRunRow, flaky: boolean): Promise<void> {
  const { projectId, commandId, commandFingerprint, batch, ordinal, durationMs } = row;
  if (commandId === null || commandFingerprint === null || ordinal === null) return;
  await learnFromRun(db, {
    projectId,
    commandId,
    lastBatch: batch,
    lastOrdinal: ordinal,
    lastDurationMs: durationMs,
    lastRunId: row.id,
    lastStatus: row.status,
    lastAt: runTime(row),
    flaky: flaky || (await wentOtherwise(db, row)),
    lastFingerprint: commandFingerprint,
  });
}

const COMPARED = 20;

/** Whether the same command went the other way before, at the same commit in the same place. */
async function wentOtherwise(db: Db, row: TestRunRow): Promise<boolean> {
  if (row.commitId === null || row.status === 'broken') return false;
  const other = row.status === 'passed' ? 'failed' : 'passed';
  const earlier = await db.values(sql`
    select 1 from (
      select counts, status, command_fingerprint, commit_id, environment from test_runs
      where command_id = ${row.commandId} order by seq desc limit ${COMPARED})
    where counts = 1 and status = ${other} and command_fingerprint = ${row.commandFingerprint}
      and commit_id = ${row.commitId} and environment is ${row.environment}
    limit 1`);
  return earlier.length > 0;
}

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
