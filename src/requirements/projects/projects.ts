// Projects and their tokens: made, changed, shown.
import type { Static } from '@sinclair/typebox';
import { eq, getTableColumns, sql } from 'drizzle-orm';
import { type Actor, actorOf, type Caller, forbidden } from '../../access/caller.ts';
import {
  knownProject,
  type MintedToken,
  type Token,
  type TokenRegistry,
} from '../../access/tokens.ts';
import { optionalTimestamp, parseTime, timestamp } from '../../clock.ts';
import { invalid, notFound, notFoundAt, Problem } from '../../errors.ts';
import { type AuditEvent, recordAudit } from '../../evidence/logs/entries.ts';
import { etagOf } from '../../model/etag.ts';
import { prepared } from '../../store/client/drizzle.ts';
import type { Database, Db, Tx } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import {
  type ContentVersions,
  contentVersions,
  type ProjectRow,
  projects,
  type TokenRow,
} from '../../store/tables/projects.ts';
import type { RevisionSourceRow } from '../../store/tables/requirements.ts';
import type { ProjectInput, TokenChanges } from './model.ts';
import { patchSettings, readSettings, type Settings } from './settings.ts';

/** @param sources - those of its latest revision, as they are shown */
export function projectView<S>(row: ProjectRow, sources: S[]) {
  const { id, slug, name, description, revision, version } = row;
  const settings = readSettings(row.settings);
  const times = { createdAt: timestamp(row.createdAt), updatedAt: timestamp(row.updatedAt) };
  return { id, slug, name, description, settings, revision, sources, version, ...times };
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

/** @throws Problem `not_found` */
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
 * @param owner - label of the owner token, whether it may make further projects, and its text where
 *   that was made before
 */
export async function createProject(
  db: Tx,
  tokens: TokenRegistry,
  { slug, name = slug, description = '', settings = {} }: ProjectInput,
  owner: { label: string | null; instance: boolean; minted?: MintedToken },
  actor: Actor,
  now: number,
): Promise<{ project: ProjectRow; token: string }> {
  if (await findProject(db, slug)) {
    const errors = [{ pointer: '/slug', detail: 'is taken' }];
    throw new Problem('slug_taken', `There is a project "${slug}" already.`, { errors });
  }
  const id = newId('prj');
  const stored = patchSettings({}, settings);
  const [project] = await db
    .insert(projects)
    .values({ id, slug, name, description, settings: stored, createdAt: now, updatedAt: now })
    .returning();
  if (!project) throw new Error('the project was not inserted');
  db.afterCommit(() => tokens.rememberProject(knownProject(project)));
  const token = { projectId: id, capabilities: ['project:owner'] as const, ...owner };
  const issued = await tokens.issue(db, token, now);
  const about = { projectId: id, actor, now };
  await recordAudit(db, { ...about, action: 'project.created', fields: { slug, name } });
  await recordTokenCreated(db, about, issued.row);
  return { project, token: issued.text };
}

export async function recordTokenRevoked(
  db: Db,
  about: Pick<AuditEvent, 'actor' | 'now'>,
  { id: tokenId, projectId, label }: Pick<Token, 'id' | 'projectId' | 'label'>,
): Promise<void> {
  const fields = { tokenId, label };
  await recordAudit(db, { ...about, projectId, action: 'token.revoked', fields });
}

export async function recordTokenCreated(
  db: Db,
  about: Omit<AuditEvent, 'action' | 'fields'>,
  { id: tokenId, label, capabilities, instance, readOnly, ...row }: TokenRow,
): Promise<void> {
  const expiresAt = optionalTimestamp(row.expiresAt);
  const fields = { tokenId, label, capabilities, instance, readOnly, expiresAt };
  await recordAudit(db, { ...about, action: 'token.created', fields });
}

/**
 * Changes name, description and settings, inside the caller's write. What changes nothing leaves
 * the version as it is.
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
  const { name = before.name, description = before.description } = input;
  const settings = patchSettings(before.settings, input.settings ?? {});
  const from = fieldsOf(before);
  const to = fieldsOf({ name, description, settings });
  const changes = Object.keys(to)
    .filter((field) => JSON.stringify(from[field]) !== JSON.stringify(to[field]))
    .map((field) => ({ field, from: from[field], to: to[field] }));
  if (changes.length === 0) return before;
  const [row] = await db
    .update(projects)
    .set({ name, description, settings, version: before.version + 1, updatedAt: now })
    .where(eq(projects.id, id))
    .returning();
  if (!row) throw notFound('project');
  const about = { projectId: id, actor, now };
  await recordAudit(db, { ...about, action: 'project.updated', fields: { changes } });
  return row;
}

function fieldsOf(row: Pick<ProjectRow, 'name' | 'description' | 'settings'>) {
  const fields: Record<string, unknown> = { name: row.name, description: row.description };
  for (const [key, value] of Object.entries(readSettings(row.settings)))
    fields[`settings.${key}`] = value;
  return fields;
}

const EXPIRY = '/tokens/create/expiresAt';

/** Makes and ends tokens of the caller's project, inside its write. None that is made is the instance's. */
export async function changeTokens(
  db: Tx,
  tokens: TokenRegistry,
  caller: Caller,
  { create, revoke = [] }: Static<typeof TokenChanges>,
  now: number,
): Promise<{ token: string; tokenId: string } | undefined> {
  const { tokenId, projectId, instance } = caller;
  const about = { projectId, actor: actorOf(caller), now };
  for (const [at, id] of revoke.entries()) {
    const pointer = `/tokens/revoke/${at}`;
    const token = tokens.find(id);
    if (token?.projectId !== projectId) throw notFoundAt(pointer, 'is no token of this project');
    if (token.instance && !instance) {
      const errors = [{ pointer, detail: 'is a token of the instance' }];
      throw forbidden("A token of the instance is ended with the instance's right alone.", errors);
    }
    if (id === tokenId) {
      const errors = [{ pointer, detail: "is the caller's own token" }];
      throw new Problem('conflict', 'A token cannot end itself.', { errors });
    }
    if (token.revokedAt === null) await recordTokenRevoked(db, about, token);
  }
  if (revoke.length > 0) await tokens.end(db, revoke, now);
  if (!create) return undefined;
  const expiresAt = create.expiresAt ? parseTime(EXPIRY, create.expiresAt) : null;
  if (expiresAt !== null && expiresAt <= now) throw invalid(EXPIRY, 'must be in the future');
  const token = { ...create, projectId, instance: false, expiresAt };
  const { text, row } = await tokens.issue(db, token, now);
  await recordTokenCreated(db, about, row);
  return { token: text, tokenId: row.id };
}

export type { ContentVersions } from '../../store/tables/projects.ts';

const { projectId, ...counters } = getTableColumns(contentVersions);

const members = Object.entries(counters).flatMap(([name, column]) => [
  sql.raw(`'${name}'`),
  column,
]);

// One column: the client takes its time for each.
const allCounters = sql`json_object(${sql.join(members, sql`, `)})`.mapWith(
  (text: string): ContentVersions => JSON.parse(text),
);

const byProject = prepared((db) =>
  db
    .select({ versions: allCounters })
    .from(contentVersions)
    .where(eq(projectId, sql.placeholder('projectId')))
    .prepare(),
);

const NEW: ContentVersions = {
  graph: 0,
  links: 0,
  verdicts: 0,
  commands: 0,
  scenarios: 0,
  results: 0,
  expired: 0,
  issues: 0,
};

type Reading = Pick<Database, 'read' | 'commits'>;

const known = new WeakMap<Reading, { commits: number; versions: Map<string, ContentVersions> }>();

export async function readContentVersions(
  database: Reading,
  ofProject: string,
): Promise<ContentVersions> {
  const commits = database.commits();
  const cached = known.get(database);
  const isCurrent = cached !== undefined && cached.commits === commits;
  const versions = isCurrent ? cached.versions.get(ofProject) : undefined;
  if (versions) return versions;
  const [row] = await byProject(database.read).all({ projectId: ofProject });
  const read = row?.versions ?? NEW;
  if (commits !== undefined && commits === database.commits()) {
    if (isCurrent) cached.versions.set(ofProject, read);
    else known.set(database, { commits, versions: new Map([[ofProject, read]]) });
  }
  return read;
}

/** All counters as one: another one wherever one of them is. */
export function contentVersion(versions: ContentVersions): number {
  return Object.values(versions).reduce((sum, version) => sum + version, 0);
}
