// The content version of a project: counters in the database, raised by triggers in the write that
// changes what they count. What is cached is as good as the counters that were read before it was made.
import { eq, getTableColumns, sql } from 'drizzle-orm';
import { prepared } from '../../store/client/prepared.ts';
import type { Db } from '../../store/database.ts';
import { type ContentVersions, contentVersions } from '../../store/tables/projects.ts';

export type { ContentVersions } from '../../store/tables/projects.ts';

const { projectId, ...counters } = getTableColumns(contentVersions);

const members = Object.entries(counters).flatMap(([name, column]) => [
  sql.raw(`'${name}'`),
  column,
]);

// One column: the client takes its time for each.
const byProject = prepared((db) =>
  db
    .select({ versions: sql<string>`json_object(${sql.join(members, sql`, `)})` })
    .from(contentVersions)
    .where(eq(projectId, sql.placeholder('projectId')))
    .prepare(),
);

const NEW: ContentVersions = {
  graph: 0,
  links: 0,
  verdicts: 0,
  commands: 0,
  scenarios: 0,
  results: 0,
  expired: 0,
  issues: 0,
};

export async function readContentVersions(db: Db, ofProject: string): Promise<ContentVersions> {
  const [row] = await byProject(db).all({ projectId: ofProject });
  return row ? JSON.parse(row.versions) : NEW;
}

/** All counters as one: another one wherever one of them is. */
export function contentVersion(versions: ContentVersions): number {
  return Object.values(versions).reduce((sum, version) => sum + version, 0);
}
