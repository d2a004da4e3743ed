// Runs an operation of the administration where it can be run: in the server that has the data
// folder open, or else here.
import { setTimeout } from 'node:timers/promises';
import { Problem } from '../../errors.ts';
import { type Evidence, openEvidence } from '../../evidence/evidence.ts';
import { openContext } from '../../http/api/context.ts';
import { openLog } from '../../log.ts';
import { openServices } from '../../services.ts';
import { FolderInUse } from '../../store/errors.ts';
import { type CommandCall, UsageError } from '../command.ts';
import type { OnProgress } from '../progress-bar.ts';
import type { Administration } from './administration.ts';
import { existingDataFolder } from './data-folder.ts';
import { CLOSE_MS, DRAIN_MS } from './drain.ts';

/** A server that starts has the folder a while before it can be asked; one that ends, after it. */
const IN_USE_MS = DRAIN_MS + CLOSE_MS;
const AGAIN_MS = 50;

/**
 * Runs one operation.
 *
 * @param onProgress - is told how far it is, where the operation says so
 * @param inUseMs - for how long a folder may be in use by what cannot be asked
 * @throws Problem when it is refused; UsageError where the project has to be named; CommandFailed
 *   where there is no data folder; StoreRefused when it stays in use by what cannot be asked
 */
export async function runAdministration<O extends keyof Administration>(
  { config }: Pick<CommandCall, 'config'>,
  operation: O,
  wish: Parameters<Administration[O]>[0],
  onProgress?: OnProgress,
  inUseMs = IN_USE_MS,
): Promise<Awaited<ReturnType<Administration[O]>>> {
  existingDataFolder(config.dataDir);
  // Not loaded where a server starts, which has these commands too.
  const { askServer } = await import('./socket.ts');
  const lastTry = performance.now() + inUseMs;
  try {
    for (;;) {
      const asked = await askServer(config.dataDir, operation, wish, onProgress);
      if (asked) return asked.result;
      const context = await openHere(config, performance.now() < lastTry);
      if (context) return await runHere(context, operation, wish, onProgress);
      await setTimeout(AGAIN_MS);
    }
  } catch (error) {
    throw isUnnamedProject(error) ? new UsageError(error.message) : error;
  }
}

/** Opens the data folder; nothing where it is in use, and may be free or served before long. */
async function openHere(
  config: CommandCall['config'],
  mayWait: boolean,
): Promise<Evidence | undefined> {
  try {
    const services = await openServices({ config, log: openLog('warn', true) });
    return openEvidence(await openContext(services));
  } catch (error) {
    if (mayWait && error instanceof FolderInUse) return undefined;
    throw error;
  }
}

async function runHere<O extends keyof Administration>(
  context: Evidence,
  operation: O,
  wish: Parameters<Administration[O]>[0],
  onProgress: OnProgress | undefined,
): Promise<Awaited<ReturnType<Administration[O]>>> {
  const { administer } = await import('./administration.ts');
  try {
    const run = administer(context, { serving: false })[operation] as (
      wish: unknown,
      onProgress?: OnProgress,
    ) => ReturnType<Administration[O]>;
    return (await run(wish, onProgress)) as Awaited<ReturnType<Administration[O]>>;
  } finally {
    await context.close();
  }
}

/** Whether a command was given no project where it has to be. */
function isUnnamedProject(error: unknown): error is Problem {
  return error instanceof Problem && error.errors.some(({ pointer }) => pointer === '/project');
}
