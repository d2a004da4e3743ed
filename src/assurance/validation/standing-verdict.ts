// Which of a story's verdicts stands: the last one, or an earlier one of what the story says again.
import type { Effective } from '../../requirements/graph/effective.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';

type Judged = Pick<ValidationRow, 'storyId' | 'fingerprint' | 'deepFingerprint'>;

/** Whether a story itself says today what it said for a verdict, whatever it rests on. */
export function isOfText(
  { node, under }: Pick<Effective, 'node' | 'under'>,
  { storyId, fingerprint }: Pick<Judged, 'storyId' | 'fingerprint'>,
): boolean {
  // Nearly all are made as today's are, and need not be made anew.
  return node(storyId)?.fingerprint === fingerprint || under(storyId, fingerprint) === fingerprint;
}

/** Whether a story and all it rests on say today what they said for a verdict. */
export function isOfToday(effective: Pick<Effective, 'node' | 'under'>, judged: Judged): boolean {
  const { node, under } = effective;
  const { storyId, deepFingerprint } = judged;
  return (
    isOfText(effective, judged) &&
    (node(storyId)?.deepFingerprint === deepFingerprint ||
      under(storyId, deepFingerprint) === deepFingerprint)
  );
}

/**
 * The verdict on a story that stands.
 *
 * @param verdicts - on one story, the oldest first
 * @returns the last one, but where it is of another text and an earlier one is of today's: that one
 */
export function standingVerdict(
  effective: Pick<Effective, 'node' | 'under'>,
  verdicts: readonly ValidationRow[] | undefined,
): ValidationRow | undefined {
  const last = verdicts?.at(-1);
  if (!verdicts || !last || verdicts.length === 1 || isOfToday(effective, last)) return last;
  return verdicts.findLast((one) => isOfToday(effective, one)) ?? last;
}
