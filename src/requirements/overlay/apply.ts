// The effective graph: the canonical one with accepted edits and active additions laid on it. Only
// what they touch is made anew.
import {
  fieldsOfPrefix,
  fingerprinter,
  fingerprintPrefix,
  type NormativeField,
  refreshDeepFingerprints,
} from '../graph/fingerprint.ts';
import {
  type GraphIndex,
  indexGraph,
  reachedBy,
  UPSTREAM,
  upstreamLinks,
  upstreamPlaces,
} from '../graph/graph-index.ts';
import { compare, type GraphEdge, type GraphNode, isNormative } from '../graph/model.ts';
import type { AdditionContent, EditContent } from './model.ts';

export interface Overlays {
  /** In the order in which they were accepted: of two that set one field the later one holds. */
  edits: readonly EditContent[];
  additions: readonly AdditionContent[];
}

/**
 * Lays overlays on a graph. Edits of what is no story, and additions whose id is taken, are passed
 * over.
 * @param normative - what the fingerprints of the result cover
 * @returns the graph itself where nothing differs
 */
export function applyOverlays(
  canonical: GraphIndex,
  { edits, additions }: Overlays,
  normative: readonly NormativeField[],
): GraphIndex {
  const added = additions.filter(({ storyId }) => !canonical.at.has(storyId));
  const touched = new Set<number>();
  const nodes = [...canonical.graph.nodes];
  for (const addition of added) nodes.push(nodeOf(addition, nodes.length));
  const index =
    added.length === 0
      ? { ...canonical, graph: { ...canonical.graph, nodes } }
      : indexGraph({ nodes, edges: edgesWith(canonical, added) });
  for (const { storyId, set } of edits) {
    const place = index.at.get(storyId) ?? -1;
    const node = nodes[place];
    if (!node || !isNormative(node)) continue;
    nodes[place] = { ...node, ...set };
    touched.add(place);
  }
  for (const { storyId } of added) {
    const place = index.at.get(storyId) ?? 0;
    touched.add(place);
    // What pointed at nothing until now says something else.
    for (const { from, type } of index.incoming(place)) {
      const source = UPSTREAM.has(type) ? index.at.get(from) : undefined;
      if (source !== undefined) touched.add(source);
    }
  }
  const prefix = nodes[0]?.fingerprint;
  if (prefix && fingerprintPrefix(fieldsOfPrefix(prefix) ?? []) !== fingerprintPrefix(normative))
    for (const place of nodes.keys()) touched.add(place);
  if (touched.size === 0) return canonical;
  refingerprint(index, nodes, [...touched], normative);
  return index;
}

function refingerprint(
  index: GraphIndex,
  nodes: GraphNode[],
  touched: readonly number[],
  normative: readonly NormativeField[],
): void {
  const fingerprint = fingerprinter(normative);
  const fingerprints = nodes.map((node) => node.fingerprint);
  for (const place of touched) {
    const node = nodes[place] as GraphNode;
    fingerprints[place] = fingerprint(node, upstreamLinks(index, place));
  }
  const changed = touched.filter((place) => fingerprints[place] !== nodes[place]?.fingerprint);
  const { places, count } = reachedBy(index, changed);
  const reached = [...places.subarray(0, count)];
  const deep = nodes.map((node) => node.deepFingerprint);
  const targets: number[][] = new Array(nodes.length);
  for (const place of reached) targets[place] = upstreamPlaces(index, place);
  refreshDeepFingerprints(deep, fingerprints, targets, reached);
  for (const place of reached) {
    const made = { fingerprint: fingerprints[place] ?? '', deepFingerprint: deep[place] ?? '' };
    nodes[place] = { ...(nodes[place] as GraphNode), ...made };
  }
}

function nodeOf(addition: AdditionContent, order: number): GraphNode {
  const { id, storyId, kind, title, statement, acceptance } = addition;
  return {
    id: storyId,
    kind,
    title,
    statement,
    acceptance,
    rationale: null,
    status: null,
    priority: null,
    tags: [],
    attributes: {},
    active: true,
    source: { path: `story-additions/${id}`, line: 0 },
    order,
    fingerprint: '',
    deepFingerprint: '',
  };
}

// The edges with those of the additions; edges that dangled at an added story dangle no longer.
// What an addition was linked to or below may have left since.
function edgesWith({ graph, at }: GraphIndex, added: readonly AdditionContent[]): GraphEdge[] {
  const ids = new Set(added.map(({ storyId }) => storyId));
  const statusOf = (id: string) => (at.has(id) || ids.has(id) ? 'ok' : 'dangling');
  const edges = graph.edges.map(
    (edge): GraphEdge =>
      edge.status === 'dangling' ? { ...edge, status: statusOf(edge.to) } : edge,
  );
  for (const { storyId, parentId, links } of added) {
    if (parentId !== null)
      edges.push({ from: parentId, to: storyId, type: 'contains', status: statusOf(parentId) });
    const sorted = links.toSorted((a, b) => compare(a.type, b.type) || compare(a.to, b.to));
    for (const { type, to } of sorted)
      edges.push({ from: storyId, to, type, status: statusOf(to) });
  }
  return edges;
}
