// The items of a transfer that are about stories which are gone and others may be now.
import type { Requirements } from '../../requirements/requirements.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';
import type { AssuranceState } from '../state/state.ts';
import { renamedTo, type TransferItem } from './dispositions.ts';
import { hasGone, isTextOfGone } from './gone-verdicts.ts';
import { transferItems } from './transfer.ts';

const found = new WeakMap<AssuranceState, Promise<readonly TransferItem[]>>();

/** These items, of the last verdicts held against the effective graph; made once for a state. */
export function renamedItems(
  requirements: Requirements,
  state: AssuranceState,
): Promise<readonly TransferItem[]> {
  const known = found.get(state);
  if (known) return known;
  const made = transferItems(requirements, state, undefined).then(({ items }) =>
    items.filter(({ candidates }) => candidates.count > 0),
  );
  found.set(state, made);
  made.catch(() => found.delete(state));
  return made;
}

/** Whether a story that nobody has judged may be one that is gone. */
export function isHeir(state: AssuranceState, storyId: string): boolean {
  return !state.validationsOf.has(storyId) && isTextOfGone(state, storyId);
}

/** The verdicts that wait to be carried to what their stories were renamed to, by the new ids. */
export async function verdictsToCarry(
  requirements: Requirements,
  state: AssuranceState,
): Promise<ReadonlyMap<string, ValidationRow>> {
  const waiting = new Map<string, ValidationRow>();
  if (!hasGone(state)) return waiting;
  for (const item of await renamedItems(requirements, state)) {
    const to = renamedTo(item);
    if (to !== null && item.validation) waiting.set(to, item.validation);
  }
  return waiting;
}
