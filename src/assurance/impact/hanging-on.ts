// What hangs on an added story: it keeps the story from being deleted, or goes with it.
import { and, eq, inArray } from 'drizzle-orm';
import { Problem } from '../../errors.ts';
import { recordMove } from '../../requirements/overlay/changes.ts';
import { type Editor, moveEdit } from '../../requirements/overlay/edits.ts';
import type { Requirements } from '../../requirements/requirements.ts';
import type { Db } from '../../store/database.ts';
import { justifications, type StoryAdditionRow, traces } from '../../store/tables/assurance.ts';
import type { AssuranceState } from '../state/state.ts';
import { impactOfDeletion } from './deletion-impact.ts';

/** What hangs on an added story. */
interface Hanging {
  /** How many of what, for a sentence. */
  told: string;
  /** The stories that point at it, by whatever type of link, and the added ones below it. */
  stories: readonly string[];
}

/** Thrown in the write of a deletion that is refused; what it would reach is told after the write. */
export class StillHanging extends Error {
  override name = 'StillHanging';

  readonly state: AssuranceState;
  readonly row: StoryAdditionRow;
  readonly hanging: Hanging;

  constructor(state: AssuranceState, row: StoryAdditionRow, hanging: Hanging) {
    super('something hangs on the added story');
    this.state = state;
    this.row = row;
    this.hanging = hanging;
  }
}

/** @throws StillHanging where something hangs on the added story */
export function requireNothingHangs(state: AssuranceState, row: StoryAdditionRow): void {
  if (row.state === 'absorbed') return;
  const { id, storyId } = row;
  const { tracesOf, justificationsOf, catalog, effective, scenarios: stored } = state;
  const imported = catalog.scenarios.filter(({ storyIds }) => storyIds.includes(storyId));
  const links = effective.index.graph.edges.filter(
    ({ to, type }) => to === storyId && type !== 'contains',
  );
  const children = effective.additions.filter((one) => one.id !== id && one.parentId === storyId);
  const stories = new Set([
    ...links.map(({ from }) => from),
    ...children.map((one) => one.storyId),
  ]);
  const own = (linksOf: ReadonlyMap<string, readonly unknown[]>) =>
    linksOf.get(storyId)?.length ?? 0;
  const hanging = [
    [own(tracesOf), 'traces'],
    [own(justificationsOf), 'justifications'],
    [imported.length + own(stored.linksOf), 'scenarios'],
    [own(state.commands.linksOf), 'commands'],
    [own(state.tests.linksOf), 'tests'],
    [effective.edits.filter((edit) => edit.storyId === storyId).length, 'edits'],
    [stories.size, 'stories'],
  ] as const;
  const told = hanging.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  if (told.length === 0) return;
  throw new StillHanging(state, row, { told: told.join(', '), stories: [...stories] });
}

/** The problem of a deletion that is refused, with what it would reach. */
export async function refusalOf(
  requirements: Requirements,
  { state, row, hanging }: StillHanging,
): Promise<Problem> {
  const { storyId } = row;
  const impact = await impactOfDeletion(requirements, state, row);
  const listed = new Set(impact.stories.map((one) => one.id));
  // Their texts stay as they are, but not what they point at.
  for (const other of hanging.stories) {
    if (!listed.has(other)) impact.stories.push({ id: other, distance: 1, via: storyId });
  }
  const detail = `${hanging.told} hang on ${storyId}; cascade=true takes it away.`;
  return new Problem('conflict', detail, { members: { impact } });
}

/**
 * Takes away what hangs on an added story, as far as it is not in the sources. On one that was
 * absorbed nothing does, where another addition has its id by now.
 */
export async function removeHanging(
  db: Db,
  { effective }: AssuranceState,
  { id, storyId, projectId }: StoryAdditionRow,
  { actor, now }: Editor,
): Promise<void> {
  if (effective.additions.some((one) => one.storyId === storyId && one.id !== id)) return;
  await db.delete(traces).where(and(eq(traces.projectId, projectId), eq(traces.storyId, storyId)));
  await db
    .delete(justifications)
    .where(
      and(eq(justifications.projectId, projectId), inArray(justifications.storyId, [storyId])),
    );
  for (const edit of effective.edits) {
    if (edit.storyId !== storyId) continue;
    await moveEdit(db, edit, 'withdrawn', now);
    await recordMove(db, {
      ...{ projectId, overlayId: edit.id, storyId, event: 'withdrawn', from: edit.state },
      ...{ to: 'withdrawn', revision: effective.revision?.number ?? 0, actor, now },
      detail: 'with the addition it edits',
    });
  }
}
