// Reading test commands from their table.

import { type Static, Type } from '@sinclair/typebox';
import { and, asc, desc, eq, inArray, lt, or, type SQL, sql } from 'drizzle-orm';
import { notFound } from '../../errors.ts';
import { closed, oneOf } from '../../model/schemas.ts';
import { prepared } from '../../store/client/prepared.ts';
import type { Db } from '../../store/database.ts';
import { listHolds } from '../../store/list-holds.ts';
import {
  type CommandStatsRow,
  commandStats,
  type TestCommandRow,
  testCommands,
} from '../../store/tables/quality.ts';
import { COMMAND_KINDS, COMMAND_STATES, type CommandState } from './model.ts';

const p = sql.placeholder;

const byId = prepared((db) =>
  db
    .select()
    .from(testCommands)
    .where(eq(testCommands.id, p('id')))
    .prepare(),
);

const byProject = prepared((db) =>
  db
    .select()
    .from(testCommands)
    .where(eq(testCommands.projectId, p('projectId')))
    .orderBy(asc(testCommands.seq))
    .prepare(),
);

/** @throws Problem `not_found`, for another project's command too */
export async function getCommand(db: Db, projectId: string, id: string): Promise<TestCommandRow> {
  const [row] = await byId(db).all({ id });
  if (!row || row.projectId !== projectId) throw notFound('test command');
  return row;
}

/** All commands of a project, in the order in which they came. */
export async function commandsOf(db: Db, projectId: string): Promise<TestCommandRow[]> {
  return byProject(db).all({ projectId });
}

/** A command by its id or its key, of which no one has the form of an id; undefined for none. */
export async function findCommand(
  db: Db,
  projectId: string,
  idOrKey: string,
): Promise<TestCommandRow | undefined> {
  const [row] = await db
    .select()
    .from(testCommands)
    .where(
      and(
        eq(testCommands.projectId, projectId),
        or(eq(testCommands.id, idOrKey), eq(testCommands.key, idOrKey)),
      ),
    )
    .limit(1);
  return row;
}

const Texts = Type.Optional(Type.Array(Type.String()));

export const CommandQuery = closed({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
  cursor: Type.Optional(Type.String()),
  id: Type.Optional(Type.String({ description: 'One command, bare' })),
  key: Texts,
  name: Texts,
  kind: Type.Optional(Type.Array(oneOf(COMMAND_KINDS))),
  state: Type.Optional(
    Type.Array(oneOf(COMMAND_STATES), {
      description: 'The state in effect: a quarantine that is over is `active`',
    }),
  ),
  storyIds: Texts,
  routes: Texts,
  tags: Texts,
  credentials: Texts,
});
export type CommandFilters = Static<typeof CommandQuery>;

/**
 * One page of a project's commands, the newest first, with one row more than the limit.
 *
 * @param behind - the `seq` of the last command seen
 */
export async function listCommandRows(
  db: Db,
  projectId: string,
  filters: CommandFilters,
  page: { behind: number | undefined; limit: number; now: number },
): Promise<TestCommandRow[]> {
  const conditions: (SQL | undefined)[] = [eq(testCommands.projectId, projectId)];
  for (const name of ['key', 'name', 'kind'] as const) {
    const wanted = filters[name];
    if (wanted) conditions.push(inArray(testCommands[name], wanted as string[]));
  }
  for (const name of ['storyIds', 'routes', 'tags', 'credentials'] as const) {
    const wanted = filters[name];
    if (wanted) conditions.push(listHolds(testCommands[name], wanted));
  }
  if (filters.state) conditions.push(or(...filters.state.map((one) => isIn(one, page.now))));
  if (page.behind !== undefined) conditions.push(lt(testCommands.seq, page.behind));
  return db
    .select()
    .from(testCommands)
    .where(and(...conditions))
    .orderBy(desc(testCommands.seq))
    .limit(page.limit + 1);
}

function isIn(state: CommandState, now: number): SQL | undefined {
  const isStored = (one: CommandState) => eq(testCommands.state, one);
  const until = sql`json_extract(${testCommands.quarantine}, '$.until')`;
  if (state === 'quarantined') return and(isStored('quarantined'), sql`${until} > ${now}`);
  if (state === 'active')
    return or(isStored('active'), and(isStored('quarantined'), sql`${until} <= ${now}`));
  return isStored(state);
}

export async function statsOfAll(
  db: Db,
  commands: readonly TestCommandRow[],
): Promise<Map<string, CommandStatsRow>> {
  if (commands.length === 0) return new Map();
  const ids = commands.map(({ id }) => id);
  const rows = await db.select().from(commandStats).where(inArray(commandStats.commandId, ids));
  return new Map(rows.map((row) => [row.commandId, row]));
}
