// Goes on where an agent was ended: what it left running is ended, and what it was running is run again
// or not, as its command says of a lost lease.
import type { Send } from './api-client.ts';
import { readCommand } from './commands.ts';
import type { HeldSuite } from './held-suite.ts';
import type { WorkFolder } from './item-paths.ts';
import { endProcesses } from './process-group.ts';
import { startOf } from './process-table.ts';
import type { Retrying } from './retry.ts';
import { finishInterrupted } from './run-item.ts';
import type { AgentState, Finished, StateFile } from './state-file.ts';
import type { SuiteItem } from './suite.ts';

/** A command that ends its agent each time is not started once more. */
const STARTS_MOST = 3;

/** Ends the processes that an earlier agent left running; gives how many runs had any. */
export async function endLeftBehind({ steps }: AgentState, graceMs: number): Promise<number> {
  let found = 0;
  for (const [runId, step] of Object.entries(steps)) {
    if (step.at !== 'starting' && step.at !== 'running') continue;
    const known = step.at === 'running' ? step : undefined;
    // Another process may have got the number since.
    const isIt =
      known !== undefined &&
      known.processStart !== null &&
      (await startOf(known.pid)) === known.processStart;
    const run = { pid: isIt ? known.pid : undefined, runId };
    if (await endProcesses(run, graceMs)) found += 1;
  }
  return found;
}

export interface Earlier {
  /** How often the item was started in this attempt. */
  starts: number;
  /** What is to be submitted in the place of another start. */
  finished?: Finished;
}

/** Looks at what came of an item in an earlier agent. */
export async function prepareAgain(
  item: SuiteItem,
  held: HeldSuite,
  shop: {
    send: Send;
    retrying(until: () => number): Retrying;
    stateFile: StateFile;
    work: WorkFolder;
  },
): Promise<Earlier> {
  const step = held.step(item);
  if (step === undefined || step.at === 'ended' || step.at === 'finished') return { starts: 0 };
  const { starts } = step;
  const why = await whyNotAgain(item, starts, async () => {
    const retrying = shop.retrying(held.deadline);
    return (await readCommand(shop.send, retrying, item.commandId ?? ''))?.onLeaseLost;
  });
  if (why === undefined) return { starts };
  const startedAt = step.at === 'running' ? step.startedAt : Date.now();
  const folder = await shop.stateFile.runFolder(item);
  const plan = { item, work: shop.work };
  return { starts, finished: await finishInterrupted(plan, folder, startedAt, why) };
}

/** Why an item that an agent was ended with is not started again; undefined where it is. */
export async function whyNotAgain(
  { commandId }: Pick<SuiteItem, 'commandId'>,
  starts: number,
  onLeaseLost: () => Promise<string | undefined>,
): Promise<string | undefined> {
  if (starts >= STARTS_MOST) return `the agent was ended ${starts} times while this ran`;
  if (commandId === null || (await onLeaseLost()) !== 'fail') return undefined;
  return 'the agent was ended while this ran, and its command is not to be run again';
}
