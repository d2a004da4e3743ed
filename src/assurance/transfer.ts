// The transfer of a project's verdicts: what is asked of the pure dispositions, from its state.
import type { Effective } from '../requirements/effective.ts';
import { effectiveOf, withoutOverlays } from '../requirements/effective.ts';
import { indexGraph } from '../requirements/graph/graph-index.ts';
import { type Graph, isNormative } from '../requirements/graph/model.ts';
import type { Requirements } from '../requirements/requirements.ts';
import { dispositionsOf, type TransferItem, type TransferTarget } from './dispositions.ts';
import type { AssuranceState } from './state.ts';
import { testFingerprints } from './test-fingerprints.ts';

const idsOf = new WeakMap<Graph, ReadonlySet<string>>();

/**
 * The items of a transfer.
 *
 * @param from - verdicts made on this revision alone; undefined for the last of each story
 * @param to - a revision, `canonical`, or `effective`
 * @throws Problem `not_found` for a revision that there is not
 */
export async function transferItems(
  requirements: Requirements,
  state: AssuranceState,
  from: number | undefined,
  to = 'effective',
): Promise<TransferItem[]> {
  const target = await targetOf(requirements, state.effective, to);
  const known = await revisionsOfGone(requirements, state, target);
  return dispositionsOf({
    ...{ target, verdictsOf: state.validationsOf, from },
    wasIn: (revision, storyId) => known.get(revision)?.has(storyId) ?? false,
    testFingerprint: testFingerprints(state),
  });
}

async function targetOf(
  { graphs }: Requirements,
  effective: Effective,
  to: string,
): Promise<TransferTarget> {
  if (to === 'effective') return targetOn(effective);
  if (to === 'canonical') return targetOn(withoutOverlays(effective));
  const revision = await graphs.revision(effective.projectId, Number(to));
  const canonical = indexGraph(await graphs.graph(revision));
  return targetOn(effectiveOf({ ...effective, revision, canonical, edits: [], additions: [] }));
}

function targetOn({ index, node, under }: Effective): TransferTarget {
  return { stories: index.graph.nodes.filter(isNormative), node, under };
}

/** The ids in each revision on which a story was judged that is gone. */
async function revisionsOfGone(
  { graphs }: Requirements,
  { validationsOf, effective }: AssuranceState,
  { node }: TransferTarget,
): Promise<Map<number, ReadonlySet<string>>> {
  const numbers = new Set<number>();
  for (const [storyId, verdicts] of validationsOf) {
    if (node(storyId)) continue;
    for (const { revision } of verdicts) if (revision > 0) numbers.add(revision);
  }
  const known = new Map<number, ReadonlySet<string>>();
  for (const number of numbers) {
    const revision =
      graphs.known(effective.projectId, number) ??
      (await graphs.revision(effective.projectId, number));
    const graph = await graphs.graph(revision);
    const ids = idsOf.get(graph) ?? new Set(graph.nodes.map(({ id }) => id));
    idsOf.set(graph, ids);
    known.set(number, ids);
  }
  return known;
}
