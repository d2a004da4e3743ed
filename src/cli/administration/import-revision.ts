// Makes a source set the next revision of a project, where no request asks for it.
import { knownProject } from '../../access/tokens.ts';
import { settleRevision } from '../../assurance/overlay/settle.ts';
import { Problem } from '../../errors.ts';
import type { Context } from '../../http/api/context.ts';
import { openGraphs } from '../../requirements/graph/graphs.ts';
import { type ImportInput, prepareImport } from '../../requirements/import/import-sources.ts';
import type { OnProgress } from '../../requirements/import/progress.ts';
import { getProject } from '../../requirements/projects/projects.ts';
import { latestRevision } from '../../requirements/projects/revisions.ts';
import type { RevisionRow } from '../../store/tables/requirements.ts';

/**
 * Imports a source set, when the imports into the project that came before have ended.
 *
 * @returns the latest revision, which stays the one before where that has the same set
 * @throws Problem `conflict` where the base is no longer the latest, `invalid` where nothing parses
 */
export function importRevision(
  context: Context,
  input: ImportInput,
  onProgress?: OnProgress,
): Promise<{ revision: RevisionRow; created: boolean }> {
  const { database, tokens, clock, importTurns } = context;
  return importTurns(input.projectId, async () => {
    const prepared = await prepareImport(context, input, onProgress);
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
