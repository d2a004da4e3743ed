// What becomes of verdicts when requirements change: one item for each judged story, and one for each
// other story there is. A pure function, linear in stories and verdicts.
import type { Effective } from '../../requirements/graph/effective.ts';
import type { GraphNode } from '../../requirements/graph/model.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';
import { whyUncounted } from '../coverage/story-links.ts';
import { type FingerprintOf, findChanged } from '../results/target-results.ts';
import { DISPOSITIONS, type Disposition } from './model.ts';
import { storyOf } from './verdicts.ts';

export interface TransferItem {
  /** The judged story; for `missing` the one that was not judged. */
  storyId: string;
  disposition: Disposition;
  /** The verdict that it is about: for `restored` the earlier one that holds again. */
  validation: ValidationRow | null;
  /** For `renamed` the story that it is now; for `ambiguous` those that it may be. */
  candidates: readonly string[];
  why: string;
}

export interface TransferQuestion extends RenameQuestion {
  /** Judges the verdicts made on this revision alone; undefined for the last of whatever revision. */
  from: number | undefined;
  testFingerprint: FingerprintOf;
}

export function dispositionsOf(question: TransferQuestion): TransferItem[] {
  const { target, verdictsOf, from } = question;
  const items = new Map<string, TransferItem>();
  /** Of the gone ones that live on in no other story, what they were judged last. */
  const gone: ValidationRow[] = [];
  const carried = carriedTo(verdictsOf);
  for (const [storyId, verdicts] of verdictsOf) {
    const asked = from === undefined ? verdicts : verdicts.filter((one) => one.revision === from);
    const [newest, last] = [verdicts.at(-1), asked.at(-1)];
    if (!newest) continue;
    if (storyOf(target, storyId)) {
      if (last) items.set(storyId, itemOfStory(question, asked, last));
      continue;
    }
    const to = carried.get(newest.id) ?? storyId;
    // One that was not judged on the revision may still be what a new story was.
    if (to === storyId) gone.push(last ?? newest);
    const why = `It is gone${to === storyId ? '' : `, and its verdict was carried to ${to}`}.`;
    if (last) items.set(storyId, itemOf(last, 'orphaned', why));
  }
  const renamed = new Set<string>();
  for (const [verdict, { to, candidates }] of renamesOf(question, gone)) {
    const { storyId } = verdict;
    if (!items.has(storyId)) continue;
    if (to !== null) renamed.add(to);
    const item =
      to === null
        ? itemOf(verdict, 'ambiguous', 'A person has to say which story it is now.')
        : itemOf(verdict, 'renamed', `It is ${to} now.`);
    items.set(storyId, { ...item, candidates });
  }
  const nobody =
    from === undefined ? 'Nobody has judged it.' : `Nobody judged it on revision ${from}.`;
  const missing = target.stories.filter(({ id }) => !items.has(id) && !renamed.has(id));
  return [
    ...items.values(),
    ...missing.map((node): TransferItem => {
      const why = whyUncounted(node) ?? nobody;
      return { storyId: node.id, disposition: 'missing', validation: null, candidates: [], why };
    }),
  ];
}

function carriedTo(verdictsOf: TransferQuestion['verdictsOf']): Map<string, string> {
  const found = new Map<string, string>();
  for (const [storyId, verdicts] of verdictsOf) {
    for (const { transferredFrom } of verdicts)
      if (transferredFrom !== null) found.set(transferredFrom, storyId);
  }
  return found;
}

export function renamedTo({ disposition, candidates }: TransferItem): string | null {
  return disposition === 'renamed' ? (candidates[0] ?? null) : null;
}

export function countDispositions(items: readonly TransferItem[]) {
  const counts = { total: items.length } as Record<Disposition | 'total', number>;
  for (const disposition of DISPOSITIONS) counts[disposition] = 0;
  for (const { disposition } of items) counts[disposition] += 1;
  return counts;
}

/** The first that holds for a story that is still there, whose verdict `last` is judged, but for its tests. */
export function contentDisposition(
  { under }: Pick<Effective, 'under'>,
  verdicts: readonly ValidationRow[],
  last: ValidationRow,
) {
  const isSame = ({ storyId }: ValidationRow, print: string) => under(storyId, print) === print;
  const holds = (one: ValidationRow) =>
    isSame(one, one.fingerprint) && isSame(one, one.deepFingerprint);
  if (holds(last)) return { disposition: 'transferable', validation: last } as const;
  const earlier = verdicts.findLast((one) => one.seq < last.seq && holds(one));
  if (earlier) return { disposition: 'restored', validation: earlier } as const;
  const disposition = isSame(last, last.fingerprint) ? 'suspect' : 'invalidated';
  return { disposition, validation: last } as const;
}

const WHY = {
  invalidated: 'Its own content has changed since.',
  suspect: 'Something that it rests on has changed since.',
  transferable: 'All is as it was judged.',
};

function itemOfStory(
  { target, testFingerprint }: TransferQuestion,
  verdicts: readonly ValidationRow[],
  last: ValidationRow,
): TransferItem {
  const { disposition, validation } = contentDisposition(target, verdicts, last);
  if (disposition === 'restored')
    return itemOf(validation, disposition, `It is again what ${validation.id} judged.`);
  const changed =
    disposition === 'transferable' ? findChanged(last.tests, testFingerprint) : undefined;
  if (!changed) return itemOf(last, disposition, WHY[disposition]);
  const how = testFingerprint(changed) === null ? 'is gone' : 'has changed since';
  return itemOf(last, 'suspect_test', `The ${changed.kind} ${changed.id} ${how}.`);
}

function itemOf(validation: ValidationRow, disposition: Disposition, why: string): TransferItem {
  return { storyId: validation.storyId, disposition, validation, candidates: [], why };
}

export interface RenameQuestion {
  /** What verdicts are held against, its stories in source order. */
  target: Pick<Effective, 'node' | 'under'> & { stories: readonly GraphNode[] };
  verdictsOf: ReadonlyMap<string, readonly ValidationRow[]>;
  /** The ids of what a revision holds; undefined where it is not known. */
  idsOn(revision: number): ReadonlySet<string> | undefined;
  addedAt: ReadonlyMap<string, number>;
}

interface Renaming {
  /** The only one that it can be, of which it is the only one as well; null where a person decides. */
  to: string | null;
  candidates: readonly string[];
}

/** @param gone - of each gone story that lives on in no other what it was judged last */
function renamesOf(
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
