// Reading test commands from their table.
import { and, asc, desc, eq, inArray, lt, or, type SQL, sql } from 'drizzle-orm';
import { timestamp } from '../../clock.ts';
import { notFound } from '../../errors.ts';
import { etagOf } from '../../model/etag.ts';
import { prepared } from '../../store/client/prepared.ts';
import type { Db } from '../../store/database.ts';
import { listHolds } from '../../store/list-holds.ts';
import {
  type CommandStatsRow,
  type TestCommandRow,
  testCommands,
} from '../../store/tables/quality.ts';
import { shownBy } from '../lists.ts';
import { type CommandFilters, type CommandState, stateOf, TestCommand } from './model.ts';
import { statsView } from './stats.ts';

const byId = prepared((db) =>
  db
    .select()
    .from(testCommands)
    .where(eq(testCommands.id, sql.placeholder('id')))
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
  const ofProject = eq(testCommands.projectId, projectId);
  return db.select().from(testCommands).where(ofProject).orderBy(asc(testCommands.seq));
}

/** A command by its id or its key, of which no one has the form of an id; undefined for none. */
export async function findCommand(
  db: Db,
  projectId: string,
  idOrKey: string,
): Promise<TestCommandRow | undefined> {
  const named = or(eq(testCommands.id, idOrKey), eq(testCommands.key, idOrKey));
  const [row] = await db
    .select()
    .from(testCommands)
    .where(and(eq(testCommands.projectId, projectId), named));
  return row;
}

/**
 * One page of a project's commands, the newest first, with one row more than the limit.
 * @param behind - the `seq` of the last command seen
 */
export async function listCommandRows(
  db: Db,
  projectId: string,
  filters: CommandFilters,
  { behind, limit, now }: { behind: number | undefined; limit: number; now: number },
): Promise<TestCommandRow[]> {
  const { kind, state } = filters;
  const conditions: (SQL | undefined)[] = [
    eq(testCommands.projectId, projectId),
    kind && inArray(testCommands.kind, kind),
    state && or(...state.map((one) => isIn(one, now))),
    behind === undefined ? undefined : lt(testCommands.seq, behind),
  ];
  for (const name of ['key', 'name'] as const) {
    const wanted = filters[name];
    if (wanted) conditions.push(inArray(testCommands[name], wanted));
  }
  for (const name of ['storyIds', 'routes', 'tags', 'credentials'] as const) {
    const wanted = filters[name];
    if (wanted) conditions.push(listHolds(testCommands[name], wanted));
  }
  return db
    .select()
    .from(testCommands)
    .where(and(...conditions))
    .orderBy(desc(testCommands.seq))
    .limit(limit + 1);
}

/** As `stateOf` has it. */
function isIn(state: CommandState, now: number): SQL | undefined {
  const isStored = eq(testCommands.state, state);
  const until = sql`json_extract(${testCommands.quarantine}, '$.until')`;
  if (state === 'quarantined') return and(isStored, sql`${until} > ${now}`);
  if (state !== 'active') return isStored;
  return or(isStored, and(eq(testCommands.state, 'quarantined'), sql`${until} <= ${now}`));
}

/** @param options - `seesValues`: values of variables are shown, else their names alone */
export function commandView(
  row: TestCommandRow,
  stats: CommandStatsRow | undefined,
  { seesValues, now }: { seesValues: boolean; now: number },
) {
  const { env, quarantine } = row;
  return shownBy(TestCommand, {
    ...row,
    env: seesValues ? env : Object.fromEntries(Object.keys(env).map((name) => [name, null])),
    state: stateOf(row, now),
    quarantine: quarantine && { ...quarantine, until: timestamp(quarantine.until) },
    stats: statsView(stats),
    author: { tokenId: row.authorToken, label: row.authorLabel },
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
  });
}

export function commandEtag(view: { version: number }): string {
  return etagOf(view.version, JSON.stringify(view));
}
