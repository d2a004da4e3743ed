// What the operations of the agents work with: all that is known of the project.
import type { Assurance } from '../assurance/assurance.ts';
import type { TestRunRow } from '../store/tables/quality.ts';
import { leasedValues } from './credentials/leases.ts';
import { openRunEvents, type RunEvents } from './runs/events.ts';
import { type LeaseWatch, watchLeases } from './suites/lease-watch.ts';

export interface Agents extends Assurance {
  /** Judges the stories that a run bears on, once its results have been settled. */
  judge(projectId: string, run: TestRunRow): Promise<void>;
  leaseWatch: LeaseWatch;
  runEvents: RunEvents;
}

export function openAgents(assurance: Assurance): Agents {
  const runEvents = openRunEvents(assurance);
  const leaseWatch = watchLeases(assurance, runEvents);
  let judging: Promise<Agents['judge']> | undefined;
  assurance.lent.of = (tokenId) =>
    leaseWatch.mayHold(tokenId) ? leasedValues(assurance, { tokenId }) : undefined;
  return {
    ...assurance,
    runEvents,
    leaseWatch,
    async judge(projectId, run) {
      // Loaded when the first run comes, for the sake of the start.
      judging ??= import('../assurance/validation/auto-validate.ts').then(
        ({ openAutoValidation }) => openAutoValidation(assurance),
      );
      await (await judging)(projectId, run);
    },
  };
}
