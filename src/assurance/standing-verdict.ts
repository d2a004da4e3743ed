// Which of a story's verdicts stands: the last one, or an earlier one of what the story says again.
import type { Effective } from '../requirements/effective.ts';
import type { ValidationRow } from '../store/tables/assurance.ts';

type Judged = Pick<ValidationRow, 'storyId' | 'fingerprint' | 'deepFingerprint'>;

/** Whether a story and all it rests on say today what they said for a verdict. */
export function isOfToday(
  { node, under }: Pick<Effective, 'node' | 'under'>,
  { storyId, fingerprint, deepFingerprint }: Judged,
): boolean {
  const story = node(storyId);
  // Nearly all are made as today's are, and need not be made anew.
  return (
    (story?.fingerprint === fingerprint || under(storyId, fingerprint) === fingerprint) &&
    (story?.deepFingerprint === deepFingerprint ||
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
