// What the operations of the agents work with: all that is known of the project.
import type { Assurance } from '../assurance/assurance.ts';
import type { TestRunRow } from '../store/tables/quality.ts';
import { openLent } from './credentials/lent.ts';
import { openRunEvents, type RunEvents } from './runs/events.ts';
import { type LeaseWatch, watchLeases } from './suites/lease-watch.ts';

/** Judges the stories that a run bears on, once its results have been settled. */
export type JudgeRun = (projectId: string, run: TestRunRow) => Promise<void>;

export interface Agents extends Assurance {
  judge: JudgeRun;
  leaseWatch: LeaseWatch;
  runEvents: RunEvents;
}

/** Opens the agents. */
export function openAgents(assurance: Assurance): Agents {
  const runEvents = openRunEvents(assurance);
  let judging: Promise<JudgeRun> | undefined;
  const judge: JudgeRun = async (projectId, run) => {
    // Loaded when the first run comes, for the sake of the start.
    judging ??= import('../assurance/validation/auto-validate.ts').then(({ openAutoValidation }) =>
      openAutoValidation(assurance),
    );
    await (await judging)(projectId, run);
  };
  const leaseWatch = watchLeases(assurance, runEvents);
  const lent = openLent(assurance, leaseWatch.mayHold);
  leaseWatch.onOpened(lent.opened);
  assurance.lent.of = lent.of;
  return { ...assurance, judge, runEvents, leaseWatch };
}
