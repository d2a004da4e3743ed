// Rotation of keys: what was signed or sealed before lives on, what comes after is under the new key.
import { afterAll, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { setCredential } from '../../src/agents/credentials.ts';
import { rotateKey } from '../../src/operations/rotate-keys.ts';
import { kidOfSealed } from '../../src/store/keys/sealing-key.ts';
import { credentials } from '../../src/store/tables/agents.ts';
import { logEntries } from '../../src/store/tables/evidence.ts';
import { openInstance } from '../support/instance.ts';
import { fillKeyed, lostOf } from '../support/keyed-instance.ts';

const DAY_MS = 24 * 3600 * 1000;
const instance = await openInstance();
afterAll(() => instance.close());
const { evidence } = instance;
const keyed = await fillKeyed(instance);
const filesOf = (kind: string) =>
  readdirSync(join(evidence.config.dataDir, 'keys')).filter((name) => name.startsWith(kind));

test('signing: the new key signs at once, old links open, an ended key goes [PQRS-92]', async () => {
  const old = evidence.signingKeys.current.kid;
  const first = await rotateKey(evidence, 'signing');
  expect(first).toMatchObject({ earlier: [old], removed: [] });
  expect(evidence.signingKeys.current.kid).toBe(first.key);
  const entries = await evidence.database.read.select().from(logEntries);
  expect(entries.at(-1)?.fields ?? '').toMatchObject({
    ...{ action: 'key.rotated', kind: 'signing', key: first.key },
  });
  expect(await lostOf(instance, keyed)).toEqual([]);
  const later = { ...evidence, clock: () => Date.now() + 8 * DAY_MS };
  const second = await rotateKey(later, 'signing');
  expect(second).toMatchObject({ earlier: [first.key], removed: [old] });
  expect(filesOf('sign-')).toHaveLength(2);
});

test('sealing: every credential is sealed anew, the old key is gone, all of them open [PQRS-92]', async () => {
  const sealing = await evidence.sealing();
  const rotation = await rotateKey(evidence, 'sealing');
  expect(rotation).toMatchObject({ resealed: 230, unreadable: 0, earlier: [] });
  expect(filesOf('seal-')).toEqual([`seal-${rotation.key}.key`]);
  const rows = await evidence.database.read.select().from(credentials);
  expect(new Set(rows.map((row) => kidOfSealed(row.sealed)))).toEqual(new Set([rotation.key]));
  // Who opened the sealing before the rotation seals under the new key.
  const { projectId } = rows[0]!;
  await evidence.database.write((db) =>
    setCredential(db, sealing, { projectId, name: 'SECRET_0', value: 'value of SECRET_0', now: 2 }),
  );
  const lost = await lostOf(instance, keyed);
  // Its key has ended above.
  expect(lost).toEqual(['the link: 403']);
});

test('sealing: a credential that does not open keeps its key, the others go on [PQRS-92]', async () => {
  const [row] = await evidence.database.read.select().from(credentials).limit(1);
  const broken = Buffer.from(row!.sealed);
  broken[broken.length - 1]! ^= 1;
  const write = (sealed: Buffer) =>
    evidence.database.write((db) =>
      db.update(credentials).set({ sealed }).where(eq(credentials.seq, row!.seq)),
    );
  await write(broken);
  const kid = kidOfSealed(broken);
  const rotation = await rotateKey(evidence, 'sealing');
  expect(rotation).toMatchObject({ resealed: 229, unreadable: 1, earlier: [kid], removed: [] });
  await write(row!.sealed);
  expect(await rotateKey(evidence, 'sealing')).toMatchObject({ resealed: 230, earlier: [] });
});

test('rotations at the same time come one after the other [PQRS-92]', async () => {
  const both = await Promise.all([rotateKey(evidence, 'sealing'), rotateKey(evidence, 'sealing')]);
  expect(both.map(({ resealed }) => resealed)).toEqual([230, 230]);
  expect(filesOf('seal-')).toEqual([`seal-${both[1].key}.key`]);
});

test('bundle: the earlier public keys stay known [PQRS-92]', async () => {
  const [first = ''] = keyed.publicKeys;
  const second = await rotateKey(evidence, 'bundle');
  expect(second.earlier).toEqual([first]);
  expect((await rotateKey(evidence, 'bundle')).earlier).toEqual([first, second.key]);
  expect(filesOf('bundle').filter((name) => name.endsWith('.tmp'))).toEqual([]);
});
