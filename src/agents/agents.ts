// What the operations of the agents work with: all that is known of the project.
import type { Assurance } from '../assurance/assurance.ts';
import type { TestRunRow } from '../store/tables/quality.ts';
import { leasedValues, seedHolders } from './credentials/leases.ts';
import { openRunEvents, type RunEvents } from './runs/events.ts';
import { type LeaseWatch, watchLeases } from './suites/lease-watch.ts';

export interface Agents extends Assurance {
  /** Judges the stories that a run bears on, once its results have been settled. */
  judge(projectId: string, run: TestRunRow): Promise<void>;
  leaseWatch: LeaseWatch;
  /** Tokens that were ever given a credential lease. */
  credentialHolders: Set<string>;
  runEvents: RunEvents;
}

export function openAgents<S extends Assurance>(assurance: S): S & Agents {
  const runEvents = openRunEvents(assurance);
  const leaseWatch = watchLeases(assurance, runEvents);
  let judging: Promise<Agents['judge']> | undefined;
  const credentialHolders = new Set<string>();
  let seeded = false;
  seedHolders(assurance.database.read, credentialHolders).then(
    () => {
      seeded = true;
    },
    (error) => assurance.log.warn({ err: error }, 'holders of credentials were not read'),
  );
  // Asked with every write: a query is made for those alone that may hold some.
  assurance.lent.of = (tokenId) =>
    seeded && !credentialHolders.has(tokenId) ? undefined : leasedValues(assurance, { tokenId });
  return {
    ...assurance,
    runEvents,
    leaseWatch,
    credentialHolders,
    async judge(projectId, run) {
      // Loaded when the first run comes, for the sake of the start.
      judging ??= import('../assurance/validation/auto-validate.ts').then(
        ({ openAutoValidation }) => openAutoValidation(assurance),
      );
      await (await judging)(projectId, run);
    },
  };
}
