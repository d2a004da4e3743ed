// Tables of projects, tokens, kept answers and facts of the instance.
import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

export const versioned = () => ({
  version: integer().notNull().default(1),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
});

export const projects = sqliteTable('projects', {
  seq: integer().primaryKey(),
  id: text().notNull().unique(),
  slug: text().notNull().unique(),
  name: text().notNull(),
  description: text().notNull(),
  /** Only those that differ from what a project has by itself. */
  settings: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  revision: integer().notNull().default(0),
  ...versioned(),
});

/** Counters of what was changed of a project's content; triggers raise them. */
export const contentVersions = sqliteTable('content_versions', {
  projectId: text('project_id')
    .primaryKey()
    .references(() => projects.id),
  /** The revision, the settings, edits and additions. */
  graph: integer().notNull().default(0),
  links: integer().notNull().default(0),
  verdicts: integer().notNull().default(0),
  commands: integer().notNull().default(0),
  scenarios: integer().notNull().default(0),
  results: integer().notNull().default(0),
  expired: integer().notNull().default(0),
  issues: integer().notNull().default(0),
});

export const projectId = () =>
  text('project_id')
    .notNull()
    .references(() => projects.id);

/** Columns that many tables begin or end with. */
export const ofProject = () => ({ seq: integer().primaryKey(), projectId: projectId() });
export const resource = () => ({ ...ofProject(), id: text().notNull().unique() });
export const author = () => ({
  authorToken: text('author_token').notNull(),
  authorLabel: text('author_label'),
});
export const tokens = sqliteTable(
  'tokens',
  {
    ...resource(),
    secretHash: text('secret_hash').notNull(),
    capabilities: text({ mode: 'json' }).$type<string[]>().notNull(),
    label: text(),
    /** May make projects and read what concerns the whole instance. */
    instance: integer({ mode: 'boolean' }).notNull().default(false),
    expiresAt: integer('expires_at'),
    createdAt: integer('created_at').notNull(),
    revokedAt: integer('revoked_at'),
    lastUsedAt: integer('last_used_at'),
    /** May call nothing but GET, whatever it holds. */
    readOnly: integer('read_only', { mode: 'boolean' }).notNull().default(false),
  },
  (t) => [index('tokens_project').on(t.projectId, t.seq)],
);

export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    scope: text().notNull(),
    key: text().notNull(),
    requestHash: text('request_hash').notNull(),
    sealed: blob({ mode: 'buffer' }).notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [index('idempotency_keys_age').on(t.createdAt), primaryKey({ columns: [t.scope, t.key] })],
);

export const instance = sqliteTable('instance', {
  name: text().primaryKey(),
  value: text().notNull(),
});

/**
 * Between which times the rows of 1,024 places of a table are. Triggers keep it, for log entries the write;
 * rows that go leave it.
 */
export const timeBlocks = sqliteTable(
  'time_blocks',
  {
    source: text({ enum: ['issues', 'log_entries', 'test_runs'] }).notNull(),
    block: integer().notNull(),
    earliest: integer().notNull(),
    latest: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.source, t.block] })],
);

export type ContentVersions = Omit<typeof contentVersions.$inferSelect, 'projectId'>;
export type ProjectRow = typeof projects.$inferSelect;
export type TokenRow = typeof tokens.$inferSelect;
