// What stories said when they were judged, and say now: of a page of the transfer, where they differ.
import type { Static } from '@sinclair/typebox';
import { asc, eq } from 'drizzle-orm';
import { type Effective, effectiveAsOf } from '../../requirements/graph/effective.ts';
import type { GraphNode } from '../../requirements/graph/model.ts';
import { yieldToEventLoop } from '../../runtime/scheduler.ts';
import { overlayChanges, type ValidationRow } from '../../store/tables/assurance.ts';
import type { Assurance } from '../assurance.ts';
import { changedAbove } from './costs.ts';
import type { TransferItem } from './dispositions.ts';
import type { StoryText, TransferItem as TransferItemBody } from './model.ts';

export type ChangedTexts = Pick<Static<typeof TransferItemBody>, 'was' | 'now' | 'via'>;

const UNCHANGED: ChangedTexts = { was: null, now: null, via: null };
/** All of them judged. */
const CHANGED: readonly string[] = ['invalidated', 'suspect', 'ambiguous', 'orphaned'];

/** @param against - what the verdicts are held against */
export async function changedTexts(
  { graphs, database: { read: db } }: Pick<Assurance, 'graphs' | 'database'>,
  today: Effective,
  against: Effective,
  items: readonly TransferItem[],
): Promise<(item: TransferItem) => ChangedTexts> {
  const found = new Map<TransferItem, ChangedTexts>();
  const changed = items.filter(({ disposition }) => CHANGED.includes(disposition));
  const clockAt = changed.length > 0 ? await readClock(db, today.projectId) : () => 0;
  const moments = Map.groupBy(changed, ({ validation }) =>
    JSON.stringify(momentOf(validation as ValidationRow, clockAt)),
  );
  // One moment after the other: few graphs of the past are kept.
  for (const [moment, some] of moments) {
    const then = await effectiveAsOf({ graphs, db }, today, JSON.parse(moment));
    for (const item of some) found.set(item, changedText(then, against, item));
    await yieldToEventLoop();
  }
  return (item) => found.get(item) ?? UNCHANGED;
}

function momentOf(
  { revision, createdAt, fingerprint }: ValidationRow,
  clockAt: (at: number) => number,
) {
  const profile = fingerprint.slice(0, fingerprint.indexOf(':') + 1);
  return { revision, overlayClock: clockAt(createdAt), profile };
}

/** How far a project's edits and additions had come at a time. */
async function readClock(db: Assurance['database']['read'], projectId: string) {
  const { seq, at } = overlayChanges;
  const moves = await db
    .select({ seq, at })
    .from(overlayChanges)
    .where(eq(overlayChanges.projectId, projectId))
    .orderBy(asc(seq));
  return (time: number) => moves.findLast((move) => move.at <= time)?.seq ?? 0;
}

function changedText(
  then: Effective,
  against: Effective,
  { storyId, disposition, validation }: TransferItem,
): ChangedTexts {
  const judged = then.node(storyId);
  // Not what was judged, where an edit came in the same millisecond: better nothing.
  if (judged?.fingerprint !== validation?.fingerprint) return UNCHANGED;
  if (disposition !== 'suspect') return { ...difference(then, against, storyId), via: null };
  if (judged?.deepFingerprint !== validation?.deepFingerprint) return UNCHANGED;
  const above = changedAbove(then, against, storyId);
  if (above === storyId) return UNCHANGED;
  const title = against.node(above)?.title ?? null;
  return { ...UNCHANGED, via: { storyId: above, title, ...difference(then, against, above) } };
}

function difference(then: Effective, against: Effective, id: string) {
  const [was, now] = [textOf(then.node(id)), textOf(against.node(id))];
  return JSON.stringify(was) === JSON.stringify(now) ? { was: null, now: null } : { was, now };
}

function textOf(node: GraphNode | undefined): Static<typeof StoryText> | null {
  if (!node) return null;
  const { title, statement, acceptance } = node;
  return { title, statement, acceptance };
}
