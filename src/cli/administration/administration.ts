// What an administrator does with projects, tokens and credentials, wherever it is done: inside the
// server, or in a command that has opened the database itself.

import { CAPABILITIES, type Capability } from '../../access/access.ts';
import { knownProject, tokenView } from '../../access/tokens.ts';
import { Problem } from '../../errors.ts';
import type { Evidence } from '../../evidence/evidence.ts';
import { COMMAND_LINE } from '../../evidence/logs/audit.ts';
import { compileCheck } from '../../model/validate.ts';
import { backUp } from '../../operations/backup/backups.ts';
import type { BackupReport } from '../../operations/backup/make.ts';
import { BackupError } from '../../operations/backup/manifest.ts';
import type { OnBackupProgress } from '../../operations/backup/progress.ts';
import type { DoctorOptions, DoctorReport } from '../../operations/doctor/doctor.ts';
import { type KeyKind, type Rotation, rotateKey } from '../../operations/rotate-keys.ts';
import type { ImportWish } from '../../requirements/import/import-sources.ts';
import type { OnProgress } from '../../requirements/import/progress.ts';
import type { ImportFile } from '../../requirements/import/read-sources.ts';
import { eachOnce, sourcePath } from '../../requirements/import/source-path.ts';
import { ProjectBody } from '../../requirements/projects/model.ts';
import {
  createProject,
  listProjects,
  projectView,
  recordTokenCreated,
  recordTokenRevoked,
} from '../../requirements/projects/projects.ts';
import { sourcesOf, sourceView } from '../../requirements/projects/revisions.ts';
import { importRevision } from '../import/revision.ts';
import { administerCredentials, type CredentialAdministration } from './credentials.ts';

export interface TokenWish {
  project: string | undefined;
  capabilities: string[];
  label: string | undefined;
  expiresInMs: number | undefined;
  instance: boolean;
  readOnly: boolean;
}

/** The operations by their names; arguments and results are plain JSON. */
export interface Administration extends CredentialAdministration {
  'project create': (wish: {
    name: string;
    slug: string;
  }) => Promise<{ project: unknown; token: string }>;
  'project list': (
    wish: Record<string, never>,
  ) => Promise<{ id: string; slug: string; name: string; revision: number }[]>;
  import: (wish: ImportRequest, onProgress?: OnProgress) => Promise<ImportReport>;
  backup: (wish: BackupRequest, onProgress?: OnBackupProgress) => Promise<BackupReport>;
  'token create': (
    wish: TokenWish,
  ) => Promise<{ id: string; project: string; capabilities: string[]; token: string }>;
  'token list': (wish: { project: string | undefined }) => Promise<TokenView[]>;
  'token revoke': (wish: { id: string }) => Promise<{ id: string; revoked: true }>;
  doctor: (wish: DoctorOptions) => Promise<DoctorReport>;
  'keys rotate': (wish: { kind: KeyKind }) => Promise<Rotation>;
}

/** A file as it is sent. */
export interface SentFile {
  path: string;
  contentBase64: string;
  /** Of ReqIF: the attribute that holds the text. */
  textAttribute?: string;
}

export interface ImportRequest {
  /** Slug; not needed where there is one project. */
  project: string | undefined;
  files: SentFile[];
  mode: 'replace' | 'merge';
  /** Whether more than half of the stories may go. */
  confirm?: boolean;
}

export interface BackupRequest {
  /** An archive to be made, or a socket that takes it. */
  target: { kind: 'file' | 'socket'; path: string };
  /** The folder of keys under a passphrase, in base64. */
  sealedKeys: string | null;
}

export interface ImportReport {
  project: string;
  /** The latest revision; a new one where `created`. */
  revision: number;
  created: boolean;
  nodes: number;
  edges: number;
  errors: number;
  warnings: number;
  sources: { path: string; format: string | null; status: string; items: number }[];
}

export type TokenView = ReturnType<typeof tokenView> & { project: string };

const checkProject = compileCheck(ProjectBody);

/** The administration over an open context; `serving` where requests are answered meanwhile. */
export function administer(
  context: Evidence,
  { serving = true }: { serving?: boolean } = {},
): Administration {
  const { database, tokens, clock } = context;

  async function projectBySlug(slug: string | undefined): Promise<{ id: string; slug: string }> {
    const all = await listProjects(database.read);
    const slugs = all.map((one) => one.slug).join(', ');
    if (slug === undefined && all.length > 1) {
      const errors = [{ pointer: '/project', detail: 'is required where there are several' }];
      throw new Problem('invalid', `there are several projects; --project takes one of ${slugs}`, {
        errors,
      });
    }
    const wanted = slug ?? all[0]?.slug ?? context.config.project;
    const found = all.find((project) => project.slug === wanted);
    if (found) return found;
    throw new Problem(
      'not_found',
      `There is no project "${wanted}"; there are: ${slugs || 'none'}.`,
    );
  }

  return {
    ...administerCredentials(context, projectBySlug),
    async 'project create'({ name, slug }) {
      const input = checkProject({ slug, name });
      const made = await database.write((db) =>
        createProject(
          db,
          tokens,
          input,
          { label: 'owner', instance: false },
          COMMAND_LINE,
          clock(),
        ),
      );
      tokens.rememberProject(knownProject(made.project));
      tokens.remember(made.tokenRow);
      return { project: projectView(made.project, []), token: made.token };
    },
    async 'project list'() {
      return (await listProjects(database.read)).map(({ id, slug, name, revision }) => ({
        id,
        slug,
        name,
        revision,
      }));
    },
    async import({ project, files, mode, confirm = false }, onProgress) {
      const { id, slug } = await projectBySlug(project);
      const wish: ImportWish = {
        projectId: id,
        files: eachOnce(files.map(readFile), (at) => `/files/${at}/path`),
        mode,
        confirm,
        baseRevision: undefined,
        actor: COMMAND_LINE,
        now: clock(),
      };
      const { revision, created } = await importRevision(context, wish, onProgress);
      const { number, nodes, edges, errors, warnings } = revision;
      const sources = (await sourcesOf(database.read, revision)).map(sourceView);
      return {
        project: slug,
        revision: number,
        created,
        nodes,
        edges,
        errors,
        warnings,
        sources,
      };
    },
    async backup({ target, sealedKeys }, onProgress) {
      try {
        return await backUp(context, target, { sealedKeys, paced: serving }, onProgress);
      } catch (error) {
        if (error instanceof BackupError) throw new Problem('conflict', error.message);
        throw error;
      }
    },
    async 'token create'(wish) {
      const capabilities = readCapabilities(wish.capabilities);
      const project = await projectBySlug(wish.project);
      const now = clock();
      const wanted = {
        projectId: project.id,
        capabilities,
        label: wish.label ?? null,
        instance: wish.instance,
        readOnly: wish.readOnly,
        expiresAt: wish.expiresInMs === undefined ? null : now + wish.expiresInMs,
      };
      const { text, row } = await database.write(async (db) => {
        const issued = await tokens.issue(db, wanted, now);
        const about = { projectId: project.id, actor: COMMAND_LINE, now };
        await recordTokenCreated(db, about, issued.row);
        return issued;
      });
      tokens.remember(row);
      return { id: row.id, project: project.slug, capabilities, token: text };
    },
    async 'token list'({ project }) {
      const id = project === undefined ? undefined : (await projectBySlug(project)).id;
      return tokens
        .list(id)
        .map((token) => ({ ...tokenView(token), project: token.project?.slug ?? '' }));
    },
    async 'token revoke'({ id }) {
      const now = clock();
      const revoked = await tokens.revoke(id, now, (db, token) =>
        recordTokenRevoked(db, { actor: COMMAND_LINE, now }, token),
      );
      if (!revoked) throw new Problem('not_found', `There is no token "${id}".`);
      return { id, revoked: true };
    },
    async doctor(wish) {
      const { runDoctor } = await import('../../operations/doctor/doctor.ts');
      return runDoctor(context, wish);
    },
    async 'keys rotate'({ kind }) {
      return rotateKey(context, kind);
    },
  };
}

function readFile({ path, contentBase64, textAttribute }: SentFile, at: number): ImportFile {
  const bytes = Buffer.from(contentBase64, 'base64');
  return { path: sourcePath(`/files/${at}/path`, path), bytes, format: null, textAttribute };
}

function readCapabilities(wanted: string[]): Capability[] {
  const known = new Set<string>(CAPABILITIES);
  const bad = wanted.find((one) => !known.has(one));
  if (bad !== undefined || wanted.length === 0) {
    throw new Problem(
      'invalid',
      `${bad === undefined ? 'A token needs a capability' : `"${bad}" is no capability`}: ${CAPABILITIES.join(', ')}.`,
    );
  }
  return [...new Set(wanted)] as Capability[];
}
