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
  /** For `renamed` the story that it is now. */
  renamedTo: string | null;
  why: string;
}

export interface TransferQuestion {
  /** What verdicts are held against, its stories in source order. */
  target: Pick<Effective, 'node' | 'under'> & { stories: readonly GraphNode[] };
  verdictsOf: ReadonlyMap<string, readonly ValidationRow[]>;
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
  const byText = unjudgedByText(question, gone);
  // Two that were judged under other profiles have no fingerprint in common, and may be one story now.
  const claims = Map.groupBy([...byText.values()].flat(), (id) => id);
  for (const [fingerprint, verdicts] of Map.groupBy(gone, (one) => one.fingerprint)) {
    const ids = byText.get(fingerprint) ?? [];
    const [to] = ids;
    if (to === undefined) continue;
    const isSure = ids.length === 1 && verdicts.length === 1 && claims.get(to)?.length === 1;
    for (const verdict of verdicts.filter(({ storyId }) => items.has(storyId))) {
      const item = isSure
        ? { ...itemOf(verdict, 'renamed', `It is ${to} now.`), renamedTo: to }
        : itemOf(verdict, 'ambiguous', whyAmbiguous(ids));
      items.set(verdict.storyId, item);
      if (isSure) renamed.add(to);
    }
  }
  const nobody =
    from === undefined ? 'Nobody has judged it.' : `Nobody judged it on revision ${from}.`;
  const missing = target.stories.filter(({ id }) => !items.has(id) && !renamed.has(id));
  return [
    ...items.values(),
    ...missing.map((node): TransferItem => {
      const why = whyUncounted(node) ?? nobody;
      return { storyId: node.id, disposition: 'missing', validation: null, renamedTo: null, why };
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
  return { storyId: validation.storyId, disposition, validation, renamedTo: null, why };
}

const SHOWN = 5;

function whyAmbiguous(ids: readonly string[]): string {
  const more = ids.length > SHOWN ? `, or ${ids.length - SHOWN} more` : '';
  return `A person has to say which story it is now: ${ids.slice(0, SHOWN).join(', ')}${more}.`;
}

/** The stories that nobody has judged and that say what gone ones were judged on, by its fingerprint. */
function unjudgedByText(
  { target: { stories, under }, verdictsOf }: TransferQuestion,
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
