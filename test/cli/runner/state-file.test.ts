// What an agent keeps on disk, and that one works in a folder.
import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentState, openStateFile } from '../../../src/cli/runner/state-file.ts';
import { takeWorkFolder } from '../../../src/cli/runner/work-lock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const STATE: AgentState = {
  ...{ format: 1, url: 'http://127.0.0.1:1', selection: '{}', planId: null },
  ...{ agent: { name: 'a', version: '1' }, claim: null, suite: null, hasCredentials: false },
  steps: { run_1: { at: 'starting', starts: 1 } },
};

describe('the state file', () => {
  test('is for its user alone, and is read back', async () => {
    const work = temporaryFolder('state');
    const file = await openStateFile(work);
    expect(await file.read()).toBeUndefined();
    await file.write(STATE);
    expect(await file.read()).toEqual(STATE);
    expect(statSync(join(work, '.pqrs-agent')).mode & 0o777).toBe(0o700);
    expect(statSync(join(work, '.pqrs-agent/suite.json')).mode & 0o777).toBe(0o600);
    await file.remove();
    expect(await file.read()).toBeUndefined();
    expect(readdirSync(join(work, '.pqrs-agent'))).toEqual(['.gitignore']);
  });

  test.each(['', '{', 'null', '[]', '{"format":2,"steps":{}}'])(
    'that is %p is as none',
    async (text) => {
      const work = temporaryFolder('state');
      const file = await openStateFile(work);
      writeFileSync(join(work, '.pqrs-agent/suite.json'), text);
      expect(await file.read()).toBeUndefined();
    },
  );

  test('keeps the folders of runs within its own', async () => {
    const file = await openStateFile(temporaryFolder('state'));
    const folder = await file.runFolder({ runId: '../../x' });
    expect(folder).toStartWith(join(file.folder, 'runs/'));
    expect(folder).not.toContain('..');
    await file.removeRun({ runId: '../../x' });
    expect(existsSync(folder)).toBe(false);
    expect(existsSync(file.folder)).toBe(true);
    await file.runFolder({ runId: 'run_1' });
    await file.removeRuns();
    expect(readdirSync(file.folder)).toEqual(['.gitignore']);
  });

  test('tells the time by which files are dated', async () => {
    const file = await openStateFile(temporaryFolder('state'));
    const before = await file.fileTime();
    writeFileSync(join(file.folder, 'later'), 'x');
    expect(Math.floor(statSync(join(file.folder, 'later')).mtimeMs)).toBeGreaterThanOrEqual(before);
  });
});

describe('the lock of a work folder', () => {
  test('is had by one, and given back', async () => {
    const folder = temporaryFolder('lock');
    const giveBack = await takeWorkFolder(folder);
    await expect(takeWorkFolder(folder)).rejects.toThrow(`process id ${process.pid} works in`);
    await giveBack();
    await (await takeWorkFolder(folder))();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('of a process that is gone, or of another with its number, is taken', async () => {
    const folder = temporaryFolder('lock');
    const gone = Bun.spawn(['true']);
    await gone.exited;
    for (const holder of [
      { pid: gone.pid, start: 'x' },
      { pid: process.pid, start: 'another start' },
      'no lock',
    ]) {
      writeFileSync(join(folder, 'lock'), JSON.stringify(holder));
      const giveBack = await takeWorkFolder(folder);
      expect(JSON.parse(readFileSync(join(folder, 'lock'), 'utf8')).pid).toBe(process.pid);
      await giveBack();
    }
    expect(readdirSync(folder)).toEqual([]);
  });
});
