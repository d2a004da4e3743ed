// The list of a project's edits and additions.
import { and, desc, eq, inArray, lt, or } from 'drizzle-orm';
import { invalid, notFound } from '../../errors.ts';
import type { Call } from '../../http/api/endpoint.ts';
import { nextLink, ok, type Reply } from '../../http/api/reply.ts';
import { decodeCursor, filterHash, PAGE_DEFAULT, pageOf } from '../../model/pages.ts';
import type { Db } from '../../store/database.ts';
import { overlayChanges, storyAdditions, storyEdits } from '../../store/tables/assurance.ts';
import type { Requirements } from '../requirements.ts';
import { ADDITION_STATES, EDIT_STATES } from './model.ts';
import { additionView, editView, overlayEtag } from './views.ts';

export const OVERLAY_STATES = [...new Set([...EDIT_STATES, ...ADDITION_STATES])];

export interface OverlayFilters {
  id?: string | undefined;
  state?: readonly string[] | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
  [other: string]: unknown;
}

/** What goes with the list; anything else is of the graph. */
const TAKEN = new Set(['view', 'id', 'state', 'limit', 'cursor']);

/** Answers a page of edits and additions, the newest first, or one of them. */
export async function listOverlays(
  { database }: Requirements,
  { query, caller, request }: Call<OverlayFilters, unknown>,
): Promise<Reply> {
  const other = Object.keys(query).find((name) => query[name] !== undefined && !TAKEN.has(name));
  if (other !== undefined) throw invalid(`/${other}`, 'does not go with view=overlays');
  const { projectId } = caller;
  if (query.id !== undefined) {
    const [one] = await readOverlays(database.read, projectId, [query.id]);
    if (!one) throw notFound('edit or addition');
    return ok(one, { etag: overlayEtag(one) });
  }
  const filters = filterHash('listOverlays', query);
  const behind = decodeCursor(filters, query.cursor);
  const limit = query.limit ?? PAGE_DEFAULT;
  const rows = await createdRows(database.read, projectId, query.state, behind, limit + 1);
  const views = await readOverlays(
    database.read,
    projectId,
    rows.map(({ overlayId }) => overlayId),
  );
  const byId = new Map(views.map((view) => [view.id, view]));
  const page = pageOf(
    rows,
    limit,
    filters,
    ({ seq }) => seq,
    ({ overlayId }) => byId.get(overlayId),
  );
  return ok(page, { headers: nextLink(request, page) });
}

/** The rows that say when overlays were made, which give the list its order. */
function createdRows(
  db: Db,
  projectId: string,
  states: readonly string[] | undefined,
  behind: number | undefined,
  limit: number,
) {
  return db
    .select({ seq: overlayChanges.seq, overlayId: overlayChanges.overlayId })
    .from(overlayChanges)
    .leftJoin(storyEdits, eq(storyEdits.id, overlayChanges.overlayId))
    .leftJoin(storyAdditions, eq(storyAdditions.id, overlayChanges.overlayId))
    .where(
      and(
        eq(overlayChanges.projectId, projectId),
        eq(overlayChanges.event, 'created'),
        behind === undefined ? undefined : lt(overlayChanges.seq, behind),
        states
          ? or(inArray(storyEdits.state, [...states]), inArray(storyAdditions.state, [...states]))
          : undefined,
      ),
    )
    .orderBy(desc(overlayChanges.seq))
    .limit(limit);
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
