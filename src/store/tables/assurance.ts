// Tables of what is laid over the graph and of what is known of its stories: edits, additions,
// traces, justifications, validations.
import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { AdditionLink, EditValues, JudgedTest } from './json.ts';
import { author, ofProject, resource, versioned } from './projects.ts';

const decided = () => ({
  decidedAt: integer('decided_at'),
  decidedToken: text('decided_token'),
  decidedLabel: text('decided_label'),
});

export const storyEdits = sqliteTable(
  'story_edits',
  {
    ...resource(),
    storyId: text('story_id').notNull(),
    setFields: text('set_fields', { mode: 'json' }).$type<EditValues>().notNull(),
    base: text({ mode: 'json' }).$type<EditValues>().notNull(),
    reason: text(),
    state: text({
      enum: [
        'proposed',
        'accepted',
        'rejected',
        'withdrawn',
        'superseded',
        'absorbed',
        'conflicted',
      ],
    }).notNull(),
    baseFingerprint: text('base_fingerprint').notNull(),
    ...author(),
    ...decided(),
    ...versioned(),
  },
  (t) => [
    index('story_edits_story').on(t.projectId, t.storyId),
    index('story_edits_state').on(t.projectId, t.state),
  ],
);

export const storyAdditions = sqliteTable(
  'story_additions',
  {
    ...resource(),
    storyId: text('story_id').notNull(),
    parentId: text('parent_id'),
    kind: text({ enum: ['requirement', 'story'] }).notNull(),
    title: text().notNull(),
    statement: text().notNull(),
    acceptance: text({ mode: 'json' }).$type<string[]>().notNull(),
    links: text({ mode: 'json' }).$type<AdditionLink[]>().notNull(),
    reason: text(),
    state: text({ enum: ['proposed', 'active', 'absorbed', 'deleted'] }).notNull(),
    ...author(),
    ...decided(),
    ...versioned(),
  },
  (t) => [
    index('story_additions_story').on(t.projectId, t.storyId),
    uniqueIndex('story_additions_open')
      .on(t.projectId, t.storyId)
      .where(sql`state in ('proposed', 'active')`),
  ],
);

export const overlayChanges = sqliteTable(
  'overlay_changes',
  {
    ...ofProject(),
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
  },
  (t) => [index('overlay_changes_story').on(t.projectId, t.storyId)],
);

export const traces = sqliteTable(
  'traces',
  {
    ...resource(),
    storyId: text('story_id').notNull(),
    type: text({ enum: ['verifies', 'implements', 'affects', 'satisfies'] }).notNull(),
    targetKind: text('target_kind', {
      enum: ['scenario', 'test', 'command', 'route', 'issue', 'commit', 'file', 'document'],
    }).notNull(),
    targetId: text('target_id').notNull(),
    origin: text({ enum: ['declared', 'tag', 'import'] }).notNull(),
    fingerprint: text().notNull(),
    note: text(),
    authorToken: text('author_token'),
    authorLabel: text('author_label'),
    reviewedAt: integer('reviewed_at'),
    reviewedToken: text('reviewed_token'),
    reviewedLabel: text('reviewed_label'),
    version: integer().notNull().default(1),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('traces_link').on(t.projectId, t.storyId, t.type, t.targetKind, t.targetId),
    index('traces_target').on(t.projectId, t.targetKind, t.targetId),
  ],
);

export const justifications = sqliteTable(
  'justifications',
  {
    ...ofProject(),
    storyId: text('story_id').notNull(),
    need: text().notNull(),
    reason: text().notNull(),
    ...author(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [uniqueIndex('justifications_need').on(t.projectId, t.storyId, t.need)],
);

export const validations = sqliteTable(
  'validations',
  {
    ...resource(),
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
  },
  (t) => [
    index('validations_story').on(t.projectId, t.storyId, t.seq),
    index('validations_revision').on(t.projectId, t.revision),
    index('validations_newest').on(t.projectId, t.seq),
  ],
);

/** How many stories had each status when a day ended, or the newest run was of a commit. */
export const storyStatuses = sqliteTable(
  'story_statuses',
  {
    ...ofProject(),
    step: text({ enum: ['day', 'commit'] }).notNull(),
    /** The day in UTC, or the commit. */
    name: text().notNull(),
    at: integer().notNull(),
    revision: integer().notNull(),
    /** The content version of the project that they are of, or of an earlier one. */
    version: integer().notNull(),
    counts: text({ mode: 'json' }).$type<Record<string, number>>().notNull(),
  },
  (t) => [
    uniqueIndex('story_statuses_name').on(t.projectId, t.step, t.name),
    index('story_statuses_step').on(t.projectId, t.step, t.seq),
  ],
);

export type StoryEditRow = typeof storyEdits.$inferSelect;
export type StoryAdditionRow = typeof storyAdditions.$inferSelect;
export type OverlayChangeRow = typeof overlayChanges.$inferSelect;
export type TraceRow = typeof traces.$inferSelect;
export type JustificationRow = typeof justifications.$inferSelect;
export type ValidationRow = typeof validations.$inferSelect;
