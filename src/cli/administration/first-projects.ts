// The projects that a start makes by itself: the first one of an instance, and the demo.

import { knownProject, type MintedToken, mintToken } from '../../access/tokens.ts';
import { SERVICE } from '../../evidence/logs/audit.ts';
import type { Context } from '../../http/api/context.ts';
import { compileCheck } from '../../model/validate.ts';
import { ProjectBody } from '../../requirements/projects/model.ts';
import {
  createProject,
  findProject,
  listProjects,
  recordTokenCreated,
} from '../../requirements/projects/projects.ts';
import type { TokenRow } from '../../store/tables/projects.ts';

/** A project that was made, and the token that is to be told. */
export interface MadeProject {
  slug: string;
  token: string;
}

/** Runs what makes a token once its text is where it is not lost. */
export type Keep = <T>(token: string, commit: () => Promise<T>) => Promise<T>;

/** The slug of the demo project. */
export const DEMO_SLUG = 'demo';

const checkProject = compileCheck(ProjectBody);

/**
 * Makes the first project of an instance, with the owner token that may make further ones.
 *
 * @returns undefined where there is a project already
 */
export async function createFirstProject(
  context: Context,
  keep: Keep,
): Promise<MadeProject | undefined> {
  if ((await listProjects(context.database.read)).length > 0) return undefined;
  const minted = mintToken();
  const input = { slug: context.config.project, settings: {} };
  await keep(minted.text, () => addProject(context, input, { instance: true, minted }));
  return { slug: input.slug, token: minted.text };
}

/** Makes the demo project and a token that reads it, where there is none. */
export async function createDemoProject(
  context: Context,
  keep: Keep,
): Promise<MadeProject | undefined> {
  const slug = DEMO_SLUG;
  if (await findProject(context.database.read, slug)) return undefined;
  const reader = mintToken();
  const input = {
    ...{ slug, name: 'pqrs', description: 'What pqrs itself should do.' },
    settings: { demo: true },
  };
  await keep(reader.text, () => addProject(context, input, { instance: false }, reader));
  return { slug, token: reader.text };
}

/** Makes a project with its owner token, and one for `read:demo` where that is given: all, or nothing. */
async function addProject(
  { database, tokens, clock }: Context,
  input: { slug: string; name?: string; description?: string; settings: object },
  owner: { instance: boolean; minted?: MintedToken },
  reader?: MintedToken,
): Promise<void> {
  const checked = checkProject(input);
  const made = await database.write(async (db) => {
    const now = clock();
    const rows: TokenRow[] = [];
    const added = await createProject(
      db,
      tokens,
      checked,
      { label: 'owner', ...owner },
      SERVICE,
      now,
    );
    rows.push(added.tokenRow);
    if (reader) {
      const wish = { label: 'demo', capabilities: ['read:demo'] as const, minted: reader };
      const issued = await tokens.issue(db, { projectId: added.project.id, ...wish }, now);
      rows.push(issued.row);
      const about = { projectId: added.project.id, actor: SERVICE, now };
      await recordTokenCreated(db, about, issued.row);
    }
    return { project: added.project, rows };
  });
  tokens.rememberProject(knownProject(made.project));
  for (const row of made.rows) tokens.remember(row);
}
