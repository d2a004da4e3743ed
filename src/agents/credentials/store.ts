// Credentials of a project: sealed secrets by their names. A value that was handed out is kept,
// sealed, when another takes its place, so that it can still be found in what comes late.
import { and, asc, eq, isNull, max } from 'drizzle-orm';
import { timestamp } from '../../clock.ts';
import { invalid } from '../../errors.ts';
import { MIN_MASKED, maskedTexts } from '../../masking/forms.ts';
import { commandsOf } from '../../quality/commands/rows.ts';
import type { Db } from '../../store/database.ts';
import type { Sealing } from '../../store/keys/sealing-key.ts';
import { type CredentialRow, credentialLeases, credentials } from '../../store/tables/agents.ts';
import { MAX_NAME, MAX_SECRET, VARIABLE } from '../commands/body.ts';
import { sealedFor } from './leases.ts';

export interface CredentialInput {
  projectId: string;
  name: string;
  value: string;
  now: number;
}

/**
 * Checks a credential that did not come in a body; the error says nothing of the value.
 *
 * @throws Problem `invalid`
 */
export function checkCredential({ name, value }: Pick<CredentialInput, 'name' | 'value'>): void {
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

/** Sets or replaces a credential, inside the caller's write. Gives its version. */
export async function setCredential(
  db: Db,
  sealing: Sealing,
  { projectId, name, value, now }: CredentialInput,
): Promise<number> {
  const known = await db
    .select({ version: max(credentials.version) })
    .from(credentials)
    .where(and(eq(credentials.projectId, projectId), eq(credentials.name, name)));
  await removeCredential(db, projectId, name, now);
  const version = (known[0]?.version ?? 0) + 1;
  const sealed = sealing.seal(value, sealedFor({ projectId, name, version }));
  await db.insert(credentials).values({ projectId, name, version, sealed, createdAt: now });
  return version;
}

/** Removes a credential, inside the caller's write. Gives whether there was one. */
export async function removeCredential(
  db: Db,
  projectId: string,
  name: string,
  now: number,
): Promise<boolean> {
  const current = and(
    eq(credentials.projectId, projectId),
    eq(credentials.name, name),
    isNull(credentials.retiredAt),
  );
  const [row] = await db.select().from(credentials).where(current);
  if (!row) return false;
  if (await wasLeased(db, row)) await db.update(credentials).set({ retiredAt: now }).where(current);
  else await db.delete(credentials).where(current);
  return true;
}

async function wasLeased(db: Db, { projectId, name, version }: CredentialRow): Promise<boolean> {
  const [lease] = await db
    .select({ seq: credentialLeases.seq })
    .from(credentialLeases)
    .where(
      and(
        eq(credentialLeases.projectId, projectId),
        eq(credentialLeases.credentialName, name),
        eq(credentialLeases.credentialVersion, version),
      ),
    )
    .limit(1);
  return lease !== undefined;
}

/** A credential as it is listed: never its value. */
export interface CredentialView {
  name: string;
  version: number;
  updatedAt: string;
  commands: string[];
}

export async function listCredentials(db: Db, projectId: string): Promise<CredentialView[]> {
  const rows = await db
    .select({
      name: credentials.name,
      version: credentials.version,
      createdAt: credentials.createdAt,
    })
    .from(credentials)
    .where(and(eq(credentials.projectId, projectId), isNull(credentials.retiredAt)))
    .orderBy(asc(credentials.name));
  const commands = await commandsOf(db, projectId);
  return rows.map(({ name, version, createdAt }) => ({
    name,
    version,
    updatedAt: timestamp(createdAt),
    commands: commands
      .filter((command) => command.credentials.includes(name))
      .map(({ key }) => key),
  }));
}
