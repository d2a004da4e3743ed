// Additions that the sources have taken up, and in what these differ from them by now.
import { and, asc, eq } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { additionContent } from '../../requirements/graph/effective.ts';
import type { GraphNode } from '../../requirements/graph/model.ts';
import type { EditValues } from '../../requirements/overlay/model.ts';
import { differences } from '../../requirements/overlay/reconcile.ts';
import type { SourceFinding } from '../../requirements/sources/model.ts';
import type { Db } from '../../store/database.ts';
import {
  overlayChanges,
  type StoryAdditionRow,
  storyAdditions,
  storyEdits,
} from '../../store/tables/assurance.ts';
import type { AssuranceState } from '../state/state.ts';

/** A finding for each that the latest revision holds: a warning where that differs, else information. */
export async function absorbedAdditions(
  db: Db,
  { effective }: Pick<AssuranceState, 'effective'>,
): Promise<SourceFinding[]> {
  const { projectId, canonical } = effective;
  const absorbed = await db
    .select()
    .from(storyAdditions)
    .where(and(eq(storyAdditions.projectId, projectId), eq(storyAdditions.state, 'absorbed')));
  const held = absorbed.filter(({ storyId }) => canonical.at.has(storyId));
  if (held.length === 0) return [];
  const editsOf = await takenWith(db, projectId);
  return held.map((addition) => {
    const place = canonical.at.get(addition.storyId) ?? 0;
    const node = canonical.graph.nodes[place] as GraphNode;
    const said = Object.assign(additionContent(addition), ...(editsOf.get(addition.id) ?? []));
    const links = (canonical.outgoing[place] ?? []).filter(({ type }) => type !== 'contains');
    return findingOf(effective, addition, differences(said, node, links));
  });
}

function findingOf(
  { node }: AssuranceState['effective'],
  { id, storyId }: StoryAdditionRow,
  fields: readonly string[],
): SourceFinding {
  const { path, line } = node(storyId)?.source ?? { path: '', line: 0 };
  return {
    code: 'addition_absorbed',
    severity: fields.length > 0 ? 'warning' : 'info',
    ...{ path, line, itemId: storyId, relatedIds: [id] },
    detail:
      fields.length > 0
        ? `The sources hold ${storyId} now, and differ from the addition ${id} in ${fields.join(', ')}.`
        : `The sources hold ${storyId} now, as the addition ${id} had it.`,
  };
}

/** Joins additions with the moves by which sources took them up. */
export function isAbsorption(projectId: string) {
  return and(
    eq(overlayChanges.projectId, projectId),
    eq(overlayChanges.storyId, storyAdditions.storyId),
    eq(overlayChanges.overlayId, storyAdditions.id),
    eq(overlayChanges.event, 'absorbed'),
  );
}

/**
 * What the edits set that were in force and that the sources took up together with additions, by the
 * ids of these, the oldest decision first.
 */
async function takenWith(db: Db, projectId: string): Promise<Map<string, EditValues[]>> {
  const ofEdit = alias(overlayChanges, 'of_edit');
  const rows = await db
    .select({ additionId: storyAdditions.id, setFields: storyEdits.setFields })
    .from(storyAdditions)
    .innerJoin(overlayChanges, isAbsorption(projectId))
    .innerJoin(
      ofEdit,
      and(
        eq(ofEdit.projectId, projectId),
        eq(ofEdit.storyId, storyAdditions.storyId),
        eq(ofEdit.event, 'absorbed'),
        eq(ofEdit.fromState, 'accepted'),
        eq(ofEdit.revision, overlayChanges.revision),
      ),
    )
    .innerJoin(storyEdits, eq(storyEdits.id, ofEdit.overlayId))
    .where(and(eq(storyAdditions.projectId, projectId), eq(storyAdditions.state, 'absorbed')))
    .orderBy(asc(storyEdits.decidedAt), asc(storyEdits.seq));
  const found = new Map<string, EditValues[]>();
  for (const { additionId, setFields } of rows) {
    const sets = found.get(additionId) ?? [];
    sets.push(JSON.parse(setFields) as EditValues);
    found.set(additionId, sets);
  }
  return found;
}
