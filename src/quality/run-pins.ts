// The fingerprints that stories had for a run: those of its claim, of the revision that it names, or
// of today.
import type { Effective } from '../requirements/effective.ts';
import { type GraphNode, isNormative } from '../requirements/graph/model.ts';
import type { Requirements } from '../requirements/requirements.ts';
import type { RevisionRow } from '../store/tables/requirements.ts';

/** Of each story that there is: its fingerprint and its deep fingerprint. */
export type Pins = Record<string, [fingerprint: string, deepFingerprint: string]>;

/** When a run was claimed, and what was pinned then. */
export interface ClaimedPins {
  revision: number;
  overlayClock: number;
  pins: Pins;
}

/** Which state of the requirements a run is of. */
export interface PinnedState {
  /** The revision that its row names. */
  revision: number;
  /** The clock of the edits and additions laid on it; null where the sources alone are meant. */
  overlayClock: number | null;
  /** The pins of some stories; those that there are not are left out. */
  pinsOf(storyIds: Iterable<string>): Pins;
}

/**
 * Reads the state of the requirements that a run is of.
 *
 * @param run - `revision` is the one that its submission names; `claim` goes before it
 * @throws Problem `not_found` for a revision that there is not
 */
export async function pinnedState(
  { effective, graphs }: Requirements,
  projectId: string,
  run: { revision?: number | null | undefined; claim?: ClaimedPins | undefined },
): Promise<PinnedState> {
  const today = await effective.of(projectId);
  const now = today.revision?.number ?? 0;
  const { claim } = run;
  const revision = claim?.revision ?? run.revision ?? now;
  const isToday = revision === now && (!claim || claim.overlayClock === today.overlayClock);
  const nodeOf = isToday
    ? (id: string) => today.node(id)
    : await canonicalNodes(graphs, today, await rowOf(graphs, projectId, revision));
  return {
    revision,
    overlayClock: isToday ? today.overlayClock : (claim?.overlayClock ?? null),
    pinsOf(storyIds) {
      const pins: Pins = { ...claim?.pins };
      for (const id of storyIds) {
        const node = Object.hasOwn(pins, id) ? undefined : nodeOf(id);
        if (node && isNormative(node)) set(pins, id, node);
      }
      return pins;
    },
  };
}

async function rowOf(
  graphs: Requirements['graphs'],
  projectId: string,
  revision: number,
): Promise<RevisionRow | undefined> {
  if (revision === 0) return undefined;
  return graphs.known(projectId, revision) ?? (await graphs.revision(projectId, revision));
}

/** The nodes of a revision as its sources gave them: what was laid on it then is not kept. */
async function canonicalNodes(
  graphs: Requirements['graphs'],
  today: Effective,
  revision: RevisionRow | undefined,
): Promise<(id: string) => GraphNode | undefined> {
  if (revision === undefined) return () => undefined;
  if (revision.graphSha256 === today.revision?.graphSha256) {
    const { at, graph } = today.canonical;
    return (id) => graph.nodes[at.get(id) ?? -1];
  }
  const { nodes } = await graphs.graph(revision);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return (id) => byId.get(id);
}

/** A story may be called `__proto__` as well. */
function set(pins: Pins, id: string, { fingerprint, deepFingerprint }: GraphNode): void {
  Object.defineProperty(pins, id, {
    ...{ enumerable: true, configurable: true, writable: true },
    value: [fingerprint, deepFingerprint],
  });
}
