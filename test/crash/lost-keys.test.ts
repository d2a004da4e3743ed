// Keys that are gone or garbage: the start goes on, `/ready` names them, what needs them is an error, and
// none is made anew before it is rotated.
import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rotateKey } from '../../src/operations/rotate-keys.ts';
import {
  ask,
  copyOf,
  failingChecks,
  type GoodFolder,
  makeGoodFolder,
} from '../support/damaged-instance.ts';
import { type Instance, openInstance } from '../support/instance.ts';

let good: GoodFolder;
let opened: Instance | undefined;

beforeAll(async () => {
  good = await makeGoodFolder();
});

afterEach(async () => {
  await opened?.close();
  opened = undefined;
});

const keysIn = (dataDir: string) => readdirSync(join(dataDir, 'keys')).sort();

/** Opens a copy after something was done to the files of its keys. */
async function openAfter(
  damage: (path: string) => void,
  kind: string,
): Promise<[Instance, string]> {
  const dataDir = copyOf(good.dataDir);
  const [name = ''] = keysIn(dataDir).filter((one) => one.startsWith(kind));
  damage(join(dataDir, 'keys', name));
  opened = await openInstance({}, { dataDir });
  await opened.evidence.keyRecord.check();
  return [opened, dataDir];
}

const DAMAGES: [string, (path: string) => void][] = [
  ['gone', (path) => rmSync(path)],
  ['cut', (path) => writeFileSync(path, readFileSync(path).subarray(0, 10))],
  ['overwritten', (path) => writeFileSync(path, Buffer.alloc(32, 0xff))],
];
const isLink = (path: string) => path.startsWith('/api/files/');

describe.each(DAMAGES)('%s', (_, damage) => {
  test('signing key: its links are refused, new ones open', async () => {
    const [instance, dataDir] = await openAfter(damage, 'sign');
    const before = keysIn(dataDir);
    const answers = await ask(instance, good.token, good.paths);
    for (const path of good.paths) {
      if (isLink(path)) expect(answers[path]?.code).toBe('signature_invalid');
      else expect([path, answers[path]]).toEqual([path, good.answers[path]]);
    }
    expect(await failingChecks(instance, good.token)).toEqual(['keys:signing']);
    const listed = await instance.fetch('/api/issues?limit=100', { token: good.token });
    const { items } = (await listed.json()) as { items: { attachments: { url: string }[] }[] };
    const fresh = items.flatMap(({ attachments }) => attachments)[0]?.url ?? '';
    expect((await instance.fetch(fresh)).status).toBe(200);
    expect(keysIn(dataDir)).toEqual(before);
  });

  test('sealing key: nothing is sealed, and what was is an error; a rotation makes a new one', async () => {
    const [instance, dataDir] = await openAfter(damage, 'seal');
    expect(await failingChecks(instance, good.token)).toEqual(['keys:sealing']);
    const answers = await ask(instance, good.token, good.paths);
    for (const path of good.paths) expect([path, answers[path]?.status]).toEqual([path, 200]);
    const command = {
      ...{ key: 'C-2', argv: ['true'], credentials: ['OTHER'], secrets: { OTHER: 'a value' } },
    };
    const post = (path: string, body: unknown) =>
      instance.fetch(path, {
        ...{ method: 'POST', token: good.token, body: JSON.stringify(body) },
        headers: { 'content-type': 'application/json' },
      });
    const refused = await post('/api/test-commands', command);
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([
      503,
      'damaged',
    ]);
    const commands = await instance.fetch('/api/test-commands?key=C-1', { token: good.token });
    const [{ id }] = ((await commands.json()) as { items: [{ id: string }] }).items;
    const suite = { agent: { name: 'a' }, commandIds: [id] };
    const lent = await post('/api/agent/suite', suite);
    expect([lent.status, ((await lent.json()) as { code: string }).code]).toEqual([
      409,
      'conflict',
    ]);
    await rotateKey(instance.evidence, 'sealing');
    expect((await post('/api/test-commands', command)).status).toBe(201);
    expect(await failingChecks(instance, good.token)).toEqual([]);
    expect(keysIn(dataDir).some((name) => name.startsWith('seal'))).toBe(true);
  });

  test('key of bundles: bundles are an error; a rotation makes a new one', async () => {
    const [instance, dataDir] = await openAfter(damage, 'bundle');
    expect(await failingChecks(instance, good.token)).toEqual(['keys:bundle']);
    const bundle = '/api/validation-transfer?format=bundle';
    const answers = await ask(instance, good.token, good.paths);
    for (const path of good.paths) {
      if (path === bundle) expect(answers[path]).toMatchObject({ status: 503, code: 'damaged' });
      else expect([path, answers[path]]).toEqual([path, good.answers[path]]);
    }
    await rotateKey(instance.evidence, 'bundle');
    expect((await instance.fetch(bundle, { token: good.token })).status).toBe(200);
    expect(keysIn(dataDir)).toContain('bundle.ed25519');
    await instance.close();
    opened = await openInstance({}, { dataDir });
    await opened.evidence.keyRecord.check();
    expect(await failingChecks(opened, good.token)).toEqual([]);
  });
});

test('a folder of a version that recorded no keys: a missing one is noticed all the same', async () => {
  const dataDir = copyOf(good.dataDir);
  const before = await openInstance({}, { dataDir });
  await before.evidence.database.write(async (db) => {
    await db.run("delete from instance where name like 'key:%'");
  });
  await before.close();
  for (const name of keysIn(dataDir).filter((one) => /\.key$/.test(one)))
    rmSync(join(dataDir, 'keys', name));
  opened = await openInstance({}, { dataDir });
  await opened.evidence.keyRecord.check();
  expect(await failingChecks(opened, good.token)).toEqual(['keys:signing', 'keys:sealing']);
});
