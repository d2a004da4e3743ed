// What the operations of the agents work with: all that is known of the project.
import type { Assurance } from '../assurance/assurance.ts';
import { credentialLeases } from '../store/tables/agents.ts';
import type { TestRunRow } from '../store/tables/quality.ts';
import { leasedValues } from './credentials.ts';
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
  const { database, log, lent } = assurance;
  const runEvents = openRunEvents(assurance);
  const credentialHolders = new Set<string>();
  let known = false;
  const { tokenId } = credentialLeases;
  database.read
    .selectDistinct({ tokenId })
    .from(credentialLeases)
    .then((rows) => {
      for (const row of rows) credentialHolders.add(row.tokenId);
      known = true;
    })
    .catch((err) => log.warn({ err }, 'holders of credentials were not read'));
  // Asked with every write: a query is made for those alone that may hold some.
  lent.of = (tokenId) =>
    known && !credentialHolders.has(tokenId) ? undefined : leasedValues(assurance, { tokenId });
  return {
    ...assurance,
    runEvents,
    leaseWatch: watchLeases(assurance, runEvents),
    credentialHolders,
    async judge(projectId, run) {
      // Loaded when the first run comes, for the sake of the start.
      const { autoValidate } = await import('../assurance/validation/auto-validate.ts');
      await autoValidate(assurance, projectId, run);
    },
  };
}
