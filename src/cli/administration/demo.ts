// The content of the demo project: the requirements of pqrs itself and the commands that test them,
// from inside the executable.
import { createHash } from 'node:crypto';
import { createCommand, updateCommand } from '../../agents/commands/commands.ts';
import { draftCommand } from '../../agents/commands/model.ts';
import type { Context } from '../../http/api/context.ts';
import { commandsOf } from '../../quality/commands/rows.ts';
import { findProject } from '../../requirements/projects/projects.ts';
import { latestRevision, sourcesOf } from '../../requirements/projects/revisions.ts';
import { readSettings } from '../../requirements/projects/settings.ts';
import { importRevision } from './administration.ts';
import { DEMO_SLUG } from './first-start.ts';

const AUTHOR = { tokenId: 'demo', label: 'pqrs' };

/**
 * Gives the demo project the sources of this executable as its next revision, and its commands.
 * What somebody else has imported there stays. A failure is logged, and ends nothing.
 */
export async function loadDemo(context: Context): Promise<void> {
  try {
    const { read } = context.database;
    const project = await findProject(read, DEMO_SLUG);
    if (!project || !readSettings(project.settings).demo) return;
    const latest = await latestRevision(read, project.id);
    if (latest && latest.authorToken !== AUTHOR.tokenId) return;
    const { DEMO_SOURCES } = await import('../../demo/content.ts');
    const stored = latest ? await sourcesOf(read, latest) : [];
    const hashes = new Map(stored.map(({ path, sha256 }) => [path, sha256]));
    const files = DEMO_SOURCES.map(({ path, text }) => ({
      path,
      bytes: Buffer.from(text),
      format: null,
    }));
    const isSame = ({ path, bytes }: (typeof files)[number]) =>
      hashes.get(path) === createHash('sha256').update(bytes).digest('hex');
    // Asked here too: an import loads every reader before it knows that nothing has changed.
    if (hashes.size !== files.length || !files.every(isSame))
      await importRevision(context, {
        projectId: project.id,
        files,
        confirm: true,
        mode: 'replace',
        baseRevision: latest?.number ?? 0,
        actor: AUTHOR,
        now: context.clock(),
      });
    await loadCommands(context, project.id);
  } catch (error) {
    context.log.warn({ err: error }, 'the demo project did not get its content');
  }
}

/**
 * Brings commands of an earlier executable up to date, whatever their state, and archives those
 * that are gone; a command of somebody else with the same key stays as it is.
 */
async function loadCommands({ database, clock }: Context, projectId: string): Promise<void> {
  const { demoCommands } = await import('../../demo/content.ts');
  const now = clock();
  const common = { projectId, secrets: undefined, now };
  const before = new Map((await commandsOf(database.read, projectId)).map((row) => [row.key, row]));
  await database.write(async (db) => {
    for (const { key, kind, ...fields } of demoCommands()) {
      const row = before.get(key);
      before.delete(key);
      if (row === undefined) {
        const columns = draftCommand({ key, kind, ...fields }, now);
        await createCommand(db, { ...common, columns, actor: AUTHOR });
      } else if (row.authorToken === AUTHOR.tokenId)
        await updateCommand(db, { ...common, patch: { id: row.id, ...fields }, ...BY_OWNER });
    }
    for (const { id, authorToken } of before.values())
      if (authorToken === AUTHOR.tokenId)
        await updateCommand(db, { ...common, patch: { id, state: 'archived' }, ...BY_OWNER });
  });
}

const BY_OWNER = { ifMatch: null, isOwner: true };
