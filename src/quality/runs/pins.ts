// The fingerprints that stories had for a run: those of its claim, of the revision that it names, or
// of today.
import { effectiveAsOf } from '../../requirements/graph/effective.ts';
import { fieldsOfPrefix, fingerprintPrefix } from '../../requirements/graph/fingerprint.ts';
import { isNormative } from '../../requirements/graph/model.ts';
import type { Requirements } from '../../requirements/requirements.ts';
import type { Pins } from '../../store/tables/json.ts';

export type { Pins } from '../../store/tables/json.ts';

export type PinnedState = Awaited<ReturnType<typeof pinnedState>>;

/** @param asked - the revision that the submission of a run names; its claim goes before it */
export async function pinnedState(
  { effective, graphs, database }: Requirements,
  projectId: string,
  asked: number | null | undefined,
  claim: { revision: number; overlayClock: number; pins: Pins } | undefined,
) {
  const latest = await effective.of(projectId);
  const now = latest.revision?.number ?? 0;
  const revision = claim?.revision ?? asked ?? now;
  const isLatest = revision === now && (!claim || claim.overlayClock === latest.overlayClock);
  const overlayClock = isLatest ? latest.overlayClock : (claim?.overlayClock ?? null);
  const [first] = Object.values(claim?.pins ?? {});
  const fields = (first && fieldsOfPrefix(first[0])) ?? latest.settings.normative;
  const profile = fingerprintPrefix(fields);
  const state = { revision, overlayClock, profile };
  const { node: nodeOf } = isLatest
    ? latest
    : await effectiveAsOf({ graphs, db: database.read }, latest, state);
  return {
    revision,
    /** The clock of the edits and additions laid on it; null where the sources alone are meant. */
    overlayClock,
    profile,
    /** The pins of some stories; those that there are not are left out. */
    pinsOf(storyIds: Iterable<string>) {
      // Without a prototype: an id may be `__proto__`.
      const pins: Pins = Object.assign(Object.create(null), claim?.pins);
      for (const id of storyIds) {
        const node = pins[id] ? undefined : nodeOf(id);
        if (node && isNormative(node)) pins[id] = [node.fingerprint, node.deepFingerprint];
      }
      return pins;
    },
  };
}
