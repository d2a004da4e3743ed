// The test commands of the demo project: those of this executable, beside those of anybody else.
import type { Actor } from '../../access/caller.ts';
import type { Context } from '../../http/api/context.ts';
import { commandsOf } from '../../quality/commands/rows.ts';
import type { Db } from '../../store/database.ts';
import type { TestCommandRow } from '../../store/tables/quality.ts';

/**
 * Gives a project the commands of the demo. Those that it has of an earlier executable are brought up
 * to date, whatever state somebody has put them in, and archived where there is no such test any
 * more; a command of somebody else with the same key stays as it is.
 *
 * @returns whether any was changed
 */
export async function loadDemoCommands(
  { database, clock }: Context,
  projectId: string,
  actor: Actor,
): Promise<boolean> {
  const { demoCommands } = await import('../../demo/commands.ts');
  const { draftCommand } = await import('../../agents/commands/draft.ts');
  const { createCommand, updateCommand } = await import('../../agents/commands/write.ts');
  const now = clock();
  const wanted = demoCommands();
  const drafts = wanted.map((input) => ({ input, columns: draftCommand(input, now) }));
  const before = new Map((await commandsOf(database.read, projectId)).map((row) => [row.key, row]));
  const isMine = (row: TestCommandRow) => row.authorToken === actor.tokenId;
  const fresh = drafts.filter(({ columns }) => !before.has(columns.key));
  const changed = drafts.flatMap(({ input, columns }) => {
    const row = before.get(columns.key);
    if (!row || !isMine(row)) return [];
    const same = (['name', 'argv', 'report', 'storyIds', 'tags'] as const).every(
      (name) => row[name] === columns[name],
    );
    const { key: _key, kind: _kind, ...patch } = input;
    return same ? [] : [{ id: row.id, ...patch }];
  });
  const keys = new Set(wanted.map(({ key }) => key));
  const gone = [...before.values()]
    .filter((row) => isMine(row) && !keys.has(row.key) && row.state !== 'archived')
    .map(({ id }) => ({ id, state: 'archived' as const }));
  if (fresh.length + changed.length + gone.length === 0) return false;
  await database.write(async (db: Db) => {
    for (const { columns } of fresh)
      await createCommand(db, { projectId, columns, secrets: undefined, actor, now });
    for (const patch of [...changed, ...gone])
      await updateCommand(db, {
        ...{ projectId, patch, secrets: undefined, ifMatch: null, isOwner: true, now },
      });
  });
  return true;
}
