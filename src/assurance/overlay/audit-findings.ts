// Findings that the sources alone cannot give: edits in conflict, additions that the sources have
// taken up or that hang in the air, stories that have changed since they were judged.
import { isNormative } from '../../requirements/graph/model.ts';
import { baseOf } from '../../requirements/overlay/edits.ts';
import type { EditField, EditValues } from '../../requirements/overlay/model.ts';
import { sameValue, whereItIs } from '../../requirements/overlay/reconcile.ts';
import type { SourceFinding } from '../../requirements/sources/model.ts';
import type { Db } from '../../store/database.ts';
import type { StoryEditRow } from '../../store/tables/assurance.ts';
import type { AssuranceState } from '../state/state.ts';
import { currentVerdict } from '../validation/current.ts';
import { absorbedAdditions } from './absorbed-additions.ts';
import { danglingAdditions } from './dangling-additions.ts';

/** The findings of a project as it is; linear in its overlays and verdicts. */
export async function assuranceFindings(db: Db, state: AssuranceState): Promise<SourceFinding[]> {
  return [
    ...conflictedEdits(state),
    ...(await absorbedAdditions(db, state)),
    ...danglingAdditions(state.effective),
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

function conflictedEdits({ effective }: AssuranceState): SourceFinding[] {
  return effective.edits
    .filter(({ state }) => state === 'conflicted')
    .map((edit) => {
      const { id, storyId } = edit;
      const found = effective.node(storyId);
      return {
        ...{ code: 'edit_conflicted', severity: 'error' as const },
        ...placeOf(effective, storyId),
        ...{ itemId: storyId, relatedIds: [id] },
        detail:
          found && isNormative(found)
            ? whyConflicted(effective, edit)
            : `${id} edits ${storyId}, which ${whereItIs(found)}.`,
      };
    });
}

/** What is in the way of an edit of a story that is there: it may say again what it said before. */
function whyConflicted(
  effective: AssuranceState['effective'],
  { id, storyId, setFields, base }: StoryEditRow,
): string {
  const set = JSON.parse(setFields) as EditValues;
  const was = JSON.parse(base) as EditValues;
  const today = baseOf(effective, storyId, set);
  const fields = Object.keys(set) as EditField[];
  const what = `${id} sets ${fields.join(', ')} of ${storyId}`;
  return fields.every((field) => sameValue(today[field], was[field]))
    ? `${what}, which was gone or said otherwise for a time and is again as the edit was made on: it is still to be settled.`
    : `${what}, which the sources have changed since.`;
}

function changedSinceValidation({ validationsOf, effective }: AssuranceState): SourceFinding[] {
  const found: SourceFinding[] = [];
  for (const [storyId, verdicts] of validationsOf) {
    const node = effective.node(storyId);
    // A section that was a story is none any more: its verdict has nothing to be held against.
    if (!node || !isNormative(node)) continue;
    const last = currentVerdict(effective, verdicts);
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
