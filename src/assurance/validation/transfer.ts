// The transfer of a project's verdicts: what is asked of the pure dispositions, from its state.
import type { Effective } from '../../requirements/graph/effective.ts';
import { effectiveOf, withoutOverlays } from '../../requirements/graph/effective.ts';
import { indexGraph } from '../../requirements/graph/graph-index.ts';
import { type Graph, isNormative } from '../../requirements/graph/model.ts';
import type { Requirements } from '../../requirements/requirements.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';
import { additionPeriods } from '../overlay/addition-periods.ts';
import { testFingerprints } from '../results/test-fingerprints.ts';
import type { AssuranceState } from '../state/state.ts';
import type { Period } from './candidates.ts';
import { dispositionsOf, type TransferItem, type TransferTarget } from './dispositions.ts';
import { goneAlike } from './gone-stories.ts';
import { storyOfTarget } from './target-story.ts';

const NEVER: readonly Period[] = [];

const idsOf = new WeakMap<Graph, ReadonlySet<string>>();

/** A transfer's items, and what the stories are in what verdicts are held against. */
export interface Transfer {
  items: TransferItem[];
  /** Null where there is no such story. */
  titleOf(storyId: string): string | null;
  /** What verdicts are held against. */
  standing: Effective;
}

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
): Promise<Transfer> {
  const standing = await standingOf(requirements, state.effective, to);
  const target = targetOn(standing);
  const verdicts = verdictsOfGone(state, target);
  const known = await revisionsOfGone(requirements, state, verdicts);
  const { projectId } = state.effective;
  const { read } = requirements.database;
  const left = await goneAlike(read, projectId, verdicts);
  const until = /^\d+$/.test(to) ? Number(to) : Number.POSITIVE_INFINITY;
  const periods = verdicts.length === 0 ? undefined : await additionPeriods(read, projectId);
  const items = dispositionsOf({
    ...{ target, verdictsOf: state.validationsOf, from },
    presence: {
      idsOn: (revision) => known.get(revision),
      periodsOf: (storyId) => periods?.get(storyId) ?? NEVER,
    },
    leftAlike: ({ fingerprint, createdAt }) =>
      (left.get(fingerprint) ?? [])
        .filter((gone) => gone.at >= createdAt && gone.revision <= until)
        .map(({ storyId }) => storyId),
    testFingerprint: testFingerprints(state),
  });
  return {
    items,
    titleOf: (storyId) => storyOfTarget(target, storyId)?.title ?? null,
    standing,
  };
}

async function standingOf(
  { graphs }: Requirements,
  effective: Effective,
  to: string,
): Promise<Effective> {
  if (to === 'effective') return effective;
  if (to === 'canonical') return withoutOverlays(effective);
  const revision = await graphs.revision(effective.projectId, Number(to));
  const canonical = indexGraph(await graphs.graph(revision));
  return effectiveOf({ ...effective, revision, canonical, edits: [], additions: [] });
}

function targetOn({ index, node, under }: Effective): TransferTarget {
  return { stories: index.graph.nodes.filter(isNormative), node, under };
}

/** Every verdict on a story that is gone, or a section by now. */
function verdictsOfGone(
  { validationsOf }: AssuranceState,
  target: TransferTarget,
): ValidationRow[] {
  const gone: ValidationRow[] = [];
  for (const [storyId, verdicts] of validationsOf) {
    if (!storyOfTarget(target, storyId)) for (const verdict of verdicts) gone.push(verdict);
  }
  return gone;
}

/** The ids that each revision held on which a story was judged that is gone. */
async function revisionsOfGone(
  { graphs }: Requirements,
  { effective }: AssuranceState,
  verdicts: readonly ValidationRow[],
): Promise<Map<number, ReadonlySet<string>>> {
  const numbers = new Set(verdicts.map(({ revision }) => revision).filter((one) => one > 0));
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
