// Credentials of a project: sealed secrets by their names, and their leases, which go out with a suite's
// lease, each on record. One lasts as long as that, unless it ends before. A value that was handed out
// is kept, sealed, when another takes its place, so that it can still be found in what comes late.
import { and, asc, eq, gt, isNull, max, sql } from 'drizzle-orm';
import { timestamp } from '../clock.ts';
import { Problem } from '../errors.ts';
import type { Lent } from '../masking/body.ts';
import { MIN_MASKED, maskedTexts } from '../masking/forms.ts';
import { createMask } from '../masking/mask.ts';
import { closed } from '../model/schemas.ts';
import { compileCheck, storable } from '../model/validate.ts';
import { CredentialName, CredentialValue } from '../quality/commands/model.ts';
import { commandsOf } from '../quality/commands/rows.ts';
import type { Services } from '../services.ts';
import type { Db } from '../store/database.ts';
import { SealBroken, type Sealing } from '../store/keys/sealing-key.ts';
import {
  type CredentialRow,
  credentialLeases,
  credentials,
  type LeaseRow,
  leases,
} from '../store/tables/agents.ts';
import type { TestCommandRow } from '../store/tables/quality.ts';

/** Checks a credential that did not come in a body; the error says nothing of the value. */
export const checkCredential = storable(
  compileCheck(closed({ name: CredentialName, value: CredentialValue })),
);

/** A warning of a value that is too short to be masked; undefined where it is not. */
export function warningOf(name: string, value: string): string | undefined {
  if (maskedTexts(value).length > 0) return undefined;
  return `${name} has fewer than ${MIN_MASKED} characters: it is not masked in what agents send.`;
}

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

export async function removeCredential(
  db: Db,
  projectId: string,
  name: string,
  now: number,
): Promise<boolean> {
  const [row] = await db
    .update(credentials)
    .set({ retiredAt: now })
    .where(and(isCurrent(projectId), eq(credentials.name, name)))
    .returning({ seq: credentials.seq });
  if (!row) return false;
  await db.run(sql`
    delete from credentials where seq = ${row.seq} and not exists (
      select 1 from credential_leases l where l.project_id = credentials.project_id
        and l.credential_name = credentials.name and l.credential_version = credentials.version)`);
  return true;
}

export async function listCredentials(db: Db, projectId: string) {
  const { name, version, createdAt } = credentials;
  const rows = await db
    .select({ name, version, createdAt })
    .from(credentials)
    .where(isCurrent(projectId))
    .orderBy(asc(name));
  const commands = await commandsOf(db, projectId);
  return rows.map((row) => ({
    name: row.name,
    version: row.version,
    updatedAt: timestamp(row.createdAt),
    commands: commands.filter((one) => one.credentials.includes(row.name)).map(({ key }) => key),
  }));
}

function isCurrent(projectId: string) {
  return and(eq(credentials.projectId, projectId), isNull(credentials.retiredAt));
}

type CredentialLeaseEnd = 'done' | 'expired' | 'token' | 'command_disabled' | 'cancelled';

const BATCH_SIZE = 100;

/** Leases the credentials that some commands name. @returns the values by their names */
export async function leaseCredentials(
  services: Pick<Services, 'sealing'>,
  db: Db,
  {
    commands,
    now,
    ...lease
  }: {
    projectId: string;
    leaseId: string;
    commands: readonly Pick<TestCommandRow, 'id' | 'key' | 'credentials'>[];
    tokenId: string;
    now: number;
    expiresAt: number;
  },
): Promise<Record<string, string>> {
  const wanted = commands.flatMap((command) =>
    command.credentials.map((name) => ({ command, name })),
  );
  if (wanted.length === 0) return {};
  const names = JSON.stringify(wanted.map(({ name }) => name));
  const isWanted = sql`${credentials.name} in (select value from json_each(${names}))`;
  const current = await db
    .select()
    .from(credentials)
    .where(and(isCurrent(lease.projectId), isWanted));
  const byName = new Map(current.map((row) => [row.name, row]));
  const rows = wanted.map(({ command, name }) => {
    const credential = byName.get(name);
    if (!credential)
      throw new Problem(
        'conflict',
        `The command ${command.key} needs the credential ${name}, which an owner has to set.`,
      );
    const { version } = credential;
    const of = { commandId: command.id, credentialName: name, credentialVersion: version };
    return { ...lease, ...of, issuedAt: now };
  });
  for (let at = 0; at < rows.length; at += BATCH_SIZE)
    await db.insert(credentialLeases).values(rows.slice(at, at + BATCH_SIZE));
  const sealing = await services.sealing();
  return Object.fromEntries(current.map((row) => [row.name, openCredential(sealing, row)]));
}

export async function endCredentialLeases(
  db: Db,
  of: { leaseId: string } | { commandId: string },
  why: CredentialLeaseEnd,
  now: number,
): Promise<void> {
  const isOf =
    'leaseId' in of
      ? eq(credentialLeases.leaseId, of.leaseId)
      : eq(credentialLeases.commandId, of.commandId);
  await db
    .update(credentialLeases)
    .set({ endedAt: now, endedWhy: why })
    .where(and(isOf, isNull(credentialLeases.endedAt)));
}

/**
 * Resumes the credential leases that ended with their lease. Those of a command that was disabled
 * since stay ended.
 */
export async function resumeCredentialLeases(
  db: Db,
  { id, endedAt, endedWhy }: Pick<LeaseRow, 'id' | 'endedAt' | 'endedWhy'>,
): Promise<void> {
  await db.run(sql`
    update credential_leases set ended_at = null, ended_why = null
    where lease_id = ${id} and ended_at = ${endedAt} and ended_why = ${endedWhy}
      and command_id not in (select id from test_commands where state in ('disabled', 'archived'))`);
}

export async function leasedNames(db: Db, leaseId: string, now: number): Promise<Set<string>> {
  const { credentialName: name, endedAt } = credentialLeases;
  const rows = await db
    .selectDistinct({ name })
    .from(credentialLeases)
    .innerJoin(leases, eq(leases.id, credentialLeases.leaseId))
    .where(and(eq(leases.id, leaseId), isNull(endedAt), gt(leases.expiresAt, now)));
  return new Set(rows.map((row) => row.name));
}

/**
 * What must not be stored of what an agent sends: the values on lease to its token now and, where a
 * lease is named, all that were issued under it, ended and replaced ones too.
 */
export async function leasedValues(
  { database, sealing }: Pick<Services, 'sealing' | 'database'>,
  { tokenId = '', leaseId = '' }: { tokenId?: string; leaseId?: string | undefined },
): Promise<Lent | undefined> {
  const rows = await database.read.values<LeasedRow>(sql`
    select distinct c.project_id, c.name, c.version, c.sealed, t.allow_archives
    from credential_leases l
    join credentials c on c.project_id = l.project_id and c.name = l.credential_name
      and c.version = l.credential_version
    join test_commands t on t.id = l.command_id
    where (l.token_id = ${tokenId} and l.ended_at is null) or l.lease_id = ${leaseId}`);
  if (rows.length === 0) return undefined;
  const opened = await sealing();
  const all = rows.map(([projectId, name, version, sealed]) =>
    openCredential(opened, { projectId, name, version, sealed: Buffer.from(sealed) }),
  );
  const values = [...new Set(all)];
  const allowsArchives = rows.every(([, , , , allows]) => allows === 1);
  return { values, mask: createMask(values), allowsArchives };
}

type LeasedRow = [
  projectId: string,
  name: string,
  version: number,
  sealed: ArrayBuffer,
  allowsArchives: number,
];
type Sealed = Pick<CredentialRow, 'projectId' | 'name' | 'version' | 'sealed'>;

/** What a credential is sealed for: it opens in no other place. */
export function sealedFor({ projectId, name, version }: Omit<Sealed, 'sealed'>): string[] {
  return ['credential', projectId, name, String(version)];
}

function openCredential(sealing: Sealing, row: Sealed): string {
  try {
    return sealing.unseal(row.sealed, sealedFor(row));
  } catch (cause) {
    if (!(cause instanceof SealBroken)) throw cause;
    throw new Problem(
      'conflict',
      `The credential ${row.name} cannot be opened by the keys of this instance; an owner has to set it again.`,
      { cause },
    );
  }
}
