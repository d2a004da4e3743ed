// The part of a project that is asked about, by the filters that lists, figures and gates share.
import { notFoundAt } from '../../errors.ts';
import { reachBelow } from '../../requirements/graph/cut.ts';
import type { AssuranceState } from '../state/state.ts';

export interface ScopeFilters {
  storyId?: readonly string[] | undefined;
  kind?: readonly string[] | undefined;
  tag?: readonly string[] | undefined;
  root?: string | undefined;
}

/** Whether what has an id is asked about. */
export type Scope = (id: string) => boolean;

/** The scopes of a state by their filters: what is made of one is found again by it. */
const scopes = new WeakMap<AssuranceState, Map<string, Scope>>();
const MAX_SCOPES = 20;

/**
 * @returns undefined where nothing is left out
 * @throws Problem `not_found` where nothing has the root
 */
export function scopeOf(
  state: AssuranceState,
  { storyId, kind, tag, root }: ScopeFilters,
): Scope | undefined {
  if (!storyId && !kind && !tag && root === undefined) return undefined;
  const known = scopes.get(state) ?? new Map<string, Scope>();
  scopes.set(state, known);
  const key = JSON.stringify([storyId, kind, tag, root]);
  const scope = known.get(key) ?? makeScope(state, { storyId, kind, tag, root });
  if (known.size >= MAX_SCOPES) known.clear();
  known.set(key, scope);
  return scope;
}

function makeScope(
  { effective: { node, index } }: AssuranceState,
  { storyId, kind, tag, root }: ScopeFilters,
): Scope {
  if (root !== undefined && !node(root)) throw notFoundAt('/root', 'is in no source');
  const contains = index.graph.edges.filter(({ type }) => type === 'contains');
  const below = root === undefined ? undefined : reachBelow(contains, root);
  const ids = storyId && new Set(storyId);
  return (id) =>
    (!ids || ids.has(id)) &&
    (!below || below.has(id)) &&
    (!kind || kind.includes(node(id)?.kind ?? '')) &&
    (!tag || tag.some((one) => node(id)?.tags.includes(one)));
}
