// What the state of a project is made of, as it stands in the tables: traces, justifications,
// verdicts, open issues.
import { setImmediate } from 'node:timers/promises';
import { and, asc, eq, gt, isNull, notInArray, sql } from 'drizzle-orm';
import type { Db } from '../store/database.ts';
import {
  justifications,
  traces,
  type ValidationRow,
  validations,
} from '../store/tables/assurance.ts';
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

/** The verdicts of a project. */
export interface Verdicts {
  /** By story, the oldest first. */
  of: ReadonlyMap<string, readonly ValidationRow[]>;
  /** Counts up with every verdict. */
  clock: number;
}

const NO_VERDICTS: Verdicts = { of: new Map(), clock: 0 };
const VERDICTS_A_TURN = 2000;

/**
 * The verdicts of a project. None is ever changed or taken away, so that only new ones are read.
 *
 * @param known - what was read before
 */
export async function loadValidations(
  db: Db,
  projectId: string,
  known: Verdicts = NO_VERDICTS,
): Promise<Verdicts> {
  let { clock } = known;
  let of: Map<string, ValidationRow[]> | undefined;
  const fresh = new Set<string>();
  for (;;) {
    const rows = await db
      .select()
      .from(validations)
      .where(and(eq(validations.projectId, projectId), gt(validations.seq, clock)))
      .orderBy(asc(validations.seq))
      .limit(VERDICTS_A_TURN);
    if (rows.length > 0) of ??= new Map(known.of as Map<string, ValidationRow[]>);
    for (const row of rows) {
      // A list that was read before is somebody else's.
      if (fresh.has(row.storyId)) of?.get(row.storyId)?.push(row);
      else of?.set(row.storyId, [...(known.of.get(row.storyId) ?? []), row]);
      fresh.add(row.storyId);
    }
    clock = rows.at(-1)?.seq ?? clock;
    if (rows.length < VERDICTS_A_TURN) return of ? { of, clock } : known;
    await setImmediate();
  }
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
