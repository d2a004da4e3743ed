// Verdicts on stories that are gone, as far as one story alone has the text that was judged: when that
// story says something else, nothing has it any more.
import type { Requirements } from '../../requirements/requirements.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';
import type { AssuranceState } from '../state/state.ts';
import type { Candidates } from './candidates.ts';
import { isHeir, renamedItems } from './renamed-items.ts';

/**
 * The verdicts on stories that are gone that can be on some stories, and on no others.
 *
 * @param ids - of stories; the others are looked at only where one of these has what was judged
 */
export async function solelyOn(
  requirements: Requirements,
  state: AssuranceState,
  ids: readonly string[],
): Promise<readonly ValidationRow[]> {
  if (!ids.some((id) => isHeir(state, id))) return [];
  const some = new Set(ids);
  // Stories that were alike share their candidates.
  const within = new Map<Candidates, boolean>();
  return (await renamedItems(requirements, state)).flatMap(({ candidates, validation }) => {
    const isWithin =
      within.get(candidates) ??
      (candidates.count <= some.size && [...candidates].every((id) => some.has(id)));
    within.set(candidates, isWithin);
    return validation && isWithin ? validation : [];
  });
}
