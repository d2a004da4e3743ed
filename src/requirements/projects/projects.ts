// Projects: made, changed, shown.
import { isDeepStrictEqual } from 'node:util';
import { eq } from 'drizzle-orm';
import type { Capability } from '../../access/access.ts';
import type { Actor } from '../../access/caller.ts';
import {
  knownProject,
  type MintedToken,
  type Token,
  type TokenRegistry,
} from '../../access/tokens.ts';
import { optionalTimestamp, timestamp } from '../../clock.ts';
import { notFound, Problem } from '../../errors.ts';
import { type AuditEvent, recordAudit } from '../../evidence/logs/audit.ts';
import { etagOf } from '../../model/etag.ts';
import type { Db, Tx } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import { type ProjectRow, projects, type TokenRow } from '../../store/tables/projects.ts';
import type { RevisionSourceRow } from '../../store/tables/requirements.ts';
import type { ProjectInput } from './model.ts';
import { patchSettings, readSettings, type Settings } from './settings.ts';

/**
 * A project as it is shown.
 *
 * @param sources - those of its latest revision, as they are shown
 */
export function projectView<S>(row: ProjectRow, sources: S[]) {
  return {
    id: row.id,
    slug: row.slug,
    name: row.name,
    description: row.description,
    settings: readSettings(row.settings),
    revision: row.revision,
    sources,
    version: row.version,
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
  };
}

/** The entity tag of a project with the sources of its latest revision. */
export function projectEtag(row: ProjectRow, sources: RevisionSourceRow[], more = {}): string {
  return etagOf(row.version, JSON.stringify({ ...projectView(row, sources), ...more }));
}

/** @throws Problem `not_found` */
export async function getProject(db: Db, id: string): Promise<ProjectRow> {
  const [row] = await db.select().from(projects).where(eq(projects.id, id));
  if (!row) throw notFound('project');
  return row;
}

/** The settings of a project. @throws Problem `not_found` */
export async function settingsOf(db: Db, id: string): Promise<Settings> {
  return readSettings((await getProject(db, id)).settings);
}

export async function findProject(db: Db, slug: string): Promise<ProjectRow | undefined> {
  const [row] = await db.select().from(projects).where(eq(projects.slug, slug));
  return row;
}

/** Every project of the instance, the oldest first. */
export async function listProjects(db: Db): Promise<ProjectRow[]> {
  return db.select().from(projects).orderBy(projects.seq);
}

/**
 * Makes a project with one owner token, inside the caller's write.
 *
 * @param owner - label of the owner token, whether it may make further projects, and its text where
 *   that was made before
 * @throws Problem `slug_taken`
 */
export async function createProject(
  db: Tx,
  tokens: TokenRegistry,
  input: ProjectInput,
  owner: { label: string | null; instance: boolean; minted?: MintedToken },
  actor: Actor,
  now: number,
): Promise<{ project: ProjectRow; token: string }> {
  if (await findProject(db, input.slug)) {
    throw new Problem('slug_taken', `There is a project "${input.slug}" already.`, {
      errors: [{ pointer: '/slug', detail: 'is taken' }],
    });
  }
  const [project] = await db
    .insert(projects)
    .values({
      id: newId('prj'),
      slug: input.slug,
      name: input.name ?? input.slug,
      description: input.description ?? '',
      settings: patchSettings({}, input.settings ?? {}),
      createdAt: now,
      updatedAt: now,
    })
    .returning();
  if (!project) throw new Error('the project was not inserted');
  db.afterCommit(() => tokens.rememberProject(knownProject(project)));
  const capabilities: Capability[] = ['project:owner'];
  const issued = await tokens.issue(db, { projectId: project.id, capabilities, ...owner }, now);
  const { id: projectId, slug, name } = project;
  const about = { projectId, actor, now };
  await recordAudit(db, { ...about, action: 'project.created', fields: { slug, name } });
  await recordTokenCreated(db, about, issued.row);
  return { project, token: issued.text };
}

/** Records in the audit that a token was ended, inside the write that ends it. */
export async function recordTokenRevoked(
  db: Db,
  about: Pick<AuditEvent, 'actor' | 'now'>,
  { id: tokenId, projectId, label }: Pick<Token, 'id' | 'projectId' | 'label'>,
): Promise<void> {
  const fields = { tokenId, label };
  await recordAudit(db, { ...about, projectId, action: 'token.revoked', fields });
}

/** Records in the audit that a token was made, inside the write that makes it. */
export async function recordTokenCreated(
  db: Db,
  about: Omit<AuditEvent, 'action' | 'fields'>,
  { id: tokenId, label, capabilities, instance, readOnly, expiresAt }: TokenRow,
): Promise<void> {
  await recordAudit(db, {
    ...about,
    action: 'token.created',
    fields: {
      tokenId,
      label,
      capabilities,
      instance,
      readOnly,
      expiresAt: optionalTimestamp(expiresAt),
    },
  });
}

/**
 * Changes name, description and settings, inside the caller's write. What changes nothing leaves
 * the version as it is.
 *
 * @throws Problem `invalid` where the patched settings are none
 */
export async function updateProject(
  db: Db,
  id: string,
  input: ProjectInput,
  actor: Actor,
  now: number,
): Promise<ProjectRow> {
  const before = await getProject(db, id);
  const after = {
    name: input.name ?? before.name,
    description: input.description ?? before.description,
    settings: patchSettings(before.settings, input.settings ?? {}),
  };
  const { name, description, settings } = before;
  if (isDeepStrictEqual(after, { name, description, settings })) return before;
  const [row] = await db
    .update(projects)
    .set({ ...after, version: before.version + 1, updatedAt: now })
    .where(eq(projects.id, id))
    .returning();
  if (!row) throw notFound('project');
  const changes = changesBetween(before, row);
  await recordAudit(db, {
    projectId: id,
    action: 'project.updated',
    actor,
    fields: { changes },
    now,
  });
  return row;
}

function changesBetween(before: ProjectRow, after: ProjectRow) {
  const fieldsOf = ({ name, description, settings }: ProjectRow): Record<string, unknown> => ({
    name,
    description,
    ...Object.fromEntries(
      Object.entries(readSettings(settings)).map(([key, value]) => [`settings.${key}`, value]),
    ),
  });
  const [from, to] = [fieldsOf(before), fieldsOf(after)];
  return Object.keys(to)
    .filter((field) => JSON.stringify(from[field]) !== JSON.stringify(to[field]))
    .map((field) => ({ field, from: from[field], to: to[field] }));
}
