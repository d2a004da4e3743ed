// Who said first what a verdict says again: who carries a verdict has not judged the story.
import type { ValidationRow } from '../../store/tables/assurance.ts';

type Said = Pick<ValidationRow, 'id' | 'seq' | 'byKind' | 'transferredFrom'>;
type SaidOf<T extends Said> = ReadonlyMap<string, readonly T[]>;

interface Index {
  byId: ReadonlyMap<string, Said>;
  /** What is known of those that were carried: one may be carried from a carried one, and so on. */
  kinds: Map<Said, string>;
}

const indexes = new WeakMap<SaidOf<Said>, Index>();

/**
 * `person` or `system`: who made the verdict from which one was carried, through however many
 * carryings. One that came from elsewhere is of the person who took it.
 *
 * @param verdictsOf - all of the project, by story: a verdict may be of a story that is gone
 */
export function firstSaidBy<T extends Said>(verdictsOf: SaidOf<T>, verdict: T): string {
  if (verdict.transferredFrom === null) return verdict.byKind;
  const { byId, kinds } = indexOf(verdictsOf);
  const carried: Said[] = [];
  let first: Said = verdict;
  while (first.transferredFrom !== null && !kinds.has(first)) {
    const origin = byId.get(first.transferredFrom);
    if (!origin || origin.seq >= first.seq) break;
    carried.push(first);
    first = origin;
  }
  const kind = kinds.get(first) ?? first.byKind;
  for (const one of carried) kinds.set(one, kind);
  return kind;
}

function indexOf(verdictsOf: SaidOf<Said>): Index {
  const known = indexes.get(verdictsOf);
  if (known) return known;
  const byId = new Map<string, Said>();
  for (const verdicts of verdictsOf.values()) for (const one of verdicts) byId.set(one.id, one);
  const made: Index = { byId, kinds: new Map() };
  indexes.set(verdictsOf, made);
  return made;
}
