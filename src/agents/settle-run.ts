// Settles a run that was recorded, and tells those who wait for it; at a start, what a process that
// died has left half done.
import { createPace, type Pace } from '../quality/pace.ts';
import { batchesLeft, discardBatch } from '../quality/run-batches.ts';
import { settleLinks } from '../quality/settle-links.ts';
import type { TestRunRow } from '../store/tables/quality.ts';
import type { Agents } from './agents.ts';

/**
 * Settles a run. Where storage fails, that is left to the next start.
 *
 * @param options - as of `settleLinks`
 */
export async function settleRun(
  agents: Agents,
  run: TestRunRow,
  options: { named?: boolean; pace: Pace },
): Promise<void> {
  const { projectId } = run;
  agents.runEvents.changed(projectId);
  try {
    await settleLinks(agents.database, run, options);
  } catch (error) {
    agents.log.warn({ err: error, runId: run.id }, 'a run is settled at the next start');
  }
  agents.qualityChanges.changed(projectId, 'results');
  for (const hook of agents.afterRun) {
    await hook(projectId, run).catch((error) =>
      agents.log.warn({ err: error, runId: run.id }, 'what follows a run failed'),
    );
  }
}

/**
 * Brings to an end what was left half done: batches without a run are taken away, the others
 * settled. To be called once the service answers; new runs may come meanwhile.
 *
 * @returns how many batches there were
 */
export async function resumeBatches(agents: Agents): Promise<number> {
  const left = await batchesLeft(agents.database.read);
  const pace = createPace(() => agents.metrics.answered);
  for (const { batch, run } of left) {
    if (agents.draining()) break;
    if (run) await settleRun(agents, run, { pace });
    else await discardBatch(agents.database, batch, pace);
  }
  return left.length;
}
