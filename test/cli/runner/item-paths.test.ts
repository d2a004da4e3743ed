// Where items may run and leave their reports.
import { describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  markOf,
  prepareReport,
  resolveCwd,
  type WorkFolder,
} from '../../../src/cli/runner/folder.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

function workFolder(allowOutside = false): WorkFolder & { outside: string } {
  const all = realpathSync(temporaryFolder('work'));
  const path = join(all, 'work');
  mkdirSync(join(path, 'packages/a'), { recursive: true });
  mkdirSync(join(path, '.pqrs-agent/runs'), { recursive: true });
  mkdirSync(join(all, 'outside'));
  symlinkSync(join(all, 'outside'), join(path, 'link'));
  symlinkSync('packages/a', join(path, 'inner'));
  return { path, allowOutside, protectedFiles: [], outside: join(all, 'outside') };
}

describe('the folder of an item', () => {
  test('is in the work folder, links followed', async () => {
    const work = workFolder();
    expect(await resolveCwd(work, null)).toBe(work.path);
    expect(await resolveCwd(work, 'packages/a')).toBe(join(work.path, 'packages/a'));
    expect(await resolveCwd(work, 'inner')).toBe(join(work.path, 'packages/a'));
    expect(await resolveCwd(work, join(work.path, 'packages'))).toBe(join(work.path, 'packages'));
  });

  test.each(['..', '../outside', 'packages/../..', 'link', '/'])('is not %p', async (cwd) => {
    const work = workFolder();
    await expect(resolveCwd(work, cwd)).rejects.toThrow('outside of the work folder');
    expect(await resolveCwd({ ...work, allowOutside: true }, cwd)).toBeString();
  });

  test.each(['none', 'packages/none'])('is not %p, where nothing is', async (cwd) => {
    await expect(resolveCwd(workFolder(), cwd)).rejects.toThrow(`there is no folder ${cwd}`);
  });

  test("is never the agent's own", async () => {
    await expect(resolveCwd(workFolder(true), '.pqrs-agent/runs')).rejects.toThrow('own folder');
  });
});

describe('the report of an item', () => {
  test('has its folder made, and one that is there is marked', async () => {
    const work = workFolder();
    const cwd = join(work.path, 'packages/a');
    const path = join(cwd, 'new/deep/r.xml');
    expect(await prepareReport(work, cwd, 'new/deep/r.xml')).toEqual({ path, before: undefined });
    writeFileSync(path, '<testsuites/>');
    const { before } = await prepareReport(work, cwd, 'new/deep/r.xml');
    expect(before).toBe((await markOf(path)) as string);
    writeFileSync(path, '<testsuites/>');
    expect(await markOf(path)).not.toBe(before as string);
  });

  test.each(['../outside/r.xml', 'link/r.xml', 'link/new/r.xml', '/r.xml'])(
    'is not %p, whatever --allow-outside says',
    async (path) => {
      const work = workFolder(true);
      writeFileSync(join(work.outside, 'r.xml'), '<testsuite/>');
      await expect(prepareReport(work, work.path, path)).rejects.toThrow('is outside');
      expect(existsSync(join(work.outside, 'r.xml'))).toBe(true);
      expect(existsSync(join(work.outside, 'new'))).toBe(false);
    },
  );

  test.each([
    ['.env', 'begins with a dot'],
    ['.pqrs-agent/suite.json', 'begins with a dot'],
    ['owner.token', 'named as tokens are'],
    ['ca.pem', 'what the agent was started with'],
    ['data/r.xml', 'data folder of a pqrs'],
    ['data/keys/r.xml', 'data folder of a pqrs'],
  ])('is not %p, and what is there stays', async (path, why) => {
    const work = workFolder(true);
    const file = (name: string) => writeFileSync(join(work.path, name), '<testsuite/>');
    mkdirSync(join(work.path, 'data/keys'), { recursive: true });
    for (const name of ['.env', 'owner.token', 'ca.pem', '.pqrs-agent/suite.json']) file(name);
    for (const name of ['data/lock.db', 'data/keys/sign-1.key', 'data/r.xml']) file(name);
    const place = { protectedFiles: [join(work.path, 'ca.pem')] };
    await expect(prepareReport(place, work.path, path)).rejects.toThrow(why);
    const there = ['.env', 'owner.token', 'ca.pem', 'data/r.xml'];
    expect(there.filter((name) => !existsSync(join(work.path, name)))).toEqual([]);
  });
});
