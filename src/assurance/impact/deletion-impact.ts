// What the deletion of an added story reaches: what verdicts and links are with it, and without.
import { type Effective, effectiveOf } from '../../requirements/graph/effective.ts';
import type { Requirements } from '../../requirements/requirements.ts';
import type { StoryAdditionRow } from '../../store/tables/assurance.ts';
import type { AssuranceState } from '../state/state.ts';
import { traceStateOf } from '../traceability/links.ts';
import type { TransferItem } from '../validation/dispositions.ts';
import { transferItems } from '../validation/transfer.ts';
import { type Impact, impactOf } from './impact.ts';

type Deleted = Pick<StoryAdditionRow, 'id' | 'storyId'>;

/**
 * The impact of the deletion of an addition with all that hangs on it. It may read of files, so it is
 * not for a write.
 */
export async function impactOfDeletion(
  requirements: Requirements,
  state: AssuranceState,
  addition: Deleted,
): Promise<Impact> {
  const after = { ...state, effective: withoutAddition(state.effective, addition) };
  const traces = linksWithout(state, after);
  const impact = { ...impactOf(state, [addition.storyId]), traces, validations: [] };
  if (state.validationsOf.size === 0) return impact;
  const { items: before } = await transferItems(requirements, state, undefined);
  const { items } = await transferItems(requirements, after, undefined);
  return { ...impact, validations: verdictsWithout(before, items) };
}

/** The graph as it is once an addition and the edits of it are out of force. */
function withoutAddition(effective: Effective, { id, storyId }: Deleted): Effective {
  return effectiveOf({
    ...effective,
    edits: effective.edits.filter((edit) => edit.storyId !== storyId),
    additions: effective.additions.filter((one) => one.id !== id),
  });
}

/** Links that are valid, and are not any more. */
function linksWithout(before: AssuranceState, after: AssuranceState): Impact['traces'] {
  return before.traces.flatMap((row) => {
    if (traceStateOf(before, row) !== 'valid') return [];
    const becomes = traceStateOf(after, row);
    return becomes === 'valid' ? [] : { id: row.id, becomes };
  });
}

/** Verdicts that stand otherwise than before, and do not hold. */
function verdictsWithout(
  before: readonly TransferItem[],
  after: readonly TransferItem[],
): Impact['validations'] {
  const was = new Map(before.map(({ storyId, disposition }) => [storyId, disposition]));
  return after.flatMap(({ storyId, disposition }) =>
    isLost(disposition) && was.get(storyId) !== disposition
      ? { storyId, becomes: disposition }
      : [],
  );
}

function isLost(
  disposition: TransferItem['disposition'],
): disposition is Impact['validations'][number]['becomes'] {
  return disposition === 'invalidated' || disposition === 'suspect' || disposition === 'orphaned';
}
