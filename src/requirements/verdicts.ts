// Whether anybody has judged a project's stories: what was judged is held against new revisions.
import { eq } from 'drizzle-orm';
import type { Db } from '../store/database.ts';
import { validations } from '../store/tables/assurance.ts';

/** Whether a project has a verdict. */
export async function hasVerdicts(db: Db, projectId: string): Promise<boolean> {
  const [row] = await db
    .select({ seq: validations.seq })
    .from(validations)
    .where(eq(validations.projectId, projectId))
    .limit(1);
  return row !== undefined;
}
