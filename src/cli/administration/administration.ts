// What an administrator does with projects, tokens, credentials, imports and backups, wherever it is done:
// inside the server, or in a command that has opened the database itself.
import type { Capability } from '../../access/access.ts';
import { knownProject, tokenView } from '../../access/tokens.ts';
import {
  checkCredential,
  listCredentials,
  removeCredential,
  setCredential,
  warningOf,
} from '../../agents/credentials.ts';
import { Problem } from '../../errors.ts';
import type { Evidence } from '../../evidence/evidence.ts';
import { COMMAND_LINE, recordAudit } from '../../evidence/logs/entries.ts';
import type { Context, Served } from '../../http/api/context.ts';
import { compileCheck } from '../../model/validate.ts';
import { backUp } from '../../operations/backup/backups.ts';
import { BackupError, type OnBackupProgress } from '../../operations/backup/manifest.ts';
import type { DoctorOptions } from '../../operations/doctor/doctor.ts';
import { type KeyKind, rotateKey } from '../../operations/rotate-keys.ts';
import { openGraphs } from '../../requirements/graph/graphs.ts';
import { type ImportInput, prepareImport } from '../../requirements/import/import-sources.ts';
import { eachOnce, sourcePath } from '../../requirements/import/source-path.ts';
import { settleRevision } from '../../requirements/overlay/settle.ts';
import { ProjectBody } from '../../requirements/projects/model.ts';
import {
  createProject,
  getProject,
  listProjects,
  projectView,
  recordTokenCreated,
  recordTokenRevoked,
} from '../../requirements/projects/projects.ts';
import { latestRevision, sourcesOf, sourceView } from '../../requirements/projects/revisions.ts';
import type { Db } from '../../store/database.ts';
import type { RevisionRow } from '../../store/tables/requirements.ts';

export type Administration = ReturnType<typeof administer>;
export type Operation = keyof Administration;
export type Input<O extends Operation> = Parameters<Administration[O]>[0];
export type Result<O extends Operation> = Awaited<ReturnType<Administration[O]>>;

/** The slug of the project that is meant; not needed where there is one project. */
interface OfProject {
  project: string | undefined;
}

export interface SentFile {
  path: string;
  contentBase64: string;
  textAttribute?: string;
}

interface SourceSet extends OfProject {
  files: SentFile[];
  mode: 'replace' | 'merge';
  confirm?: boolean;
}

interface WantedToken extends OfProject {
  capabilities: Capability[];
  label: string | null;
  expiresInMs: number | undefined;
  instance: boolean;
  readOnly: boolean;
}

interface BackupTarget {
  /** An archive to be made, or a socket that takes it. */
  target: { kind: 'file' | 'socket'; path: string };
  /** The folder of keys under a passphrase, in base64. */
  sealedKeys: string | null;
}

const checkProject = compileCheck(ProjectBody);

export function administer(
  context: Served<Evidence>,
  { serving = true }: { serving?: boolean } = {},
) {
  const { database, tokens, clock, sealing } = context;

  async function projectOf(slug: string | undefined): Promise<{ id: string; slug: string }> {
    const all = await listProjects(database.read);
    const slugs = all.map((one) => one.slug).join(', ');
    const wanted = slug ?? (all.length > 1 ? undefined : (all[0]?.slug ?? context.config.project));
    const found = all.find((project) => project.slug === wanted);
    if (found) return found;
    if (wanted !== undefined)
      throw new Problem('not_found', `There is no project "${wanted}"; there are: ${slugs}.`);
    const errors = [{ pointer: '/project', detail: 'is required where there are several' }];
    const why = `there are several projects; --project takes one of ${slugs}`;
    throw new Problem('invalid', why, { errors });
  }

  return {
    async 'project create'(input: { name: string; slug: string }) {
      const made = await database.write((db) => {
        const owner = { label: 'owner', instance: false };
        return createProject(db, tokens, checkProject(input), owner, COMMAND_LINE, clock());
      });
      return { project: projectView(made.project, []), token: made.token };
    },

    async 'project list'(_input: object) {
      const all = await listProjects(database.read);
      return all.map(({ id, slug, name, revision }) => ({ id, slug, name, revision }));
    },

    async import({ project, files, ...wanted }: SourceSet) {
      const { id: projectId, slug } = await projectOf(project);
      const read = files.map(({ path, contentBase64, textAttribute }, at) => ({
        path: sourcePath(`/files/${at}/path`, path),
        bytes: Buffer.from(contentBase64, 'base64'),
        format: null,
        textAttribute,
      }));
      const base = { projectId, baseRevision: undefined, actor: COMMAND_LINE, now: clock() };
      const set = eachOnce(read, (at) => `/files/${at}/path`);
      const input = { confirm: false, ...base, ...wanted, files: set };
      const { revision, created } = await importRevision(context, input);
      const { number, nodes, edges, errors, warnings } = revision;
      const sources = (await sourcesOf(database.read, revision)).map(sourceView);
      return { project: slug, revision: number, created, nodes, edges, errors, warnings, sources };
    },

    async backup({ target, sealedKeys }: BackupTarget, onProgress?: OnBackupProgress) {
      try {
        return await backUp(context, target, { sealedKeys, paced: serving }, onProgress);
      } catch (error) {
        throw error instanceof BackupError ? new Problem('conflict', error.message) : error;
      }
    },

    async 'token create'({ project, expiresInMs, ...wanted }: WantedToken) {
      const { id: projectId, slug } = await projectOf(project);
      const now = clock();
      const expiresAt = expiresInMs === undefined ? null : now + expiresInMs;
      const { text, row } = await database.write(async (db) => {
        const issued = await tokens.issue(db, { ...wanted, projectId, expiresAt }, now);
        await recordTokenCreated(db, { projectId, actor: COMMAND_LINE, now }, issued.row);
        return issued;
      });
      return { id: row.id, project: slug, capabilities: wanted.capabilities, token: text };
    },

    async 'token list'({ project }: OfProject) {
      const id = project === undefined ? undefined : (await projectOf(project)).id;
      return tokens
        .list(id)
        .map((token) => ({ ...tokenView(token), project: token.project?.slug ?? '' }));
    },

    async 'token revoke'({ id }: { id: string }) {
      const now = clock();
      const revoked = await tokens.revoke(id, now, (db, token) =>
        recordTokenRevoked(db, { actor: COMMAND_LINE, now }, token),
      );
      if (!revoked) throw new Problem('not_found', `There is no token "${id}".`);
      return { id, revoked: true };
    },

    async 'credential set'({ project, name, value }: OfProject & { name: string; value: string }) {
      checkCredential({ name, value });
      const { id: projectId, slug } = await projectOf(project);
      const seal = await sealing();
      const now = clock();
      const version = await database.write(async (db) => {
        const version = await setCredential(db, seal, { projectId, name, value, now });
        await record(db, { projectId, action: 'credential.set', now, fields: { name, version } });
        return version;
      });
      const warning = warningOf(name, value);
      return { project: slug, name, version, ...(warning && { warning }) };
    },

    async 'credential list'({ project }: OfProject) {
      return listCredentials(database.read, (await projectOf(project)).id);
    },

    async 'credential rm'({ project, name }: OfProject & { name: string }) {
      const { id: projectId, slug } = await projectOf(project);
      const now = clock();
      await database.write(async (db) => {
        if (!(await removeCredential(db, projectId, name, now)))
          throw new Problem('not_found', `There is no credential "${name}" in ${slug}.`);
        await record(db, { projectId, action: 'credential.removed', now, fields: { name } });
      });
      return { project: slug, name, removed: true };
    },

    async doctor(options: DoctorOptions) {
      const { runDoctor } = await import('../../operations/doctor/doctor.ts');
      return runDoctor(context, options);
    },

    async 'keys rotate'({ kind }: { kind: KeyKind }) {
      return rotateKey(context, kind);
    },
  };
}

function record(db: Db, event: Omit<Parameters<typeof recordAudit>[1], 'actor'>): Promise<void> {
  return recordAudit(db, { ...event, actor: COMMAND_LINE });
}

/**
 * @returns the latest revision, which stays the one before where that has the same set
 * @throws Problem `conflict` where the base is no longer the latest, `invalid` where nothing parses
 */
export function importRevision(
  context: Context,
  input: ImportInput,
): Promise<{ revision: RevisionRow; created: boolean }> {
  const { database, tokens, clock, importTurns } = context;
  return importTurns(input.projectId, async () => {
    const prepared = await prepareImport(context, input);
    try {
      const { write } = prepared;
      const graphs = openGraphs(context);
      await prepared.readGraph(graphs);
      if (write) {
        await database.write(async (db) => settleRevision(db, graphs, await write(db), clock()));
      }
      tokens.rememberProject(knownProject(await getProject(database.read, input.projectId)));
      const revision = await latestRevision(database.read, input.projectId);
      if (!revision) throw new Problem('internal', 'The import left no revision.');
      return { revision, created: write !== undefined };
    } finally {
      await prepared.end();
    }
  });
}
