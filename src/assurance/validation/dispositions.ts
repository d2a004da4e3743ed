// What becomes of verdicts when requirements change: one item for each judged story, and one for each
// other story there is. A pure function, linear in stories and verdicts.
import type { GraphNode } from '../../requirements/graph/model.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';
import { whyUncounted } from '../coverage/counted.ts';
import { findChanged } from '../results/test-fingerprints.ts';
import { type Candidates, firstOf, NO_CANDIDATES, type Presence } from './candidates.ts';
import { type Renaming, renamesOf } from './renames.ts';
import { storyOfTarget } from './target-story.ts';
import type { JudgedTest } from './view.ts';

export const DISPOSITIONS = [
  'restored',
  'invalidated',
  'suspect',
  'suspect_test',
  'transferable',
  'renamed',
  'ambiguous',
  'orphaned',
  'missing',
] as const;
export type Disposition = (typeof DISPOSITIONS)[number];

export interface TransferItem {
  /** The judged story; for `missing` the one that was not judged. */
  storyId: string;
  disposition: Disposition;
  /** The verdict that it is about: for `restored` the earlier one that holds again. */
  validation: ValidationRow | null;
  /** For `renamed` the story that it is now; for `ambiguous` those that it may be. */
  candidates: Candidates;
  why: string;
  /** The `seq` of the first verdict on the story; null where it is not judged. */
  firstSeq: number | null;
  /** That of the first verdict that is asked for: it is judged since then. */
  judgedSeq: number | null;
}

type Unplaced = Omit<TransferItem, 'firstSeq' | 'judgedSeq'>;

/** What verdicts are held against. */
export interface TransferTarget {
  /** The stories there are, in source order. */
  stories: readonly GraphNode[];
  node(id: string): GraphNode | undefined;
  /** Today's fingerprint of a node, made the way a stored one was. */
  under(id: string, stored: string): string | undefined;
}

export interface TransferQuestion {
  target: TransferTarget;
  /** Every verdict on a story, the oldest first. */
  verdictsOf: ReadonlyMap<string, readonly ValidationRow[]>;
  /** Judges the verdicts made on this revision alone; undefined for the last of whatever revision. */
  from: number | undefined;
  /** Which stories were there when another was judged. */
  presence: Presence;
  /** The stories that went since with what another was judged on. */
  leftAlike(verdict: ValidationRow): readonly string[];
  /**
   * The fingerprint that a test has today: undefined where nothing is known of tests of its kind, null
   * where it is gone.
   */
  testFingerprint(test: JudgedTest): string | null | undefined;
}

export type DispositionCounts = Record<Disposition, number> & { total: number };

/** The items: judged stories in the order of their first verdicts, then the others in source order. */
export function dispositionsOf(question: TransferQuestion): TransferItem[] {
  const { target, verdictsOf, from } = question;
  const items: TransferItem[] = [];
  /** Of the gone ones that live on in no other story, what they were judged last. */
  const open: ValidationRow[] = [];
  const judged = new Set<string>();
  const places = new Map<ValidationRow, number>();
  const heirOf = heirs(verdictsOf);
  for (const [storyId, verdicts] of verdictsOf) {
    const asked =
      from === undefined ? verdicts : verdicts.filter(({ revision }) => revision === from);
    const last = asked.at(-1);
    const newest = verdicts.at(-1);
    const isThere = storyOfTarget(target, storyId) !== undefined;
    const heir = isThere || !newest ? undefined : heirOf(newest);
    // One that was not judged on the revision may still be what a new story was.
    if (!isThere && !heir && newest) open.push(last ?? newest);
    if (!last) continue;
    judged.add(storyId);
    const seqs = { firstSeq: verdicts[0]?.seq ?? null, judgedSeq: asked[0]?.seq ?? null };
    if (isThere) {
      items.push({ ...stillThere(question, asked, last), ...seqs });
      continue;
    }
    places.set(last, items.length);
    const why = heir
      ? `It is gone, and its verdict was carried to ${heir}.`
      : 'It is gone, and no new story has its text that was not judged itself.';
    items.push({ ...item(last, 'orphaned', why), ...seqs });
  }
  const renamed = new Set<string>();
  for (const [verdict, renaming] of renamesOf(question, open)) {
    const place = places.get(verdict);
    const orphan = place === undefined ? undefined : items[place];
    if (place === undefined || !orphan) continue;
    items[place] = { ...orphan, ...renamedItem(renaming) };
    if (renaming.to !== null) renamed.add(renaming.to);
  }
  for (const node of target.stories) {
    const { id } = node;
    if (judged.has(id) || renamed.has(id)) continue;
    const nobody =
      from === undefined ? 'Nobody has judged it.' : `Nobody judged it on revision ${from}.`;
    const why = whyUncounted(node) ?? nobody;
    items.push({
      ...{ storyId: id, disposition: 'missing', validation: null },
      ...{ candidates: NO_CANDIDATES, why, firstSeq: null, judgedSeq: null },
    });
  }
  return items;
}

function renamedItem({
  to,
  candidates,
}: Renaming): Pick<TransferItem, 'disposition' | 'candidates' | 'why'> {
  if (to !== null) return { disposition: 'renamed', candidates, why: `It is ${to} now.` };
  const why = 'It is gone, and which story has its text now is for a person to say.';
  return { disposition: 'ambiguous', candidates, why };
}

/** The other story that a verdict was carried to; made when it is first asked for. */
function heirs(
  verdictsOf: TransferQuestion['verdictsOf'],
): (verdict: ValidationRow) => string | undefined {
  let known: Map<string, string> | undefined;
  return ({ id, storyId }) => {
    known ??= heirsOf(verdictsOf);
    const heir = known.get(id);
    return heir === storyId ? undefined : heir;
  };
}

/** The stories that verdicts were carried to, by the ids of the verdicts. */
function heirsOf(verdictsOf: TransferQuestion['verdictsOf']): Map<string, string> {
  const found = new Map<string, string>();
  for (const [storyId, verdicts] of verdictsOf) {
    for (const { transferredFrom } of verdicts) {
      if (transferredFrom !== null) found.set(transferredFrom, storyId);
    }
  }
  return found;
}

/** The story that the one of an item is now, where it was renamed. */
export function renamedTo({ disposition, candidates }: TransferItem): string | null {
  return disposition === 'renamed' ? (firstOf(candidates, 1)[0] ?? null) : null;
}

/** How many items have each disposition. */
export function countDispositions(items: readonly TransferItem[]): DispositionCounts {
  const counts = { total: items.length } as DispositionCounts;
  for (const disposition of DISPOSITIONS) counts[disposition] = 0;
  for (const { disposition } of items) counts[disposition] += 1;
  return counts;
}

function item(validation: ValidationRow, disposition: Disposition, why: string): Unplaced {
  const { storyId } = validation;
  return { storyId, disposition, validation, candidates: NO_CANDIDATES, why };
}

/** What becomes of a story's verdicts by what it says and rests on, whatever its tests are. */
export interface ContentDisposition {
  disposition: 'restored' | 'invalidated' | 'suspect' | 'transferable';
  /** The verdict that it is about. */
  validation: ValidationRow;
}

/**
 * The first that holds for a story that is still there, but for its tests.
 *
 * @param under - the fingerprint that a node has, made the way a stored one was
 * @param verdicts - on one story, the oldest first
 * @param last - the one of them that is judged
 */
export function contentDisposition(
  target: Pick<TransferTarget, 'under'>,
  verdicts: readonly ValidationRow[],
  last: ValidationRow,
): ContentDisposition {
  const own = sameContent(target, last);
  if (own && sameUpstream(target, last)) return { disposition: 'transferable', validation: last };
  const earlier = verdicts.findLast(
    (verdict) =>
      verdict.seq < last.seq && sameContent(target, verdict) && sameUpstream(target, verdict),
  );
  if (earlier) return { disposition: 'restored', validation: earlier };
  return { disposition: own ? 'suspect' : 'invalidated', validation: last };
}

const WHY: Record<Exclude<ContentDisposition['disposition'], 'restored'>, string> = {
  invalidated: 'Its own content has changed since.',
  suspect: 'Something that it rests on has changed since.',
  transferable: 'All is as it was judged.',
};

/** The first that holds for a story that is still there. */
function stillThere(
  { target, testFingerprint }: TransferQuestion,
  verdicts: readonly ValidationRow[],
  last: ValidationRow,
): Unplaced {
  const { disposition, validation } = contentDisposition(target, verdicts, last);
  if (disposition === 'restored') {
    const why = `It is again what ${validation.id} judged; so that holds.`;
    return item(validation, disposition, why);
  }
  if (disposition !== 'transferable') return item(last, disposition, WHY[disposition]);
  const changed = findChanged(JSON.parse(last.tests) as JudgedTest[], testFingerprint);
  if (changed) {
    const how = testFingerprint(changed) === null ? 'is gone' : 'has changed since';
    return item(last, 'suspect_test', `The ${changed.kind} ${changed.id} ${how}.`);
  }
  return item(last, disposition, WHY[disposition]);
}

function sameContent(
  { under }: Pick<TransferTarget, 'under'>,
  { storyId, fingerprint }: ValidationRow,
): boolean {
  return under(storyId, fingerprint) === fingerprint;
}

function sameUpstream(
  { under }: Pick<TransferTarget, 'under'>,
  { storyId, deepFingerprint }: ValidationRow,
): boolean {
  return under(storyId, deepFingerprint) === deepFingerprint;
}
