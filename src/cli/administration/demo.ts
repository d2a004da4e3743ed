// The content of the demo project: the requirements of pqrs itself and the commands that test them,
// from inside the executable.
import { createCommand } from '../../agents/commands/commands.ts';
import { draftCommand } from '../../agents/commands/model.ts';
import type { Context } from '../../http/api/context.ts';
import { commandsOf } from '../../quality/commands/rows.ts';
import { findProject } from '../../requirements/projects/projects.ts';
import { readSettings } from '../../requirements/projects/settings.ts';
import { importRevision } from './administration.ts';
import { DEMO_SLUG } from './first-start.ts';

const AUTHOR = { tokenId: 'demo', label: 'pqrs' };

/** Gives a demo project that has no sources, or no commands, those of this executable; never throws. */
export async function loadDemo(context: Context): Promise<void> {
  const { database, clock, log } = context;
  try {
    const project = await findProject(database.read, DEMO_SLUG);
    if (!project || !readSettings(project.settings).demo) return;
    const projectId = project.id;
    const now = clock();
    const { DEMO_SOURCES, demoCommands } = await import('../../demo/content.ts');
    if (project.revision === 0)
      await importRevision(context, {
        projectId,
        files: DEMO_SOURCES.map(({ path, text }) => ({
          path,
          bytes: Buffer.from(text),
          format: null,
        })),
        confirm: true,
        mode: 'replace',
        baseRevision: 0,
        actor: AUTHOR,
        now,
      });
    if ((await commandsOf(database.read, projectId)).length > 0) return;
    await database.write(async (db) => {
      for (const command of demoCommands()) {
        const columns = draftCommand(command, now);
        await createCommand(db, { projectId, columns, secrets: undefined, actor: AUTHOR, now });
      }
    });
  } catch (error) {
    log.warn({ err: error }, 'the demo project did not get its content');
  }
}
