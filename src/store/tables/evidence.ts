// Tables of issues, their history and attachments, and of system logs.
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { FieldChange } from './json.ts';

export const issues = sqliteTable('issues', {
  seq: integer().primaryKey(),
  id: text().notNull(),
  projectId: text('project_id').notNull(),
  number: integer().notNull(),
  title: text().notNull(),
  description: text(),
  severity: text().notNull(),
  priority: text(),
  status: text().notNull(),
  resolution: text(),
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
  possibleRegression: integer('possible_regression', { mode: 'boolean' }).notNull().default(false),
  authorToken: text('author_token').notNull(),
  authorLabel: text('author_label'),
  fromWidget: integer('from_widget', { mode: 'boolean' }).notNull().default(false),
  version: integer().notNull().default(1),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
});

export const issueChanges = sqliteTable('issue_changes', {
  seq: integer().primaryKey(),
  issueId: text('issue_id').notNull(),
  at: integer().notNull(),
  byToken: text('by_token').notNull(),
  byLabel: text('by_label'),
  event: text().notNull(),
  changes: text({ mode: 'json' }).$type<FieldChange[]>().notNull(),
});

export const attachments = sqliteTable('attachments', {
  seq: integer().primaryKey(),
  id: text().notNull(),
  key: text().notNull(),
  projectId: text('project_id').notNull(),
  /** Of an issue or of a test run, never both. */
  issueId: text('issue_id'),
  runId: text('run_id'),
  name: text().notNull(),
  kind: text().notNull(),
  note: text(),
  mediaType: text('media_type').notNull(),
  bytes: integer().notNull(),
  sha256: text().notNull(),
  authorToken: text('author_token').notNull(),
  authorLabel: text('author_label'),
  createdAt: integer('created_at').notNull(),
});

export const logEntries = sqliteTable('log_entries', {
  seq: integer().primaryKey(),
  id: text().notNull(),
  projectId: text('project_id').notNull(),
  at: integer().notNull(),
  level: text().notNull(),
  source: text(),
  message: text().notNull(),
  fields: text({ mode: 'json' }).$type<Record<string, unknown>>(),
  route: text(),
  runId: text('run_id'),
  issueId: text('issue_id'),
  fingerprint: text().notNull(),
  state: text().notNull().default('open'),
  note: text(),
  authorToken: text('author_token'),
  version: integer().notNull().default(1),
  createdAt: integer('created_at').notNull(),
});

export const logGroups = sqliteTable('log_groups', {
  seq: integer().primaryKey(),
  projectId: text('project_id').notNull(),
  fingerprint: text().notNull(),
  level: text().notNull(),
  source: text(),
  message: text().notNull(),
  occurrences: integer().notNull(),
  firstAt: integer('first_at').notNull(),
  lastAt: integer('last_at').notNull(),
  lastSeq: integer('last_seq').notNull(),
});

export const issueStories = sqliteTable('issue_stories', {
  seq: integer().primaryKey(),
  projectId: text('project_id').notNull(),
  storyId: text('story_id').notNull(),
  issueId: text('issue_id').notNull(),
});

export type IssueRow = typeof issues.$inferSelect;
export type IssueChangeRow = typeof issueChanges.$inferSelect;
export type AttachmentRow = typeof attachments.$inferSelect;
export type LogEntryRow = typeof logEntries.$inferSelect;
export type LogGroupRow = typeof logGroups.$inferSelect;
