// The revision that a read is about: the one that is asked for, else the latest.
import type { RevisionRow } from '../../store/tables/requirements.ts';
import type { Requirements } from '../requirements.ts';

/**
 * Finds a revision.
 *
 * @param number - undefined for the latest
 * @returns undefined where the project has none yet
 * @throws Problem `not_found` for a number that there is not
 */
export async function readRevision(
  { graphs, tokens }: Requirements,
  projectId: string,
  number: number | undefined,
): Promise<RevisionRow | undefined> {
  const wanted = number ?? tokens.project(projectId)?.revision ?? 0;
  if (wanted === 0 && number === undefined) return undefined;
  return graphs.known(projectId, wanted) ?? graphs.revision(projectId, wanted);
}
