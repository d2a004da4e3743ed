// Tables of revisions, their sources and their names.
import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { author, ofProject } from './projects.ts';

export const revisions = sqliteTable(
  'revisions',
  {
    ...ofProject(),
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
    ...author(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('revisions_number').on(t.projectId, t.number),
    index('revisions_graph').on(t.graphSha256),
    index('revisions_audit').on(t.auditSha256),
    index('revisions_catalog').on(t.catalogSha256).where(sql`catalog_sha256 is not null`),
  ],
);

export const revisionSources = sqliteTable(
  'revision_sources',
  {
    seq: integer().primaryKey(),
    revisionSeq: integer('revision_seq')
      .notNull()
      .references(() => revisions.seq),
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
  },
  (t) => [
    uniqueIndex('revision_sources_path').on(t.revisionSeq, t.path),
    index('revision_sources_content').on(t.sha256),
  ],
);

/** Names that revisions were given, for good. */
export const baselines = sqliteTable(
  'baselines',
  {
    ...ofProject(),
    name: text().notNull(),
    revision: integer().notNull(),
    note: text(),
    ...author(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [uniqueIndex('baselines_name').on(t.projectId, t.name)],
);

export type RevisionRow = typeof revisions.$inferSelect;
export type BaselineRow = typeof baselines.$inferSelect;
export type RevisionSourceRow = typeof revisionSources.$inferSelect;
