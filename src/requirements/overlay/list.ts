// The list of a project's edits and additions.
import { and, desc, eq, inArray, lt, or } from 'drizzle-orm';
import { decodeCursor, filterHash, PAGE_DEFAULT, type Page, pageOf } from '../../model/pages.ts';
import type { Db } from '../../store/database.ts';
import { overlayChanges, storyAdditions, storyEdits } from '../../store/tables/assurance.ts';
import { ADDITION_STATES, EDIT_STATES } from './model.ts';
import { additionView, editView } from './views.ts';

export const OVERLAY_STATES = [...new Set([...EDIT_STATES, ...ADDITION_STATES])];

type OverlayView = Awaited<ReturnType<typeof readOverlays>>[number];

/** An edit or addition of a project, if there is one with the id. */
export async function findOverlay(
  db: Db,
  projectId: string,
  id: string,
): Promise<OverlayView | undefined> {
  const [one] = await readOverlays(db, projectId, [id]);
  return one;
}

/** A page of edits and additions, the newest first. */
export async function listOverlays(
  db: Db,
  projectId: string,
  query: { state?: string[]; limit?: number; cursor?: string },
): Promise<Page<OverlayView | undefined>> {
  const { state: states, limit = PAGE_DEFAULT, cursor } = query;
  const filters = filterHash('listOverlays', query);
  const behind = decodeCursor(filters, cursor);
  const rows = await db
    .select({ seq: overlayChanges.seq, overlayId: overlayChanges.overlayId })
    .from(overlayChanges)
    .leftJoin(storyEdits, eq(storyEdits.id, overlayChanges.overlayId))
    .leftJoin(storyAdditions, eq(storyAdditions.id, overlayChanges.overlayId))
    .where(
      and(
        eq(overlayChanges.projectId, projectId),
        eq(overlayChanges.event, 'created'),
        behind === undefined ? undefined : lt(overlayChanges.seq, behind),
        states && or(inArray(storyEdits.state, states), inArray(storyAdditions.state, states)),
      ),
    )
    .orderBy(desc(overlayChanges.seq))
    .limit(limit + 1);
  const ids = rows.map(({ overlayId }) => overlayId);
  const views = await readOverlays(db, projectId, ids);
  const byId = new Map(views.map((view) => [view.id, view]));
  return pageOf(
    rows,
    limit,
    filters,
    ({ seq }) => seq,
    ({ overlayId }) => byId.get(overlayId),
  );
}

async function readOverlays(db: Db, projectId: string, ids: string[]) {
  if (ids.length === 0) return [];
  const edits = await db
    .select()
    .from(storyEdits)
    .where(and(eq(storyEdits.projectId, projectId), inArray(storyEdits.id, ids)));
  const additions = await db
    .select()
    .from(storyAdditions)
    .where(and(eq(storyAdditions.projectId, projectId), inArray(storyAdditions.id, ids)));
  return [
    ...edits.map((row) => ({ overlay: 'edit' as const, ...editView(row) })),
    ...additions.map((row) => ({ overlay: 'addition' as const, ...additionView(row) })),
  ];
}
