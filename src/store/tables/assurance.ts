// Tables of what is laid over the graph and of what is known of its stories: edits, additions,
// traces, justifications, validations.
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { AdditionLink, EditValues, JudgedTest } from './json.ts';

export const storyEdits = sqliteTable('story_edits', {
  seq: integer().primaryKey(),
  id: text().notNull(),
  projectId: text('project_id').notNull(),
  storyId: text('story_id').notNull(),
  setFields: text('set_fields', { mode: 'json' }).$type<EditValues>().notNull(),
  base: text({ mode: 'json' }).$type<EditValues>().notNull(),
  reason: text(),
  state: text().notNull(),
  baseFingerprint: text('base_fingerprint').notNull(),
  authorToken: text('author_token').notNull(),
  authorLabel: text('author_label'),
  decidedAt: integer('decided_at'),
  decidedToken: text('decided_token'),
  decidedLabel: text('decided_label'),
  version: integer().notNull().default(1),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
});

export const storyAdditions = sqliteTable('story_additions', {
  seq: integer().primaryKey(),
  id: text().notNull(),
  projectId: text('project_id').notNull(),
  storyId: text('story_id').notNull(),
  parentId: text('parent_id'),
  kind: text().notNull(),
  title: text().notNull(),
  statement: text().notNull(),
  acceptance: text({ mode: 'json' }).$type<string[]>().notNull(),
  links: text({ mode: 'json' }).$type<AdditionLink[]>().notNull(),
  reason: text(),
  state: text().notNull(),
  authorToken: text('author_token').notNull(),
  authorLabel: text('author_label'),
  decidedAt: integer('decided_at'),
  decidedToken: text('decided_token'),
  decidedLabel: text('decided_label'),
  version: integer().notNull().default(1),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
});

export const overlayChanges = sqliteTable('overlay_changes', {
  seq: integer().primaryKey(),
  projectId: text('project_id').notNull(),
  overlayId: text('overlay_id').notNull(),
  storyId: text('story_id').notNull(),
  event: text().notNull(),
  fromState: text('from_state'),
  toState: text('to_state').notNull(),
  revision: integer().notNull(),
  detail: text(),
  actorToken: text('actor_token'),
  actorLabel: text('actor_label'),
  at: integer().notNull(),
});

export const traces = sqliteTable('traces', {
  seq: integer().primaryKey(),
  id: text().notNull(),
  projectId: text('project_id').notNull(),
  storyId: text('story_id').notNull(),
  type: text().notNull(),
  targetKind: text('target_kind').notNull(),
  targetId: text('target_id').notNull(),
  origin: text().notNull(),
  fingerprint: text().notNull(),
  note: text(),
  authorToken: text('author_token'),
  authorLabel: text('author_label'),
  reviewedAt: integer('reviewed_at'),
  reviewedToken: text('reviewed_token'),
  reviewedLabel: text('reviewed_label'),
  version: integer().notNull().default(1),
  createdAt: integer('created_at').notNull(),
});

export const justifications = sqliteTable('justifications', {
  seq: integer().primaryKey(),
  projectId: text('project_id').notNull(),
  storyId: text('story_id').notNull(),
  need: text().notNull(),
  reason: text().notNull(),
  authorToken: text('author_token').notNull(),
  authorLabel: text('author_label'),
  createdAt: integer('created_at').notNull(),
});

export const validations = sqliteTable('validations', {
  seq: integer().primaryKey(),
  id: text().notNull(),
  projectId: text('project_id').notNull(),
  storyId: text('story_id').notNull(),
  verdict: text().notNull(),
  method: text().notNull(),
  evidence: text(),
  tests: text({ mode: 'json' }).$type<JudgedTest[]>().notNull(),
  byKind: text('by_kind').notNull(),
  byToken: text('by_token'),
  byLabel: text('by_label'),
  at: integer().notNull(),
  revision: integer().notNull(),
  fingerprint: text().notNull(),
  deepFingerprint: text('deep_fingerprint').notNull(),
  transferredFrom: text('transferred_from'),
  note: text(),
  createdAt: integer('created_at').notNull(),
  /** The `seq` of the run up to which results were known; null in those from before that was kept. */
  resultsUpTo: integer('results_up_to'),
});

export const goneStories = sqliteTable('gone_stories', {
  seq: integer().primaryKey(),
  projectId: text('project_id').notNull(),
  storyId: text('story_id').notNull(),
  fingerprint: text().notNull(),
  revision: integer().notNull(),
  at: integer().notNull(),
});

export type StoryEditRow = typeof storyEdits.$inferSelect;
export type StoryAdditionRow = typeof storyAdditions.$inferSelect;
export type OverlayChangeRow = typeof overlayChanges.$inferSelect;
export type TraceRow = typeof traces.$inferSelect;
export type JustificationRow = typeof justifications.$inferSelect;
export type ValidationRow = typeof validations.$inferSelect;
export type GoneStoryRow = typeof goneStories.$inferSelect;
