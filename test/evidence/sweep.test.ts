// Files that no row names: moved while they are few, and left with a failing check where they are many.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sweepFiles } from '../../src/evidence/evidence.ts';
import { type Instance, openInstance } from '../support/instance.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const dataDir = temporaryFolder('swept');
let instance: Instance;
let token: string;

beforeAll(async () => {
  instance = await openInstance({}, { dataDir });
  token = (await instance.makeProject('default')).token;
});

afterAll(() => instance.close());

async function ready() {
  const answer = await instance.fetch('/api/ready', { token });
  const { checks } = (await answer.json()) as { checks: Record<string, { output: string }[]> };
  return { status: answer.status, sweep: checks['files:sweep']?.[0] };
}

test('a sweep of too many files stops, fails readiness, and goes on when it is forced to', async () => {
  for (let n = 0; n < 101; n++) {
    const path = instance.evidence.files.path(createHash('sha256').update(`${n}`).digest('hex'));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${n}`);
  }
  expect(await sweepFiles(instance.evidence)).toMatchObject({ files: 101, unused: 0 });
  expect(await ready()).toEqual({ status: 200, sweep: undefined });
  instance.pass(25 * 3600 * 1000);
  expect(await sweepFiles(instance.evidence)).toMatchObject({ isStopped: true, moved: 0 });
  expect(await ready()).toMatchObject({
    status: 503,
    sweep: { status: 'fail', output: expect.stringContaining('pqrs doctor --repair --sweep') },
  });
  expect(instance.logged()).toContain('101 of 101 files');
  const forced = await sweepFiles(instance.evidence, { force: true });
  expect(forced).toMatchObject({ isStopped: false, moved: 101 });
  const trash = join(dataDir, 'files/trash');
  expect(readdirSync(trash, { recursive: true, withFileTypes: true })).toHaveLength(102);
  expect(await ready()).toEqual({ status: 200, sweep: undefined });
});
