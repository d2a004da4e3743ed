// What becomes of verdicts when requirements change: one item for each judged story, and one for each
// other story there is. A pure function, linear in stories and verdicts.
import type { ValidationRow } from '../../store/tables/assurance.ts';
import { whyUncounted } from '../coverage/reasons.ts';
import { findChanged } from '../results/test-fingerprints.ts';
import { DISPOSITIONS, type Disposition, type JudgedTest } from './model.ts';
import { type RenameQuestion, renamesOf, storyOf, type TransferTarget } from './renames.ts';

export interface TransferItem {
  /** The judged story; for `missing` the one that was not judged. */
  storyId: string;
  disposition: Disposition;
  /** The verdict that it is about: for `restored` the earlier one that holds again. */
  validation: ValidationRow | null;
  /** For `renamed` the story that it is now; for `ambiguous` those that it may be. */
  candidates: readonly string[];
  why: string;
  /** The `seq` of the first verdict on the story; null where it is not judged. */
  firstSeq: number | null;
  /** That of the first verdict that is asked for: it is judged since then. */
  judgedSeq: number | null;
}

export interface TransferQuestion extends RenameQuestion {
  /** Judges the verdicts made on this revision alone; undefined for the last of whatever revision. */
  from: number | undefined;
  /**
   * The fingerprint that a test has today: undefined where nothing is known of tests of its kind, null
   * where it is gone.
   */
  testFingerprint(test: JudgedTest): string | null | undefined;
}

/** The items: judged stories in the order of their first verdicts, then the others in source order. */
export function dispositionsOf(question: TransferQuestion): TransferItem[] {
  const { target, verdictsOf, from } = question;
  const items = new Map<string, TransferItem>();
  /** Of the gone ones that live on in no other story, what they were judged last. */
  const open: ValidationRow[] = [];
  let carried: ReadonlyMap<string, string> | undefined;
  for (const [storyId, verdicts] of verdictsOf) {
    const asked = from === undefined ? verdicts : verdicts.filter((one) => one.revision === from);
    const [first, newest, last] = [verdicts[0], verdicts.at(-1), asked.at(-1)];
    if (!first || !newest) continue;
    const seqs = { firstSeq: first.seq, judgedSeq: asked[0]?.seq ?? null };
    if (storyOf(target, storyId)) {
      if (last) items.set(storyId, { ...ofStory(question, asked, last), ...seqs });
      continue;
    }
    carried ??= carriedTo(verdictsOf);
    const to = carried.get(newest.id);
    const livesOn = to !== undefined && to !== storyId;
    // One that was not judged on the revision may still be what a new story was.
    if (!livesOn) open.push(last ?? newest);
    if (!last) continue;
    const why = livesOn
      ? `It is gone, and its verdict was carried to ${to}.`
      : 'It is gone, and no new story has its text that was not judged itself.';
    items.set(storyId, { ...itemOf(last, 'orphaned', why), ...seqs });
  }
  const renamed = new Set<string>();
  for (const [{ storyId }, { to, candidates }] of renamesOf(question, open)) {
    const item = items.get(storyId);
    if (!item) continue;
    item.candidates = candidates;
    item.disposition = to === null ? 'ambiguous' : 'renamed';
    item.why =
      to === null
        ? 'It is gone, and which story has its text now is for a person to say.'
        : `It is ${to} now.`;
    if (to !== null) renamed.add(to);
  }
  const nobody =
    from === undefined ? 'Nobody has judged it.' : `Nobody judged it on revision ${from}.`;
  const missing = target.stories.filter(({ id }) => !items.has(id) && !renamed.has(id));
  return [
    ...items.values(),
    ...missing.map(
      (node): TransferItem => ({
        storyId: node.id,
        disposition: 'missing',
        validation: null,
        candidates: NONE,
        why: whyUncounted(node) ?? nobody,
        firstSeq: null,
        judgedSeq: null,
      }),
    ),
  ];
}

const NONE: readonly string[] = [];

function carriedTo(verdictsOf: TransferQuestion['verdictsOf']): Map<string, string> {
  const found = new Map<string, string>();
  for (const [storyId, verdicts] of verdictsOf) {
    for (const { transferredFrom } of verdicts) {
      if (transferredFrom !== null) found.set(transferredFrom, storyId);
    }
  }
  return found;
}

export function renamedTo({ disposition, candidates }: TransferItem): string | null {
  return disposition === 'renamed' ? (candidates[0] ?? null) : null;
}

export function countDispositions(
  items: readonly TransferItem[],
): Record<Disposition | 'total', number> {
  const counts = { total: items.length } as Record<Disposition | 'total', number>;
  for (const disposition of DISPOSITIONS) counts[disposition] = 0;
  for (const { disposition } of items) counts[disposition] += 1;
  return counts;
}

export interface ContentDisposition {
  disposition: 'restored' | 'invalidated' | 'suspect' | 'transferable';
  /** The verdict that it is about. */
  validation: ValidationRow;
}

/**
 * The first that holds for a story that is still there, but for its tests.
 *
 * @param last - the one of them that is judged
 */
export function contentDisposition(
  { under }: Pick<TransferTarget, 'under'>,
  verdicts: readonly ValidationRow[],
  last: ValidationRow,
): ContentDisposition {
  const isSame = ({ storyId }: ValidationRow, print: string) => under(storyId, print) === print;
  const holds = (one: ValidationRow) =>
    isSame(one, one.fingerprint) && isSame(one, one.deepFingerprint);
  if (holds(last)) return { disposition: 'transferable', validation: last };
  const earlier = verdicts.findLast((one) => one.seq < last.seq && holds(one));
  if (earlier) return { disposition: 'restored', validation: earlier };
  const disposition = isSame(last, last.fingerprint) ? 'suspect' : 'invalidated';
  return { disposition, validation: last };
}

const WHY = {
  invalidated: 'Its own content has changed since.',
  suspect: 'Something that it rests on has changed since.',
  transferable: 'All is as it was judged.',
};

function ofStory(
  { target, testFingerprint }: TransferQuestion,
  verdicts: readonly ValidationRow[],
  last: ValidationRow,
) {
  const { disposition, validation } = contentDisposition(target, verdicts, last);
  if (disposition === 'restored') {
    const why = `It is again what ${validation.id} judged; so that holds.`;
    return itemOf(validation, disposition, why);
  }
  const changed =
    disposition === 'transferable' ? findChanged(last.tests, testFingerprint) : undefined;
  if (!changed) return itemOf(last, disposition, WHY[disposition]);
  const how = testFingerprint(changed) === null ? 'is gone' : 'has changed since';
  return itemOf(last, 'suspect_test', `The ${changed.kind} ${changed.id} ${how}.`);
}

function itemOf(validation: ValidationRow, disposition: Disposition, why: string) {
  return { storyId: validation.storyId, disposition, validation, candidates: NONE, why };
}
