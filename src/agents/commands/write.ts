// Registering and changing test commands.
import { isDeepStrictEqual } from 'node:util';
import { and, eq, ne } from 'drizzle-orm';
import { type Actor, forbiddenFields } from '../../access/caller.ts';
import { Problem } from '../../errors.ts';
import { requireMatch } from '../../model/etag.ts';
import { getCommand } from '../../quality/commands/rows.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import type { Sealing } from '../../store/keys/sealing-key.ts';
import { type TestCommandRow, testCommands } from '../../store/tables/quality.ts';
import { endCredentialLeases } from '../credentials/leases.ts';
import { removeCredential, setCredential } from '../credentials/store.ts';
import type { CommandPatchInput } from './body.ts';
import { type CommandColumns, patchCommand } from './draft.ts';
import { isOff } from './named-commands.ts';

export const OWNER_FIELDS = ['credentials', 'secrets', 'allowArchives'] as const;

export const GUARDED_FIELDS = [
  'kind',
  'argv',
  'cwd',
  'env',
  'report',
  'state',
  'quarantine',
] as const;

export type Secrets = Readonly<Record<string, string | null>>;

export interface Registration {
  projectId: string;
  columns: CommandColumns;
  /** Set where there are values to be sealed. */
  secrets: { values: Secrets; sealing: Sealing } | undefined;
  actor: Actor;
  now: number;
}

/**
 * Registers a command, inside the caller's write.
 *
 * @throws Problem `conflict` where its key is taken
 */
export async function createCommand(
  db: Db,
  { projectId, columns, secrets, actor, now }: Registration,
): Promise<TestCommandRow> {
  const id = newId('cmd');
  await requireFreeKey(db, projectId, columns.key, id);
  const [row] = await db
    .insert(testCommands)
    .values({
      id,
      projectId,
      ...columns,
      createdAt: now,
      updatedAt: now,
      authorToken: actor.tokenId,
      authorLabel: actor.label,
    })
    .returning();
  await storeSecrets(db, projectId, secrets, now);
  return row as TestCommandRow;
}

export interface CommandChange {
  projectId: string;
  patch: CommandPatchInput;
  /** Set where there are values to be sealed. */
  secrets: Registration['secrets'];
  ifMatch: string | null;
  isOwner: boolean;
  now: number;
}

/**
 * Applies a merge patch, inside the caller's write. What changes nothing leaves the version as it is.
 *
 * @throws Problem `not_found`, `forbidden`, `precondition_failed`, `invalid`, `conflict`
 */
export async function updateCommand(
  db: Db,
  { projectId, patch, secrets, ifMatch, isOwner, now }: CommandChange,
): Promise<{ row: TestCommandRow; changed: boolean }> {
  const before = await getCommand(db, projectId, patch.id);
  if (!isOwner) refuseGuarded(before, patch);
  requireMatch(ifMatch, before.version);
  const columns = patchCommand(before, patch, now);
  if (columns.key !== before.key) await requireFreeKey(db, projectId, columns.key, before.id);
  await storeSecrets(db, projectId, secrets, now);
  const names = Object.keys(columns) as (keyof CommandColumns)[];
  if (names.every((name) => isDeepStrictEqual(columns[name], before[name])))
    return { row: before, changed: false };
  const changes = { ...columns, version: before.version + 1, updatedAt: now };
  await db.update(testCommands).set(changes).where(eq(testCommands.id, before.id));
  const row = { ...before, ...changes };
  if (isOwner && isOff(row) && !isOff(before))
    await endCredentialLeases(db, { commandId: row.id }, 'command_disabled', now);
  return { row, changed: true };
}

/** @throws Problem `forbidden` for fields of a command with credentials that are an owner's */
export function refuseGuarded(row: Pick<TestCommandRow, 'credentials'>, patch: object): void {
  const touched = GUARDED_FIELDS.filter((name) => Object.hasOwn(patch, name));
  if (touched.length > 0 && row.credentials.length > 0)
    throw forbiddenFields(touched, 'an agent, of a command with credentials,');
}

async function requireFreeKey(db: Db, projectId: string, key: string, id: string): Promise<void> {
  const [taken] = await db
    .select({ id: testCommands.id })
    .from(testCommands)
    .where(
      and(
        eq(testCommands.projectId, projectId),
        eq(testCommands.key, key),
        ne(testCommands.id, id),
      ),
    );
  if (!taken) return;
  throw new Problem('conflict', `The key is that of the command ${taken.id}.`, {
    errors: [{ pointer: '/key', detail: 'is taken' }],
  });
}

async function storeSecrets(
  db: Db,
  projectId: string,
  secrets: Registration['secrets'],
  now: number,
): Promise<void> {
  if (!secrets) return;
  for (const [name, value] of Object.entries(secrets.values)) {
    if (value === null) await removeCredential(db, projectId, name, now);
    else await setCredential(db, secrets.sealing, { projectId, name, value, now });
  }
}
