// Findings that the sources alone cannot give: edits in conflict, additions that the sources have
// taken up or whose links and parents are gone, stories that have changed since they were judged.
import { and, asc, eq } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Effective } from '../../requirements/graph/effective.ts';
import { type GraphNode, isNormative } from '../../requirements/graph/model.ts';
import { baseOf } from '../../requirements/overlay/edits.ts';
import type { EditField, EditValues } from '../../requirements/overlay/model.ts';
import { differences, sameValue, whereItIs } from '../../requirements/overlay/reconcile.ts';
import type { SourceFinding } from '../../requirements/sources/model.ts';
import type { Db } from '../../store/database.ts';
import {
  overlayChanges,
  type StoryAdditionRow,
  type StoryEditRow,
  storyAdditions,
  storyEdits,
} from '../../store/tables/assurance.ts';
import type { AssuranceState } from '../state/state.ts';
import { currentVerdict } from '../validation/current.ts';
import { storyOf } from '../validation/renames.ts';

export async function assuranceFindings(db: Db, state: AssuranceState): Promise<SourceFinding[]> {
  const { effective } = state;
  return [
    ...conflictedEdits(effective),
    ...(await absorbedAdditions(db, effective)),
    ...effective.additions.flatMap((addition) => danglingEnds(effective, addition)),
    ...changedSinceValidation(state),
  ];
}

/**
 * How many errors and warnings the audit of a project's latest revision has: those of its sources,
 * counted with the revision, and those of this moment.
 */
export async function countAudit(
  db: Db,
  state: AssuranceState,
): Promise<{ errors: number; warnings: number }> {
  const { revision } = state.effective;
  const found = await assuranceFindings(db, state);
  const count = (wanted: string) => found.filter(({ severity }) => severity === wanted).length;
  return {
    errors: (revision?.errors ?? 0) + count('error'),
    warnings: (revision?.warnings ?? 0) + count('warning'),
  };
}

function findingOn(
  { node }: Pick<Effective, 'node'>,
  itemId: string,
  finding: Pick<SourceFinding, 'code' | 'severity' | 'relatedIds' | 'detail'>,
): SourceFinding {
  const { path, line } = node(itemId)?.source ?? { path: '', line: 0 };
  return { ...finding, path, line, itemId };
}

function conflictedEdits(effective: Effective): SourceFinding[] {
  return effective.edits
    .filter(({ state }) => state === 'conflicted')
    .map((edit) => {
      const { id, storyId } = edit;
      return findingOn(effective, storyId, {
        code: 'edit_conflicted',
        severity: 'error',
        relatedIds: [id],
        detail: storyOf(effective, storyId)
          ? whyConflicted(effective, edit)
          : `${id} edits ${storyId}, which ${whereItIs(effective.node(storyId))}.`,
      });
    });
}

function whyConflicted(effective: Effective, edit: StoryEditRow): string {
  const { id, storyId } = edit;
  const set = edit.setFields;
  const base = edit.base;
  const today = baseOf(effective, storyId, set);
  const fields = Object.keys(set) as EditField[];
  const what = `${id} sets ${fields.join(', ')} of ${storyId}`;
  return fields.every((field) => sameValue(today[field], base[field]))
    ? `${what}, which was gone or said otherwise for a time and is again as the edit was made on: it is still to be settled.`
    : `${what}, which the sources have changed since.`;
}

async function absorbedAdditions(db: Db, effective: Effective): Promise<SourceFinding[]> {
  const { projectId, canonical } = effective;
  const absorbed = await db
    .select()
    .from(storyAdditions)
    .where(and(eq(storyAdditions.projectId, projectId), eq(storyAdditions.state, 'absorbed')));
  const held = absorbed.filter(({ storyId }) => canonical.at.has(storyId));
  if (held.length === 0) return [];
  const editsOf = await absorbedEdits(db, projectId);
  return held.map((addition) => {
    const { id, storyId } = addition;
    const place = canonical.at.get(storyId) ?? 0;
    const node = canonical.graph.nodes[place] as GraphNode;
    const said = Object.assign({ ...addition }, ...(editsOf.get(id) ?? []));
    const links = (canonical.outgoing[place] ?? []).filter(({ type }) => type !== 'contains');
    const fields = differences(said, node, links);
    const isSame = fields.length === 0;
    return findingOn(effective, storyId, {
      code: 'addition_absorbed',
      severity: isSame ? 'info' : 'warning',
      relatedIds: [id],
      detail: isSame
        ? `The sources hold ${storyId} now, as the addition ${id} had it.`
        : `The sources hold ${storyId} now, and differ from the addition ${id} in ${fields.join(', ')}.`,
    });
  });
}

/**
 * What the edits set that were in force and that the sources took up together with additions, by the
 * ids of these, the oldest decision first.
 */
async function absorbedEdits(db: Db, projectId: string): Promise<Map<string, EditValues[]>> {
  const ofEdit = alias(overlayChanges, 'of_edit');
  const rows = await db
    .select({ additionId: storyAdditions.id, setFields: storyEdits.setFields })
    .from(storyAdditions)
    .innerJoin(
      overlayChanges,
      and(
        eq(overlayChanges.projectId, projectId),
        eq(overlayChanges.storyId, storyAdditions.storyId),
        eq(overlayChanges.overlayId, storyAdditions.id),
        eq(overlayChanges.event, 'absorbed'),
      ),
    )
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
  const sets = rows.map(({ additionId, setFields }) => ({
    additionId,
    set: setFields,
  }));
  const byId = Map.groupBy(sets, ({ additionId }) => additionId);
  return new Map([...byId].map(([id, some]) => [id, some.map(({ set }) => set)]));
}

/** A finding for each link of an addition in force that leads nowhere, and for a parent that is gone. */
export function danglingEnds(
  { canonical, index }: Pick<Effective, 'canonical' | 'index'>,
  { id, storyId, state }: StoryAdditionRow,
): SourceFinding[] {
  const place = index.at.get(storyId);
  // The sources hold it themselves by now, and their findings come with the revision.
  if (state !== 'active' || place === undefined || canonical.at.has(storyId)) return [];
  const edges = [...(index.incoming[place] ?? []), ...(index.outgoing[place] ?? [])];
  return edges
    .filter(({ status }) => status === 'dangling')
    .map(({ from, to, type }) => {
      const other = from === storyId ? to : from;
      const what = type === 'contains' ? 'stands below' : type;
      return {
        code: 'dangling_reference',
        severity: 'error',
        path: `story-additions/${id}`,
        line: 0,
        itemId: storyId,
        relatedIds: [other],
        detail: `${storyId} ${what} ${other}, which is gone.`,
      };
    });
}

function changedSinceValidation({ validationsOf, effective }: AssuranceState): SourceFinding[] {
  return [...validationsOf].flatMap(([storyId, verdicts]) => {
    const node = effective.node(storyId);
    // A section that was a story is none any more: its verdict has nothing to be held against.
    if (!node || !isNormative(node)) return [];
    const last = currentVerdict(effective, verdicts);
    const today = last && effective.under(storyId, last.fingerprint);
    if (!last || today === undefined || today === last.fingerprint) return [];
    return findingOn(effective, storyId, {
      code: 'changed_since_validation',
      severity: 'warning',
      relatedIds: [],
      detail: `${storyId} has changed since it was judged ${last.verdict} at revision ${last.revision}.`,
    });
  });
}
