// The fingerprints that stories had for a run: those of its claim, of the revision that it names, or
// of today.
import { effectiveAsOf } from '../../requirements/graph/effective-as-of.ts';
import { fieldsOfPrefix, fingerprintPrefix } from '../../requirements/graph/fingerprint.ts';
import { type GraphNode, isNormative } from '../../requirements/graph/model.ts';
import type { Requirements } from '../../requirements/requirements.ts';
import type { Pins } from '../../store/tables/json.ts';

export type { Pins } from '../../store/tables/json.ts';

export interface ClaimedPins {
  revision: number;
  overlayClock: number;
  pins: Pins;
}

export interface PinnedState {
  /** The revision that its row names. */
  revision: number;
  /** The clock of the edits and additions laid on it; null where the sources alone are meant. */
  overlayClock: number | null;
  /** What fingerprints cover for it, as their prefix. */
  profile: string;
  /** The pins of some stories; those that there are not are left out. */
  pinsOf(storyIds: Iterable<string>): Pins;
}

/**
 * Reads the state of the requirements that a run is of.
 *
 * @param run - `revision` is the one that its submission names; `claim` goes before it
 * @throws Problem `not_found` for a revision that there is not
 */
export async function pinnedState(
  { effective, graphs, database }: Requirements,
  projectId: string,
  run: { revision?: number | null | undefined; claim?: ClaimedPins | undefined },
): Promise<PinnedState> {
  const today = await effective.of(projectId);
  const now = today.revision?.number ?? 0;
  const { claim } = run;
  const revision = claim?.revision ?? run.revision ?? now;
  const isToday = revision === now && (!claim || claim.overlayClock === today.overlayClock);
  const overlayClock = isToday ? today.overlayClock : (claim?.overlayClock ?? null);
  const [first] = Object.values(claim?.pins ?? {});
  const fields = (first && fieldsOfPrefix(first[0])) ?? today.settings.normative;
  const profile = fingerprintPrefix(fields);
  const reading = { graphs, db: database.read };
  const { node: nodeOf } = isToday
    ? today
    : await effectiveAsOf(reading, today, { revision, overlayClock, profile });
  return {
    revision,
    overlayClock,
    profile,
    pinsOf(storyIds) {
      const pins: Pins = { ...claim?.pins };
      for (const id of storyIds) {
        const node = Object.hasOwn(pins, id) ? undefined : nodeOf(id);
        if (node && isNormative(node)) set(pins, id, node);
      }
      return pins;
    },
  };
}

function set(pins: Pins, id: string, { fingerprint, deepFingerprint }: GraphNode): void {
  Object.defineProperty(pins, id, {
    enumerable: true,
    configurable: true,
    writable: true,
    value: [fingerprint, deepFingerprint],
  });
}
