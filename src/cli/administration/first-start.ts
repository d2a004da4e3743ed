// What the first start leaves in the data folder: the owner's token, for its user alone.
import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { Context } from '../../http/api/context.ts';
import type { Keep, MadeProject } from './first-projects.ts';

export interface FirstStart {
  /** Set on the first start alone. */
  owner: MadeProject | undefined;
  /** Set when the demo project was made. */
  demo: (MadeProject & { file: string }) | undefined;
  /** The file that holds the owner's token, as a path to type; undefined where it is gone. */
  ownerFile: string | undefined;
}

/** Makes the first project where there is none, and the demo project where that is wished. */
export async function firstStart(context: Context): Promise<FirstStart> {
  const dataDir = resolve(context.config.dataDir);
  const ownerFile = join(dataDir, 'owner.token');
  const { owner, demo } = await makeProjects(context, ownerFile, join(dataDir, 'demo.token'));
  return { owner, demo, ownerFile: existsSync(ownerFile) ? shortest(ownerFile) : undefined };
}

async function makeProjects(
  context: Context,
  ownerFile: string,
  demoFile: string,
): Promise<Pick<FirstStart, 'owner' | 'demo'>> {
  const { config, tokens } = context;
  if (tokens.projects().length > 0 && !config.demo) return { owner: undefined, demo: undefined };
  const { createDemoProject, createFirstProject } = await import('./first-projects.ts');
  const { keepToken } = await import('./token-file.ts');
  const keepIn =
    (path: string): Keep =>
    (token, commit) =>
      keepToken(path, token, commit);
  const owner = await createFirstProject(context, keepIn(ownerFile));
  const demo = config.demo ? await createDemoProject(context, keepIn(demoFile)) : undefined;
  return {
    owner,
    demo: demo && { ...demo, file: shortest(demoFile) },
  };
}

function shortest(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith('..') ? path : near;
}
