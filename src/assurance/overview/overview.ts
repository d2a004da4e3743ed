// The overview of a project, in one answer. What its state says is made once for a state.
import type { Static } from '@sinclair/typebox';
import { and, eq, sql } from 'drizzle-orm';
import { type Caller, isPublic } from '../../access/caller.ts';
import { optionalTimestamp, timestamp } from '../../clock.ts';
import { countIssues, type IssueCounts } from '../../evidence/issues/counts.ts';
import { filterHash } from '../../model/pages.ts';
import type { FlakyTests } from '../../quality/runs/model.ts';
import { listRunRows, runView } from '../../quality/runs/runs.ts';
import { diffGraphs } from '../../requirements/graph/diff.ts';
import { overlaysOf } from '../../requirements/graph/effective.ts';
import type { Graph } from '../../requirements/graph/model.ts';
import { listBaselines } from '../../requirements/projects/baselines.ts';
import { runInSlices } from '../../runtime/scheduler.ts';
import type { Db } from '../../store/database.ts';
import { LAST_BACKUP, readMoment } from '../../store/moments.ts';
import { issues, URGENT } from '../../store/tables/evidence.ts';
import type { BaselineRow } from '../../store/tables/requirements.ts';
import type { Assurance } from '../assurance.ts';
import { countGate } from '../gate/gate.ts';
import { assuranceFindings } from '../overlay/findings.ts';
import type { AssuranceState } from '../state/state.ts';
import { countDispositions } from '../validation/dispositions.ts';
import { transferItems } from '../validation/transfer.ts';
import { attentionTo, storiesInNeed } from './attention.ts';
import { ATTENTION, type Attention, type Changes, type Overview, OverviewRun } from './model.ts';
import { readWork } from './work.ts';

const NEWEST_RUNS = 5;
const WORST_TESTS = 3;

export async function readOverview(
  assurance: Assurance,
  state: AssuranceState,
  caller: Caller,
): Promise<Overview> {
  const db = assurance.database.read;
  const { projectId, revision } = state.effective;
  const { attention, findings, verdicts } = await factsOf(assurance, state);
  const counts = await countIssues(db, projectId);
  const { triaged, in_progress: inProgress } = counts.statuses;
  const fit = await countGate(assurance, state, triaged.blocker + inProgress.blocker);
  const urgent = await readUrgent(db, projectId, counts);
  const newest = { behind: undefined, limit: NEWEST_RUNS, counting: true };
  const runs = await listRunRows(db, projectId, {}, newest);
  const { agents, queued, running } = await readWork(db, projectId);
  const baselines = await listBaselines(db, projectId);
  const backup = isPublic(caller) ? null : ((await readMoment(db, LAST_BACKUP)) ?? undefined);
  const needed = [
    ...attention,
    ...urgent,
    ...(backup === undefined ? attentionTo('no_backup', '/api/ready', [], { count: 1 }) : []),
  ];
  const ranks = Object.keys(ATTENTION);
  const { edits, additions } = overlaysOf(state.effective);
  return {
    revision: {
      number: revision?.number ?? 0,
      createdAt: optionalTimestamp(revision?.createdAt ?? null),
      baselines: baselines.flatMap((one) => (one.revision === revision?.number ? one.name : [])),
      overlays: edits.length + additions.length,
    },
    fit,
    attention: needed.sort((a, b) => ranks.indexOf(a.kind) - ranks.indexOf(b.kind)),
    summary: state.coverage().summary,
    issues: counts,
    findings,
    verdicts,
    runs: { newest: runs.map((row) => runView(OverviewRun, row)), queued, running },
    agents,
    unstable: await readUnstable(assurance, projectId),
    changes: await readChanges(assurance, state, baselines[0]),
    backup: backup === null ? null : { lastAt: backup === undefined ? null : timestamp(backup) },
  };
}

type Facts = Pick<Overview, 'attention' | 'findings' | 'verdicts'>;
const facts = new WeakMap<AssuranceState, Promise<Facts>>();

function factsOf(assurance: Assurance, state: AssuranceState): Promise<Facts> {
  const known = facts.get(state) ?? findFacts(assurance, state);
  facts.set(state, known);
  known.catch(() => facts.delete(state));
  return known;
}

async function findFacts(assurance: Assurance, state: AssuranceState): Promise<Facts> {
  const { revision } = state.effective;
  const found = [
    ...(revision ? await assurance.graphs.findings(revision) : []),
    ...(await assuranceFindings(assurance.database.read, state)),
  ];
  const bySeverity = Map.groupBy(found, ({ severity }) => severity);
  const errors = bySeverity.get('error') ?? [];
  const items = transferItems(state);
  const named = errors.map(({ itemId: id, detail: title, path, line }) => ({
    id,
    title,
    path,
    line,
  }));
  return {
    attention: [
      ...storiesInNeed(state, items),
      ...attentionTo('source_errors', '/api/srs-source-audit?severity=error', named),
    ],
    findings: {
      errors: errors.length,
      warnings: bySeverity.get('warning')?.length ?? 0,
      infos: bySeverity.get('info')?.length ?? 0,
    },
    verdicts: countDispositions(items),
  };
}

const URGENT_ISSUES = '/api/issues?severity=blocker,critical&status=open,triaged,in_progress';

async function readUrgent(db: Db, ofProject: string, { open }: IssueCounts): Promise<Attention[]> {
  const { id, number, title, severity, status, assignee, occurrences, fromWidget } = issues;
  const named = await db
    .select({ id, number, title, severity, status, assignee, occurrences, untrusted: fromWidget })
    .from(issues)
    .where(and(eq(issues.projectId, ofProject), sql.raw(URGENT)))
    // A blocker comes before what is critical; the longest known first.
    .orderBy(severity, number)
    .limit(3);
  return attentionTo('urgent_issues', URGENT_ISSUES, named, {
    count: open.blocker + open.critical,
  });
}

async function readUnstable(
  { runViews }: Assurance,
  projectId: string,
): Promise<Overview['unstable']> {
  const query = { view: 'flaky' as const };
  const hash = filterHash('listTestRuns', query);
  const bounds = { status: undefined, behind: undefined, limit: WORST_TESTS, hash };
  const found = (await runViews('flaky', projectId, query, bounds)) as Static<typeof FlakyTests>;
  const { total, items, groups } = found;
  return {
    total,
    items: items.map(({ testKey, name, path, file, runs, failed }) => {
      return { testKey, name, path, file, runs, failed };
    }),
    groups: groups.length,
    groupedTests: groups.reduce((sum, { size }) => sum + size, 0),
  };
}

type Counts = Omit<Changes, 'from' | 'baseline' | 'link'>;
/** By the graph of the latest revision: that of what it was compared with. */
const compared = new WeakMap<Graph, { before: string; counts: Promise<Counts> }>();

async function readChanges(
  { graphs }: Assurance,
  { effective }: AssuranceState,
  newest: BaselineRow | undefined,
): Promise<Changes | null> {
  const { projectId, revision, canonical } = effective;
  if (!revision) return null;
  const from = newest?.revision ?? 1;
  const row = await graphs.revision(projectId, from);
  const known = compared.get(canonical.graph);
  const entry =
    known?.before === row.graphSha256
      ? known
      : { before: row.graphSha256, counts: countChanges(await graphs.graph(row), canonical.graph) };
  compared.set(canonical.graph, entry);
  entry.counts.catch(() => compared.delete(canonical.graph));
  return {
    from,
    baseline: newest?.name ?? null,
    ...(await entry.counts),
    link: `/api/srs-graph?view=diff&from=${from}`,
  };
}

async function countChanges(before: Graph, after: Graph): Promise<Counts> {
  const found = await runInSlices(diffGraphs(before, after));
  return {
    added: found.added.length,
    removed: found.removed.length,
    moved: found.moved.length,
    changed: found.changed.length,
  };
}
