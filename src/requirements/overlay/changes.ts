// Edits and additions together: their list, and on record who moved what, when, at which revision.
import { and, desc, eq, inArray, lt, type SQL, sql } from 'drizzle-orm';
import type { Actor } from '../../access/caller.ts';
import { timestamp } from '../../clock.ts';
import { decodeCursor, filterHash, PAGE_DEFAULT, pageOf } from '../../model/pages.ts';
import type { Db } from '../../store/database.ts';
import {
  type OverlayChangeRow,
  overlayChanges,
  type StoryAdditionRow,
  type StoryEditRow,
  storyAdditions,
  storyEdits,
} from '../../store/tables/assurance.ts';
import { ADDITION_STATES, additionView, EDIT_STATES, editView } from './model.ts';

type Column = 'projectId' | 'overlayId' | 'storyId' | 'event' | 'revision';

interface OverlayMove extends Pick<OverlayChangeRow, Column> {
  from: string | null;
  to: string;
  detail?: string | null;
  /** Null where a new revision moved it. */
  actor: Actor | null;
  now: number;
}

export async function recordMove(
  db: Db,
  { from: fromState, to: toState, actor, now: at, ...columns }: OverlayMove,
): Promise<void> {
  const [actorToken, actorLabel] = [actor?.tokenId ?? null, actor?.label ?? null];
  await db
    .insert(overlayChanges)
    .values({ ...columns, fromState, toState, actorToken, actorLabel, at });
}

/** Counts up with every move of a project's overlays; 0 before the first. */
export async function overlayClock(db: Db, projectId: string): Promise<number> {
  const [row] = await db
    .select({ seq: overlayChanges.seq })
    .from(overlayChanges)
    .where(eq(overlayChanges.projectId, projectId))
    .orderBy(desc(overlayChanges.seq))
    .limit(1);
  return row?.seq ?? 0;
}

/** The moves of a story's overlays, the oldest first. */
export async function movesOf(
  db: Db,
  projectId: string,
  storyId: string,
): Promise<OverlayChangeRow[]> {
  return db
    .select()
    .from(overlayChanges)
    .where(and(eq(overlayChanges.projectId, projectId), eq(overlayChanges.storyId, storyId)))
    .orderBy(overlayChanges.seq);
}

export function moveView(row: OverlayChangeRow) {
  return {
    at: timestamp(row.at),
    event: `${row.overlayId.startsWith('edt') ? 'edit' : 'addition'}_${row.event}`,
    actor: row.actorToken === null ? null : { tokenId: row.actorToken, label: row.actorLabel },
    detail: [row.overlayId, row.detail].filter(Boolean).join(': '),
  };
}

export const OVERLAY_STATES = [...new Set([...EDIT_STATES, ...ADDITION_STATES])];

export async function findOverlay(db: Db, projectId: string, id: string) {
  const [row] = await selectOverlays(db, projectId, eq(overlayChanges.overlayId, id));
  return row && overlayView(row);
}

export async function listOverlays(
  db: Db,
  projectId: string,
  query: { state?: string[]; limit?: number; cursor?: string },
) {
  const { state: states, limit = PAGE_DEFAULT, cursor } = query;
  const filters = filterHash('listOverlays', query);
  const behind = decodeCursor(filters, cursor);
  const state = sql`coalesce(${storyEdits.state}, ${storyAdditions.state})`;
  const condition = and(
    behind === undefined ? undefined : lt(overlayChanges.seq, behind),
    states && inArray(state, states),
  );
  const rows = await selectOverlays(db, projectId, condition).limit(limit + 1);
  return pageOf(rows, limit, filters, ({ seq }) => seq, overlayView);
}

function selectOverlays(db: Db, ofProject: string, condition: SQL | undefined) {
  const { projectId, event, overlayId, seq } = overlayChanges;
  return db
    .select({ seq, edit: storyEdits, addition: storyAdditions })
    .from(overlayChanges)
    .leftJoin(storyEdits, eq(storyEdits.id, overlayId))
    .leftJoin(storyAdditions, eq(storyAdditions.id, overlayId))
    .where(and(eq(projectId, ofProject), eq(event, 'created'), condition))
    .orderBy(desc(seq));
}

export function overlayView({
  edit,
  addition,
}: {
  edit: StoryEditRow | null;
  addition: StoryAdditionRow | null;
}) {
  if (edit) return { overlay: 'edit' as const, ...editView(edit) };
  return addition ? { overlay: 'addition' as const, ...additionView(addition) } : undefined;
}
