// `pqrs credential`, with and without a running server: values come from standard input or a file,
// and go nowhere else.
import { describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sealedFor } from '../../src/agents/credentials.ts';
import { readConfig } from '../../src/config.ts';
import { openServices } from '../../src/services.ts';
import { credentials } from '../../src/store/tables/agents.ts';
import { memoryLog } from '../support/memory-log.ts';
import { openWorkplace, type Workplace } from '../support/running-executable.ts';

/** The values that a stopped instance holds, by name. */
async function valuesOf(place: Workplace): Promise<Record<string, string>> {
  const config = readConfig({
    ...{ flags: { 'data-dir': join(place.folder, 'pqrs-data') }, environment: {} },
    folder: place.folder,
  });
  const services = await openServices({ config, log: memoryLog('info').log });
  const sealing = await services.sealing();
  const rows = await services.database.read.select().from(credentials);
  await services.close();
  return Object.fromEntries(
    rows.map((row) => [row.name, sealing.unseal(row.sealed, sealedFor(row))]),
  );
}

const listed = async (place: Workplace) =>
  JSON.parse((await place.run(['credential', 'list', '--json'])).out) as {
    name: string;
    version: number;
  }[];

describe('pqrs credential [PQRS-40]', () => {
  test('sets from standard input and from a file, lists, removes, without a server', async () => {
    const place = await openWorkplace('credential');
    await place.run(['init']);
    const first = await place.run(['credential', 'set', 'PASSWORD'], {}, 'canary one\n');
    expect(first).toEqual({ code: 0, out: 'PASSWORD is set (version 1)\n', err: '' });
    writeFileSync(join(place.folder, 'key.pem'), 'canary line 1\ncanary line 2\n\n');
    const again = await place.run([
      ...['credential', 'set', 'KEY', '--from-file', 'key.pem', '--project', 'default', '--json'],
    ]);
    expect(again).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(again.out)).toEqual({ project: 'default', name: 'KEY', version: 1 });
    await place.run(['credential', 'set', 'PASSWORD'], {}, 'canary two\r\n');
    const short = await place.run(['credential', 'set', 'PIN'], {}, '12345\n');
    expect(short).toMatchObject({ code: 0, err: expect.stringContaining('PIN has fewer than 6') });
    await place.run(['credential', 'rm', 'PIN']);

    const table = await place.run(['credential', 'list']);
    expect(table.out).toMatch(/^NAME +VERSION +SET +COMMANDS\nKEY +1 .*\nPASSWORD +2 /);
    expect(table.out).not.toContain('canary');
    expect(await valuesOf(place)).toEqual({
      PASSWORD: 'canary two',
      KEY: 'canary line 1\ncanary line 2\n',
    });
    expect(readFileSync(join(place.folder, 'pqrs-data', 'pqrs.db')).includes('canary')).toBe(false);

    expect(await place.run(['credential', 'rm', 'PASSWORD'])).toMatchObject({
      ...{ code: 0, out: 'PASSWORD is removed\n' },
    });
    expect((await listed(place)).map(({ name }) => name)).toEqual(['KEY']);
    const gone = await place.run(['credential', 'rm', 'PASSWORD']);
    expect(gone).toMatchObject({ code: 1, out: '' });
    expect(gone.err).toContain('There is no credential "PASSWORD"');
  });

  test('is the same while a server runs, which prints and logs nothing of it', async () => {
    const place = await openWorkplace('credential-running');
    const served = await place.serve(['--log-level', 'trace']);
    const set = await place.run(['credential', 'set', 'TOKEN'], {}, 'canary of a server');
    expect(set).toMatchObject({ code: 0, err: '' });
    expect(await listed(place)).toMatchObject([{ name: 'TOKEN', version: 1 }]);
    const { out, err } = await served.stop();
    expect(out + err).not.toContain('canary');
    expect(await valuesOf(place)).toEqual({ TOKEN: 'canary of a server' });
  });

  test('refuses a wrong call with 2, a bad name or value with 1, and repeats no value', async () => {
    const place = await openWorkplace('credential-refused');
    await place.run(['init']);
    for (const args of [[], ['A', 'canary']]) {
      const wrong = await place.run(['credential', 'set', ...args], {}, 'x');
      expect(wrong).toMatchObject({ code: 2, out: '' });
      expect(wrong.err).toContain('NAME');
    }
    for (const [name, value] of [
      ['A-B', 'canary'],
      ['A', ''],
      ['A', '\n'],
      ['A', 'canary\0'],
    ] as const) {
      const refused = await place.run(['credential', 'set', name], {}, value);
      expect(refused).toMatchObject({ code: 1, out: '' });
      expect(refused.err).not.toContain('canary');
    }
    writeFileSync(join(place.folder, 'latin1'), Buffer.from([0xe4, 0xf6]));
    const bytes = await place.run(['credential', 'set', 'A', '--from-file', 'latin1']);
    expect(bytes).toMatchObject({ code: 2, out: '' });
    const nowhere = await place.run(['credential', 'set', 'A', '--from-file', 'absent']);
    expect(nowhere.code).toBe(1);
    const elsewhere = await place.run(['credential', 'list', '--project', 'absent']);
    expect(elsewhere.code).toBe(1);
    expect(await listed(place)).toEqual([]);
    expect((await place.run(['credential', 'set', '--help'])).out).toContain('--from-file');
  });
});
