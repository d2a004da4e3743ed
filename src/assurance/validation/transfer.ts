// The transfer of a project's verdicts: what is asked of the pure dispositions, from its state.
import {
  type Effective,
  effectiveAt,
  withoutOverlays,
} from '../../requirements/graph/effective.ts';
import { type Graph, isNormative } from '../../requirements/graph/model.ts';
import type { Requirements } from '../../requirements/requirements.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';
import { testFingerprints } from '../results/target-results.ts';
import type { AssuranceState } from '../state/state.ts';
import { dispositionsOf, renamedTo, type TransferItem, unjudgedByText } from './dispositions.ts';
import { storyOf } from './verdicts.ts';

/**
 * @param from - verdicts made on this revision alone; undefined for the last of each story
 * @param to - a revision, `canonical`, or `effective`
 */
export async function transferItems(
  requirements: Requirements,
  state: AssuranceState,
  from: number | undefined,
  to = 'effective',
): Promise<{ items: TransferItem[]; against: Effective }> {
  const { validationsOf: verdictsOf, effective } = state;
  const against = await effectiveOfTarget(requirements, effective, to);
  const idsOn = await idsOfRevisions(
    requirements,
    effective.projectId,
    lostVerdicts(state, against),
  );
  const added = effective.additions.map((one) => [one.storyId, one.createdAt] as const);
  const items = dispositionsOf({
    target: targetOf(against),
    verdictsOf,
    from,
    idsOn: (revision) => idsOn.get(revision),
    addedAt: new Map(added),
    testFingerprint: testFingerprints(state),
  });
  return { items, against };
}

function targetOf({ index, node, under }: Effective) {
  return { stories: index.graph.nodes.filter(isNormative), node, under };
}

function lostVerdicts({ validationsOf }: AssuranceState, against: Effective): ValidationRow[] {
  return [...validationsOf].flatMap(([id, verdicts]) => (storyOf(against, id) ? [] : verdicts));
}

async function effectiveOfTarget(
  { graphs }: Requirements,
  effective: Effective,
  to: string,
): Promise<Effective> {
  if (to === 'effective') return effective;
  if (to === 'canonical') return withoutOverlays(effective);
  return effectiveAt(graphs, effective, Number(to));
}

const idsOf = new WeakMap<Graph, ReadonlySet<string>>();

async function idsOfRevisions(
  { graphs }: Requirements,
  projectId: string,
  verdicts: readonly ValidationRow[],
): Promise<Map<number, ReadonlySet<string>>> {
  const found = new Map<number, ReadonlySet<string>>();
  for (const number of new Set(verdicts.map(({ revision }) => revision))) {
    if (number === 0) continue;
    const graph = await graphs.graph(await graphs.revision(projectId, number));
    const ids = idsOf.get(graph) ?? new Set(graph.nodes.map(({ id }) => id));
    idsOf.set(graph, ids);
    found.set(number, ids);
  }
  return found;
}

const renamedOf = new WeakMap<AssuranceState, Promise<readonly TransferItem[]>>();

/** The items of gone stories that are or may be others now, found once for a state. */
export function renamedItems(
  requirements: Requirements,
  state: AssuranceState,
): Promise<readonly TransferItem[]> {
  const known = renamedOf.get(state) ?? findRenamed(requirements, state);
  renamedOf.set(state, known);
  known.catch(() => renamedOf.delete(state));
  return known;
}

async function findRenamed(requirements: Requirements, state: AssuranceState) {
  const { effective, validationsOf } = state;
  const gone = lostVerdicts(state, effective);
  // The text of most that are gone is gone too: then there is no need to look at the others.
  if (gone.length === 0) return [];
  if (unjudgedByText(targetOf(effective), validationsOf, gone).size === 0) return [];
  const { items } = await transferItems(requirements, state, undefined);
  return items.filter(({ candidates }) => candidates.length > 0);
}

/** The verdicts that wait to be carried to what their stories were renamed to, by the new ids. */
export async function verdictsToCarry(
  requirements: Requirements,
  state: AssuranceState,
): Promise<ReadonlyMap<string, ValidationRow>> {
  const items = await renamedItems(requirements, state);
  return new Map(
    items.flatMap((item) => {
      const to = renamedTo(item);
      return to !== null && item.validation ? [[to, item.validation]] : [];
    }),
  );
}
