// Tables of issues, their history and attachments, and of system logs.
import { sql } from 'drizzle-orm';
import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  unique,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';
import type { FieldChange } from './json.ts';
import { author, ofProject, projectId, resource, versioned } from './projects.ts';
import { testRuns } from './quality.ts';

const SEVERITIES = ['blocker', 'critical', 'major', 'minor', 'trivial'] as const;
const STATUSES = ['open', 'triaged', 'in_progress', 'resolved', 'verified', 'closed'] as const;
/** Issues that somebody should look at first; as the index says it, or it is not used. */
export const URGENT =
  "duplicate_of is null and status in ('open', 'triaged', 'in_progress') and severity in ('blocker', 'critical')";
/** Issues of widgets that nobody has looked at. */
export const REPORTED = "duplicate_of is null and status = 'open' and from_widget = 1";

export const issues = sqliteTable(
  'issues',
  {
    ...resource(),
    number: integer().notNull(),
    title: text().notNull(),
    description: text(),
    severity: text({ enum: SEVERITIES }).notNull(),
    priority: text(),
    status: text({ enum: STATUSES }).notNull(),
    resolution: text({ enum: ['fixed', 'duplicate', 'wont_fix', 'invalid'] }),
    duplicateOf: text('duplicate_of'),
    storyIds: text('story_ids', { mode: 'json' }).$type<string[]>().notNull(),
    labels: text({ mode: 'json' }).$type<string[]>().notNull(),
    assignee: text(),
    reporter: text(),
    url: text(),
    route: text(),
    build: text(),
    environment: text(),
    context: text({ mode: 'json' }).$type<Record<string, unknown>>(),
    runId: text('run_id'),
    occurredAt: integer('occurred_at').notNull(),
    resolvedAt: integer('resolved_at'),
    fixedInBuild: text('fixed_in_build'),
    fingerprint: text(),
    occurrences: integer().notNull().default(1),
    possibleRegression: integer('possible_regression', { mode: 'boolean' })
      .notNull()
      .default(false),
    ...author(),
    fromWidget: integer('from_widget', { mode: 'boolean' }).notNull().default(false),
    ...versioned(),
  },
  (t) => [
    uniqueIndex('issues_number').on(t.projectId, t.number),
    index('issues_fingerprint')
      .on(t.projectId, t.fingerprint, t.seq)
      .where(sql`fingerprint is not null`),
    index('issues_duplicates').on(t.duplicateOf, t.seq).where(sql`duplicate_of is not null`),
    index('issues_urgent').on(t.projectId, t.severity, t.number).where(sql.raw(URGENT)),
    index('issues_reported').on(t.projectId, t.number).where(sql.raw(REPORTED)),
  ],
);

/** How many issues there are of a status and severity, duplicates apart; triggers count. */
export const issueCounts = sqliteTable(
  'issue_counts',
  {
    projectId: projectId(),
    status: text({ enum: STATUSES }).notNull(),
    severity: text({ enum: SEVERITIES }).notNull(),
    isDuplicate: integer('is_duplicate', { mode: 'boolean' }).notNull(),
    count: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.status, t.severity, t.isDuplicate] })],
);

export const issueChanges = sqliteTable(
  'issue_changes',
  {
    seq: integer().primaryKey(),
    issueId: text('issue_id')
      .notNull()
      .references(() => issues.id),
    at: integer().notNull(),
    byToken: text('by_token').notNull(),
    byLabel: text('by_label'),
    event: text().notNull(),
    changes: text({ mode: 'json' }).$type<FieldChange[]>().notNull(),
  },
  (t) => [index('issue_changes_issue').on(t.issueId, t.seq)],
);

export const attachments = sqliteTable(
  'attachments',
  {
    seq: integer().primaryKey(),
    id: text().notNull().unique(),
    key: text().notNull().unique(),
    projectId: projectId(),
    /** Of an issue or of a test run, never both. */
    issueId: text('issue_id').references(() => issues.id),
    /** The issue's `seq`, by which it is read: an index of numbers is a fifth of one of ids. */
    issueSeq: integer('issue_seq'),
    runId: text('run_id').references(() => testRuns.id),
    name: text().notNull(),
    kind: text({
      enum: ['screenshot', 'video', 'log', 'trace', 'har', 'document', 'other'],
    }).notNull(),
    note: text(),
    mediaType: text('media_type').notNull(),
    bytes: integer().notNull(),
    sha256: text().notNull(),
    ...author(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    index('attachments_issue').on(t.issueSeq, t.seq).where(sql`issue_seq is not null`),
    index('attachments_run').on(t.runId, t.seq).where(sql`run_id is not null`),
    index('attachments_content').on(t.sha256),
    index('attachments_project').on(t.projectId, t.bytes),
  ],
);

export const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

export const logEntries = sqliteTable(
  'log_entries',
  {
    ...resource(),
    at: integer().notNull(),
    level: text({ enum: LEVELS }).notNull(),
    source: text(),
    message: text().notNull(),
    fields: text({ mode: 'json' }).$type<Record<string, unknown>>(),
    route: text(),
    runId: text('run_id'),
    issueId: text('issue_id'),
    fingerprint: text().notNull(),
    state: text({ enum: ['open', 'acknowledged', 'resolved'] })
      .notNull()
      .default('open'),
    note: text(),
    authorToken: text('author_token'),
    version: integer().notNull().default(1),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    index('log_entries_project').on(t.projectId, t.seq),
    index('log_entries_level').on(t.projectId, t.level, t.seq),
    index('log_entries_state').on(t.projectId, t.state, t.seq),
    index('log_entries_fingerprint').on(t.projectId, t.fingerprint, t.seq),
    index('log_entries_age').on(t.projectId, t.createdAt),
  ],
);

export const logGroups = sqliteTable(
  'log_groups',
  {
    ...ofProject(),
    fingerprint: text().notNull(),
    level: text({ enum: LEVELS }).notNull(),
    source: text(),
    message: text().notNull(),
    occurrences: integer().notNull(),
    firstAt: integer('first_at').notNull(),
    lastAt: integer('last_at').notNull(),
    lastSeq: integer('last_seq').notNull(),
  },
  (t) => [
    unique().on(t.projectId, t.fingerprint),
    index('log_groups_latest').on(t.projectId, t.lastSeq),
  ],
);

export const issueStories = sqliteTable(
  'issue_stories',
  {
    ...ofProject(),
    storyId: text('story_id').notNull(),
    issueId: text('issue_id')
      .notNull()
      .references(() => issues.id),
  },
  (t) => [
    uniqueIndex('issue_stories_story').on(t.projectId, t.storyId, t.issueId),
    index('issue_stories_issue').on(t.issueId),
  ],
);

export type IssueRow = typeof issues.$inferSelect;
export type IssueChangeRow = typeof issueChanges.$inferSelect;
export type AttachmentRow = typeof attachments.$inferSelect;
export type LogEntryRow = typeof logEntries.$inferSelect;
export type LogGroupRow = typeof logGroups.$inferSelect;
