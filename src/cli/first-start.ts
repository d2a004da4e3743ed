// What the first start leaves in the data folder: the owner's token, for its user alone.
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import type { Context } from '../http/context.ts';

export interface FirstStart {
  /** Set on the first start alone. */
  owner: { slug: string; token: string } | undefined;
  /** Set when the demo project was made. */
  demo: { slug: string; token: string } | undefined;
  /** The file that holds the owner's token, as a path to type; undefined where it is gone. */
  ownerFile: string | undefined;
}

/** Makes the first project where there is none, and the demo project where that is wished. */
export async function firstStart(context: Context): Promise<FirstStart> {
  const dataDir = resolve(context.config.dataDir);
  const ownerFile = join(dataDir, 'owner.token');
  const { owner, demo } = await makeProjects(context);
  if (owner) await writePrivately(ownerFile, owner.token);
  if (demo) await writePrivately(join(dataDir, 'demo.token'), demo.token);
  return { owner, demo, ownerFile: existsSync(ownerFile) ? shortest(ownerFile) : undefined };
}

async function makeProjects(context: Context): Promise<Pick<FirstStart, 'owner' | 'demo'>> {
  const { config, tokens } = context;
  if (tokens.projects().length > 0 && !config.demo) return { owner: undefined, demo: undefined };
  const { createDemoProject, createFirstProject } = await import('./administration.ts');
  const owner = await createFirstProject(context);
  return { owner, demo: config.demo ? await createDemoProject(context) : undefined };
}

async function writePrivately(path: string, token: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.chmod(0o600);
    await file.writeFile(`${token}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

function shortest(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith('..') ? path : near;
}
