// The deletion of an added story: what depends on it keeps it from being deleted, or goes with it.
import { and, eq } from 'drizzle-orm';
import { Problem } from '../../errors.ts';
import { effectiveOf } from '../../requirements/graph/effective.ts';
import { recordMove } from '../../requirements/overlay/changes.ts';
import type { Editor } from '../../requirements/overlay/deciders.ts';
import { moveEdit } from '../../requirements/overlay/edits.ts';
import type { Db } from '../../store/database.ts';
import { justifications, type StoryAdditionRow, traces } from '../../store/tables/assurance.ts';
import type { AssuranceState } from '../state/state.ts';
import { type Impact, impactOf } from './impact.ts';

/** @throws Problem `conflict`, with the impact, where something depends on the added story */
export function requireNoDependents(state: AssuranceState, row: StoryAdditionRow): void {
  if (row.state === 'absorbed') return;
  const { id, storyId } = row;
  const { effective } = state;
  const pointing = effective.index.graph.edges
    .filter(({ to, type }) => to === storyId && type !== 'contains')
    .map(({ from }) => from);
  const below = effective.additions
    .filter((one) => one.id !== id && one.parentId === storyId)
    .map((one) => one.storyId);
  const stories = new Set([...pointing, ...below]);
  const counts = {
    traces: state.tracesOf.get(storyId)?.length,
    justifications: state.justificationsOf.get(storyId)?.length,
    scenarios: state.scenarios.linksOf.get(storyId)?.length,
    commands: state.commands.linksOf.get(storyId)?.length,
    tests: state.tests.linksOf.get(storyId)?.length,
    edits: effective.edits.filter((edit) => edit.storyId === storyId).length,
    stories: stories.size,
  };
  const found = Object.entries(counts).flatMap(([name, count]) =>
    count ? `${count} ${name}` : [],
  );
  if (found.length === 0) return;
  const impact = impactOfDeletion(state, row);
  const listed = new Set(impact.stories.map((one) => one.id));
  // Their texts stay as they are, but not what they point at.
  for (const other of stories)
    if (!listed.has(other)) impact.stories.push({ id: other, distance: 1, via: storyId });
  const message = `${storyId} has dependents: ${found.join(', ')}; cascade=true removes them.`;
  throw new Problem('conflict', message, { members: { impact } });
}

function impactOfDeletion(state: AssuranceState, { id, storyId }: StoryAdditionRow): Impact {
  const { effective, validationsOf, tracesOf } = state;
  const after = effectiveOf({
    ...effective,
    edits: effective.edits.filter((edit) => edit.storyId !== storyId),
    additions: effective.additions.filter((one) => one.id !== id),
  });
  const impact = impactOf(state, [storyId], after.under);
  const own = new Set(tracesOf.get(storyId)?.map((row) => row.id));
  const others = impact.validations.filter((one) => one.storyId !== storyId);
  return {
    ...impact,
    traces: impact.traces.map((one) => (own.has(one.id) ? { ...one, becomes: 'broken' } : one)),
    validations: validationsOf.has(storyId)
      ? [{ storyId, becomes: 'orphaned' }, ...others]
      : others,
  };
}

/**
 * Removes what depends on an added story, as far as it is not in the sources. On one that was absorbed
 * nothing does, where another addition has its id by now.
 */
export async function removeDependents(
  db: Db,
  { effective }: AssuranceState,
  { id, storyId, projectId }: StoryAdditionRow,
  { actor, now }: Editor,
): Promise<void> {
  if (effective.additions.some((one) => one.storyId === storyId && one.id !== id)) return;
  for (const table of [traces, justifications])
    await db.delete(table).where(and(eq(table.projectId, projectId), eq(table.storyId, storyId)));
  const [to, revision] = ['withdrawn', effective.revision?.number ?? 0] as const;
  const detail = 'with the addition it edits';
  const move = { projectId, storyId, event: to, to, revision, detail, actor, now };
  for (const edit of effective.edits) {
    if (edit.storyId !== storyId) continue;
    await moveEdit(db, edit, to, now);
    await recordMove(db, { ...move, overlayId: edit.id, from: edit.state });
  }
}
