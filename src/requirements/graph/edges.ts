// The edges of the graph: which links of the sources count, where each stands, and which lead from
// nowhere.
import { idFault } from '../sources/item-ids.ts';
import type { SourceItem, SourceLink } from '../sources/model.ts';
import type { GraphEdge } from './model.ts';

export interface CollectedEdges {
  /** In the order of their nodes, then of type, target and role. */
  edges: GraphEdge[];
  /** The link that declares each edge but `contains`: of several the first by path and line. */
  declared: ReadonlyMap<GraphEdge, SourceLink>;
  /** Links from an id that no item has, in the order of path and line. */
  rootless: SourceLink[];
  /** Links from or to what can be no id, in the order of path and line; they are no edges. */
  unnameable: SourceLink[];
}

/**
 * Makes the edges of items and links. What an item declares that has lost its id is left out.
 *
 * @param items - of the graph, in its order
 * @param index - the place of each id among the items
 */
export function collectEdges(
  items: readonly SourceItem[],
  links: readonly SourceLink[],
  index: ReadonlyMap<string, number>,
): CollectedEdges {
  const edges = new Map<string, GraphEdge>();
  const declared = new Map<GraphEdge, SourceLink>();
  const rootless: SourceLink[] = [];
  const unnameable: SourceLink[] = [];
  for (const item of items) {
    if (item.parentId === null || !index.has(item.parentId)) continue;
    const edge: GraphEdge = { from: item.parentId, to: item.id, type: 'contains', status: 'ok' };
    edges.set(linkKey(edge), edge);
  }
  for (const link of links) {
    if (link.item && hasLost(link.item, items, index)) continue;
    if ([link.from, link.to].some((id) => !index.has(id) && idFault(id) !== undefined)) {
      unnameable.push(link);
      continue;
    }
    if (!index.has(link.from)) {
      rootless.push(link);
      continue;
    }
    const edge = edgeOf(link, index.has(link.to));
    const key = linkKey(edge);
    const known = edges.get(key);
    if (!known) {
      edges.set(key, edge);
      declared.set(edge, link);
      continue;
    }
    if (edge.status !== 'ok') known.status = edge.status;
    if (byPlace(link, declared.get(known) ?? link) < 0) declared.set(known, link);
  }
  return {
    edges: inOrder([...edges.values()], index),
    declared,
    rootless: rootless.sort(byPlace),
    unnameable: unnameable.sort(byPlace),
  };
}

function hasLost(
  { id, path, line, givenBy }: NonNullable<SourceLink['item']>,
  items: readonly SourceItem[],
  index: ReadonlyMap<string, number>,
): boolean {
  const winner = items[index.get(id) ?? -1];
  return (
    winner !== undefined &&
    (winner.line !== line || winner.path !== path || winner.givenBy !== givenBy)
  );
}

function byPlace(a: SourceLink, b: SourceLink): number {
  return compare(a.path, b.path) || a.line - b.line;
}

function inOrder(edges: GraphEdge[], index: ReadonlyMap<string, number>): GraphEdge[] {
  const place = (id: string) => index.get(id) ?? Number.MAX_SAFE_INTEGER;
  return edges.sort(
    (a, b) =>
      place(a.from) - place(b.from) ||
      compare(a.type, b.type) ||
      place(a.to) - place(b.to) ||
      compare(a.to, b.to) ||
      compare(a.role ?? '', b.role ?? '') ||
      compare(attributesText(a.attributes), attributesText(b.attributes)),
  );
}

function edgeOf({ from, to, type, suspect, role, attributes }: SourceLink, found: boolean) {
  const status = found ? (suspect === true ? 'suspect' : 'ok') : 'dangling';
  const edge: GraphEdge = { from, to, type, status };
  if (role !== undefined && role !== '') edge.role = role;
  if (attributes !== undefined && Object.keys(attributes).length > 0) edge.attributes = attributes;
  return edge;
}

/** The order of two texts, by their UTF-16 units: the same on every machine. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function linkKey({ from, to, type, role = '', attributes }: GraphEdge): string {
  const key = `${type} ${from.length} ${from} ${to.length} ${to}`;
  const more = attributesText(attributes);
  return role === '' && more === '' ? key : `${key} ${JSON.stringify(role)} ${more}`;
}

/** Attributes as text, the same in whatever order they come; empty for none. */
function attributesText(attributes: GraphEdge['attributes']): string {
  if (attributes === undefined) return '';
  const entries = Object.entries(attributes);
  if (entries.length === 0) return '';
  return JSON.stringify(entries.sort(([a], [b]) => compare(a, b)));
}
