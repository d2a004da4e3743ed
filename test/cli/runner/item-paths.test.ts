// Where items may run and leave their reports.
import { describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  isInside,
  prepareReport,
  resolveCwd,
  type WorkFolder,
} from '../../../src/cli/runner/item-paths.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

function workFolder(allowOutside = false): WorkFolder & { outside: string } {
  const all = realpathSync(temporaryFolder('work'));
  const path = join(all, 'work');
  mkdirSync(join(path, 'packages/a'), { recursive: true });
  mkdirSync(join(path, '.pqrs-agent/runs'), { recursive: true });
  mkdirSync(join(all, 'outside'));
  symlinkSync(join(all, 'outside'), join(path, 'link'));
  symlinkSync('packages/a', join(path, 'inner'));
  return { path, allowOutside, outside: join(all, 'outside') };
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
  test('is not there before, and its folder is', async () => {
    const work = workFolder();
    const old = join(work.path, 'packages/a/out/r.xml');
    mkdirSync(join(old, '..'));
    writeFileSync(old, 'yesterday');
    const cwd = join(work.path, 'packages/a');
    expect(await prepareReport(work, cwd, 'out/r.xml')).toBe(old);
    expect(existsSync(old)).toBe(false);
    expect(await prepareReport(work, cwd, 'new/deep/r.xml')).toBe(join(cwd, 'new/deep/r.xml'));
    expect(existsSync(join(cwd, 'new/deep'))).toBe(true);
  });

  test('that is a link is taken away, and what it leads to is not', async () => {
    const work = workFolder();
    const kept = join(work.outside, 'kept');
    writeFileSync(kept, 'x');
    symlinkSync(kept, join(work.path, 'r.xml'));
    await prepareReport(work, work.path, 'r.xml');
    expect(existsSync(kept)).toBe(true);
    expect(existsSync(join(work.path, 'r.xml'))).toBe(false);
  });

  test.each(['../outside/r.xml', 'link/r.xml', 'link/new/r.xml', '/r.xml'])(
    'is not %p',
    async (path) => {
      const work = workFolder();
      writeFileSync(join(work.outside, 'r.xml'), 'x');
      await expect(prepareReport(work, work.path, path)).rejects.toThrow('outside');
      expect(existsSync(join(work.outside, 'r.xml'))).toBe(true);
      expect(existsSync(join(work.outside, 'new'))).toBe(false);
    },
  );

  test('is outside where that is allowed', async () => {
    const work = workFolder(true);
    writeFileSync(join(work.outside, 'r.xml'), 'x');
    await prepareReport(work, work.path, '../outside/r.xml');
    expect(existsSync(join(work.outside, 'r.xml'))).toBe(false);
  });

  test("is no folder, and nothing of the agent's own", async () => {
    const work = workFolder(true);
    await expect(prepareReport(work, work.path, 'packages')).rejects.toThrow('is a folder');
    const own = '.pqrs-agent/suite.json';
    await expect(prepareReport(work, work.path, own)).rejects.toThrow('own folder');
  });
});

test.each([
  ['/a', '/a', true],
  ['/a', '/a/b', true],
  ['/a', '/a/..b', true],
  ['/a', '/ab', false],
  ['/a', '/', false],
])('in %p is %p: %p', (folder, path, inside) => {
  expect(isInside(folder, path)).toBe(inside);
});
