// What speaks against saying an earlier verdict again: a newer one on what the story says.
import type { Effective } from '../../requirements/graph/effective.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';
import { isOfText, isOfToday } from './standing-verdict.ts';

type Judged = Pick<ValidationRow, 'id' | 'seq' | 'storyId' | 'fingerprint' | 'deepFingerprint'>;

/**
 * Why an earlier verdict is not to be said again: a newer one judged the same text. Where the earlier
 * one is of all that the story rests on today too, only a newer one that is as well stands against it.
 *
 * @param carried - of what the story itself says today
 * @param verdicts - on the story under the id it had then, the oldest first
 * @param storyId - what it is called today
 * @returns undefined where nothing speaks against it
 */
export function newerVerdict(
  effective: Pick<Effective, 'node' | 'under'>,
  carried: Judged,
  verdicts: readonly Judged[],
  storyId: string,
): string | undefined {
  const newer = verdicts.flatMap((one) => (one.seq > carried.seq ? { ...one, storyId } : []));
  const ofToday = newer.findLast((one) => isOfToday(effective, one));
  if (ofToday) return `${ofToday.id}, which is newer, judged what it says today.`;
  const alike = newer.findLast((one) => isOfText(effective, one));
  if (!alike || isOfToday(effective, { ...carried, storyId })) return undefined;
  return `${alike.id}, which is newer, judged the same text.`;
}
