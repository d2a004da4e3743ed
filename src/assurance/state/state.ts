// All that is known of a project's stories at a moment: the effective graph with traces, justifications,
// verdicts, open issues, commands, scenarios and results; and reading it from the tables.

import { setImmediate } from 'node:timers/promises';
import { and, asc, eq, gt, isNull, notInArray } from 'drizzle-orm';
import type { CatalogRoute } from '../../quality/routes/model.ts';
import type { Effective } from '../../requirements/graph/effective.ts';
import type { Catalog } from '../../requirements/import/read-sources.ts';
import type { Db } from '../../store/database.ts';
import {
  type JustificationRow,
  justifications,
  type TraceRow,
  traces,
  type ValidationRow,
  validations,
} from '../../store/tables/assurance.ts';
import { issueStories, issues } from '../../store/tables/evidence.ts';
import type { StoredScenarios, StoryCommands } from '../coverage/declared.ts';
import type { Coverage } from '../coverage/model.ts';
import type { PastStories, ResultIndex, TargetResults } from '../results/model.ts';

export type StoryRoute = Pick<CatalogRoute, 'method' | 'template' | 'storyIds'>;

export interface AssuranceState {
  effective: Effective;
  /** Scenarios and routes of the sources. */
  catalog: Catalog;
  /** Of the route catalog: those of the sources, and those that scenarios and commands declare. */
  routes: readonly StoryRoute[];
  /** In the order in which they were made. */
  traces: readonly TraceRow[];
  tracesOf: ReadonlyMap<string, readonly TraceRow[]>;
  justificationsOf: ReadonlyMap<string, readonly JustificationRow[]>;
  /** Every verdict on a story, the oldest first. */
  validationsOf: ReadonlyMap<string, readonly ValidationRow[]>;
  /** Counts up with every verdict. */
  verdictClock: number;
  issuesOf: ReadonlyMap<string, readonly OpenIssue[]>;
  commands: StoryCommands;
  /** The scenarios that are in no source. */
  scenarios: StoredScenarios;
  /** The tests that stories are linked to, and the links that tests make by themselves. */
  tests: ResultIndex;
  /** The keys of the tests that may be a scenario's runs; none while no test of stories is known. */
  runsOf(scenarioKey: string): readonly string[];
  /** By `<kind> <id>` of the target; empty while no run has been recorded. */
  results: TargetResults;
  /** What stories said for results that have not pinned them. */
  past: PastStories;
  /** Where every story stands, made when it is first asked for. */
  coverage(): Coverage;
}

export interface OpenIssue {
  id: string;
  number: number;
  title: string;
  severity: string;
  status: string;
  /** Whether a web page filed it: its title is anybody's. */
  untrusted: boolean;
  storyId: string;
}

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

export interface Verdicts {
  /** By story, the oldest first. */
  of: ReadonlyMap<string, readonly ValidationRow[]>;
  /** Counts up with every verdict. */
  clock: number;
}

const NO_VERDICTS: Verdicts = { of: new Map(), clock: 0 };
const VERDICT_BATCH_SIZE = 2000;

/**
 * The verdicts of a project. None is ever changed or taken away, so that only new ones are read.
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
      .limit(VERDICT_BATCH_SIZE);
    if (rows.length > 0) of ??= new Map(known.of as Map<string, ValidationRow[]>);
    for (const row of rows) {
      // A list that was read before is somebody else's.
      if (fresh.has(row.storyId)) of?.get(row.storyId)?.push(row);
      else of?.set(row.storyId, [...(known.of.get(row.storyId) ?? []), row]);
      fresh.add(row.storyId);
    }
    clock = rows.at(-1)?.seq ?? clock;
    if (rows.length < VERDICT_BATCH_SIZE) return of ? { of, clock } : known;
    await setImmediate();
  }
}

/**
 * The version that an issue has now; undefined where there is none. It is in no state: a report that is
 * counted to an issue makes another version of it, and changes nothing else there.
 */
export async function issueVersion(db: Db, id: string): Promise<number | undefined> {
  const [row] = await db.select({ version: issues.version }).from(issues).where(eq(issues.id, id));
  return row?.version;
}

export async function loadIssues(db: Db, projectId: string) {
  const { id, number, title, severity, status, fromWidget, seq } = issues;
  const columns = { id, number, title, severity, status, fromWidget, seq };
  const isOpen = and(
    isNull(issues.duplicateOf),
    notInArray(issues.status, ['resolved', 'verified', 'closed']),
  );
  const named = await db
    .select({ ...columns, storyId: issueStories.storyId })
    .from(issueStories)
    .innerJoin(issues, eq(issues.id, issueStories.issueId))
    .where(and(eq(issueStories.projectId, projectId), isOpen))
    .orderBy(issues.seq);
  const traced = await db
    .selectDistinct({ ...columns, storyId: traces.storyId })
    .from(traces)
    .innerJoin(issues, eq(issues.id, traces.targetId))
    .where(and(eq(traces.projectId, projectId), eq(traces.targetKind, 'issue'), isOpen));
  const known = new Set(traced.length > 0 ? named.map((row) => `${row.id} ${row.storyId}`) : []);
  const others = traced.filter((row) => !known.has(`${row.id} ${row.storyId}`));
  const rows = others.length === 0 ? named : [...named, ...others].sort((a, b) => a.seq - b.seq);
  const open = rows.map(
    ({ seq: _order, fromWidget, ...issue }): OpenIssue => ({
      ...issue,
      untrusted: fromWidget,
    }),
  );
  return Map.groupBy(open, ({ storyId }) => storyId);
}

const IDS_AT_ONCE = 500;

export function* chunksOf<T>(list: readonly T[], size = IDS_AT_ONCE): Generator<T[]> {
  for (let from = 0; from < list.length; from += size) yield list.slice(from, from + size);
}
