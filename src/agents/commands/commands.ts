// Registering and changing test commands, and finding those that a body names by id or key.
import { isDeepStrictEqual } from 'node:util';
import { and, eq, ne, or, sql } from 'drizzle-orm';
import { type Actor, forbiddenFields } from '../../access/caller.ts';
import { Problem, type ProblemCode } from '../../errors.ts';
import { requireMatch } from '../../model/etag.ts';
import { ERRORS_SHOWN } from '../../model/validate.ts';
import { getCommand } from '../../quality/commands/rows.ts';
import type { Db } from '../../store/database.ts';
import { newId } from '../../store/ids.ts';
import type { Sealing } from '../../store/keys/sealing-key.ts';
import { type TestCommandRow, testCommands } from '../../store/tables/quality.ts';
import { endCredentialLeases, removeCredential, setCredential } from '../credentials.ts';
import type { CommandPatchInput } from './model.ts';
import { type CommandColumns, patchCommand } from './model.ts';

const GUARDED_FIELDS = ['kind', 'argv', 'cwd', 'env', 'report', 'state', 'quarantine'] as const;

export interface Secrets {
  values: Readonly<Record<string, string | null>>;
  sealing: Sealing;
}

interface Registration {
  projectId: string;
  columns: CommandColumns;
  secrets: Secrets | undefined;
  actor: Actor;
  now: number;
}

export async function createCommand(
  db: Db,
  { projectId, columns, secrets, actor, now }: Registration,
): Promise<TestCommandRow> {
  const id = newId('cmd');
  await requireFreeKey(db, projectId, columns.key, id);
  const author = { authorToken: actor.tokenId, authorLabel: actor.label };
  const [row] = await db
    .insert(testCommands)
    .values({ id, projectId, ...columns, ...author, createdAt: now, updatedAt: now })
    .returning();
  await storeSecrets(db, projectId, secrets, now);
  return row as TestCommandRow;
}

interface CommandChange extends Omit<Registration, 'columns' | 'actor'> {
  patch: CommandPatchInput;
  ifMatch: string | null;
  isOwner: boolean;
}

export async function updateCommand(
  db: Db,
  { projectId, patch, secrets, ifMatch, isOwner, now }: CommandChange,
): Promise<TestCommandRow> {
  const before = await getCommand(db, projectId, patch.id);
  const guarded = GUARDED_FIELDS.filter((name) => patch[name] !== undefined);
  if (!isOwner && guarded.length > 0 && before.credentials.length > 0)
    throw forbiddenFields(guarded, 'an agent, of a command with credentials,');
  requireMatch(ifMatch, before.version);
  const columns = patchCommand(before, patch, now);
  if (columns.key !== before.key) await requireFreeKey(db, projectId, columns.key, before.id);
  await storeSecrets(db, projectId, secrets, now);
  const names = Object.keys(columns) as (keyof CommandColumns)[];
  if (names.every((name) => isDeepStrictEqual(columns[name], before[name]))) return before;
  const changes = { ...columns, version: before.version + 1, updatedAt: now };
  await db.update(testCommands).set(changes).where(eq(testCommands.id, before.id));
  if (isOwner && isOff(columns) && !isOff(before))
    await endCredentialLeases(db, { commandId: before.id }, 'command_disabled', now);
  return { ...before, ...changes };
}

async function requireFreeKey(db: Db, projectId: string, key: string, id: string): Promise<void> {
  const isTaken = and(eq(testCommands.projectId, projectId), eq(testCommands.key, key));
  const [taken] = await db
    .select({ id: testCommands.id })
    .from(testCommands)
    .where(and(isTaken, ne(testCommands.id, id)));
  if (!taken) return;
  throw new Problem('conflict', `The key is that of the command ${taken.id}.`, {
    errors: [{ pointer: '/key', detail: 'is taken' }],
  });
}

async function storeSecrets(
  db: Db,
  projectId: string,
  secrets: Secrets | undefined,
  now: number,
): Promise<void> {
  for (const [name, value] of Object.entries(secrets?.values ?? {})) {
    if (value === null) await removeCredential(db, projectId, name, now);
    else if (secrets) await setCredential(db, secrets.sealing, { projectId, name, value, now });
  }
}

function isOff({ state }: Pick<TestCommandRow, 'state'>): boolean {
  return state === 'disabled' || state === 'archived';
}

export async function namedCommand(
  db: Db,
  projectId: string,
  name: string,
  pointer: string,
): Promise<TestCommandRow> {
  const [command] = await namedCommands(db, projectId, [name], () => pointer);
  return command as TestCommandRow;
}

/** @throws Problem that names each that is not there, or is off, or is named twice */
export async function namedCommands(
  db: Db,
  projectId: string,
  names: readonly string[],
  pointerOf: (at: number) => string,
): Promise<TestCommandRow[]> {
  const { id, key } = testCommands;
  const values = sql`(select value from json_each(${JSON.stringify(names)}))`;
  const rows = await db
    .select()
    .from(testCommands)
    .where(
      and(
        eq(testCommands.projectId, projectId),
        or(sql`${id} in ${values}`, sql`${key} in ${values}`),
      ),
    );
  const known = new Map(rows.flatMap((row) => [[row.id, row] as const, [row.key, row] as const]));
  const places = new Map<TestCommandRow, string>();
  const faults: { code: ProblemCode; pointer: string; detail: string }[] = [];
  for (const [at, name] of names.entries()) {
    const pointer = pointerOf(at);
    const add = (code: ProblemCode, detail: string) => faults.push({ code, pointer, detail });
    const row = known.get(name);
    const first = row && places.get(row);
    if (!row) add('not_found', `there is no test command ${name} in this project`);
    else if (isOff(row)) add('conflict', `the test command ${row.key} is ${row.state}`);
    else if (first) add('invalid', `is the command that ${first} names`);
    else places.set(row, pointer);
  }
  for (const code of ['not_found', 'conflict', 'invalid'] as const) {
    const errors = faults.filter((fault) => fault.code === code).slice(0, ERRORS_SHOWN);
    if (errors[0])
      throw new Problem(code, `${errors[0].pointer}: ${errors[0].detail}`, {
        errors: errors.map(({ pointer, detail }) => ({ pointer, detail })),
      });
  }
  return [...places.keys()];
}
