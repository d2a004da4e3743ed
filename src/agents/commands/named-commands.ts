// Test commands that a body names by their ids or keys, and what is wrong with them where they stand.
import { and, eq, inArray } from 'drizzle-orm';
import { type FieldError, Problem, type ProblemCode } from '../../errors.ts';
import { invalidFields } from '../../model/validate.ts';
import { stateOf } from '../../quality/commands/model.ts';
import { findCommand } from '../../quality/commands/rows.ts';
import type { Db } from '../../store/database.ts';
import { isId } from '../../store/ids.ts';
import { type TestCommandRow, testCommands } from '../../store/tables/quality.ts';

type StoredState = Pick<TestCommandRow, 'state' | 'quarantine'>;
type NamedCommand = StoredState & Pick<TestCommandRow, 'id' | 'key'>;

/** Whose commands are named, and when. */
export interface Naming {
  projectId: string;
  now: number;
}

/** Whether a command is not to be run any more. */
export function isOff(command: StoredState, now: number): boolean {
  const state = stateOf(command, now);
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
  { projectId, now }: Naming,
  name: string,
  pointer: string,
): Promise<TestCommandRow> {
  const command = await findCommand(db, projectId, name);
  if (command === undefined) throw refusal('not_found', [unknown(pointer, name)]);
  if (isOff(command, now)) throw refusal('conflict', [off(pointer, command)]);
  return command;
}

/**
 * The ids of the commands that a list names, which may be run.
 *
 * @param pointer - to the list
 * @throws Problem `not_found`; `invalid` where two names are of one command; `conflict` for those that
 *   are disabled or archived
 */
export async function namedCommandIds(
  db: Db,
  { projectId, now }: Naming,
  names: readonly string[],
  pointer: string,
): Promise<string[]> {
  const known = await commandsNamed(db, projectId, names);
  const places = new Map<string, number>();
  const missing: FieldError[] = [];
  const twice: FieldError[] = [];
  const putAway: FieldError[] = [];
  for (const [at, name] of names.entries()) {
    const place = `${pointer}/${at}`;
    const command = known.get(name);
    if (command === undefined) {
      missing.push(unknown(place, name));
      continue;
    }
    const earlier = places.get(command.id);
    if (earlier !== undefined)
      twice.push({ pointer: place, detail: `is the command that ${pointer}/${earlier} names` });
    else places.set(command.id, at);
    if (isOff(command, now)) putAway.push(off(place, command));
  }
  if (twice.length > 0) throw invalidFields(twice.slice(0, ERRORS_SHOWN));
  if (missing.length > 0) throw refusal('not_found', missing);
  if (putAway.length > 0) throw refusal('conflict', putAway);
  return [...places.keys()];
}

const IDS_A_QUERY = 500;
const ERRORS_SHOWN = 50;

async function commandsNamed(
  db: Db,
  projectId: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, NamedCommand>> {
  const { id, key, state, quarantine } = testCommands;
  const known = new Map<string, NamedCommand>();
  // No key has the form of an id.
  const byForm = Map.groupBy(names, (name) => (isId('cmd', name) ? 'id' : 'key'));
  for (const [form, some] of byForm) {
    for (let from = 0; from < some.length; from += IDS_A_QUERY) {
      const rows = await db
        .select({ id, key, state, quarantine })
        .from(testCommands)
        .where(
          and(
            eq(testCommands.projectId, projectId),
            inArray(testCommands[form], some.slice(from, from + IDS_A_QUERY)),
          ),
        );
      for (const row of rows) known.set(row[form], row);
    }
  }
  return known;
}

function unknown(pointer: string, name: string): FieldError {
  return { pointer, detail: `there is no test command ${name} in this project` };
}

function off(pointer: string, { key, state }: Pick<NamedCommand, 'key' | 'state'>): FieldError {
  return { pointer, detail: `the test command ${key} is ${state}` };
}

function refusal(code: ProblemCode, errors: readonly FieldError[]): Problem {
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return new Problem(code, `${first?.pointer}: ${first?.detail}${more}`, {
    errors: errors.slice(0, ERRORS_SHOWN),
  });
}
