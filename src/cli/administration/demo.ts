// The content of the demo project: the requirements of pqrs itself and the commands that test them,
// from inside the executable.
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../http/api/context.ts';
import { commandsOf } from '../../quality/commands/rows.ts';
import { findProject } from '../../requirements/projects/projects.ts';
import { latestRevision, sourcesOf } from '../../requirements/projects/revisions.ts';
import { readSettings } from '../../requirements/projects/settings.ts';
import type { TestCommandRow } from '../../store/tables/quality.ts';
import { DEMO_SLUG } from './first-start.ts';
import { importRevision } from './import-revision.ts';

const AUTHOR = { tokenId: 'demo', label: 'pqrs' };

/**
 * Gives the demo project the sources of this executable as its next revision, where it has others of
 * an earlier one, or none, and its test commands. What somebody else has imported there stays, and so
 * does a project of that name that is no demo. A failure is logged, and ends nothing.
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
    const isSame =
      hashes.size === DEMO_SOURCES.length &&
      DEMO_SOURCES.every(({ path, text }) => hashes.get(path) === sha256Of(text));
    // Asked here too: an import loads every reader before it knows that nothing has changed.
    if (!isSame)
      await importRevision(context, {
        projectId: project.id,
        files: DEMO_SOURCES.map(({ path, text }) => ({
          path,
          bytes: Buffer.from(text),
          format: null,
        })),
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

function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Gives a project the commands of the demo. Those that it has of an earlier executable are brought up
 * to date, whatever state somebody has put them in, and archived where there is no such test any
 * more; a command of somebody else with the same key stays as it is.
 */
async function loadCommands({ database, clock }: Context, projectId: string): Promise<void> {
  const { demoCommands } = await import('../../demo/content.ts');
  const { draftCommand } = await import('../../agents/commands/draft.ts');
  const { createCommand, updateCommand } = await import('../../agents/commands/write.ts');
  const now = clock();
  const drafts = demoCommands().map((input) => ({ input, columns: draftCommand(input, now) }));
  const before = new Map((await commandsOf(database.read, projectId)).map((row) => [row.key, row]));
  const isOwn = (row: TestCommandRow) => row.authorToken === AUTHOR.tokenId;
  const fresh = drafts.filter(({ columns }) => !before.has(columns.key));
  const changed = drafts.flatMap(({ input, columns }) => {
    const row = before.get(columns.key);
    if (!row || !isOwn(row)) return [];
    const same = (['name', 'argv', 'report', 'storyIds', 'tags'] as const).every((name) =>
      isDeepStrictEqual(row[name], columns[name]),
    );
    const { key: _key, kind: _kind, ...patch } = input;
    return same ? [] : [{ id: row.id, ...patch }];
  });
  const keys = new Set(drafts.map(({ columns }) => columns.key));
  const gone = [...before.values()]
    .filter((row) => isOwn(row) && !keys.has(row.key) && row.state !== 'archived')
    .map(({ id }) => ({ id, state: 'archived' as const }));
  const patches = [...changed, ...gone];
  if (fresh.length + patches.length === 0) return;
  await database.write(async (db) => {
    for (const { columns } of fresh)
      await createCommand(db, { projectId, columns, secrets: undefined, actor: AUTHOR, now });
    for (const patch of patches)
      await updateCommand(db, {
        projectId,
        patch,
        secrets: undefined,
        ifMatch: null,
        isOwner: true,
        now,
      });
  });
}
