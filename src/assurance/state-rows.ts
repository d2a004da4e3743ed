// What the state of a project is made of, as it stands in the tables: traces, justifications,
// verdicts, open issues.
import { and, asc, eq, isNull, notInArray, sql } from 'drizzle-orm';
import type { Db } from '../store/database.ts';
import { justifications, traces, validations } from '../store/tables/assurance.ts';
import { issueStories, issues } from '../store/tables/evidence.ts';

/** An issue that is open and names a story. */
export interface OpenIssue {
  id: string;
  number: number;
  title: string;
  severity: string;
  status: string;
  storyId: string;
}

/** The links and justifications of a project, the oldest first. */
export async function loadTraces(db: Db, projectId: string) {
  const rows = await db
    .select()
    .from(traces)
    .where(eq(traces.projectId, projectId))
    .orderBy(asc(traces.seq));
  const reasons = await db
    .select()
    .from(justifications)
    .where(eq(justifications.projectId, projectId))
    .orderBy(asc(justifications.seq));
  return {
    traces: rows,
    tracesOf: Map.groupBy(rows, ({ storyId }) => storyId),
    justificationsOf: Map.groupBy(reasons, ({ storyId }) => storyId),
  };
}

/** The verdicts of a project by story, the oldest first. */
export async function loadValidations(db: Db, projectId: string) {
  const rows = await db
    .select()
    .from(validations)
    .where(eq(validations.projectId, projectId))
    .orderBy(asc(validations.seq));
  return { of: Map.groupBy(rows, ({ storyId }) => storyId), clock: rows.at(-1)?.seq ?? 0 };
}

/** The open issues of a project by the stories that they name. */
export async function loadIssues(db: Db, projectId: string) {
  const rows = await db
    .select({
      id: issues.id,
      number: issues.number,
      title: issues.title,
      severity: issues.severity,
      status: issues.status,
      storyId: issueStories.storyId,
    })
    .from(issueStories)
    .innerJoin(issues, eq(issues.id, issueStories.issueId))
    .where(
      and(
        eq(issueStories.projectId, projectId),
        isNull(issues.duplicateOf),
        notInArray(issues.status, ['resolved', 'verified', 'closed']),
      ),
    )
    .orderBy(sql`${issues.seq}`);
  return Map.groupBy(rows as OpenIssue[], ({ storyId }) => storyId);
}
