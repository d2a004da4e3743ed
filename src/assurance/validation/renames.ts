// What stories that are gone are called now: those that say today what was judged, and were not there
// then. What gone stories with one text have in common is found once: there may be thousands.
import { type GraphNode, isNormative } from '../../requirements/graph/model.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';

export interface TransferTarget {
  /** The stories there are, in source order. */
  stories: readonly GraphNode[];
  node(id: string): GraphNode | undefined;
  /** Today's fingerprint of a node, made the way a stored one was. */
  under(id: string, stored: string): string | undefined;
}

/** A story of a target; undefined where nothing has its id, or a section does. */
export function storyOf({ node }: Pick<TransferTarget, 'node'>, id: string): GraphNode | undefined {
  const found = node(id);
  return found && isNormative(found) ? found : undefined;
}

export interface Period {
  from: number;
  until: number;
}

export interface Presence {
  /** The ids of what a revision holds; undefined where it is not known. */
  idsOn(revision: number): ReadonlySet<string> | undefined;
  /** When an addition had an id; empty for what was never added. */
  periodsOf(storyId: string): readonly Period[];
}

export interface Renaming {
  /** The only one that it can be, of which it is the only one as well; null where a person decides. */
  to: string | null;
  /** One at least, in source order; the same list for all gone stories that it is the same for. */
  candidates: readonly string[];
}

export interface RenameQuestion {
  target: TransferTarget;
  /** Every verdict on a story, the oldest first. */
  verdictsOf: ReadonlyMap<string, readonly ValidationRow[]>;
  presence: Presence;
  /** The stories that went since with what another was judged on. */
  leftAlike(verdict: ValidationRow): readonly string[];
}

/**
 * What gone stories may be by now, by their verdicts; those that no story can be are left out.
 *
 * @param gone - of each gone story that lives on in no other what it was judged last
 */
export function renamesOf(
  { target, verdictsOf, presence, leftAlike }: RenameQuestion,
  gone: readonly ValidationRow[],
): ReadonlyMap<ValidationRow, Renaming> {
  const renames = new Map<ValidationRow, Renaming>();
  const unjudged = gone.length === 0 ? [] : target.stories.filter(({ id }) => !verdictsOf.has(id));
  const byProfile = new Map<string, Map<string, string[]>>();
  // Two that were judged under other profiles have no fingerprint in common, and may be one story now.
  const claims = new Map<string, number>();
  for (const [fingerprint, verdicts] of Map.groupBy(gone, (one) => one.fingerprint)) {
    const profile = fingerprint.slice(0, fingerprint.indexOf(':'));
    const byText = byProfile.get(profile) ?? idsByText(target, unjudged, fingerprint);
    byProfile.set(profile, byText);
    const candidatesOf = newAmong(byText.get(fingerprint) ?? [], presence);
    const claimed = new Set<readonly string[]>();
    for (const verdict of verdicts) {
      const candidates = candidatesOf(verdict);
      if (candidates.length === 0) continue;
      claimed.add(candidates);
      const [only = null] = candidates.length === 1 && verdicts.length === 1 ? candidates : [];
      renames.set(verdict, { to: only, candidates });
    }
    for (const id of new Set([...claimed].flat())) claims.set(id, (claims.get(id) ?? 0) + 1);
  }
  for (const [verdict, renaming] of renames) {
    // Of those that are gone, some may never have been judged.
    const isAlike = (id: string) => id !== verdict.storyId && !storyOf(target, id);
    const { to } = renaming;
    if (to !== null && (claims.get(to) !== 1 || leftAlike(verdict).some(isAlike)))
      renaming.to = null;
  }
  return renames;
}

function idsByText(
  { under }: TransferTarget,
  stories: readonly GraphNode[],
  stored: string,
): Map<string, string[]> {
  const byText = new Map<string, string[]>();
  for (const { id } of stories) {
    const fingerprint = under(id, stored);
    if (fingerprint === undefined) continue;
    const ids = byText.get(fingerprint);
    if (ids) ids.push(id);
    else byText.set(fingerprint, [id]);
  }
  return byText;
}

/** Tells which of some stories were not there when a verdict was given. */
function newAmong(
  ids: readonly string[],
  { idsOn, periodsOf }: Presence,
): (verdict: Pick<ValidationRow, 'revision' | 'createdAt'>) => readonly string[] {
  const changes = ids.flatMap((id) => periodsOf(id).flatMap(({ from, until }) => [from, until]));
  const known = new Map<string, readonly string[]>();
  return ({ revision, createdAt }) => {
    // Between two changes all times are alike.
    const key = `${revision} ${changes.filter((at) => at <= createdAt).length}`;
    const there = idsOn(revision);
    const isThen = ({ from, until }: Period) => from <= createdAt && createdAt < until;
    const found =
      known.get(key) ?? ids.filter((id) => !there?.has(id) && !periodsOf(id).some(isThen));
    known.set(key, found);
    return found;
  };
}
