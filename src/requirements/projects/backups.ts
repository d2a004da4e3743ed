// The backups of the instance, as the audit has recorded them.
import type { Static } from '@sinclair/typebox';
import { and, asc, desc, eq } from 'drizzle-orm';
import { optionalTimestamp, timestamp } from '../../clock.ts';
import { logFingerprint } from '../../evidence/issues/create.ts';
import { OWN_SOURCE } from '../../evidence/logs/model.ts';
import type { Db } from '../../store/database.ts';
import { LAST_DRILL, readMoment } from '../../store/moments.ts';
import { logEntries } from '../../store/tables/evidence.ts';
import { projects } from '../../store/tables/projects.ts';
import type { Backups } from './model.ts';

const LISTED = 20;
const MADE = logFingerprint({ level: 'info', source: OWN_SOURCE, message: 'backup.made' });

type Fields = Omit<Static<typeof Backups>['made'][number], 'at'>;

export async function readBackups(db: Db): Promise<Static<typeof Backups>> {
  // What concerns the instance is on record in its first project.
  const first = db.select({ id: projects.id }).from(projects).orderBy(asc(projects.seq)).limit(1);
  const rows = await db
    .select({ at: logEntries.at, fields: logEntries.fields })
    .from(logEntries)
    .where(and(eq(logEntries.projectId, first), eq(logEntries.fingerprint, MADE)))
    .orderBy(desc(logEntries.seq))
    .limit(LISTED);
  const made = rows.map(({ at, fields }) => {
    const { target, files, bytes, missing } = fields as unknown as Fields;
    return { at: timestamp(at), target, files, bytes, missing };
  });
  return { made, restoredAt: optionalTimestamp((await readMoment(db, LAST_DRILL)) ?? null) };
}
