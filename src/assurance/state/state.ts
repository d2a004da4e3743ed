// All that is known of a project's stories at a moment: the effective graph with traces, justifications,
// verdicts, open issues, commands, scenarios and results; and reading it from the tables.

import { setImmediate } from 'node:timers/promises';
import { and, asc, eq, gt, isNull, notInArray } from 'drizzle-orm';
import { union } from 'drizzle-orm/sqlite-core';
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
import type { ResultIndex, TargetResults } from '../results/model.ts';

export type StoryRoute = Pick<CatalogRoute, 'method' | 'template' | 'storyIds'>;

export interface AssuranceState {
  effective: Effective;
  catalog: Catalog;
  /** Of the route catalog: those of the sources, and those that scenarios and commands declare. */
  routes: readonly StoryRoute[];
  traces: readonly TraceRow[];
  tracesOf: ReadonlyMap<string, readonly TraceRow[]>;
  justificationsOf: ReadonlyMap<string, readonly JustificationRow[]>;
  /** Every verdict on a story, the oldest first. */
  validationsOf: ReadonlyMap<string, readonly ValidationRow[]>;
  /** Counts up with every verdict. */
  verdictClock: number;
  issuesOf: ReadonlyMap<string, readonly OpenIssue[]>;
  commands: StoryCommands;
  scenarios: StoredScenarios;
  /** The tests that stories are linked to, and the links that tests make by themselves. */
  tests: ResultIndex;
  /** The keys of the tests that may be a scenario's runs; none while no test of stories is known. */
  runsOf(scenarioKey: string): readonly string[];
  results: TargetResults;
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

export type Verdicts = Pick<AssuranceState, 'validationsOf' | 'verdictClock'>;

const VERDICT_BATCH_SIZE = 2000;

/** The verdicts of a project: none is ever changed or taken away, so that only new ones are read. */
export async function loadValidations(
  db: Db,
  projectId: string,
  known: Verdicts = { validationsOf: new Map(), verdictClock: 0 },
): Promise<Verdicts> {
  const fresh: ValidationRow[] = [];
  let clock = known.verdictClock;
  for (let isMore = true; isMore; ) {
    const rows = await db
      .select()
      .from(validations)
      .where(and(eq(validations.projectId, projectId), gt(validations.seq, clock)))
      .orderBy(asc(validations.seq))
      .limit(VERDICT_BATCH_SIZE);
    fresh.push(...rows);
    clock = rows.at(-1)?.seq ?? clock;
    isMore = rows.length === VERDICT_BATCH_SIZE;
    if (isMore) await setImmediate();
  }
  if (fresh.length === 0) return known;
  const validationsOf = new Map(known.validationsOf);
  for (const [storyId, rows] of Map.groupBy(fresh, (row) => row.storyId))
    validationsOf.set(storyId, [...(validationsOf.get(storyId) ?? []), ...rows]);
  return { validationsOf, verdictClock: clock };
}

export async function loadIssues(db: Db, projectId: string) {
  const { id, number, title, severity, status, fromWidget: untrusted, seq } = issues;
  const columns = { id, number, title, severity, status, untrusted, seq };
  const isOpen = and(
    isNull(issues.duplicateOf),
    notInArray(issues.status, ['resolved', 'verified', 'closed']),
  );
  const named = db
    .select({ ...columns, storyId: issueStories.storyId })
    .from(issueStories)
    .innerJoin(issues, eq(id, issueStories.issueId))
    .where(and(eq(issueStories.projectId, projectId), isOpen));
  const linked = db
    .select({ ...columns, storyId: traces.storyId })
    .from(traces)
    .innerJoin(issues, eq(id, traces.targetId))
    .where(and(eq(traces.projectId, projectId), eq(traces.targetKind, 'issue'), isOpen));
  const rows = (await union(named, linked)).sort((a, b) => a.seq - b.seq);
  const open = rows.map(({ seq: _order, ...issue }): OpenIssue => issue);
  return Map.groupBy(open, ({ storyId }) => storyId);
}

const IDS_AT_ONCE = 500;

export function* chunksOf<T>(list: readonly T[], size = IDS_AT_ONCE): Generator<T[]> {
  for (let from = 0; from < list.length; from += size) yield list.slice(from, from + size);
}
