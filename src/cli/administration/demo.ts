// The content of the demo project: the requirements of pqrs itself and the commands that test them,
// from inside the executable.
import { createHash } from 'node:crypto';
import type { DemoSource } from '../../demo/sources.ts';
import type { Context } from '../../http/api/context.ts';
import { findProject } from '../../requirements/projects/projects.ts';
import { latestRevision, sourcesOf } from '../../requirements/projects/revisions.ts';
import { readSettings } from '../../requirements/projects/settings.ts';
import { importRevision } from '../import/revision.ts';
import { loadDemoCommands } from './demo-commands.ts';
import { DEMO_SLUG } from './first-projects.ts';

/** Who makes the revisions; those of anybody else are left as they are. */
const AUTHOR = { tokenId: 'demo', label: 'pqrs' };

/**
 * Gives the demo project the sources of this executable as its next revision, where it has others of
 * an earlier one, or none, and its test commands. What somebody else has imported there stays, and so
 * does a project of that name that is no demo. A failure is logged, and ends nothing.
 *
 * @param commandsChanged - is told of the project whose commands are others now
 */
export async function loadDemo(
  context: Context,
  commandsChanged: (projectId: string) => void = () => {},
): Promise<void> {
  try {
    await load(context, commandsChanged);
  } catch (error) {
    context.log.warn({ err: error }, 'the demo project did not get its content');
  }
}

async function load(context: Context, commandsChanged: (projectId: string) => void): Promise<void> {
  const { read } = context.database;
  const project = await findProject(read, DEMO_SLUG);
  if (!project) return;
  const settings = readSettings(project.settings);
  if (!settings.demo) return;
  const latest = await latestRevision(read, project.id);
  if (latest && latest.authorToken !== AUTHOR.tokenId) return;
  const { DEMO_SOURCES } = await import('../../demo/sources.ts');
  // Asked here too: an import loads every reader before it knows that nothing has changed.
  if (!latest || !areThose(DEMO_SOURCES, await sourcesOf(read, latest)))
    await importRevision(context, {
      projectId: project.id,
      files: DEMO_SOURCES.map(({ path, text }) => ({
        ...{ path, bytes: Buffer.from(text), format: null },
      })),
      confirm: true,
      mode: 'replace',
      baseRevision: latest?.number ?? 0,
      actor: AUTHOR,
      now: context.clock(),
    });
  if (await loadDemoCommands(context, project.id, AUTHOR)) commandsChanged(project.id);
}

function areThose(
  sources: readonly DemoSource[],
  stored: readonly { path: string; sha256: string }[],
): boolean {
  const hashes = new Map(stored.map(({ path, sha256 }) => [path, sha256]));
  return (
    hashes.size === sources.length &&
    sources.every(
      ({ path, text }) => hashes.get(path) === createHash('sha256').update(text).digest('hex'),
    )
  );
}
