// The moves of overlays on record: who moved what, when, at which revision.
import { and, desc, eq } from 'drizzle-orm';
import type { Actor } from '../../access/caller.ts';
import { timestamp } from '../../clock.ts';
import type { Db } from '../../store/database.ts';
import { type OverlayChangeRow, overlayChanges } from '../../store/tables/assurance.ts';

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
