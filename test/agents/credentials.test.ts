// Credential leases: what goes out, what is on record, when it ends, and what is still masked afterwards.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import {
  checkCredential,
  endCredentialLeases,
  leaseCredentials,
  leasedNames,
  leasedValues,
  listCredentials,
  removeCredential,
  setCredential,
} from '../../src/agents/credentials.ts';
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
      id,
      projectId: project.id,
      tokenId: 'tok_1',
      secretSha256: 'x',
      leaseMs: 1000,
      createdAt: now,
      expiresAt: now + 1000,
    }),
  );
  return id;
}

async function leaseTo(leaseId: string, ...commands: Awaited<ReturnType<typeof register>>[]) {
  const input = { projectId: project.id, leaseId, commands, tokenId: 'tok_1', now };
  return write((db) =>
    leaseCredentials(instance.evidence, db, { ...input, expiresAt: now + 1000 }),
  );
}

function refusalOf(check: () => void): Problem | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return error as Problem;
  }
}

const leasesOf = (leaseId: string) =>
  instance.evidence.database.read
    .select()
    .from(credentialLeases)
    .where(eq(credentialLeases.leaseId, leaseId));

describe('a credential lease [PQRS-40]', () => {
  test('gives the values that its commands name, each on record', async () => {
    await set('USER', 'ada lovelace');
    await set('PASSWORD', 'first password');
    await set('UNUSED', 'never leased');
    const one = await register('lease-one', ['USER', 'PASSWORD']);
    const other = await register('lease-other', ['PASSWORD']);
    const lease = await openLease('lse_one');
    expect(await leaseTo(lease, one, other, await register('lease-none', []))).toEqual({
      USER: 'ada lovelace',
      PASSWORD: 'first password',
    });
    const rows = await leasesOf(lease);
    expect(rows.map((row) => [row.commandId, row.credentialName])).toEqual([
      [one.id, 'USER'],
      [one.id, 'PASSWORD'],
      [other.id, 'PASSWORD'],
    ]);
    expect(rows[0]).toMatchObject({
      tokenId: 'tok_1',
      credentialVersion: 1,
      issuedAt: now,
      expiresAt: now + 1000,
      endedAt: null,
      endedWhy: null,
    });
    expect(JSON.stringify(rows)).not.toContain('password');
  });

  test('of an unset credential is a conflict and leaves no record', async () => {
    const command = await register('lease-missing', ['USER', 'MISSING']);
    const lease = await openLease('lse_missing');
    const refused = await leaseTo(lease, command).catch((error) => error as Problem);
    expect(refused).toBeInstanceOf(Problem);
    expect(refused).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('MISSING'),
    });
    expect(await leasesOf(lease)).toEqual([]);
  });

  test('ends once, with its lease, or with its command alone', async () => {
    await set('TOKEN', 'a token to lease');
    const [one, other] = [await register('end-1', ['TOKEN']), await register('end-2', ['TOKEN'])];
    const lease = await openLease('lse_end');
    await leaseTo(lease, one, other);
    await write((db) =>
      endCredentialLeases(db, { commandId: one.id }, 'command_disabled', now + 5),
    );
    expect(await leasedNames(instance.evidence.database.read, lease, now + 6)).toEqual(
      new Set(['TOKEN']),
    );
    await write((db) => endCredentialLeases(db, { leaseId: lease }, 'expired', now + 7));
    await write((db) => endCredentialLeases(db, { leaseId: lease }, 'token', now + 8));
    expect((await leasesOf(lease)).map(({ endedAt, endedWhy }) => [endedAt, endedWhy])).toEqual([
      [now + 5, 'command_disabled'],
      [now + 7, 'expired'],
    ]);
    expect(await leasedNames(instance.evidence.database.read, lease, now + 9)).toEqual(new Set());
  });
});

describe('leased values [PQRS-40]', () => {
  test('are known after they were replaced or removed, and the lease has ended', async () => {
    await set('ROTATED', 'the old value');
    await set('REMOVED', 'the removed value');
    const lease = await openLease('lse_kept');
    await leaseTo(lease, await register('kept', ['ROTATED', 'REMOVED']));
    expect(await set('ROTATED', 'the new value')).toBe(2);
    expect(await write((db) => removeCredential(db, project.id, 'REMOVED', now))).toBe(true);
    await write((db) => endCredentialLeases(db, { leaseId: lease }, 'done', now));
    const found = await leasedValues(instance.evidence, { leaseId: lease });
    expect(found?.values.toSorted()).toEqual(['the old value', 'the removed value']);
    const later = await openLease('lse_kept_2');
    expect(await leaseTo(later, await register('kept-2', ['ROTATED']))).toEqual({
      ROTATED: 'the new value',
    });
  });

  test('are stored sealed, old ones only where they were leased', async () => {
    await set('NEVER_LEASED', 'first unleased value');
    await set('NEVER_LEASED', 'second unleased value');
    const rows = await instance.evidence.database.read
      .select()
      .from(credentials)
      .where(eq(credentials.name, 'NEVER_LEASED'));
    expect(rows.map(({ version, retiredAt }) => [version, retiredAt])).toEqual([[2, null]]);
    for (const { sealed } of rows) expect(Buffer.from(sealed).includes('unleased')).toBe(false);
  });
});

describe('a credential [PQRS-40]', () => {
  test('that is listed shows its version and commands, and no value', async () => {
    await set('LISTED', 'a listed value');
    await register('listed', ['LISTED']);
    const all = await listCredentials(instance.evidence.database.read, project.id);
    expect(all.find(({ name }) => name === 'LISTED')).toEqual({
      name: 'LISTED',
      version: 1,
      commands: ['listed'],
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

  test('is a conflict when the keys are lost', async () => {
    const dataDir = instance.evidence.config.dataDir;
    await set('LOST', 'sealed under a lost key');
    const command = await register('lost', ['LOST']);
    const keys = join(dataDir, 'keys');
    const away = readdirSync(keys).filter((name) => name.startsWith('seal-'));
    const kept = away.map((name) => [name, readFileSync(join(keys, name))] as const);
    for (const name of away) rmSync(join(keys, name));
    const stranger = await openSealing(keys);
    const input = { projectId: project.id, tokenId: 'tok_1', now, expiresAt: now + 1 };
    const lease = await openLease('lse_lost');
    const refused = write((db) =>
      leaseCredentials({ sealing: async () => stranger }, db, {
        ...input,
        leaseId: lease,
        commands: [command],
      }),
    );
    await expect(refused).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('LOST'),
    });
    for (const [name, bytes] of kept) await Bun.write(join(keys, name), bytes);
  });
});
