// Test runs: finding them, and how they are shown.
import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import { optionalTimestamp, timestamp } from '../../clock.ts';
import { notFound } from '../../errors.ts';
import { attachmentView } from '../../evidence/issues/view.ts';
import { prepared } from '../../store/client/prepared.ts';
import type { Db } from '../../store/database.ts';
import { type AttachmentRow, attachments } from '../../store/tables/evidence.ts';
import { type TestRunRow, testRuns } from '../../store/tables/quality.ts';
import { withTimesInUtc } from './fields.ts';
import type { RunStatus } from './verdict.ts';

export const RUN_STATUSES = ['passed', 'failed', 'broken'] as const satisfies readonly RunStatus[];

const byId = prepared((db) =>
  db
    .select()
    .from(testRuns)
    .where(eq(testRuns.id, sql.placeholder('id')))
    .prepare(),
);

/** @throws Problem `not_found`, for another project's run too */
export async function getTestRun(db: Db, projectId: string, id: string): Promise<TestRunRow> {
  const [row] = await byId(db).all({ id });
  if (!row || row.projectId !== projectId) throw notFound('test run');
  return row;
}

/** The run of a project with this `externalId`, if there is one. */
export async function findRunByExternalId(
  db: Db,
  projectId: string,
  externalId: string,
): Promise<TestRunRow | undefined> {
  const [row] = await db
    .select()
    .from(testRuns)
    .where(and(eq(testRuns.projectId, projectId), eq(testRuns.externalId, externalId)));
  return row;
}

/** Attachments of some runs, in the order in which they came. */
export async function attachmentsOfRuns(
  db: Db,
  runIds: readonly string[],
): Promise<AttachmentRow[]> {
  if (runIds.length === 0) return [];
  return db
    .select()
    .from(attachments)
    .where(inArray(attachments.runId, [...runIds]))
    .orderBy(asc(attachments.seq));
}

export function runAttachmentView(row: AttachmentRow, url: string) {
  const { issueId: _, ...view } = attachmentView(row, url);
  return { ...view, runId: row.runId };
}
export type RunAttachment = ReturnType<typeof runAttachmentView>;

/** When a run was, in milliseconds since the epoch: its end, else its start, else its arrival. */
export function runTime({
  finishedAt,
  startedAt,
  createdAt,
}: Pick<TestRunRow, 'finishedAt' | 'startedAt' | 'createdAt'>): number {
  return finishedAt ?? startedAt ?? createdAt;
}

export function runSummary(row: TestRunRow, attached: RunAttachment[]) {
  return {
    id: row.id,
    externalId: row.externalId,
    name: row.name,
    planId: row.planId,
    suiteId: row.suiteId,
    commandId: row.commandId,
    attempt: row.attempt,
    agent: row.agent,
    status: row.status as RunStatus,
    late: row.late,
    counts: row.counts,
    startedAt: optionalTimestamp(row.startedAt),
    finishedAt: optionalTimestamp(row.finishedAt),
    durationMs: row.durationMs,
    commit: row.commitId,
    branch: row.branch,
    environment: row.environment,
    revision: row.revision,
    totals: row.totals,
    harnessErrors: row.harnessErrors,
    format: row.format,
    tool: row.tool,
    author: { tokenId: row.authorToken, label: row.authorLabel },
    version: row.version,
    createdAt: timestamp(row.createdAt),
    attachments: attached,
  };
}

export function runView(row: TestRunRow, attached: RunAttachment[]) {
  return {
    ...runSummary(row, attached),
    // Rows of earlier executables hold times as they were sent.
    execution: row.execution === null ? null : withTimesInUtc(row.execution),
    properties: row.properties,
  };
}
