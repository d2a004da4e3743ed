// Credentials of a project: sealed secrets by their names. A value that was handed out is kept,
// sealed, when another takes its place, so that it can still be found in what comes late.
import { and, asc, eq, isNull, max, sql } from 'drizzle-orm';
import { timestamp } from '../../clock.ts';
import { invalid } from '../../errors.ts';
import { MIN_MASKED, maskedTexts } from '../../masking/forms.ts';
import { commandsOf } from '../../quality/commands/rows.ts';
import type { Db } from '../../store/database.ts';
import type { Sealing } from '../../store/keys/sealing-key.ts';
import { credentials } from '../../store/tables/agents.ts';
import { MAX_NAME, MAX_SECRET, VARIABLE } from '../commands/body.ts';
import { sealedFor } from './leases.ts';

/** Checks a credential that did not come in a body; the error says nothing of the value. */
export function checkCredential({ name, value }: { name: string; value: string }): void {
  if (!VARIABLE.test(name) || name.length > MAX_NAME)
    throw invalid('/name', 'must be the name of a variable: letters, digits and _, no digit first');
  const isText = value.isWellFormed() && !value.includes('\0');
  if (!isText || value === '' || [...value].length > MAX_SECRET)
    throw invalid('/value', 'must be a text of 1 to 65,536 characters, none of them NUL');
}

/** A warning of a value that is too short to be masked; undefined where it is not. */
export function warningOf(name: string, value: string): string | undefined {
  if (maskedTexts(value).length > 0) return undefined;
  return `${name} has fewer than ${MIN_MASKED} characters: it is not masked in what agents send.`;
}

/** Sets or replaces a credential. Gives its version. */
export async function setCredential(
  db: Db,
  sealing: Sealing,
  credential: { projectId: string; name: string; value: string; now: number },
): Promise<number> {
  const { projectId, name, value, now } = credential;
  const [known] = await db
    .select({ version: max(credentials.version) })
    .from(credentials)
    .where(and(eq(credentials.projectId, projectId), eq(credentials.name, name)));
  await removeCredential(db, projectId, name, now);
  const version = (known?.version ?? 0) + 1;
  const sealed = sealing.seal(value, sealedFor({ projectId, name, version }));
  await db.insert(credentials).values({ projectId, name, version, sealed, createdAt: now });
  return version;
}

/** Removes a credential. Gives whether there was one. */
export async function removeCredential(
  db: Db,
  projectId: string,
  name: string,
  now: number,
): Promise<boolean> {
  const [row] = await db
    .update(credentials)
    .set({ retiredAt: now })
    .where(
      and(
        eq(credentials.projectId, projectId),
        eq(credentials.name, name),
        isNull(credentials.retiredAt),
      ),
    )
    .returning({ seq: credentials.seq });
  if (!row) return false;
  await db.run(sql`
    delete from credentials where seq = ${row.seq} and not exists (
      select 1 from credential_leases l where l.project_id = credentials.project_id
        and l.credential_name = credentials.name and l.credential_version = credentials.version)`);
  return true;
}

export async function listCredentials(db: Db, projectId: string) {
  const { name, version, createdAt, retiredAt } = credentials;
  const rows = await db
    .select({ name, version, createdAt })
    .from(credentials)
    .where(and(eq(credentials.projectId, projectId), isNull(retiredAt)))
    .orderBy(asc(name));
  const commands = await commandsOf(db, projectId);
  return rows.map((row) => ({
    name: row.name,
    version: row.version,
    updatedAt: timestamp(row.createdAt),
    commands: commands.filter((one) => one.credentials.includes(row.name)).map(({ key }) => key),
  }));
}
