// What a start makes by itself: the first project of an instance, the demo project, and the files in the
// data folder that hold their tokens, whose texts nobody can show again.
import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { mintToken } from '../../access/tokens.ts';
import { SERVICE } from '../../evidence/logs/entries.ts';
import type { Context } from '../../http/api/context.ts';
import { compileCheck } from '../../model/validate.ts';
import { ProjectBody } from '../../requirements/projects/model.ts';
import {
  createProject,
  findProject,
  recordTokenCreated,
} from '../../requirements/projects/projects.ts';
import { writeDurably } from '../../store/files/io.ts';

export type FirstStart = Awaited<ReturnType<typeof firstStart>>;

export const DEMO_SLUG = 'demo';
/** Compiled where a project is made, and not at each start. */
const checkProject = (input: unknown) => compileCheck(ProjectBody)(input);

/**
 * Makes the first project where there is none, and the demo project where the settings ask for it.
 * A token is on disk before what makes it is committed: no crash leaves one that no file holds.
 */
export async function firstStart(context: Context) {
  const { config, tokens } = context;
  const dataDir = resolve(config.dataDir);
  const ownerFile = join(dataDir, 'owner.token');
  const demoFile = join(dataDir, 'demo.token');
  /** On the first start alone. */
  let owner: { slug: string; token: string } | undefined;
  if (tokens.projects().length === 0) {
    const { project: slug } = config;
    const minted = mintToken();
    const ownerToken = { label: 'owner', instance: true, minted };
    const input = checkProject({ slug, settings: {} });
    await writeDurably(ownerFile, `${minted.text}\n`);
    await context.database.write((db) =>
      createProject(db, tokens, input, ownerToken, SERVICE, context.clock()),
    );
    owner = { slug, token: minted.text };
  }
  const demo = config.demo ? await createDemoProject(context, demoFile) : undefined;
  return {
    owner,
    demo: demo && { ...demo, file: shortest(demoFile) },
    /** As a path to type; undefined where it is gone. */
    ownerFile: existsSync(ownerFile) ? shortest(ownerFile) : undefined,
  };
}

export async function createDemoProject({ database, tokens, clock }: Context, tokenFile: string) {
  if (await findProject(database.read, DEMO_SLUG)) return undefined;
  const minted = mintToken();
  const description = 'What pqrs itself should do.';
  const settings = { demo: true };
  const input = checkProject({ slug: DEMO_SLUG, name: 'pqrs', description, settings });
  const reader = { label: 'demo', capabilities: ['read:demo'] as const, minted };
  await writeDurably(tokenFile, `${minted.text}\n`);
  await database.write(async (db) => {
    const now = clock();
    const owner = { label: 'owner', instance: false };
    const { project } = await createProject(db, tokens, input, owner, SERVICE, now);
    const { row } = await tokens.issue(db, { ...reader, projectId: project.id }, now);
    await recordTokenCreated(db, { projectId: project.id, actor: SERVICE, now }, row);
  });
  return { slug: DEMO_SLUG, token: minted.text };
}

function shortest(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith('..') ? path : near;
}
