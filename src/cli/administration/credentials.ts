// What an administrator does with credentials: set, list and remove them, never read a value.
import {
  type CredentialView,
  checkCredential,
  listCredentials,
  removeCredential,
  setCredential,
  warningOf,
} from '../../agents/credentials/store.ts';
import { Problem } from '../../errors.ts';
import { COMMAND_LINE, recordAudit } from '../../evidence/logs/audit.ts';
import type { Context } from '../../http/api/context.ts';

/** The operations by their names; arguments and results are plain JSON. */
export interface CredentialAdministration {
  'credential set': (wish: {
    project: string | undefined;
    name: string;
    value: string;
  }) => Promise<{ project: string; name: string; version: number; warning?: string }>;
  'credential list': (wish: { project: string | undefined }) => Promise<CredentialView[]>;
  'credential rm': (wish: {
    project: string | undefined;
    name: string;
  }) => Promise<{ project: string; name: string; removed: true }>;
}

/**
 * The administration of credentials over an open context.
 *
 * @param projectBySlug - finds the project that is meant
 */
export function administerCredentials(
  { database, sealing, clock }: Context,
  projectBySlug: (slug: string | undefined) => Promise<{ id: string; slug: string }>,
): CredentialAdministration {
  return {
    async 'credential set'({ project, name, value }) {
      checkCredential({ name, value });
      const { id: projectId, slug } = await projectBySlug(project);
      const seal = await sealing();
      const now = clock();
      const version = await database.write(async (db) => {
        const version = await setCredential(db, seal, { projectId, name, value, now });
        const about = { projectId, action: 'credential.set', actor: COMMAND_LINE, now } as const;
        await recordAudit(db, { ...about, fields: { name, version } });
        return version;
      });
      const warning = warningOf(name, value);
      return { project: slug, name, version, ...(warning && { warning }) };
    },
    async 'credential list'({ project }) {
      return listCredentials(database.read, (await projectBySlug(project)).id);
    },
    async 'credential rm'({ project, name }) {
      const { id, slug } = await projectBySlug(project);
      const now = clock();
      const removed = await database.write(async (db) => {
        if (!(await removeCredential(db, id, name, now))) return false;
        const about = { projectId: id, action: 'credential.removed', now } as const;
        await recordAudit(db, { ...about, actor: COMMAND_LINE, fields: { name } });
        return true;
      });
      if (!removed)
        throw new Problem('not_found', `There is no credential "${name}" in the project ${slug}.`);
      return { project: slug, name, removed: true };
    },
  };
}
