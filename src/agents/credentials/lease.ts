// Credentials on loan: their values go out with a suite's lease, every one on record, and what is
// submitted under the lease can be searched for them.
import { and, eq, gt, isNull, sql } from 'drizzle-orm';
import { Problem } from '../../errors.ts';
import { credentialNamesOf } from '../../quality/commands/model.ts';
import type { Services } from '../../services.ts';
import { prepared } from '../../store/client/prepared.ts';
import type { Db } from '../../store/database.ts';
import { SealBroken, type Sealing } from '../../store/keys/sealing-key.ts';
import {
  type CredentialRow,
  credentialLeases,
  credentials,
  type LeaseRow,
} from '../../store/tables/agents.ts';
import type { TestCommandRow } from '../../store/tables/quality.ts';

/** Why the loan of a credential ended. */
export type LoanEnd = 'done' | 'expired' | 'token' | 'command_disabled' | 'cancelled';

export interface Loan {
  projectId: string;
  leaseId: string;
  /** Whose credentials are asked for. */
  commands: readonly Pick<TestCommandRow, 'id' | 'key' | 'credentials'>[];
  tokenId: string;
  now: number;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

const ROWS_A_STATEMENT = 100;

/** Whether a project has credentials that could be lent. */
export async function hasCredentials(db: Db, projectId: string): Promise<boolean> {
  const [row] = await db
    .select({ seq: credentials.seq })
    .from(credentials)
    .where(and(eq(credentials.projectId, projectId), isNull(credentials.retiredAt)))
    .limit(1);
  return row !== undefined;
}

/**
 * Lends the credentials that some commands name, inside the caller's write, before which `sealing`
 * is to be awaited: it reads files.
 *
 * @returns the values by their names
 * @throws Problem `conflict` where one of them does not exist, or cannot be opened any more
 */
export async function leaseCredentials(
  agents: Pick<Services, 'sealing'>,
  db: Db,
  loan: Loan,
): Promise<Record<string, string>> {
  const wanted = loan.commands.flatMap((command) =>
    credentialNamesOf(command).map((name) => ({ command, name })),
  );
  if (wanted.length === 0) return {};
  const { projectId, leaseId, tokenId, now: issuedAt, expiresAt } = loan;
  const held = await currentCredentials(
    db,
    projectId,
    wanted.map(({ name }) => name),
  );
  const rows = wanted.map(({ command, name }) => {
    const credential = held.get(name);
    if (!credential) {
      throw new Problem(
        'conflict',
        `The command ${command.key} needs the credential ${name}, which an owner has to set.`,
      );
    }
    return {
      ...{ projectId, leaseId, credentialName: name, credentialVersion: credential.version },
      ...{ commandId: command.id, tokenId, issuedAt, expiresAt },
    };
  });
  for (let at = 0; at < rows.length; at += ROWS_A_STATEMENT)
    await db.insert(credentialLeases).values(rows.slice(at, at + ROWS_A_STATEMENT));
  const sealing = await agents.sealing();
  return Object.fromEntries([...held].map(([name, row]) => [name, openCredential(sealing, row)]));
}

async function currentCredentials(
  db: Db,
  projectId: string,
  names: string[],
): Promise<Map<string, CredentialRow>> {
  const rows = await db
    .select()
    .from(credentials)
    .where(
      and(
        eq(credentials.projectId, projectId),
        isNull(credentials.retiredAt),
        sql`${credentials.name} in (select value from json_each(${JSON.stringify(names)}))`,
      ),
    );
  return new Map(rows.map((row) => [row.name, row]));
}

/** Ends the loans of a lease that still run, inside the caller's write. */
export async function endCredentialLeases(
  db: Db,
  leaseId: string,
  why: LoanEnd,
  now: number,
): Promise<void> {
  await db
    .update(credentialLeases)
    .set({ endedAt: now, endedWhy: why })
    .where(and(eq(credentialLeases.leaseId, leaseId), isNull(credentialLeases.endedAt)));
}

const extend = prepared((db) =>
  db
    .update(credentialLeases)
    .set({ expiresAt: sql`${sql.placeholder('expiresAt')}` })
    .where(
      and(
        eq(credentialLeases.leaseId, sql.placeholder('leaseId')),
        isNull(credentialLeases.endedAt),
      ),
    )
    .prepare(),
);

/**
 * Extends the loans of a lease that still run, inside the caller's write that renews the lease.
 *
 * @returns how many there are
 */
export async function extendLoans(db: Db, leaseId: string, expiresAt: number): Promise<number> {
  return (await extend(db).run({ leaseId, expiresAt })).rowsAffected;
}

/**
 * Takes up the loans that ended with their lease, inside the caller's write that revives the lease:
 * what was lent is in use again. Those to a command that was disabled since stay as they are.
 */
export async function reviveLoans(
  db: Db,
  { id, endedAt, endedWhy }: Pick<LeaseRow, 'id' | 'endedAt' | 'endedWhy'>,
): Promise<void> {
  if (endedAt === null || endedWhy === null) return;
  await db
    .update(credentialLeases)
    .set({ endedAt: null, endedWhy: null })
    .where(
      and(
        eq(credentialLeases.leaseId, id),
        eq(credentialLeases.endedAt, endedAt),
        eq(credentialLeases.endedWhy, endedWhy),
        sql`${credentialLeases.commandId} not in (
          select id from test_commands where state in ('disabled', 'archived'))`,
      ),
    );
}

/** Ends the loans to a command that was disabled, inside the caller's write. */
export async function endCommandLoans(db: Db, commandId: string, now: number): Promise<void> {
  await db
    .update(credentialLeases)
    .set({ endedAt: now, endedWhy: 'command_disabled' satisfies LoanEnd })
    .where(and(eq(credentialLeases.commandId, commandId), isNull(credentialLeases.endedAt)));
}

/** The names of the credentials whose loan under a lease still runs. */
export async function lentNames(db: Db, leaseId: string, now: number): Promise<Set<string>> {
  const rows = await db
    .selectDistinct({ name: credentialLeases.credentialName })
    .from(credentialLeases)
    .where(
      and(
        eq(credentialLeases.leaseId, leaseId),
        isNull(credentialLeases.endedAt),
        gt(credentialLeases.expiresAt, now),
      ),
    );
  return new Set(rows.map(({ name }) => name));
}

type Sealed = Pick<CredentialRow, 'projectId' | 'name' | 'version' | 'sealed'>;

/** What a credential is sealed for: it opens in no other place. */
export function sealedFor({ projectId, name, version }: Omit<Sealed, 'sealed'>): string[] {
  return ['credential', projectId, name, String(version)];
}

/** @throws Problem `conflict` where it cannot be opened any more */
export function openCredential(sealing: Sealing, row: Sealed): string {
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
