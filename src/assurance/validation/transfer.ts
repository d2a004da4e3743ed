// The transfer of a project's verdicts: what is asked of the pure dispositions, from its state.
import {
  type Effective,
  effectiveAt,
  withoutOverlays,
} from '../../requirements/graph/effective.ts';
import { isNormative } from '../../requirements/graph/model.ts';
import type { Requirements } from '../../requirements/requirements.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';
import { testFingerprints } from '../results/target-results.ts';
import type { AssuranceState } from '../state/state.ts';
import { dispositionsOf, type TransferItem } from './dispositions.ts';
import { storyOf } from './verdicts.ts';

/**
 * @param from - verdicts made on this revision alone; undefined for the last of each story
 * @param against - what the verdicts are held against
 */
export function transferItems(
  state: AssuranceState,
  from?: number,
  { index, node, under }: Effective = state.effective,
): TransferItem[] {
  return dispositionsOf({
    target: { stories: index.graph.nodes.filter(isNormative), node, under },
    verdictsOf: state.validationsOf,
    from,
    testFingerprint: testFingerprints(state),
  });
}

/** @param to - a revision, `canonical`, or `effective` */
export async function effectiveOfTarget(
  { graphs }: Requirements,
  effective: Effective,
  to: string,
): Promise<Effective> {
  if (to === 'effective') return effective;
  if (to === 'canonical') return withoutOverlays(effective);
  return effectiveAt(graphs, effective, Number(to));
}

const known = new WeakMap<AssuranceState, ReadonlyMap<string, ValidationRow>>();

/** The verdicts that wait to be carried to what their stories were renamed to, by the new ids. */
export function verdictsToCarry(state: AssuranceState): ReadonlyMap<string, ValidationRow> {
  const before = known.get(state);
  if (before) return before;
  const { effective, validationsOf } = state;
  const isAnyGone = [...validationsOf.keys()].some((id) => !storyOf(effective, id));
  const items = isAnyGone ? transferItems(state) : [];
  const found = new Map(
    items.flatMap(({ renamedTo, validation }) =>
      renamedTo !== null && validation ? [[renamedTo, validation]] : [],
    ),
  );
  known.set(state, found);
  return found;
}
