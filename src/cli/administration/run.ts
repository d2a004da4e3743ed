// Runs an operation of the administration where it can be run: in the server that has the data
// folder open, or else here.
import { setTimeout } from 'node:timers/promises';
import type { Config } from '../../config.ts';
import { Problem } from '../../errors.ts';
import { type Evidence, openEvidence } from '../../evidence/evidence.ts';
import type { Served } from '../../http/api/context.ts';
import { openContext } from '../../http/api/context.ts';
import { openLog } from '../../log.ts';
import { openServices } from '../../services.ts';
import { FolderInUse } from '../../store/errors.ts';
import { UsageError } from '../command.ts';
import type { OnProgress } from '../progress-bar.ts';
import type { Input, Operation, Result } from './administration.ts';
import { existingDataFolder } from './data-folder.ts';

/** How long what is under way in a server may take when it is to stop. */
export const DRAIN_MS = 10_000;
const CLOSE_MS = 5000;
const AGAIN_MS = 50;

/**
 * Runs one operation.
 *
 * @param onProgress - called with how far it is, where the operation says so
 * @param inUseMs - for how long a folder may be in use by what cannot be asked: a server that starts has
 *   it a while before it answers, and one that ends, after
 * @throws Problem when it is refused; UsageError where the project has to be named; CommandFailed
 *   where there is no data folder; StoreRefused when it stays in use by what cannot be asked
 */
export async function runAdministration<O extends Operation>(
  { config }: { config: Config },
  operation: O,
  input: Input<O>,
  onProgress?: OnProgress,
  inUseMs = DRAIN_MS + CLOSE_MS,
): Promise<Result<O>> {
  existingDataFolder(config.dataDir);
  // Not loaded where a server starts, which has these commands too.
  const { askServer } = await import('./socket.ts');
  const { administer } = await import('./administration.ts');
  const lastTry = performance.now() + inUseMs;
  try {
    for (;;) {
      const asked = await askServer(config.dataDir, operation, input, onProgress);
      if (asked) return asked.result;
      const context = await openHere(config, performance.now() < lastTry);
      if (context) {
        const run = administer(context, { serving: false })[operation] as unknown as (
          input: Input<O>,
          onProgress?: OnProgress,
        ) => Promise<Result<O>>;
        return await run(input, onProgress).finally(() => context.close());
      }
      await setTimeout(AGAIN_MS);
    }
  } catch (error) {
    throw isUnnamedProject(error) ? new UsageError(error.message) : error;
  }
}

async function openHere(config: Config, mayWait: boolean): Promise<Served<Evidence> | undefined> {
  try {
    const services = await openServices({ config, log: openLog('warn', true) });
    return openEvidence(await openContext(services));
  } catch (error) {
    if (mayWait && error instanceof FolderInUse) return undefined;
    throw error;
  }
}

function isUnnamedProject(error: unknown): error is Problem {
  return error instanceof Problem && error.errors.some(({ pointer }) => pointer === '/project');
}
