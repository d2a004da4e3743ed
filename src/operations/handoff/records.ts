// What a handoff reads of runs, plans and issues.
import { and, count, desc, eq, inArray, isNull, notInArray, type SQL, sql } from 'drizzle-orm';
import { timestamp } from '../../clock.ts';
import { runTime } from '../../quality/runs/test-runs.ts';
import type { Db } from '../../store/database.ts';
import { planItems, plans } from '../../store/tables/agents.ts';
import { type IssueRow, issues } from '../../store/tables/evidence.ts';
import { testRuns } from '../../store/tables/quality.ts';
import {
  type Excerpt,
  type Handoff,
  type HandoffBlocker,
  type HandoffPlan,
  type HandoffRun,
  SHOWN,
} from './model.ts';

const OVER = ['resolved', 'verified', 'closed'];

export async function readRuns(
  db: Db,
  projectId: string,
): Promise<{ total: number; items: HandoffRun[] }> {
  const [{ total } = { total: 0 }] = await db
    .select({ total: count() })
    .from(testRuns)
    .where(eq(testRuns.projectId, projectId));
  const rows = await db
    .select()
    .from(testRuns)
    .where(and(eq(testRuns.projectId, projectId), eq(testRuns.counts, true)))
    .orderBy(desc(testRuns.seq))
    .limit(SHOWN.runs);
  const items = rows.map((row): HandoffRun => {
    const { id, name, status, commandId, commitId: commit, branch, harnessErrors } = row;
    const totals = { ...row.totals };
    const at = timestamp(runTime(row));
    return { id, name, status, commandId, commit, branch, at, totals, harnessErrors };
  });
  return { total, items };
}

const MAX_PLANS = 20;

/** Plans with items that are not ended, the newest first, with how far they are. */
export async function readPlans(db: Db, projectId: string): Promise<HandoffPlan[]> {
  const newest = await db
    .select({ id: plans.id, revision: plans.revision, origin: plans.origin })
    .from(plans)
    .where(eq(plans.projectId, projectId))
    .orderBy(desc(plans.seq))
    .limit(MAX_PLANS);
  if (newest.length === 0) return [];
  const ids = newest.map(({ id }) => id);
  const counts = await db
    .select({ planId: planItems.planId, state: planItems.state, items: count() })
    .from(planItems)
    .where(inArray(planItems.planId, ids))
    .groupBy(planItems.planId, planItems.state);
  return newest
    .map((plan) => {
      const of = (state: string) =>
        counts.find((one) => one.planId === plan.id && one.state === state)?.items ?? 0;
      return { ...plan, open: of('open'), claimed: of('claimed'), ended: of('ended') };
    })
    .filter(({ open, claimed }) => open + claimed > 0)
    .slice(0, SHOWN.plans);
}

export async function countIssues(db: Db, projectId: string): Promise<Record<string, number>> {
  const rows = await db
    .select({ status: issues.status, total: count() })
    .from(issues)
    .where(and(eq(issues.projectId, projectId), isNull(issues.duplicateOf)))
    .groupBy(issues.status);
  return Object.fromEntries(rows.map(({ status, total }) => [status, total]));
}

const isReported = and(eq(issues.fromWidget, true), eq(issues.status, 'open'));

export type UntriagedBlocker = Pick<IssueRow, 'id' | 'number' | 'version'>;

export async function readBlockers(
  db: Db,
  projectId: string,
): Promise<{ blockers: Excerpt<HandoffBlocker>; untriaged: UntriagedBlocker | null }> {
  const isBlocking = and(
    sql`not ${isReported}`,
    eq(issues.projectId, projectId),
    eq(issues.severity, 'blocker'),
    isNull(issues.duplicateOf),
    notInArray(issues.status, OVER),
  );
  const { total, rows } = await oldest(db, isBlocking, SHOWN.blockers);
  const { rows: untriaged } = await oldest(db, and(isBlocking, eq(issues.status, 'open')), 1);
  const items = rows.map((row) => ({
    id: row.id,
    number: row.number,
    title: row.title,
    status: row.status,
    storyIds: row.storyIds,
    untrusted: row.fromWidget,
  }));
  return { blockers: { total, items }, untriaged: untriaged[0] ?? null };
}

export async function readReported(db: Db, projectId: string): Promise<Handoff['reported']> {
  const wanted = and(eq(issues.projectId, projectId), isNull(issues.duplicateOf), isReported);
  const { total, rows } = await oldest(db, wanted, SHOWN.reported);
  return { total, numbers: rows.map(({ number }) => number) };
}

async function oldest(
  db: Db,
  wanted: SQL | undefined,
  limit: number,
): Promise<{ total: number; rows: IssueRow[] }> {
  const [{ total } = { total: 0 }] = await db.select({ total: count() }).from(issues).where(wanted);
  const rows = await db.select().from(issues).where(wanted).orderBy(issues.number).limit(limit);
  return { total, rows };
}
