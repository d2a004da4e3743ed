// The transfer of a project's verdicts: what is asked of the pure dispositions, from its state.
import {
  type Effective,
  effectiveOf,
  withoutOverlays,
} from '../../requirements/graph/effective.ts';
import { indexGraph } from '../../requirements/graph/graph-index.ts';
import { type Graph, isNormative } from '../../requirements/graph/model.ts';
import type { Requirements } from '../../requirements/requirements.ts';
import type { ValidationRow } from '../../store/tables/assurance.ts';
import { testFingerprints } from '../results/test-fingerprints.ts';
import type { AssuranceState } from '../state/state.ts';
import { GONE_KEY, type Walk } from '../state/walks.ts';
import { dispositionsOf, renamedTo, type TransferItem } from './dispositions.ts';
import { additionPeriods, goneAlike, hasGone, mayBeRenamed } from './gone.ts';
import { storyOf } from './renames.ts';

export interface Transfer {
  items: TransferItem[];
  against: Effective;
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
  const { validationsOf, effective } = state;
  const { read } = requirements.database;
  const against = await heldAgainst(requirements, effective, to);
  const { index, node, under } = against;
  const gone = [...validationsOf].flatMap(([id, verdicts]) =>
    storyOf(against, id) ? [] : verdicts,
  );
  const idsOn = await idsOfRevisions(requirements, effective.projectId, gone);
  const left = await goneAlike(read, effective.projectId, gone);
  const until = /^\d+$/.test(to) ? Number(to) : Number.POSITIVE_INFINITY;
  const periods = gone.length === 0 ? undefined : await additionPeriods(read, effective.projectId);
  const items = dispositionsOf({
    target: { stories: index.graph.nodes.filter(isNormative), node, under },
    verdictsOf: validationsOf,
    from,
    presence: {
      idsOn: (revision) => idsOn.get(revision),
      periodsOf: (storyId) => periods?.get(storyId) ?? [],
    },
    leftAlike: ({ fingerprint, createdAt }) =>
      (left.get(fingerprint) ?? [])
        .filter(({ at, revision }) => at >= createdAt && revision <= until)
        .map(({ storyId }) => storyId),
    testFingerprint: testFingerprints(state),
  });
  return { items, against };
}

async function heldAgainst(
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

const idsOf = new WeakMap<Graph, ReadonlySet<string>>();

async function idsOfRevisions(
  { graphs }: Requirements,
  projectId: string,
  verdicts: readonly ValidationRow[],
): Promise<Map<number, ReadonlySet<string>>> {
  const found = new Map<number, ReadonlySet<string>>();
  for (const number of new Set(verdicts.map(({ revision }) => revision))) {
    if (number === 0) continue;
    const revision = await graphs.revision(projectId, number);
    const graph = await graphs.graph(revision);
    const ids = idsOf.get(graph) ?? new Set(graph.nodes.map(({ id }) => id));
    idsOf.set(graph, ids);
    found.set(number, ids);
  }
  return found;
}

const renamedOf = new WeakMap<AssuranceState, Promise<readonly TransferItem[]>>();

function renamedItems(
  requirements: Requirements,
  state: AssuranceState,
): Promise<readonly TransferItem[]> {
  const known = renamedOf.get(state);
  if (known) return known;
  const made = transferItems(requirements, state, undefined).then(({ items }) =>
    items.filter(({ candidates }) => candidates.length > 0),
  );
  renamedOf.set(state, made);
  made.catch(() => renamedOf.delete(state));
  return made;
}

/** The verdicts that wait to be carried to what their stories were renamed to, by the new ids. */
export async function verdictsToCarry(
  requirements: Requirements,
  state: AssuranceState,
): Promise<ReadonlyMap<string, ValidationRow>> {
  const waiting = new Map<string, ValidationRow>();
  if (!hasGone(state)) return waiting;
  for (const item of await renamedItems(requirements, state)) {
    const to = renamedTo(item);
    if (to !== null && item.validation) waiting.set(to, item.validation);
  }
  return waiting;
}

/**
 * The verdicts on stories that are gone that can be on some stories, and on no others: when these say
 * something else, nothing has what was judged any more.
 */
export async function verdictsSolelyOn(
  requirements: Requirements,
  state: AssuranceState,
  ids: readonly string[],
): Promise<readonly ValidationRow[]> {
  if (!ids.some((id) => mayBeRenamed(state, id))) return [];
  const some = new Set(ids);
  return (await renamedItems(requirements, state)).flatMap(({ candidates, validation }) => {
    const isWithin = candidates.length <= some.size && candidates.every((id) => some.has(id));
    return validation && isWithin ? validation : [];
  });
}

const UNJUDGED = 2 ** 52;

/**
 * The items behind a key of a walk, in its order: judged stories by their first verdicts, then the others
 * in source order. A verdict made since the walk began moves no story from its place.
 *
 * @param clock - the number of the last verdict that there was when the walk began
 */
export function itemsBehind(
  items: readonly TransferItem[],
  walk: Walk,
  clock: number,
  behind = -1,
): { key: number; item: TransferItem }[] {
  const keyed = items.flatMap((item) => {
    const key = keyOf(item, walk, clock);
    return key === undefined || key <= behind ? [] : [{ key, item }];
  });
  return keyed.sort((a, b) => a.key - b.key);
}

function keyOf(
  { storyId, firstSeq, judgedSeq }: TransferItem,
  walk: Walk,
  clock: number,
): number | undefined {
  if (firstSeq !== null && judgedSeq !== null && judgedSeq <= clock) return firstSeq;
  const key = walk.keyOf(storyId);
  if (key !== undefined) return UNJUDGED + key;
  // Of a story that came, was judged and went while the walk was under way.
  return firstSeq === null ? undefined : UNJUDGED + GONE_KEY + firstSeq;
}
