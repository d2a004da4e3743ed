// Findings that the sources alone cannot give: edits in conflict, additions that the sources have
// taken up, stories that have changed since they were judged.
import { and, eq } from 'drizzle-orm';
import type { SourceFinding } from '../requirements/sources/model.ts';
import type { Db } from '../store/database.ts';
import { type StoryAdditionRow, storyAdditions } from '../store/tables/assurance.ts';
import { standingVerdict } from './standing-verdict.ts';
import type { AssuranceState } from './state.ts';

/** The findings of a project as it is; linear in its overlays and verdicts. */
export async function assuranceFindings(db: Db, state: AssuranceState): Promise<SourceFinding[]> {
  const { projectId, revision } = state.effective;
  const absorbed = await db
    .select()
    .from(storyAdditions)
    .where(and(eq(storyAdditions.projectId, projectId), eq(storyAdditions.state, 'absorbed')));
  if (!revision && absorbed.length === 0) return [];
  return [
    ...conflictedEdits(state),
    ...absorbed.flatMap((one) => absorbedAddition(state, one)),
    ...changedSinceValidation(state),
  ];
}

function conflictedEdits({ effective }: AssuranceState): SourceFinding[] {
  return effective.edits
    .filter(({ state }) => state === 'conflicted')
    .map(({ id, storyId, setFields }) => {
      const fields = Object.keys(JSON.parse(setFields) as object).join(', ');
      const gone = effective.node(storyId) === undefined;
      return {
        ...{ code: 'edit_conflicted', severity: 'error' as const },
        ...placeOf(effective, storyId),
        ...{ itemId: storyId, relatedIds: [id] },
        detail: gone
          ? `${id} edits ${storyId}, which is in no source any more.`
          : `${id} sets ${fields} of ${storyId}, which the sources have changed since.`,
      };
    });
}

/** A warning where the canonical text differs from what was added, else an information. */
function absorbedAddition({ effective }: AssuranceState, row: StoryAdditionRow): SourceFinding[] {
  const { id, storyId, differs } = row;
  if (!effective.canonical.at.has(storyId)) return [];
  const fields = JSON.parse(differs ?? '[]') as string[];
  return [
    {
      code: 'addition_absorbed',
      severity: fields.length > 0 ? 'warning' : 'info',
      ...placeOf(effective, storyId),
      ...{ itemId: storyId, relatedIds: [id] },
      detail:
        fields.length > 0
          ? `The sources hold ${storyId} now, and differ from the addition ${id} in ${fields.join(', ')}.`
          : `The sources hold ${storyId} now, as the addition ${id} had it.`,
    },
  ];
}

function changedSinceValidation({ validationsOf, effective }: AssuranceState): SourceFinding[] {
  const found: SourceFinding[] = [];
  for (const [storyId, verdicts] of validationsOf) {
    const last = standingVerdict(effective, verdicts);
    const today = last && effective.under(storyId, last.fingerprint);
    if (!last || today === undefined || today === last.fingerprint) continue;
    found.push({
      ...{ code: 'changed_since_validation', severity: 'warning' },
      ...placeOf(effective, storyId),
      ...{ itemId: storyId, relatedIds: [] },
      detail: `${storyId} has changed since it was judged ${last.verdict} at revision ${last.revision}.`,
    });
  }
  return found;
}

function placeOf({ node }: AssuranceState['effective'], id: string) {
  const found = node(id);
  return { path: found?.source.path ?? '', line: found?.source.line ?? 0 };
}
