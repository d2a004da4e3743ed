// Tables of revisions and their sources.
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

export const revisions = sqliteTable('revisions', {
  seq: integer().primaryKey(),
  projectId: text('project_id').notNull(),
  number: integer().notNull(),
  graphSha256: text('graph_sha256').notNull(),
  graphBytes: integer('graph_bytes').notNull(),
  auditSha256: text('audit_sha256').notNull(),
  auditBytes: integer('audit_bytes').notNull(),
  /** Null for a revision that was made before catalogs were kept. */
  catalogSha256: text('catalog_sha256'),
  catalogBytes: integer('catalog_bytes'),
  sourceSet: text('source_set').notNull(),
  /** Of the readers that read the sources; see `READERS_VERSION`. */
  readersVersion: integer('readers_version').notNull(),
  nodes: integer().notNull(),
  edges: integer().notNull(),
  errors: integer().notNull(),
  warnings: integer().notNull(),
  authorToken: text('author_token').notNull(),
  authorLabel: text('author_label'),
  createdAt: integer('created_at').notNull(),
});

export const revisionSources = sqliteTable('revision_sources', {
  seq: integer().primaryKey(),
  revisionSeq: integer('revision_seq').notNull(),
  path: text().notNull(),
  format: text(),
  status: text().notNull(),
  items: integer().notNull(),
  sha256: text().notNull(),
  bytes: integer().notNull(),
  /** The attribute that the sender named as the text of ReqIF objects. */
  textAttribute: text('text_attribute'),
  /** By the identifier of a ReqIF type, the attribute that was taken for its text. */
  textAttributes: text('text_attributes', { mode: 'json' }).$type<Record<string, string>>(),
});

export type RevisionRow = typeof revisions.$inferSelect;
export type RevisionSourceRow = typeof revisionSources.$inferSelect;
