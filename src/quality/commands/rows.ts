// Reading test commands from their table.
import { and, asc, eq, or, sql } from 'drizzle-orm';
import { notFound } from '../../errors.ts';
import { prepared } from '../../store/client/prepared.ts';
import type { Db } from '../../store/database.ts';
import { type TestCommandRow, testCommands } from '../../store/tables/quality.ts';

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
