// Tables of what is tried: test commands and what is learned of them, runs and their results, tests,
// scenarios.
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
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

export const testCommands = sqliteTable('test_commands', {
  seq: integer().primaryKey(),
  id: text().notNull(),
  projectId: text('project_id').notNull(),
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
  authorToken: text('author_token').notNull(),
  authorLabel: text('author_label'),
  version: integer().notNull().default(1),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
});

export const commandStats = sqliteTable('command_stats', {
  commandId: text('command_id').primaryKey(),
  projectId: text('project_id').notNull(),
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
  /** The command's fingerprint as it was then. */
  lastFingerprint: text('last_fingerprint').notNull(),
});

export const runBatches = sqliteTable('run_batches', {
  batch: integer().primaryKey({ autoIncrement: true }),
  projectId: text('project_id').notNull(),
  runId: text('run_id').notNull(),
  createdAt: integer('created_at').notNull(),
});

/** Runs after which stories are yet to be judged. */
export const unjudgedRuns = sqliteTable('unjudged_runs', {
  batch: integer().primaryKey(),
  projectId: text('project_id').notNull(),
});

export const testRuns = sqliteTable('test_runs', {
  seq: integer().primaryKey(),
  id: text().notNull(),
  projectId: text('project_id').notNull(),
  /** Of its results: their `seq` is batch * 131072 + position. */
  batch: integer().notNull(),
  externalId: text('external_id'),
  bodySha256: text('body_sha256').notNull(),
  name: text().notNull(),
  planId: text('plan_id'),
  suiteId: text('suite_id'),
  commandId: text('command_id'),
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
  properties: text({ mode: 'json' }).$type<Record<string, string>>().notNull(),
  authorToken: text('author_token').notNull(),
  authorLabel: text('author_label'),
  version: integer().notNull().default(1),
  createdAt: integer('created_at').notNull(),
});

export const runPins = sqliteTable('run_pins', {
  batch: integer().primaryKey(),
  /** JSON, kept as text: of thousands of runs that are read, few are asked for their pins. */
  pins: text().notNull(),
  overlayClock: integer('overlay_clock'),
  /** What fingerprints covered, as their prefix; null where it is not known. */
  profile: text(),
});

export const tests = sqliteTable('tests', {
  /** That of the result that brought it. */
  seq: integer().primaryKey(),
  projectId: text('project_id').notNull(),
  testKey: text('test_key').notNull(),
  name: text().notNull(),
  path: text({ mode: 'json' }).$type<string[]>().notNull(),
  file: text(),
  line: integer(),
  parameters: text({ mode: 'json' }).$type<Record<string, string>>(),
});

export const testResults = sqliteTable('test_results', {
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
});

/** The latest result of every test, of the runs that count; those of commands are in `commandStats`. */
export const latestResults = sqliteTable('latest_results', {
  testSeq: integer('test_seq').primaryKey(),
  projectId: text('project_id').notNull(),
  resultSeq: integer('result_seq').notNull(),
  status: text().notNull(),
  durationMs: integer('duration_ms'),
  contentSha256: text('content_sha256'),
  /** Null where it names none. */
  storyIds: text('story_ids', { mode: 'json' }).$type<string[]>(),
});

export const scenarios = sqliteTable('scenarios', {
  seq: integer().primaryKey(),
  id: text().notNull(),
  projectId: text('project_id').notNull(),
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
  authorToken: text('author_token').notNull(),
  authorLabel: text('author_label'),
  version: integer().notNull().default(1),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
});

export type TestCommandRow = typeof testCommands.$inferSelect;
export type CommandStatsRow = typeof commandStats.$inferSelect;
export type RunBatchRow = typeof runBatches.$inferSelect;
export type TestRunRow = typeof testRuns.$inferSelect;
export type RunPinsRow = typeof runPins.$inferSelect;
export type TestRow = typeof tests.$inferSelect;
export type TestResultRow = typeof testResults.$inferSelect;
export type LatestResultRow = typeof latestResults.$inferSelect;
export type ScenarioRow = typeof scenarios.$inferSelect;
