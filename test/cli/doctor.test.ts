// `pqrs doctor` as an operator types it, beside a running server and without one.
import { describe, expect, test } from 'bun:test';
import { chmodSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { contentsIn } from '../support/doctored-folder.ts';
import { openWorkplace, type Workplace } from '../support/running-executable.ts';

const ENVIRONMENT = { PQRS_FREE_DISK_BYTES: '0' };

function doctor(place: Workplace, ...args: string[]) {
  return place.run(['doctor', ...args], ENVIRONMENT);
}

describe('pqrs doctor [PQRS-91]', () => {
  test('finds and mends the same beside a server and without one', async () => {
    const place = await openWorkplace('doctor');
    const dataDir = join(place.folder, 'pqrs-data');
    expect((await place.run(['init', '--demo'], ENVIRONMENT)).code).toBe(0);
    for (const served of [false, true]) {
      const server = served ? await place.serve([], ENVIRONMENT) : undefined;
      expect(await doctor(place)).toMatchObject({ code: 0, out: 'nothing is wrong\n', err: '' });
      chmodSync(join(dataDir, 'keys'), 0o750);
      const found = await doctor(place, '--json');
      expect(found.code).toBe(1);
      expect(JSON.parse(found.out)).toMatchObject({
        ok: false,
        repairs: [],
        findings: [{ code: 'permissions', severity: 'warning', subject: 'keys' }],
      });
      const mended = await doctor(place, '--repair', '--json');
      expect(mended.code).toBe(0);
      expect(JSON.parse(mended.out)).toMatchObject({ ok: true, findings: [] });
      expect(statSync(join(dataDir, 'keys')).mode & 0o777).toBe(0o700);
      await server?.stop();
    }
  }, 60_000);

  test('reads a database that no server would open, and leaves it as it is', async () => {
    const place = await openWorkplace('doctor-damaged');
    const dataDir = join(place.folder, 'pqrs-data');
    await place.run(['init', '--demo'], ENVIRONMENT);
    truncateSync(join(dataDir, 'pqrs.db'), 5000);
    truncateSync(contentsIn(dataDir)[0] ?? '', 3);
    chmodSync(dataDir, 0o755);
    const report = await doctor(place, '--repair', '--json');
    expect(report).toMatchObject({ code: 1, err: '' });
    const { findings, repairs } = JSON.parse(report.out) as Record<string, { code: string }[]>;
    const codes = new Set(findings?.map(({ code }) => code));
    expect([...codes].sort()).toEqual(['database_damaged', 'file_damaged']);
    expect(repairs?.map(({ code }) => code)).toEqual(['permissions']);
    expect(statSync(join(dataDir, 'pqrs.db')).size).toBe(5000);
  }, 60_000);

  test('is for an instance that is there, and sweeps with --repair alone', async () => {
    const place = await openWorkplace('doctor-none');
    expect((await doctor(place)).code).toBe(1);
    expect((await doctor(place, '--sweep')).code).toBe(2);
    expect((await doctor(place, 'everything')).code).toBe(2);
  });
});
