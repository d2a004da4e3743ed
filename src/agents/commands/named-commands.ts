// Test commands that a body names by their ids or keys, and what is wrong with them where they stand.
import { and, eq, or, sql } from 'drizzle-orm';
import { type FieldError, Problem } from '../../errors.ts';
import { findCommand } from '../../quality/commands/rows.ts';
import type { Db } from '../../store/database.ts';
import { type TestCommandRow, testCommands } from '../../store/tables/quality.ts';

/** Whether a command is not to be run any more. */
export function isOff({ state }: Pick<TestCommandRow, 'state'>): boolean {
  return state === 'disabled' || state === 'archived';
}

/**
 * The command that a body names, which may be run.
 *
 * @param pointer - to where it is named
 * @throws Problem `not_found`; `conflict` for one that is disabled or archived
 */
export async function namedCommand(
  db: Db,
  projectId: string,
  name: string,
  pointer: string,
): Promise<TestCommandRow> {
  const command = await findCommand(db, projectId, name);
  if (!command) throw refusal('not_found', [unknown(pointer, name)]);
  if (isOff(command)) throw refusal('conflict', [off(pointer, command)]);
  return command;
}

/**
 * The ids of the commands that a list names, which may be run.
 *
 * @throws Problem `invalid` where two names are of one command; `not_found`; `conflict` for those that
 *   are disabled or archived
 */
export async function namedCommandIds(
  db: Db,
  projectId: string,
  names: readonly string[],
  pointer: string,
): Promise<string[]> {
  const { id, key, state } = testCommands;
  const values = sql`(select value from json_each(${JSON.stringify(names)}))`;
  const rows = await db
    .select({ id, key, state })
    .from(testCommands)
    .where(
      and(
        eq(testCommands.projectId, projectId),
        or(sql`${id} in ${values}`, sql`${key} in ${values}`),
      ),
    );
  const known = new Map(rows.flatMap((row) => [[row.id, row] as const, [row.key, row] as const]));
  const places = new Map<string, number>();
  const repeated: FieldError[] = [];
  const missing: FieldError[] = [];
  const disabled: FieldError[] = [];
  for (const [at, name] of names.entries()) {
    const place = `${pointer}/${at}`;
    const command = known.get(name);
    if (!command) {
      missing.push(unknown(place, name));
      continue;
    }
    const earlier = places.get(command.id);
    if (earlier === undefined) places.set(command.id, at);
    else
      repeated.push({ pointer: place, detail: `is the command that ${pointer}/${earlier} names` });
    if (isOff(command)) disabled.push(off(place, command));
  }
  if (repeated.length > 0) throw refusal('invalid', repeated);
  if (missing.length > 0) throw refusal('not_found', missing);
  if (disabled.length > 0) throw refusal('conflict', disabled);
  return [...places.keys()];
}

function unknown(pointer: string, name: string): FieldError {
  return { pointer, detail: `there is no test command ${name} in this project` };
}

function off(pointer: string, { key, state }: { key: string; state: string }): FieldError {
  return { pointer, detail: `the test command ${key} is ${state}` };
}

const ERRORS_SHOWN = 50;

function refusal(
  code: 'invalid' | 'not_found' | 'conflict',
  errors: readonly FieldError[],
): Problem {
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return new Problem(code, `${first?.pointer}: ${first?.detail}${more}`, {
    errors: errors.slice(0, ERRORS_SHOWN),
  });
}
