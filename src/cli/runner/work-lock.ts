// One agent in a work folder: two would remove each other's reports.
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandFailed } from '../command.ts';
import { startOf } from './process-table.ts';

interface Holder {
  pid: number;
  start: string | null;
}

/**
 * Takes the lock of a folder.
 *
 * @returns a function that gives it back
 * @throws CommandFailed where another process that lives has it
 */
export async function takeWorkFolder(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, 'lock');
  const own = join(folder, `lock.${process.pid}`);
  const holder: Holder = { pid: process.pid, start: (await startOf(process.pid)) ?? null };
  const text = JSON.stringify(holder);
  await writeFile(own, text, { mode: 0o600 });
  try {
    for (let tries = 0; tries < 10; tries += 1) {
      if (await linked(own, path)) return () => giveBack(path, text);
      const found = await readFile(path, 'utf8').catch(() => undefined);
      if (found === undefined) continue;
      const other = holderOf(found);
      if (await isAlive(other)) throw held(folder, other?.pid);
      await setAside(path, found);
    }
    throw held(folder, undefined);
  } finally {
    await rm(own, { force: true });
  }
}

async function linked(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Takes away the lock of a process that is gone, and no other that has come meanwhile. */
async function setAside(path: string, found: string): Promise<void> {
  const aside = `${path}.old.${process.pid}`;
  await rename(path, aside).catch(() => undefined);
  const moved = await readFile(aside, 'utf8').catch(() => undefined);
  if (moved !== undefined && moved !== found) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}

async function giveBack(path: string, text: string): Promise<void> {
  const found = await readFile(path, 'utf8').catch(() => undefined);
  if (found === text) await rm(path, { force: true });
}

function holderOf(text: string): Holder | undefined {
  try {
    return JSON.parse(text) as Holder;
  } catch {
    return undefined;
  }
}

async function isAlive(holder: Holder | undefined): Promise<boolean> {
  if (holder === undefined || !Number.isInteger(holder.pid)) return false;
  const start = await startOf(holder.pid);
  return start !== undefined && (holder.start === null || holder.start === start);
}

function held(folder: string, pid: number | undefined): CommandFailed {
  const who = pid === undefined ? 'another agent works' : `the agent with process id ${pid} works`;
  return new CommandFailed(`${who} in this folder already (${folder})`);
}
