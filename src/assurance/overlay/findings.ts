// Findings that the sources alone cannot give: edits in conflict, additions that the sources have
// taken up or whose links and parents are gone, stories that have changed since they were judged.
import { and, eq } from 'drizzle-orm';
import type { Effective } from '../../requirements/graph/effective.ts';
import { differences } from '../../requirements/overlay/settle.ts';
import type { SourceFinding } from '../../requirements/sources/model.ts';
import type { Db } from '../../store/database.ts';
import { type StoryAdditionRow, storyAdditions } from '../../store/tables/assurance.ts';
import type { AssuranceState } from '../state/state.ts';
import { currentVerdict, standingOf, storyOf } from '../validation/verdicts.ts';

export async function assuranceFindings(db: Db, state: AssuranceState): Promise<SourceFinding[]> {
  const { effective } = state;
  return [
    ...conflictedEdits(effective),
    ...(await absorbedAdditions(db, effective)),
    ...effective.additions.flatMap((addition) => danglingEnds(effective, addition)),
    ...changedSinceValidation(state),
  ];
}

/** The errors and warnings of the latest revision, counted with it, and those of this moment. */
export async function countAudit(db: Db, state: AssuranceState) {
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
  const conflicted = effective.edits.filter(({ state }) => state === 'conflicted');
  return conflicted.map(({ id, storyId, setFields }) => {
    const why = storyOf(effective, storyId)
      ? 'the sources have changed since it was made'
      : 'is no story any more';
    return findingOn(effective, storyId, {
      code: 'edit_conflicted',
      severity: 'error',
      relatedIds: [id],
      detail: `${id} sets ${Object.keys(setFields).join(', ')} of ${storyId}, which ${why}.`,
    });
  });
}

async function absorbedAdditions(db: Db, effective: Effective): Promise<SourceFinding[]> {
  const { projectId, canonical } = effective;
  const rows = await db
    .select()
    .from(storyAdditions)
    .where(and(eq(storyAdditions.projectId, projectId), eq(storyAdditions.state, 'absorbed')));
  return rows.flatMap((addition) => {
    const { id, storyId } = addition;
    const node = canonical.graph.nodes[canonical.at.get(storyId) ?? -1];
    if (!node) return [];
    const fields = differences(addition, node);
    const how = fields.length === 0 ? '' : ` and differ in ${fields.join(', ')}`;
    return findingOn(effective, storyId, {
      code: 'addition_absorbed',
      severity: fields.length === 0 ? 'info' : 'warning',
      relatedIds: [id],
      detail: `The sources hold ${storyId} of the addition ${id} now${how}.`,
    });
  });
}

/** A finding for each link of an addition in force that leads nowhere, and for a parent that is gone. */
export function danglingEnds(
  { canonical, index }: Pick<Effective, 'canonical' | 'index'>,
  { id, storyId, state }: StoryAdditionRow,
): SourceFinding[] {
  const place = index.at.get(storyId);
  // The sources hold it themselves by now, and their findings come with the revision.
  if (state !== 'active' || place === undefined || canonical.at.has(storyId)) return [];
  const edges = [...index.incoming(place), ...index.outgoing(place)];
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
    const last = storyOf(effective, storyId) && currentVerdict(effective, verdicts);
    if (!last || standingOf(effective, last) !== 'invalidated') return [];
    return findingOn(effective, storyId, {
      code: 'changed_since_validation',
      severity: 'warning',
      relatedIds: [],
      detail: `${storyId} has changed since it was judged ${last.verdict} at revision ${last.revision}.`,
    });
  });
}
