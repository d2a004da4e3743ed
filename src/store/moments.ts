// Facts of the instance that are moments: when something was last done.
import { eq } from 'drizzle-orm';
import type { Db } from './database.ts';
import { instance } from './tables/projects.ts';

/** The last good backup, and the last one that was restored to see whether it can be. */
export const LAST_BACKUP = 'last_backup_at';
export const LAST_DRILL = 'last_drill_at';

export async function readMoment(db: Db, name: string): Promise<number | undefined> {
  const [row] = await db.select().from(instance).where(eq(instance.name, name));
  return row && Number(row.value);
}
