// Verdicts on stories that are gone, as far as one story alone has the text that was judged: when that
// story says something else, nothing has it any more.
import type { Requirements } from '../requirements/requirements.ts';
import type { ValidationRow } from '../store/tables/assurance.ts';
import type { TransferItem } from './dispositions.ts';
import { lastOfGone } from './gone-verdicts.ts';
import type { AssuranceState } from './state.ts';
import { transferItems } from './transfer.ts';

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
  const { effective, validationsOf } = state;
  const gone = lastOfGone(state);
  const isAlike = (id: string) =>
    !validationsOf.has(id) &&
    gone.some(({ fingerprint }) => effective.under(id, fingerprint) === fingerprint);
  if (!ids.some(isAlike)) return [];
  const some = new Set(ids);
  return (await renamedItems(requirements, state)).flatMap(({ candidates, validation }) =>
    validation && candidates.every((id) => some.has(id)) ? validation : [],
  );
}

const found = new WeakMap<AssuranceState, Promise<readonly TransferItem[]>>();

/** The items of the transfer that are about stories which others may be now; made once for a state. */
function renamedItems(
  requirements: Requirements,
  state: AssuranceState,
): Promise<readonly TransferItem[]> {
  const known = found.get(state);
  if (known) return known;
  const made = transferItems(requirements, state, undefined).then(({ items }) =>
    items.filter(({ candidates }) => candidates.length > 0),
  );
  found.set(state, made);
  made.catch(() => found.delete(state));
  return made;
}
