// What an administrator does with credentials: set, list and remove them, never read a value.
import {
  type CredentialView,
  checkCredential,
  listCredentials,
  removeCredential,
  setCredential,
} from '../agents/credential-store.ts';
import type { Context } from '../http/context.ts';
import { Problem } from '../http/problem.ts';

/** The operations by their names; arguments and results are plain JSON. */
export interface CredentialAdministration {
  'credential set': (wish: {
    project: string | undefined;
    name: string;
    value: string;
  }) => Promise<{ project: string; name: string; version: number }>;
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
      const version = await database.write((db) =>
        setCredential(db, seal, { projectId, name, value, now: clock() }),
      );
      return { project: slug, name, version };
    },
    async 'credential list'({ project }) {
      return listCredentials(database.read, (await projectBySlug(project)).id);
    },
    async 'credential rm'({ project, name }) {
      const { id, slug } = await projectBySlug(project);
      if (!(await database.write((db) => removeCredential(db, id, name, clock()))))
        throw new Problem('not_found', `There is no credential "${name}" in the project ${slug}.`);
      return { project: slug, name, removed: true };
    },
  };
}
