// Revisions: the immutable states of a project's requirements, numbered from 1.
import { and, desc, eq, sql } from 'drizzle-orm';
import { timestamp } from '../../clock.ts';
import { notFound } from '../../errors.ts';
import type { Services } from '../../services.ts';
import type { Db } from '../../store/database.ts';
import { reportGone } from '../../store/errors.ts';
import { projects } from '../../store/tables/projects.ts';
import {
  type RevisionRow,
  type RevisionSourceRow,
  revisionSources,
  revisions,
} from '../../store/tables/requirements.ts';
import { compare } from '../graph/model.ts';
import type { ImportFile } from '../import/read-sources.ts';
import type { SourceFormat, SourceStatus, TextAttributes } from '../sources/model.ts';

export async function latestRevision(db: Db, projectId: string): Promise<RevisionRow | undefined> {
  const [row] = await listRevisions(db, projectId, 1);
  return row;
}

export async function listRevisions(
  db: Db,
  projectId: string,
  limit = Number.MAX_SAFE_INTEGER,
): Promise<RevisionRow[]> {
  return db
    .select()
    .from(revisions)
    .where(eq(revisions.projectId, projectId))
    .orderBy(desc(revisions.number))
    .limit(limit);
}

/** @throws Problem `not_found` */
export async function getRevision(db: Db, projectId: string, number: number): Promise<RevisionRow> {
  const [row] = await db
    .select()
    .from(revisions)
    .where(and(eq(revisions.projectId, projectId), eq(revisions.number, number)));
  if (!row) throw notFound('revision');
  return row;
}

export async function sourcesOf(db: Db, revision: RevisionRow): Promise<RevisionSourceRow[]> {
  const rows = await db
    .select()
    .from(revisionSources)
    .where(eq(revisionSources.revisionSeq, revision.seq));
  return rows.sort((a, b) => compare(a.path, b.path));
}

export function textAttributesOf(sources: readonly RevisionSourceRow[]): TextAttributes {
  return new Map(
    sources.flatMap(({ path, textAttributes }) => (textAttributes ? [[path, textAttributes]] : [])),
  );
}

/** The bytes of a source. @throws Problem `gone` where its file is missing or damaged */
export async function loadSource(
  services: Services,
  { path, sha256, bytes }: RevisionSourceRow,
): Promise<Uint8Array<ArrayBuffer>> {
  const content = await services.files.load(sha256, bytes);
  if (!content) throw reportGone(services, `The source ${path}`, sha256);
  return content;
}

/** Sources as they were imported. @throws Problem `gone` where a file is missing or damaged */
export async function loadSources(
  services: Services,
  sources: readonly RevisionSourceRow[],
): Promise<ImportFile[]> {
  const files: ImportFile[] = [];
  for (const source of sources) {
    const bytes = await loadSource(services, source);
    const { path, textAttribute } = source;
    const format = source.format as SourceFormat | null;
    files.push({ path, bytes, format, textAttribute: textAttribute ?? undefined });
  }
  return files;
}

export type NewRevision = Omit<typeof revisions.$inferInsert, 'seq' | 'number'>;
export type NewSource = Omit<typeof revisionSources.$inferInsert, 'seq' | 'revisionSeq'>;

const BATCH_SIZE = 100;

/** Adds the next revision, which changes the project; its contents must be on disk. */
export async function addRevision(
  db: Db,
  number: number,
  revision: NewRevision,
  sources: NewSource[],
): Promise<RevisionRow> {
  const [row] = await db
    .insert(revisions)
    .values({ ...revision, number })
    .returning();
  if (!row) throw new Error('the revision was not inserted');
  const rows = sources.map((source) => ({ ...source, revisionSeq: row.seq }));
  for (let from = 0; from < rows.length; from += BATCH_SIZE)
    await db.insert(revisionSources).values(rows.slice(from, from + BATCH_SIZE));
  await db
    .update(projects)
    .set({ revision: number, version: sql`${projects.version} + 1`, updatedAt: revision.createdAt })
    .where(eq(projects.id, revision.projectId));
  return row;
}

export function revisionView({ number: revision, ...row }: RevisionRow) {
  const { nodes, edges, errors, warnings, authorToken: tokenId, authorLabel: label } = row;
  const createdAt = timestamp(row.createdAt);
  return { revision, nodes, edges, errors, warnings, author: { tokenId, label }, createdAt };
}

export function sourceView(row: RevisionSourceRow) {
  const { path, sha256, bytes, items, textAttribute } = row;
  const format = row.format as SourceFormat | null;
  const shown = { path, format, sha256, bytes, status: row.status as SourceStatus, items };
  return textAttribute === null ? shown : { ...shown, textAttribute };
}
