// What a handoff reads from the tables: commands, runs, plans, issues.
import { and, count, desc, eq, inArray, isNull, ne, notInArray, sql } from 'drizzle-orm';
import { timestamp } from '../../clock.ts';
import { quarantineOf, stateOf } from '../../quality/commands/model.ts';
import { runTime } from '../../quality/runs/test-runs.ts';
import type { Db } from '../../store/database.ts';
import { planItems, plans } from '../../store/tables/agents.ts';
import { type IssueRow, issues } from '../../store/tables/evidence.ts';
import {
  type CommandStatsRow,
  commandStats,
  testCommands,
  testRuns,
} from '../../store/tables/quality.ts';
import {
  type Excerpt,
  type Handoff,
  type HandoffBlocker,
  type HandoffCommand,
  type HandoffPlan,
  type HandoffRun,
  SHOWN,
} from './model.ts';

const OVER = ['resolved', 'verified', 'closed'];

/** Commands that are not archived, by their keys. */
export async function readCommands(
  db: Db,
  projectId: string,
  now: number,
): Promise<Excerpt<HandoffCommand>> {
  const wanted = and(eq(testCommands.projectId, projectId), ne(testCommands.state, 'archived'));
  const [{ total } = { total: 0 }] = await db
    .select({ total: count() })
    .from(testCommands)
    .where(wanted);
  const rows = await db
    .select({ command: testCommands, stats: commandStats })
    .from(testCommands)
    .leftJoin(commandStats, eq(commandStats.commandId, testCommands.id))
    .where(wanted)
    .orderBy(testCommands.key)
    .limit(SHOWN.commands);
  const items = rows.map(({ command, stats }): HandoffCommand => {
    const list = (text: string) => JSON.parse(text) as string[];
    const quarantine = quarantineOf(command);
    return {
      ...{ id: command.id, key: command.key, name: command.name, kind: command.kind },
      argv: list(command.argv),
      cwd: command.cwd,
      env: Object.keys(JSON.parse(command.env) as object).sort(),
      credentials: list(command.credentials),
      timeoutMs: command.timeoutMs,
      report: JSON.parse(command.report) as HandoffCommand['report'],
      storyIds: list(command.storyIds),
      routes: list(command.routes),
      tags: list(command.tags),
      state: stateOf(command, now),
      quarantine: quarantine && { ...quarantine, until: timestamp(quarantine.until) },
      lastRun: lastRun(stats),
    };
  });
  return { total, items };
}

function lastRun(stats: CommandStatsRow | null): HandoffCommand['lastRun'] {
  return stats && { id: stats.lastRunId, status: stats.lastStatus, at: timestamp(stats.lastAt) };
}

/** The newest runs that count, and how many runs there are. */
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
    .where(and(eq(testRuns.projectId, projectId), eq(testRuns.counts, 1)))
    .orderBy(desc(testRuns.seq))
    .limit(SHOWN.runs);
  const items = rows.map((row): HandoffRun => {
    const { id, name, status, commandId, commitId: commit, branch } = row;
    const totals = JSON.parse(row.totals) as Record<string, number>;
    const harnessErrors = JSON.parse(row.harnessErrors) as HandoffRun['harnessErrors'];
    const at = timestamp(runTime(row));
    return { id, name, status, commandId, commit, branch, at, totals, harnessErrors };
  });
  return { total, items };
}

/** Plans looked at, the newest: those of before are taken to be over. */
const PLANS_LOOKED_AT = 20;

/** Plans with items that are not ended, the newest first, with how far they are. */
export async function readPlans(db: Db, projectId: string): Promise<HandoffPlan[]> {
  const newest = await db
    .select({ id: plans.id, revision: plans.revision, origin: plans.origin })
    .from(plans)
    .where(eq(plans.projectId, projectId))
    .orderBy(desc(plans.seq))
    .limit(PLANS_LOOKED_AT);
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

/** Issues by their status, duplicates apart. */
export async function countIssues(db: Db, projectId: string): Promise<Record<string, number>> {
  const rows = await db
    .select({ status: issues.status, total: count() })
    .from(issues)
    .where(and(eq(issues.projectId, projectId), isNull(issues.duplicateOf)))
    .groupBy(issues.status);
  return Object.fromEntries(rows.map(({ status, total }) => [status, total]));
}

/** What a web page filed blocks nothing, and is quoted nowhere, until somebody has looked at it. */
const isReported = and(eq(issues.fromWidget, 1), eq(issues.status, 'open'));

/** Blockers that are not over. */
function isBlocking(projectId: string) {
  return and(
    sql`not ${isReported}`,
    eq(issues.projectId, projectId),
    eq(issues.severity, 'blocker'),
    isNull(issues.duplicateOf),
    notInArray(issues.status, OVER),
  );
}

/** An issue that is filed as a blocker, and that nobody has looked at. */
export type UntriagedBlocker = Pick<IssueRow, 'id' | 'number' | 'version'>;

/** The oldest of them, if there is one. */
export async function readUntriaged(db: Db, projectId: string): Promise<UntriagedBlocker | null> {
  const { id, number, version } = issues;
  const [row] = await db
    .select({ id, number, version })
    .from(issues)
    .where(and(isBlocking(projectId), eq(issues.status, 'open')))
    .orderBy(issues.number)
    .limit(1);
  return row ?? null;
}

/** How many reports of web pages wait to be looked at, and the numbers of the oldest. */
export async function readReported(db: Db, projectId: string): Promise<Handoff['reported']> {
  const wanted = and(eq(issues.projectId, projectId), isNull(issues.duplicateOf), isReported);
  const [{ total } = { total: 0 }] = await db.select({ total: count() }).from(issues).where(wanted);
  const rows = await db
    .select({ number: issues.number })
    .from(issues)
    .where(wanted)
    .orderBy(issues.number)
    .limit(SHOWN.reported);
  return { total, numbers: rows.map(({ number }) => number) };
}

/** Open issues of severity blocker, the oldest first. */
export async function readBlockers(db: Db, projectId: string): Promise<Excerpt<HandoffBlocker>> {
  const wanted = isBlocking(projectId);
  const [{ total } = { total: 0 }] = await db.select({ total: count() }).from(issues).where(wanted);
  const rows = await db
    .select()
    .from(issues)
    .where(wanted)
    .orderBy(issues.number)
    .limit(SHOWN.blockers);
  const items = rows.map(({ id, number, title, status, storyIds, fromWidget }) => ({
    ...{ id, number, title, status, untrusted: fromWidget === 1 },
    storyIds: JSON.parse(storyIds) as string[],
  }));
  return { total, items };
}
