// Which of a story's verdicts holds: the last one, or an earlier one of what the story says again.
import type { Effective } from '../../requirements/graph/effective.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';

type Fingerprints = Pick<Effective, 'node' | 'under'>;
type Judged = Pick<ValidationRow, 'storyId' | 'fingerprint' | 'deepFingerprint'>;

export type Standing = 'valid' | 'invalidated' | 'suspect';

export function matchesText(
  { node, under }: Fingerprints,
  { storyId, fingerprint }: Pick<Judged, 'storyId' | 'fingerprint'>,
): boolean {
  // Nearly all are made as today's are, and need not be made anew.
  return node(storyId)?.fingerprint === fingerprint || under(storyId, fingerprint) === fingerprint;
}

export function matchesCurrent(effective: Fingerprints, judged: Judged): boolean {
  return standingOf(effective, judged) === 'valid';
}

export function standingOf(effective: Fingerprints, judged: Judged): Standing {
  if (!matchesText(effective, judged)) return 'invalidated';
  const { storyId, deepFingerprint } = judged;
  const { node, under } = effective;
  const isSame =
    node(storyId)?.deepFingerprint === deepFingerprint ||
    under(storyId, deepFingerprint) === deepFingerprint;
  return isSame ? 'valid' : 'suspect';
}

/**
 * The verdict on a story that is current: the last one, but where it is of another text and an earlier
 * one is of today's, that one.
 */
export function currentVerdict(
  effective: Fingerprints,
  verdicts: readonly ValidationRow[] | undefined,
): ValidationRow | undefined {
  const last = verdicts?.at(-1);
  if (!verdicts || !last || verdicts.length === 1 || matchesCurrent(effective, last)) return last;
  return verdicts.findLast((one) => matchesCurrent(effective, one)) ?? last;
}

type Carried = Pick<ValidationRow, 'id' | 'seq' | 'byKind' | 'transferredFrom'>;
type CarriedOf = ReadonlyMap<string, readonly Carried[]>;

const originals = new WeakMap<CarriedOf, ReadonlyMap<string, Carried>>();

/**
 * `person` or `system`: who gave the verdict that a carried one goes back to, through however many
 * carryings. One that came from another instance is of the person who took it.
 *
 * @param verdictsOf - all of the project, by story: a verdict may be of a story that is gone
 */
export function originalJudge(verdictsOf: CarriedOf, verdict: Carried): string {
  if (verdict.transferredFrom === null) return verdict.byKind;
  const known = originals.get(verdictsOf) ?? findOriginals(verdictsOf);
  originals.set(verdictsOf, known);
  return (known.get(verdict.id) ?? verdict).byKind;
}

function findOriginals(verdictsOf: CarriedOf): Map<string, Carried> {
  const found = new Map<string, Carried>();
  // A verdict is carried from one with a lower number; what names a higher one is from elsewhere.
  const rising = [...verdictsOf.values()].flat().sort((a, b) => a.seq - b.seq);
  for (const one of rising) found.set(one.id, found.get(one.transferredFrom ?? '') ?? one);
  return found;
}
