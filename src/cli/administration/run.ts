// Runs an operation of the administration where it can be run: in the server that has the data
// folder open, or else here.
import { setTimeout } from 'node:timers/promises';
import type { Config } from '../../config.ts';
import { Problem } from '../../errors.ts';
import { openEvidence } from '../../evidence/evidence.ts';
import { openContext } from '../../http/api/context.ts';
import { openLog } from '../../log.ts';
import { openServices } from '../../services.ts';
import { FolderInUse } from '../../store/errors.ts';
import { type OnProgress, UsageError } from '../command.ts';
import type { Input, Operation, Result } from './administration.ts';
import { existingDataFolder } from './data-folder.ts';

/** How long what is under way in a server may take when it is to stop. */
export const DRAIN_MS = 10_000;
const CLOSE_MS = 5000;
const AGAIN_MS = 50;

/** @param inUseMs - for how long a server that starts or ends, and cannot be asked, may have the folder */
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
      const context = await openHere(config).catch((error: unknown) => {
        if (error instanceof FolderInUse && performance.now() < lastTry) return undefined;
        throw error;
      });
      if (context) {
        const all = administer(context, { serving: false }) as unknown as Operations;
        return await all[operation](input, onProgress).finally(() => context.close());
      }
      await setTimeout(AGAIN_MS);
    }
  } catch (error) {
    const isUnnamed = (one: Problem) => one.errors.some(({ pointer }) => pointer === '/project');
    if (error instanceof Problem && isUnnamed(error)) throw new UsageError(error.message);
    throw error;
  }
}

type Operations = {
  [O in Operation]: (input: Input<O>, onProgress?: OnProgress) => Promise<Result<O>>;
};

async function openHere(config: Config) {
  return openEvidence(
    await openContext(await openServices({ config, log: openLog('warn', true) })),
  );
}
