// What a handoff reads of commands, runs, plans and issues.
import { and, desc, eq, inArray, ne, type SQL, sql } from 'drizzle-orm';
import { timestamp } from '../../clock.ts';
import { countIssues } from '../../evidence/issues/counts.ts';
import { issueSummary } from '../../evidence/issues/rows.ts';
import { stateOf } from '../../quality/commands/model.ts';
import { shownBy } from '../../quality/lists.ts';
import { listRunRows, runView } from '../../quality/runs/runs.ts';
import type { Db } from '../../store/database.ts';
import { planItems, plans } from '../../store/tables/agents.ts';
import { issues, REPORTED, URGENT } from '../../store/tables/evidence.ts';
import { commandStats, testCommands, testRuns } from '../../store/tables/quality.ts';
import { Blocker, type Handoff, HandoffCommand, HandoffRun } from './model.ts';

const MAX_RUNS = 10;
const MAX_PLANS = 10;
const MAX_ISSUES = 20;

/** Commands that are not archived, by their keys. */
export async function readCommands(
  db: Db,
  projectId: string,
  now: number,
): Promise<Handoff['commands']['items']> {
  const rows = await db
    .select({ command: testCommands, stats: commandStats })
    .from(testCommands)
    .leftJoin(commandStats, eq(commandStats.commandId, testCommands.id))
    .where(and(eq(testCommands.projectId, projectId), ne(testCommands.state, 'archived')))
    .orderBy(testCommands.key);
  return rows.map(({ command, stats }) =>
    shownBy(HandoffCommand, {
      ...command,
      env: Object.keys(command.env).sort(),
      state: stateOf(command, now),
      quarantine: command.quarantine && {
        ...command.quarantine,
        until: timestamp(command.quarantine.until),
      },
      lastRun: stats && {
        id: stats.lastRunId,
        status: stats.lastStatus,
        at: timestamp(stats.lastAt),
      },
    }),
  );
}

export async function readRuns(db: Db, projectId: string) {
  const rows = await listRunRows(
    db,
    projectId,
    {},
    { behind: undefined, limit: MAX_RUNS, counting: true },
  );
  return {
    total: await db.$count(testRuns, eq(testRuns.projectId, projectId)),
    items: rows.map((row) => runView(HandoffRun, row)),
  };
}

/** Those of the newest plans that have items which are not ended. */
export async function readPlans(db: Db, projectId: string): Promise<Handoff['plans']> {
  const newest = db
    .select({ id: plans.id })
    .from(plans)
    .where(eq(plans.projectId, projectId))
    .orderBy(desc(plans.seq))
    .limit(2 * MAX_PLANS);
  const inState = (state: string) => sql<number>`sum(${planItems.state} = ${state})`;
  const found = await db
    .select({
      id: plans.id,
      revision: plans.revision,
      origin: plans.origin,
      open: inState('open'),
      claimed: inState('claimed'),
      ended: inState('ended'),
    })
    .from(plans)
    .innerJoin(planItems, eq(planItems.planId, plans.id))
    .where(inArray(plans.id, newest))
    .groupBy(plans.seq)
    .orderBy(desc(plans.seq));
  return found.filter(({ open, claimed }) => open + claimed > 0).slice(0, MAX_PLANS);
}

export async function readIssues(db: Db, projectId: string) {
  const { statuses, open } = await countIssues(db, projectId);
  const isReported = and(eq(issues.projectId, projectId), sql.raw(REPORTED));
  const isBlocking = and(
    eq(issues.projectId, projectId),
    sql.raw(URGENT),
    eq(issues.severity, 'blocker'),
    sql`not (${sql.raw(REPORTED)})`,
  );
  const oldest = (wanted: SQL | undefined, limit: number) =>
    db.select().from(issues).where(wanted).orderBy(issues.number).limit(limit);
  const blockers = await oldest(isBlocking, MAX_ISSUES);
  const reported = await oldest(isReported, MAX_ISSUES);
  const [untriaged] = await oldest(and(isBlocking, eq(issues.status, 'open')), 1);
  const reportedBlockers = await db.$count(issues, and(isReported, eq(issues.severity, 'blocker')));
  const counts = Object.entries(statuses).flatMap(([status, { total }]) =>
    total > 0 ? [[status, total]] : [],
  );
  return {
    counts: Object.fromEntries(counts),
    blockers: {
      total: open.blocker - reportedBlockers,
      items: blockers.map((row) => shownBy(Blocker, issueSummary(row))),
    },
    reported: {
      total: await db.$count(issues, isReported),
      numbers: reported.map(({ number }) => number),
    },
    /** The oldest blocker that nobody has looked at. */
    untriaged,
  };
}
