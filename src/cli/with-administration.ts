// Runs an operation of the administration where it can be run: in the server that has the data
// folder open, or else here.
import { openContext } from '../http/context.ts';
import { openLog } from '../log.ts';
import type { OnProgress } from '../requirements/import/progress.ts';
import { openServices } from '../services.ts';
import type { Administration } from './administration.ts';
import type { CommandCall } from './command.ts';
import { existingDataFolder } from './data-folder.ts';

/**
 * Runs one operation.
 *
 * @param onProgress - is told how far it is, where the operation says so
 * @throws Problem when it is refused; CommandFailed where there is no data folder; StoreRefused when
 *   it is in use without a server
 */
export async function runAdministration<O extends keyof Administration>(
  { config }: CommandCall,
  operation: O,
  wish: Parameters<Administration[O]>[0],
  onProgress?: OnProgress,
): Promise<Awaited<ReturnType<Administration[O]>>> {
  existingDataFolder(config.dataDir);
  // Not loaded where a server starts, which has these commands too.
  const { askServer } = await import('./admin-socket.ts');
  const asked = await askServer(config.dataDir, operation, wish, onProgress);
  if (asked) return asked.result;
  const { administer } = await import('./administration.ts');
  const context = await openContext(await openServices({ config, log: openLog('warn', true) }));
  try {
    const run = administer(context)[operation] as (
      wish: unknown,
      onProgress?: OnProgress,
    ) => ReturnType<Administration[O]>;
    return (await run(wish, onProgress)) as Awaited<ReturnType<Administration[O]>>;
  } finally {
    await context.close();
  }
}
