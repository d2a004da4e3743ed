// What stories that are gone are called now: those that say today what was judged, and were not there
// then. Linear in stories and verdicts: what gone stories with one text have in common is found once.
import type { GraphNode } from '../../requirements/graph/model.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';
import { type Candidates, type Newcomers, newcomersAmong } from './candidates.ts';
import type { TransferQuestion, TransferTarget } from './dispositions.ts';
import { storyOfTarget } from './target-story.ts';

/** What a story that is gone may be by now. */
export interface Renaming {
  /** The only one that it can be, of which it is the only one as well; null where a person decides. */
  to: string | null;
  /** One at least. */
  candidates: Candidates;
}

/** Gone stories that were judged on one text. */
interface Rivals {
  verdicts: readonly ValidationRow[];
  newcomers: Newcomers;
}

/**
 * What gone stories may be by now, by their verdicts; those that no story can be are left out.
 *
 * @param gone - of each gone story that lives on in no other what it was judged last
 */
export function renamesOf(
  question: TransferQuestion,
  gone: readonly ValidationRow[],
): ReadonlyMap<ValidationRow, Renaming> {
  const renames = new Map<ValidationRow, Renaming>();
  if (gone.length === 0) return renames;
  const rivals = rivalsAmong(question, gone);
  // Two that were judged under other profiles have no fingerprint in common, and may be one story now.
  const claims = new Map<string, number>();
  for (const { verdicts, newcomers } of rivals) {
    for (const id of newcomers.ofAny(verdicts)) claims.set(id, (claims.get(id) ?? 0) + 1);
  }
  for (const { verdicts, newcomers } of rivals) {
    for (const verdict of verdicts) {
      const candidates = newcomers.of(verdict);
      if (candidates.count === 0) continue;
      const [only] = candidates.count === 1 && verdicts.length === 1 ? candidates : [];
      const isSure =
        only !== undefined && claims.get(only) === 1 && !hasLeftAlike(question, verdict);
      renames.set(verdict, { to: isSure ? only : null, candidates });
    }
  }
  return renames;
}

/** Of those that are gone, some may never have been judged. */
function hasLeftAlike({ target, leftAlike }: TransferQuestion, verdict: ValidationRow): boolean {
  return leftAlike(verdict).some((id) => id !== verdict.storyId && !storyOfTarget(target, id));
}

/** Gone stories by what they were judged on, as far as there is a story today that says so. */
function rivalsAmong(
  { target, verdictsOf, presence }: TransferQuestion,
  gone: readonly ValidationRow[],
): Rivals[] {
  const unjudged = target.stories.filter(({ id }) => !verdictsOf.has(id));
  const byContent = new Map<string, Map<string, string[]>>();
  const found: Rivals[] = [];
  for (const [fingerprint, verdicts] of Map.groupBy(gone, (one) => one.fingerprint)) {
    const profile = fingerprint.slice(0, fingerprint.indexOf(':'));
    const index = byContent.get(profile) ?? contentIndex(target, unjudged, fingerprint);
    byContent.set(profile, index);
    const alike = index.get(fingerprint);
    if (alike) found.push({ verdicts, newcomers: newcomersAmong(alike, presence) });
  }
  return found;
}

/** Stories by their fingerprints under the profile of a stored one. */
function contentIndex(
  { under }: TransferTarget,
  stories: readonly GraphNode[],
  stored: string,
): Map<string, string[]> {
  const index = new Map<string, string[]>();
  for (const { id } of stories) {
    const fingerprint = under(id, stored);
    if (fingerprint === undefined) continue;
    const list = index.get(fingerprint);
    if (list) list.push(id);
    else index.set(fingerprint, [id]);
  }
  return index;
}
