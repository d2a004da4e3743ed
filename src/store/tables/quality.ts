// Tables of what is tried: test commands and what is learned of them, runs and their results, tests,
// scenarios.
import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, unique, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type {
  AgentName,
  Attempt,
  CommandReport,
  Execution,
  HarnessError,
  Quarantine,
  ResultTotals,
  ScenarioStep,
} from './json.ts';
import { author, ofProject, projectId, resource, versioned } from './projects.ts';

export const testCommands = sqliteTable(
  'test_commands',
  {
    ...resource(),
    key: text().notNull(),
    name: text().notNull(),
    kind: text().notNull(),
    argv: text({ mode: 'json' }).$type<string[]>().notNull(),
    cwd: text(),
    env: text({ mode: 'json' }).$type<Record<string, string>>().notNull(),
    timeoutMs: integer('timeout_ms').notNull(),
    report: text({ mode: 'json' }).$type<CommandReport>().notNull(),
    storyIds: text('story_ids', { mode: 'json' }).$type<string[]>().notNull(),
    routes: text({ mode: 'json' }).$type<string[]>().notNull(),
    tags: text({ mode: 'json' }).$type<string[]>().notNull(),
    credentials: text({ mode: 'json' }).$type<string[]>().notNull(),
    /** Whether what it sends may hold archives, in which no credential is masked. */
    allowArchives: integer('allow_archives', { mode: 'boolean' }).notNull().default(false),
    onLeaseLost: text('on_lease_lost').notNull(),
    maxAttempts: integer('max_attempts').notNull(),
    state: text().notNull(),
    quarantine: text({ mode: 'json' }).$type<Quarantine>(),
    /** Of kind, argv, cwd and report: what a result of it is a result of. */
    fingerprint: text().notNull(),
    ...author(),
    ...versioned(),
  },
  (t) => [unique().on(t.projectId, t.key), index('test_commands_project').on(t.projectId, t.seq)],
);

export const commandStats = sqliteTable(
  'command_stats',
  {
    commandId: text('command_id')
      .primaryKey()
      .references(() => testCommands.id),
    projectId: projectId(),
    runs: integer().notNull(),
    passed: integer().notNull(),
    flaky: integer().notNull(),
    /** A letter a run, the newest first. */
    outcomes: text().notNull(),
    /** Milliseconds of the newest runs, the newest first. */
    durations: text({ mode: 'json' }).$type<number[]>().notNull(),
    lastRunId: text('last_run_id').notNull(),
    lastBatch: integer('last_batch').notNull(),
    lastStatus: text('last_status').notNull(),
    lastAt: integer('last_at').notNull(),
    lastDurationMs: integer('last_duration_ms'),
    /** The project's count of runs at the last one. */
    lastOrdinal: integer('last_ordinal').notNull(),
    lastFingerprint: text('last_fingerprint').notNull(),
  },
  (t) => [index('command_stats_project').on(t.projectId)],
);

export const runBatches = sqliteTable('run_batches', {
  batch: integer().primaryKey({ autoIncrement: true }),
  projectId: projectId(),
  runId: text('run_id').notNull(),
  createdAt: integer('created_at').notNull(),
});

/** Runs after which stories are yet to be judged. */
export const unjudgedRuns = sqliteTable('unjudged_runs', {
  batch: integer().primaryKey(),
  projectId: projectId(),
});

export const testRuns = sqliteTable(
  'test_runs',
  {
    ...resource(),
    /** Of its results: their `seq` is batch * 131072 + position. */
    batch: integer().notNull().unique(),
    externalId: text('external_id'),
    bodySha256: text('body_sha256').notNull(),
    name: text().notNull(),
    planId: text('plan_id'),
    suiteId: text('suite_id'),
    commandId: text('command_id').references(() => testCommands.id),
    commandFingerprint: text('command_fingerprint'),
    attempt: integer(),
    agent: text({ mode: 'json' }).$type<AgentName>(),
    status: text().notNull(),
    late: integer({ mode: 'boolean' }).notNull().default(false),
    /** Whether it counts for coverage, validation, plans and statistics. */
    counts: integer({ mode: 'boolean' }).notNull(),
    /** The how manyth of the project's runs that count. */
    ordinal: integer(),
    startedAt: integer('started_at'),
    finishedAt: integer('finished_at'),
    durationMs: integer('duration_ms'),
    commitId: text('commit_id'),
    branch: text(),
    environment: text(),
    revision: integer().notNull(),
    totals: text({ mode: 'json' }).$type<ResultTotals>().notNull(),
    harnessErrors: text('harness_errors', { mode: 'json' }).$type<HarnessError[]>().notNull(),
    format: text(),
    tool: text(),
    execution: text({ mode: 'json' }).$type<Execution>(),
    /** Not in use. */
    properties: text({ mode: 'json' })
      .notNull()
      .$default(() => ({})),
    ...author(),
    version: integer().notNull().default(1),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    index('test_runs_project').on(t.projectId, t.seq),
    index('test_runs_status').on(t.projectId, t.status, t.seq),
    index('test_runs_command').on(t.commandId, t.seq).where(sql`command_id is not null`),
    index('test_runs_commit').on(t.projectId, t.commitId, t.seq).where(sql`commit_id is not null`),
    uniqueIndex('test_runs_external')
      .on(t.projectId, t.externalId)
      .where(sql`external_id is not null`),
    index('test_runs_suite').on(t.suiteId, t.seq).where(sql`suite_id is not null`),
    index('test_runs_plan').on(t.planId, t.seq).where(sql`plan_id is not null`),
    index('test_runs_agent')
      .on(t.projectId, sql`json_extract(agent, '$.name')`, t.seq)
      .where(sql`agent is not null`),
    index('test_runs_branch').on(t.projectId, t.branch, t.seq).where(sql`branch is not null`),
    index('test_runs_environment')
      .on(t.projectId, t.environment, t.seq)
      .where(sql`environment is not null`),
    index('test_runs_late').on(t.projectId, t.seq).where(sql`late = 1`),
    index('test_runs_counting').on(t.projectId, t.seq).where(sql`counts = 1`),
  ],
);

export const runPins = sqliteTable('run_pins', {
  batch: integer().primaryKey(),
  /** JSON, kept as text: of thousands of runs that are read, few are asked for their pins. */
  pins: text().notNull(),
  overlayClock: integer('overlay_clock'),
  /** What fingerprints covered, as their prefix; null where it is not known. */
  profile: text(),
});

export const tests = sqliteTable(
  'tests',
  {
    /** That of the result that brought it. */
    ...ofProject(),
    testKey: text('test_key').notNull(),
    name: text().notNull(),
    path: text({ mode: 'json' }).$type<string[]>().notNull(),
    file: text(),
    line: integer(),
    parameters: text({ mode: 'json' }).$type<Record<string, string>>(),
  },
  (t) => [unique().on(t.projectId, t.testKey)],
);

export const testResults = sqliteTable(
  'test_results',
  {
    /** batch * 131072 + position: a run's results stand together, in the order of its report. */
    seq: integer().primaryKey(),
    testSeq: integer('test_seq').notNull(),
    status: text().notNull(),
    durationMs: integer('duration_ms'),
    flaky: integer({ mode: 'boolean' }).notNull(),
    line: integer(),
    contentSha256: text('content_sha256'),
    storyIds: text('story_ids', { mode: 'json' }).$type<string[]>(),
    message: text(),
    trace: text(),
    attempts: text({ mode: 'json' }).$type<Attempt[]>(),
  },
  (t) => [index('test_results_test').on(t.testSeq, t.seq)],
);

/** The latest result of every test, of the runs that count; those of commands are in `commandStats`. */
export const latestResults = sqliteTable(
  'latest_results',
  {
    testSeq: integer('test_seq').primaryKey(),
    projectId: projectId(),
    resultSeq: integer('result_seq').notNull(),
    status: text().notNull(),
    durationMs: integer('duration_ms'),
    contentSha256: text('content_sha256'),
    storyIds: text('story_ids', { mode: 'json' }).$type<string[]>(),
  },
  (t) => [
    index('latest_results_named').on(t.projectId, t.testSeq).where(sql`story_ids is not null`),
  ],
);

export const scenarios = sqliteTable(
  'scenarios',
  {
    ...resource(),
    key: text().notNull(),
    feature: text(),
    title: text().notNull(),
    steps: text({ mode: 'json' }).$type<readonly ScenarioStep[]>().notNull(),
    examples: text({ mode: 'json' }).$type<readonly (readonly string[])[]>().notNull(),
    storyIds: text('story_ids', { mode: 'json' }).$type<readonly string[]>().notNull(),
    routes: text({ mode: 'json' }).$type<readonly string[]>().notNull(),
    tags: text({ mode: 'json' }).$type<readonly string[]>().notNull(),
    state: text().notNull(),
    fingerprint: text().notNull(),
    ...author(),
    ...versioned(),
  },
  (t) => [unique().on(t.projectId, t.key), index('scenarios_project').on(t.projectId, t.seq)],
);

export type TestCommandRow = typeof testCommands.$inferSelect;
export type CommandStatsRow = typeof commandStats.$inferSelect;
export type TestRunRow = typeof testRuns.$inferSelect;
export type TestResultRow = typeof testResults.$inferSelect;
export type ScenarioRow = typeof scenarios.$inferSelect;
