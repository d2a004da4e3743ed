// How a verdict stands to what its story says today, and which of a story's verdicts holds.
import type { Effective } from '../../requirements/graph/effective.ts';
import { type GraphNode, isNormative } from '../../requirements/graph/model.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';

type Fingerprints = Pick<Effective, 'node' | 'under'>;
type Judged = Pick<ValidationRow, 'storyId' | 'fingerprint' | 'deepFingerprint'>;

export type Standing = 'valid' | 'invalidated' | 'suspect';

/** A story; undefined where nothing has its id, or a section does. */
export function storyOf({ node }: Pick<Effective, 'node'>, id: string): GraphNode | undefined {
  const found = node(id);
  return found && isNormative(found) ? found : undefined;
}

export function standingOf({ node, under }: Fingerprints, judged: Judged): Standing {
  const { storyId, fingerprint, deepFingerprint } = judged;
  const today = node(storyId);
  // Nearly all are made as today's are, and need not be made anew.
  const isText = today?.fingerprint === fingerprint || under(storyId, fingerprint) === fingerprint;
  if (!isText) return 'invalidated';
  const isDeep =
    today?.deepFingerprint === deepFingerprint ||
    under(storyId, deepFingerprint) === deepFingerprint;
  return isDeep ? 'valid' : 'suspect';
}

export function matchesCurrent(effective: Fingerprints, judged: Judged): boolean {
  return standingOf(effective, judged) === 'valid';
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
