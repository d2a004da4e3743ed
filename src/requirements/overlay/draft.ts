// An edit that is not made: which fingerprints would be others with it. It is laid on the graph only
// when the deep fingerprints are asked for, and then once for each profile.
import type { Effective } from '../graph/effective.ts';
import { fieldsOfPrefix, fingerprintOf, type NormativeField } from '../graph/fingerprint.ts';
import { type GraphIndex, upstreamLinks } from '../graph/graph-index.ts';
import type { Graph } from '../graph/model.ts';
import { applyOverlays } from './apply.ts';
import type { EditContent } from './model.ts';

/** What a story would say otherwise; stored fingerprints name the profiles that are meant. */
export interface Draft {
  /** Whether the story's own fingerprint would be another. */
  moves(stored: string): boolean;
  /** Whether what it would say is said by no other node: then all that rests on it is another too. */
  isNew(stored: string): boolean;
  /** The fingerprint that a node would have, made the way a stored one was. */
  under(id: string, stored: string): string | undefined;
  /** Whether it had to be laid on the graph. */
  isLaid(): boolean;
}

/** A text that is not known yet, and that nobody has ever seen. */
export const UNSEEN: Draft = {
  moves: () => true,
  isNew: () => true,
  under: () => undefined,
  isLaid: () => false,
};

interface Drafted {
  index: GraphIndex;
  fields: readonly NormativeField[];
  before: string;
  after: string;
  laid: GraphIndex | undefined;
}

/** What a graph would be with an edit of one of its nodes. */
export function draftOf(
  { indexUnder }: Pick<Effective, 'indexUnder'>,
  { storyId, set }: Pick<EditContent, 'storyId' | 'set'>,
): Draft {
  const drafts = new Map<string, Drafted | undefined>();
  let isLaid = false;

  function under(stored: string): Drafted | undefined {
    // Fingerprints and deep ones have their profiles behind another letter.
    const profile = stored.slice(1, stored.indexOf(':'));
    if (!drafts.has(profile)) drafts.set(profile, make(stored));
    return drafts.get(profile);
  }

  function make(stored: string): Drafted | undefined {
    const [index, fields] = [indexUnder(stored), fieldsOfPrefix(stored)];
    const place = index?.at.get(storyId);
    const node = place === undefined ? undefined : index?.graph.nodes[place];
    if (!index || !fields || place === undefined || !node) return undefined;
    const after = fingerprintOf({ ...node, ...set }, upstreamLinks(index, place), fields);
    return { index, fields, before: node.fingerprint, after, laid: undefined };
  }

  function lay(drafted: Drafted): GraphIndex {
    isLaid = true;
    const edits = [{ id: '', storyId, set }];
    drafted.laid ??= applyOverlays(drafted.index, { edits, additions: [] }, drafted.fields);
    return drafted.laid;
  }

  function moves(stored: string): boolean {
    const drafted = under(stored);
    return drafted !== undefined && drafted.before !== drafted.after;
  }

  return {
    moves,
    isNew(stored) {
      const drafted = under(stored);
      return drafted !== undefined && !saidIn(drafted.index.graph).has(drafted.after);
    },
    under(id, stored) {
      const drafted = under(stored);
      if (!drafted) return undefined;
      const isDeep = stored.startsWith('d');
      if (id === storyId && !isDeep) return drafted.after;
      const { at, graph } = isDeep && moves(stored) ? lay(drafted) : drafted.index;
      const node = graph.nodes[at.get(id) ?? -1];
      return isDeep ? node?.deepFingerprint : node?.fingerprint;
    },
    isLaid: () => isLaid,
  };
}

const saidBy = new WeakMap<Graph, ReadonlySet<string>>();

/** The fingerprints of a graph; gathered once. */
function saidIn(graph: Graph): ReadonlySet<string> {
  const known = saidBy.get(graph) ?? new Set(graph.nodes.map(({ fingerprint }) => fingerprint));
  saidBy.set(graph, known);
  return known;
}
