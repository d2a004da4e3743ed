// The list of a project's edits and additions.
import { and, desc, eq, inArray, lt, sql } from 'drizzle-orm';
import { decodeCursor, filterHash, PAGE_DEFAULT, type Page, pageOf } from '../../model/pages.ts';
import type { Db } from '../../store/database.ts';
import {
  overlayChanges,
  type StoryAdditionRow,
  type StoryEditRow,
  storyAdditions,
  storyEdits,
} from '../../store/tables/assurance.ts';
import { findEdit } from './edits.ts';
import { ADDITION_STATES, additionView, EDIT_STATES, editView } from './model.ts';

export const OVERLAY_STATES = [...new Set([...EDIT_STATES, ...ADDITION_STATES])];

interface Rows {
  edit?: StoryEditRow | null | undefined;
  addition?: StoryAdditionRow | null | undefined;
}

function overlayView({ edit, addition }: Rows) {
  if (edit) return { overlay: 'edit' as const, ...editView(edit) };
  return addition ? { overlay: 'addition' as const, ...additionView(addition) } : undefined;
}

/** An edit or addition of a project, if there is one with the id. */
export async function findOverlay(db: Db, projectId: string, id: string) {
  const [addition] = await db
    .select()
    .from(storyAdditions)
    .where(and(eq(storyAdditions.projectId, projectId), eq(storyAdditions.id, id)));
  return overlayView({ addition, edit: await findEdit(db, projectId, id) });
}

/** A page of edits and additions, the newest first. */
export async function listOverlays(
  db: Db,
  projectId: string,
  query: { state?: string[]; limit?: number; cursor?: string },
): Promise<Page<ReturnType<typeof overlayView>>> {
  const { state: states, limit = PAGE_DEFAULT, cursor } = query;
  const filters = filterHash('listOverlays', query);
  const behind = decodeCursor(filters, cursor);
  const state = sql`coalesce(${storyEdits.state}, ${storyAdditions.state})`;
  const rows = await db
    .select({ seq: overlayChanges.seq, edit: storyEdits, addition: storyAdditions })
    .from(overlayChanges)
    .leftJoin(storyEdits, eq(storyEdits.id, overlayChanges.overlayId))
    .leftJoin(storyAdditions, eq(storyAdditions.id, overlayChanges.overlayId))
    .where(
      and(
        eq(overlayChanges.projectId, projectId),
        eq(overlayChanges.event, 'created'),
        behind === undefined ? undefined : lt(overlayChanges.seq, behind),
        states && inArray(state, states),
      ),
    )
    .orderBy(desc(overlayChanges.seq))
    .limit(limit + 1);
  return pageOf(rows, limit, filters, ({ seq }) => seq, overlayView);
}
