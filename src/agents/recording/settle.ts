// Settles a run that was recorded, and tells those who wait for it; at a start, and where storage
// had failed, what was left half done.

import {
  batchesLeft,
  discardBatch,
  endUnjudged,
  settleLinks,
  unjudgedLeft,
} from '../../quality/runs/batches.ts';
import { createThrottle, type Throttle } from '../../runtime/scheduler.ts';
import type { TestRunRow } from '../../store/tables/quality.ts';
import type { Agents } from '../agents.ts';

const AGAIN_MS = 30_000;

const waiting = new WeakSet<Agents>();

export async function settleRun(agents: Agents, run: TestRunRow, throttle: Throttle) {
  agents.runEvents.changed(run.projectId);
  await orLater(agents, async () => {
    if (await settleLinks(agents.database, run, { throttle })) await judge(agents, run);
  });
}

export async function dropBatch(agents: Agents, batch: number, throttle: Throttle): Promise<void> {
  await orLater(agents, async () => {
    // A write that was said to have failed may have been done: then the run is there.
    if (!(await discardBatch(agents.database, batch, throttle))) resumeLater(agents);
  });
}

/**
 * Brings to an end what was left half done: batches without a run are taken away, the others
 * settled, and the stories of settled runs judged. To be called once the service answers; new runs
 * may come meanwhile.
 */
export async function resumeRuns(agents: Agents): Promise<void> {
  const throttle = createThrottle(() => agents.metrics.answered);
  for (const { batch, run } of await batchesLeft(agents.database.read)) {
    if (agents.draining()) return;
    if (run) await settleRun(agents, run, throttle);
    else await dropBatch(agents, batch, throttle);
  }
  for (const { batch, run } of await unjudgedLeft(agents.database.read)) {
    if (agents.draining()) return;
    if (run) await orLater(agents, () => judge(agents, run));
    else await agents.database.write((db) => endUnjudged(db, batch));
  }
}

async function judge(agents: Agents, run: TestRunRow): Promise<void> {
  await agents.judge(run.projectId, run);
  await agents.database.write((db) => endUnjudged(db, run.batch));
}

async function orLater(agents: Agents, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (err) {
    agents.log.warn({ err }, 'what a run leaves to be done is done later');
    resumeLater(agents);
  }
}

function resumeLater(agents: Agents): void {
  if (waiting.has(agents) || agents.draining()) return;
  waiting.add(agents);
  const timer = setTimeout(() => {
    waiting.delete(agents);
    resumeRuns(agents).catch(() => resumeLater(agents));
  }, AGAIN_MS);
  timer.unref();
}
