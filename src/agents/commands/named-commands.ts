// Test commands that a body names by their ids or keys, and what is wrong with them where they stand.
import { and, eq, or, sql } from 'drizzle-orm';
import { type FieldError, Problem } from '../../errors.ts';
import { ERRORS_SHOWN } from '../../model/validate.ts';
import type { Db } from '../../store/database.ts';
import { type TestCommandRow, testCommands } from '../../store/tables/quality.ts';

export function isOff({ state }: Pick<TestCommandRow, 'state'>): boolean {
  return state === 'disabled' || state === 'archived';
}

export async function namedCommand(
  db: Db,
  projectId: string,
  name: string,
  pointer: string,
): Promise<TestCommandRow> {
  const [command] = await commandsNamed(db, projectId, [name], () => pointer);
  return command as TestCommandRow;
}

/** The ids of the commands that a list names, which may be run. */
export async function namedCommandIds(
  db: Db,
  projectId: string,
  names: readonly string[],
  pointerOf: (at: number) => string,
): Promise<string[]> {
  const commands = await commandsNamed(db, projectId, names, pointerOf);
  const places = new Map<string, number>();
  const repeated: FieldError[] = [];
  for (const [at, { id }] of commands.entries()) {
    const first = places.get(id);
    if (first === undefined) places.set(id, at);
    else
      repeated.push({
        pointer: pointerOf(at),
        detail: `is the command that ${pointerOf(first)} names`,
      });
  }
  refuse('invalid', repeated);
  return [...places.keys()];
}

async function commandsNamed(
  db: Db,
  projectId: string,
  names: readonly string[],
  pointerOf: (at: number) => string,
): Promise<TestCommandRow[]> {
  const { id, key } = testCommands;
  const values = sql`(select value from json_each(${JSON.stringify(names)}))`;
  const isNamed = or(sql`${id} in ${values}`, sql`${key} in ${values}`);
  const rows = await db
    .select()
    .from(testCommands)
    .where(and(eq(testCommands.projectId, projectId), isNamed));
  const known = new Map(rows.flatMap((row) => [[row.id, row] as const, [row.key, row] as const]));
  const missing: FieldError[] = [];
  const off: FieldError[] = [];
  const found = names.flatMap((name, at) => {
    const pointer = pointerOf(at);
    const row = known.get(name);
    if (!row) missing.push({ pointer, detail: `there is no test command ${name} in this project` });
    else if (isOff(row))
      off.push({ pointer, detail: `the test command ${row.key} is ${row.state}` });
    return row ?? [];
  });
  refuse('not_found', missing);
  refuse('conflict', off);
  return found;
}

function refuse(code: 'invalid' | 'not_found' | 'conflict', errors: FieldError[]): void {
  const [first] = errors;
  if (!first) return;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  throw new Problem(code, `${first.pointer}: ${first.detail}${more}`, {
    errors: errors.slice(0, ERRORS_SHOWN),
  });
}
