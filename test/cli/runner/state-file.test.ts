// What an agent has on disk, and that one works in a folder.
import { describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentState, openStateFile } from '../../../src/cli/runner/state-file.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const STATE: AgentState = {
  ...{ format: 1, url: 'http://127.0.0.1:1', selection: '{}', planId: null },
  ...{ agent: { name: 'a', version: '1' }, claim: null, suite: null, hasCredentials: false },
  steps: { run_1: { at: 'started', starts: 1 } },
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
    await file.unlock();
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

  test('has the folders of runs within its own, and the clock of its files', async () => {
    const work = temporaryFolder('state');
    const own = join(work, '.pqrs-agent');
    const file = await openStateFile(work);
    const folder = await file.runFolder({ runId: '../../x' });
    expect(folder).toStartWith(join(own, 'runs/'));
    expect(folder).not.toContain('..');
    await file.removeRun({ runId: '../../x' });
    expect(existsSync(folder)).toBe(false);
    expect(existsSync(own)).toBe(true);
    await file.runFolder({ runId: 'run_1' });
    await file.removeRuns();
    expect(existsSync(join(own, 'runs'))).toBe(false);
    const before = await file.fileTime();
    writeFileSync(join(own, 'later'), 'x');
    expect(Math.floor(statSync(join(own, 'later')).mtimeMs)).toBeGreaterThanOrEqual(before);
  });
});

describe('the lock of a work folder', () => {
  test('is taken by one agent at a time, and given back', async () => {
    const work = temporaryFolder('lock');
    const { unlock } = await openStateFile(work);
    await expect(openStateFile(work)).rejects.toThrow(`process id ${process.pid} works in`);
    await unlock();
    await (await openStateFile(work)).unlock();
  });

  test('of a process that is gone, or of another with its number, is none', async () => {
    const work = temporaryFolder('lock');
    const gone = Bun.spawn(['true']);
    await gone.exited;
    mkdirSync(join(work, '.pqrs-agent'));
    for (const holder of [`${gone.pid} x`, `${process.pid} another start`, 'no lock', '']) {
      const path = join(work, '.pqrs-agent/lock');
      writeFileSync(path, holder);
      const { unlock } = await openStateFile(work);
      expect(readFileSync(path, 'utf8')).toStartWith(`${process.pid} `);
      await unlock();
    }
  });
});
