// Who said first what a verdict says again: who carries a verdict has not judged the story.
import type { ValidationRow } from '../store/tables/assurance.ts';

type Said = Pick<ValidationRow, 'id' | 'seq' | 'byKind' | 'transferredFrom'>;
type SaidOf<T extends Said> = ReadonlyMap<string, readonly T[]>;

const indexes = new WeakMap<SaidOf<Said>, ReadonlyMap<string, Said>>();

/**
 * `person` or `system`: who made the verdict from which one was carried, through however many
 * carryings. One that came from elsewhere is of the person who took it.
 *
 * @param verdictsOf - all of the project, by story: a verdict may be of a story that is gone
 */
export function firstSaidBy<T extends Said>(verdictsOf: SaidOf<T>, verdict: T): string {
  let first: Said = verdict;
  while (first.transferredFrom !== null) {
    const origin = indexOf(verdictsOf).get(first.transferredFrom);
    if (!origin || origin.seq >= first.seq) break;
    first = origin;
  }
  return first.byKind;
}

function indexOf(verdictsOf: SaidOf<Said>): ReadonlyMap<string, Said> {
  const known = indexes.get(verdictsOf);
  if (known) return known;
  const index = new Map<string, Said>();
  for (const verdicts of verdictsOf.values()) for (const one of verdicts) index.set(one.id, one);
  indexes.set(verdictsOf, index);
  return index;
}
