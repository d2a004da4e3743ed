// What the operations of the agents work with: all that is known of the project.
import type { Assurance } from '../assurance/assurance.ts';
import type { TestRunRow } from '../store/tables/quality.ts';
import { type LeaseWatch, watchLeases } from './lease-watch.ts';
import { openRunEvents, type RunEvents } from './run-events.ts';

/** Is told of a run when its results have been settled. */
export type AfterRun = (projectId: string, run: TestRunRow) => Promise<void>;

export interface Agents extends Assurance {
  /** Called one after the other; what one of them throws is logged alone. */
  afterRun: AfterRun[];
  leaseWatch: LeaseWatch;
  runEvents: RunEvents;
}

/** Opens the agents. */
export function openAgents(assurance: Assurance): Agents {
  const runEvents = openRunEvents(assurance);
  let judge: Promise<AfterRun> | undefined;
  const validate: AfterRun = async (projectId, run) => {
    // Loaded when the first run comes, for the sake of the start.
    judge ??= import('../assurance/auto-validate.ts').then(({ openAutoValidation }) =>
      openAutoValidation(assurance),
    );
    await (await judge)(projectId, run);
  };
  const leaseWatch = watchLeases(assurance, runEvents);
  return { ...assurance, afterRun: [validate], runEvents, leaseWatch };
}
