// When additions were in force, by the moves on record: what an addition is by now says nothing of it,
// for one that the sources took up may be deleted long after.
import { and, asc, eq, or } from 'drizzle-orm';
import type { Db } from '../../store/database.ts';
import { type OverlayChangeRow, overlayChanges } from '../../store/tables/assurance.ts';
import type { Period } from '../validation/candidates.ts';

/** A move of an addition. */
export type AdditionMove = Pick<OverlayChangeRow, 'storyId' | 'fromState' | 'toState' | 'at'>;

/** The periods in which additions of a project were active, by the ids of their stories. */
export async function additionPeriods(db: Db, projectId: string): Promise<Map<string, Period[]>> {
  const { storyId, fromState, toState, at } = overlayChanges;
  const moves = await db
    .select({ storyId, fromState, toState, at })
    .from(overlayChanges)
    .where(
      and(
        eq(overlayChanges.projectId, projectId),
        or(eq(fromState, 'active'), eq(toState, 'active')),
      ),
    )
    .orderBy(asc(overlayChanges.seq));
  return periodsOf(moves);
}

/**
 * The periods that moves from and to `active` begin and end, in order and none within another.
 *
 * @param moves - of one project, the oldest first
 */
export function periodsOf(moves: readonly AdditionMove[]): Map<string, Period[]> {
  const periods = new Map<string, Period[]>();
  for (const { storyId, toState, at } of moves) {
    const own = periods.get(storyId) ?? [];
    periods.set(storyId, own);
    const last = own.at(-1);
    if (toState !== 'active') {
      if (last) last.until = Math.max(last.from, at);
    } else if (last?.until !== Infinity) {
      // Clocks of requests are not in the order of their writes.
      own.push({ from: Math.max(at, last?.until ?? at), until: Infinity });
    }
  }
  return periods;
}
