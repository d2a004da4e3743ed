// All that is known of a project's stories, in memory: the effective graph with traces,
// justifications, verdicts and open issues. Kept until one of them changes; a part is read again
// only when it has.
import { and, asc, eq, isNull, notInArray, sql } from 'drizzle-orm';
import type { StoryIssues } from '../evidence/story-issues.ts';
import { type Effective, forgetOldest } from '../requirements/effective.ts';
import type { Catalog } from '../requirements/import/read-sources.ts';
import type { Requirements } from '../requirements/requirements.ts';
import type { Db } from '../store/database.ts';
import {
  type JustificationRow,
  justifications,
  type TraceRow,
  traces,
  type ValidationRow,
  validations,
} from '../store/tables/assurance.ts';
import { issueStories, issues } from '../store/tables/evidence.ts';
import { type Coverage, coverStories } from './coverage.ts';

/** An issue that is open and names a story. */
export interface OpenIssue {
  id: string;
  number: number;
  title: string;
  severity: string;
  status: string;
  storyId: string;
}

/** The newest result of a test or command. */
export interface TargetResult {
  status: 'passed' | 'failed' | 'broken' | 'skipped' | 'unknown';
  /** Milliseconds since the epoch. */
  at: number;
  runId: string;
  durationMs: number | null;
  /** The fingerprint that a story had for the run. */
  fingerprintOf(storyId: string): string | undefined;
}

export interface AssuranceState {
  effective: Effective;
  catalog: Catalog;
  /** In the order in which they were made. */
  traces: readonly TraceRow[];
  tracesOf: ReadonlyMap<string, readonly TraceRow[]>;
  justificationsOf: ReadonlyMap<string, readonly JustificationRow[]>;
  /** Every verdict on a story, the oldest first. */
  validationsOf: ReadonlyMap<string, readonly ValidationRow[]>;
  /** Counts up with every verdict. */
  verdictClock: number;
  issuesOf: ReadonlyMap<string, readonly OpenIssue[]>;
  /** By `<kind> <id>` of the target; empty while no run has been recorded. */
  results: ReadonlyMap<string, TargetResult>;
  /** Where every story stands, made when it is first asked for. */
  coverage(): Coverage;
}

type StatePart = 'traces' | 'validations' | 'issues';

export interface AssuranceStates {
  of(projectId: string): Promise<AssuranceState>;
  /** To be called after the commit of a change. */
  changed(projectId: string, part: 'traces' | 'validations'): void;
}

interface Held {
  effective: Effective;
  parts: Map<StatePart, Promise<unknown>>;
  /** The count of changes up to which its issues are known. */
  issuesAt: number;
  value: Promise<AssuranceState> | undefined;
}

/** Opens the states of an instance's projects. */
export function openStates(context: Requirements & { storyIssues: StoryIssues }): AssuranceStates {
  const { database, graphs, effective, storyIssues } = context;
  const kept = new Map<string, Held>();
  database.onRecovered(() => kept.clear());

  function part<T>(held: Held, name: StatePart, load: () => Promise<T>): Promise<T> {
    const known = held.parts.get(name) as Promise<T> | undefined;
    if (known) return known;
    const value = load();
    held.parts.set(name, value);
    value.catch(() => held.parts.delete(name));
    return value;
  }

  async function load(held: Held, projectId: string): Promise<AssuranceState> {
    const { read } = database;
    const { effective: current } = held;
    const [links, verdicts, named, catalog] = await Promise.all([
      part(held, 'traces', () => loadTraces(read, projectId)),
      part(held, 'validations', () => loadValidations(read, projectId)),
      part(held, 'issues', () => loadIssues(read, projectId)),
      current.revision ? graphs.catalog(current.revision) : NO_CATALOG,
    ]);
    let coverage: Coverage | undefined;
    const state: AssuranceState = {
      effective: current,
      catalog,
      ...links,
      validationsOf: verdicts.of,
      verdictClock: verdicts.clock,
      issuesOf: named,
      results: new Map(),
      coverage() {
        coverage ??= coverStories(state);
        return coverage;
      },
    };
    return state;
  }

  return {
    async of(projectId) {
      const current = await effective.of(projectId);
      const issuesAt = storyIssues.count(projectId);
      let held = kept.get(projectId);
      if (held?.effective !== current || held.issuesAt !== issuesAt) {
        const parts = new Map(held?.parts);
        if (held?.issuesAt !== issuesAt) parts.delete('issues');
        held = { effective: current, parts, issuesAt, value: undefined };
        kept.delete(projectId);
        kept.set(projectId, held);
        forgetOldest(kept, ({ effective: { index } }) => index.graph.nodes.length);
      }
      if (held.value) return held.value;
      const mine = held;
      const value = load(mine, projectId);
      mine.value = value;
      value.catch(() => {
        if (mine.value === value) mine.value = undefined;
      });
      return value;
    },
    changed(projectId, name) {
      const held = kept.get(projectId);
      if (!held) return;
      // What is being read now may have begun before the change.
      kept.set(projectId, {
        ...held,
        parts: new Map([...held.parts].filter(([known]) => known !== name)),
        value: undefined,
      });
    },
  };
}

const NO_CATALOG: Catalog = { scenarios: [], routes: [] };

async function loadTraces(db: Db, projectId: string) {
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

async function loadValidations(db: Db, projectId: string) {
  const rows = await db
    .select()
    .from(validations)
    .where(eq(validations.projectId, projectId))
    .orderBy(asc(validations.seq));
  return { of: Map.groupBy(rows, ({ storyId }) => storyId), clock: rows.at(-1)?.seq ?? 0 };
}

async function loadIssues(db: Db, projectId: string) {
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
