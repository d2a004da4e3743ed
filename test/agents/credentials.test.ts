// Credentials on loan: what goes out, what is on record, when it ends, and what of it is still
// found afterwards.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import {
  endCommandLoans,
  endCredentialLeases,
  leaseCredentials,
  lentNames,
} from '../../src/agents/credentials/lease.ts';
import { lentTo } from '../../src/agents/credentials/lent.ts';
import {
  checkCredential,
  listCredentials,
  removeCredential,
  setCredential,
} from '../../src/agents/credentials/store.ts';
import { Problem } from '../../src/errors.ts';
import { getCommand } from '../../src/quality/commands/rows.ts';
import { openSealing } from '../../src/store/keys/sealing-key.ts';
import { credentialLeases, credentials, leases } from '../../src/store/tables/agents.ts';
import { type Instance, openInstance } from '../support/instance.ts';

let instance: Instance;
let project: { id: string; token: string };
const now = Date.now();

beforeAll(async () => {
  instance = await openInstance();
  project = await instance.makeProject('default');
});
afterAll(() => instance.close());

const write = <T>(work: Parameters<typeof instance.evidence.database.write<T>>[0]) =>
  instance.evidence.database.write(work);

async function set(name: string, value: string, projectId = project.id): Promise<number> {
  const sealing = await instance.evidence.sealing();
  return write((db) => setCredential(db, sealing, { projectId, name, value, now }));
}

async function register(key: string, names: string[], over: object = {}) {
  const sent = await instance.fetch('/api/test-commands', {
    method: 'POST',
    token: project.token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key, argv: ['true'], credentials: names, ...over }),
  });
  expect(sent.status).toBe(201);
  const { id } = (await sent.json()) as { id: string };
  return getCommand(instance.evidence.database.read, project.id, id);
}

async function openLease(id: string): Promise<string> {
  await write((db) =>
    db.insert(leases).values({
      ...{ id, projectId: project.id, tokenId: 'tok_1', secretSha256: 'x' },
      ...{ leaseMs: 1000, createdAt: now, expiresAt: now + 1000 },
    }),
  );
  return id;
}

async function lend(leaseId: string, ...commands: Awaited<ReturnType<typeof register>>[]) {
  const loan = { projectId: project.id, leaseId, commands, tokenId: 'tok_1', now };
  return write((db) => leaseCredentials(instance.evidence, db, { ...loan, expiresAt: now + 1000 }));
}

function refusalOf(check: () => void): Problem | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return error as Problem;
  }
}

const loansOf = (leaseId: string) =>
  instance.evidence.database.read
    .select()
    .from(credentialLeases)
    .where(eq(credentialLeases.leaseId, leaseId));

describe('a loan [PQRS-40]', () => {
  test('gives the values that its commands name, every one on record', async () => {
    await set('USER', 'ada lovelace');
    await set('PASSWORD', 'first password');
    await set('UNUSED', 'never lent out');
    const one = await register('loan-one', ['USER', 'PASSWORD']);
    const other = await register('loan-other', ['PASSWORD']);
    const lease = await openLease('lse_one');
    expect(await lend(lease, one, other, await register('loan-none', []))).toEqual({
      USER: 'ada lovelace',
      PASSWORD: 'first password',
    });
    const loans = await loansOf(lease);
    expect(loans.map((loan) => [loan.commandId, loan.credentialName])).toEqual([
      [one.id, 'USER'],
      [one.id, 'PASSWORD'],
      [other.id, 'PASSWORD'],
    ]);
    expect(loans[0]).toMatchObject({
      ...{ tokenId: 'tok_1', credentialVersion: 1, issuedAt: now, expiresAt: now + 1000 },
      ...{ endedAt: null, endedWhy: null },
    });
    expect(JSON.stringify(loans)).not.toContain('password');
  });

  test('of a credential that is not set is a conflict that names it, and leaves no record', async () => {
    const command = await register('loan-missing', ['USER', 'MISSING']);
    const lease = await openLease('lse_missing');
    const refused = await lend(lease, command).catch((error) => error as Problem);
    expect(refused).toBeInstanceOf(Problem);
    expect(refused).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('MISSING'),
    });
    expect(await loansOf(lease)).toEqual([]);
  });

  test('ends once, with its lease, or with its command alone', async () => {
    await set('TOKEN', 'a token to lend');
    const [one, other] = [await register('end-1', ['TOKEN']), await register('end-2', ['TOKEN'])];
    const lease = await openLease('lse_end');
    await lend(lease, one, other);
    await write((db) => endCommandLoans(db, one.id, now + 5));
    expect(await lentNames(instance.evidence.database.read, lease, now + 6)).toEqual(
      new Set(['TOKEN']),
    );
    await write((db) => endCredentialLeases(db, lease, 'expired', now + 7));
    await write((db) => endCredentialLeases(db, lease, 'token', now + 8));
    expect((await loansOf(lease)).map(({ endedAt, endedWhy }) => [endedAt, endedWhy])).toEqual([
      [now + 5, 'command_disabled'],
      [now + 7, 'expired'],
    ]);
    expect(await lentNames(instance.evidence.database.read, lease, now + 9)).toEqual(new Set());
  });

  test('has run out when its time is up, whoever has noted it', async () => {
    const lease = await openLease('lse_time');
    await lend(lease, await register('time', ['TOKEN']));
    const { read } = instance.evidence.database;
    expect(await lentNames(read, lease, now + 999)).toEqual(new Set(['TOKEN']));
    expect(await lentNames(read, lease, now + 1000)).toEqual(new Set());
  });
});

describe('what was lent [PQRS-40]', () => {
  test('is still known when it was replaced or removed, and the lease has ended', async () => {
    await set('ROTATED', 'the old value');
    await set('REMOVED', 'the removed value');
    const lease = await openLease('lse_kept');
    await lend(lease, await register('kept', ['ROTATED', 'REMOVED']));
    expect(await set('ROTATED', 'the new value')).toBe(2);
    expect(await write((db) => removeCredential(db, project.id, 'REMOVED', now))).toBe(true);
    await write((db) => endCredentialLeases(db, lease, 'done', now));
    const lent = await lentTo(instance.evidence, { leaseId: lease });
    expect(lent?.values.toSorted()).toEqual(['the old value', 'the removed value']);
    const later = await openLease('lse_kept_2');
    expect(await lend(later, await register('kept-2', ['ROTATED']))).toEqual({
      ROTATED: 'the new value',
    });
  });

  test('is nothing under a lease without credentials', async () => {
    const lease = await openLease('lse_bare');
    expect(await lend(lease, await register('bare', []))).toEqual({});
    expect(await lentTo(instance.evidence, { leaseId: lease })).toBeUndefined();
  });

  test('is kept in no clear text, and not at all where it never was lent', async () => {
    await set('NEVER_LENT', 'first unlent value');
    await set('NEVER_LENT', 'second unlent value');
    const rows = await instance.evidence.database.read
      .select()
      .from(credentials)
      .where(eq(credentials.name, 'NEVER_LENT'));
    expect(rows.map(({ version, retiredAt }) => [version, retiredAt])).toEqual([[2, null]]);
    for (const { sealed } of rows) expect(Buffer.from(sealed).includes('unlent')).toBe(false);
  });
});

describe('a credential [PQRS-40]', () => {
  test('cannot be moved to another project or name in the database', async () => {
    const other = await instance.makeProject('elsewhere');
    await set('MOVED', 'stays where it is');
    await set('MOVED', 'of another project', other.id);
    const [mine] = await instance.evidence.database.read
      .select()
      .from(credentials)
      .where(eq(credentials.projectId, other.id));
    await write((db) =>
      db.update(credentials).set({ sealed: mine!.sealed }).where(eq(credentials.name, 'MOVED')),
    );
    const lease = await openLease('lse_moved');
    const refused = lend(lease, await register('moved', ['MOVED']));
    await expect(refused).rejects.toMatchObject({ code: 'conflict' });
    expect(await loansOf(lease)).toEqual([]);
  });

  test('that is listed shows its version and commands, and no value', async () => {
    await set('LISTED', 'a listed value');
    await register('listed', ['LISTED']);
    const all = await listCredentials(instance.evidence.database.read, project.id);
    expect(all.find(({ name }) => name === 'LISTED')).toEqual({
      ...{ name: 'LISTED', version: 1, commands: ['listed'] },
      updatedAt: new Date(now).toISOString(),
    });
    expect(JSON.stringify(all)).not.toContain('a listed value');
    expect(all.map(({ name }) => name)).toEqual(all.map(({ name }) => name).sort());
  });

  test('needs a name that a variable may have, and a text', () => {
    for (const [name, value, pointer] of [
      ['', 'x', '/name'],
      ['1A', 'x', '/name'],
      ['A-B', 'x', '/name'],
      ['A'.repeat(301), 'x', '/name'],
      ['A', '', '/value'],
      ['A', 'a\0b', '/value'],
      ['A', 'ä'.repeat(65_537), '/value'],
    ] as const) {
      const error = refusalOf(() => checkCredential({ name, value }));
      expect(error?.errors.map((one) => one.pointer)).toEqual([pointer]);
    }
    checkCredential({ name: '_a1', value: '💡'.repeat(65_536) });
  });

  test('is opened by nobody when the keys are lost: it has to be set again', async () => {
    const dataDir = instance.evidence.config.dataDir;
    await set('LOST', 'sealed under a lost key');
    const command = await register('lost', ['LOST']);
    const keys = join(dataDir, 'keys');
    const away = readdirSync(keys).filter((name) => name.startsWith('seal-'));
    const kept = away.map((name) => [name, readFileSync(join(keys, name))] as const);
    for (const name of away) rmSync(join(keys, name));
    const stranger = await openSealing(keys);
    const loan = { projectId: project.id, tokenId: 'tok_1', now, expiresAt: now + 1 };
    const lease = await openLease('lse_lost');
    const refused = write((db) =>
      leaseCredentials({ sealing: async () => stranger }, db, {
        ...loan,
        ...{ leaseId: lease, commands: [command] },
      }),
    );
    await expect(refused).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('LOST'),
    });
    for (const [name, bytes] of kept) await Bun.write(join(keys, name), bytes);
  });
});
