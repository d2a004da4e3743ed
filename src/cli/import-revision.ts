// Makes a source set the next revision of a project, where no request asks for it.
import { settleRevision } from '../assurance/settle-revision.ts';
import type { Context } from '../http/context.ts';
import { knownProject } from '../http/tokens.ts';
import { openGraphs } from '../requirements/graphs.ts';
import { type ImportWish, prepareImport } from '../requirements/import/import-sources.ts';
import type { OnProgress } from '../requirements/import/progress.ts';
import { getProject } from '../requirements/projects.ts';

/**
 * Imports a source set.
 *
 * @param onProgress - is told how far it is
 * @returns whether there is a new revision; the set of the latest one makes none
 * @throws Problem `conflict` where the base is no longer the latest, `invalid` where nothing parses
 */
export async function importRevision(
  context: Context,
  wish: ImportWish,
  onProgress?: OnProgress,
): Promise<boolean> {
  const { database, tokens, clock } = context;
  const prepared = await prepareImport(context, wish, onProgress);
  try {
    const { write } = prepared;
    const graphs = openGraphs(context);
    await prepared.readGraph(graphs);
    if (write) {
      await database.write(async (db) => settleRevision(db, graphs, await write(db), clock()));
    }
    tokens.rememberProject(knownProject(await getProject(database.read, wish.projectId)));
    return write !== undefined;
  } finally {
    await prepared.end();
  }
}
