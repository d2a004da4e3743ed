// What stories that are gone are called now: those that say today what was judged, and were not there
// then. There may be thousands with one text: what they have in common is found once.
import type { Effective } from '../../requirements/graph/effective.ts';
import type { GraphNode } from '../../requirements/graph/model.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';

export interface RenameQuestion {
  /** What verdicts are held against, its stories in source order. */
  target: Pick<Effective, 'node' | 'under'> & { stories: readonly GraphNode[] };
  /** Every verdict on a story, the oldest first. */
  verdictsOf: ReadonlyMap<string, readonly ValidationRow[]>;
  /** The ids of what a revision holds; undefined where it is not known. */
  idsOn(revision: number): ReadonlySet<string> | undefined;
  /** When the stories of additions were added. */
  addedAt: ReadonlyMap<string, number>;
}

export interface Renaming {
  /** The only one that it can be, of which it is the only one as well; null where a person decides. */
  to: string | null;
  /** One at least, in source order. */
  candidates: readonly string[];
}

/**
 * What gone stories may be by now, by their verdicts; those that no story can be are left out.
 * @param gone - of each gone story that lives on in no other what it was judged last
 */
export function renamesOf(
  { target, verdictsOf, idsOn, addedAt }: RenameQuestion,
  gone: readonly ValidationRow[],
): ReadonlyMap<ValidationRow, Renaming> {
  const renames = new Map<ValidationRow, Renaming>();
  const byText = unjudgedByText(target, verdictsOf, gone);
  // Two that were judged under other profiles have no fingerprint in common, and may be one story now.
  const claims = new Map<string, number>();
  for (const id of [...byText.values()].flat()) claims.set(id, (claims.get(id) ?? 0) + 1);
  for (const [fingerprint, verdicts] of Map.groupBy(gone, (one) => one.fingerprint)) {
    const alike = byText.get(fingerprint) ?? [];
    const additions = alike.flatMap((id) => addedAt.get(id) ?? []);
    const newSince = new Map<string, readonly string[]>();
    for (const verdict of verdicts) {
      const { revision, createdAt } = verdict;
      // Between two additions all times are alike.
      const key = `${revision} ${additions.filter((at) => at <= createdAt).length}`;
      const there = idsOn(revision);
      const wasThere = (id: string) =>
        there?.has(id) || (addedAt.get(id) ?? Number.POSITIVE_INFINITY) <= createdAt;
      const candidates = newSince.get(key) ?? alike.filter((id) => !wasThere(id));
      newSince.set(key, candidates);
      const [first] = candidates;
      if (first === undefined) continue;
      const isSure = candidates.length === 1 && verdicts.length === 1 && claims.get(first) === 1;
      renames.set(verdict, { to: isSure ? first : null, candidates });
    }
  }
  return renames;
}

/** The stories that nobody has judged and that say what gone ones were judged on, by its fingerprint. */
export function unjudgedByText(
  { stories, under }: RenameQuestion['target'],
  verdictsOf: RenameQuestion['verdictsOf'],
  gone: readonly ValidationRow[],
): Map<string, string[]> {
  const wanted = new Set(gone.map(({ fingerprint }) => fingerprint));
  // One of each profile that they were made under.
  const profiles = new Map([...wanted].map((one) => [one.slice(0, one.indexOf(':')), one]));
  const byText = new Map<string, string[]>();
  for (const stored of profiles.values()) {
    for (const { id } of stories) {
      const fingerprint = verdictsOf.has(id) ? undefined : under(id, stored);
      if (fingerprint === undefined || !wanted.has(fingerprint)) continue;
      const ids = byText.get(fingerprint);
      if (ids) ids.push(id);
      else byText.set(fingerprint, [id]);
    }
  }
  return byText;
}
