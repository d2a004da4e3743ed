// Makes the canonical graph of what the readers found.
import { idFault, shownId } from '../sources/item-ids.ts';
import type { SourceFinding, SourceItem, SourceLink } from '../sources/model.ts';
import { deepFingerprints, fingerprinter, type NormativeField } from './fingerprint.ts';
import { edgesAt, upstreamLinks, upstreamPlaces } from './graph-index.ts';
import { compare, type Graph, type GraphEdge, type GraphNode } from './model.ts';

export interface SourceContent {
  items: readonly SourceItem[];
  links: readonly SourceLink[];
  /** The paths of files of prose, whose items give way to those of files that hold nothing else. */
  prose?: ReadonlySet<string>;
}

interface CollectedEdges {
  edges: GraphEdge[];
  /** The link that declares each edge but `contains`: of several the first by path and line. */
  declared: ReadonlyMap<GraphEdge, SourceLink>;
  /** Links from an id that no item has, in the order of path and line. */
  rootless: SourceLink[];
  /** Links from or to what can be no id, in the order of path and line; they are no edges. */
  unnameable: SourceLink[];
}

export interface BuiltGraph extends Graph, CollectedEdges {
  /** Of items with one id one has won, not of prose if there is one, then the first: a finding for each id. */
  findings: SourceFinding[];
  /** Items whose ids can be none, one finding for each: they are no nodes, nor their links edges. */
  leftOut: SourceItem[];
  /** Ids of what would contain items whose id another item has. */
  robbed: ReadonlySet<string>;
}

/** Builds the graph. The same content gives the same graph, in whatever order it comes. */
export function buildGraph(
  { items, links, prose = new Set() }: SourceContent,
  normative: readonly NormativeField[],
): BuiltGraph {
  const sorted = items.toSorted(
    (a, b) => compare(a.among ?? a.path, b.among ?? b.path) || byPlace(a, b),
  );
  const leftOut = sorted.filter(({ id }) => idFault(id) !== undefined);
  const named = leftOut.length === 0 ? sorted : sorted.filter(({ id }) => !idFault(id));
  const { winners, findings: repeated, robbed } = oneOfEachId(named, prose);
  const at = new Map(winners.map((item, place) => [item.id, place]));
  const gone = new Set(leftOut.map(({ id }) => id));
  const left =
    gone.size === 0 ? links : links.filter(({ from, to }) => !gone.has(from) && !gone.has(to));
  const collected = collectEdges(winners, left, at);
  const edges = { at, outgoing: edgesAt('from', collected.edges, at, winners.length) };
  const fingerprint = fingerprinter(normative);
  const fingerprints = winners.map((item, place) => fingerprint(item, upstreamLinks(edges, place)));
  const deep = deepFingerprints(
    fingerprints,
    winners.map((_, place) => upstreamPlaces(edges, place)),
  );
  const nodes = winners.map((item, order) =>
    nodeOf(item, order, fingerprints[order] ?? '', deep[order] ?? ''),
  );
  const findings = [...leftOut.map(leftOutFinding), ...repeated];
  return { nodes, ...collected, findings, leftOut, robbed };
}

function nodeOf(
  item: SourceItem,
  order: number,
  fingerprint: string,
  deepFingerprint: string,
): GraphNode {
  const { id, kind, title, statement, acceptance, rationale, status, priority, tags } = item;
  const { attributes, active, path, line } = item;
  const texts = { title, statement, acceptance, rationale, status, priority, tags };
  const source = { path, line };
  return { id, kind, ...texts, attributes, active, source, order, fingerprint, deepFingerprint };
}

/** The order within a file. */
function byPlace(a: SourceItem, b: SourceItem): number {
  return (a.order ?? a.line) - (b.order ?? b.line);
}

function fileOf({ givenBy, path }: SourceItem): string {
  return givenBy ?? path;
}

function leftOutFinding({ id, path, line, inside }: SourceItem): SourceFinding {
  const here = inside === undefined ? '' : `${inside}: `;
  const detail = `${here}An item is left out: its id ${idFault(id)}, and is ${shownId(id)}; its links go with it.`;
  const place = { path, line, itemId: null, relatedIds: [] };
  return { code: 'invalid_id', severity: 'error', ...place, detail };
}

function oneOfEachId(sorted: readonly SourceItem[], prose: ReadonlySet<string>) {
  const findings: SourceFinding[] = [];
  const robbed = new Set<string>();
  const isProse = (item: SourceItem) => Number(prose.has(fileOf(item)));
  const winners = [...Map.groupBy(sorted, ({ id }) => id).values()].map((alike) => {
    const [first, ...others] = alike.sort(
      (a, b) =>
        isProse(a) - isProse(b) ||
        // Where an item says that it once stood counts for nothing against one that stands there.
        compare(fileOf(a), fileOf(b)) ||
        compare(a.path, b.path) ||
        byPlace(a, b),
    ) as [SourceItem, ...SourceItem[]];
    if (others.length > 0) findings.push(repeatedFinding(first, others));
    for (const { parentId } of others) if (parentId !== null) robbed.add(parentId);
    return first;
  });
  return { winners, findings, robbed };
}

function repeatedFinding(
  { id, path, line, inside }: SourceItem,
  others: readonly SourceItem[],
): SourceFinding {
  const here = inside === undefined ? '' : `${inside}: `;
  const places = others.map((other) => {
    const within = other.inside === undefined ? '' : `!${other.inside}`;
    return other.givenBy ?? `${other.path}${within}:${other.line}`;
  });
  const detail = `${here}${id} stands here and again at ${places.join(', ')}: this one is taken, and what the others link to is left out.`;
  const place = { path, line, itemId: id, relatedIds: [] };
  return { code: 'duplicate_id', severity: 'error', ...place, detail };
}

/** What an item declares that has lost its id is left out. */
function collectEdges(
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
    edges.set(edgeKey(edge), edge);
  }
  for (const link of links) {
    if (link.item && hasLost(link.item, items[index.get(link.item.id) ?? -1])) continue;
    if ([link.from, link.to].some((id) => !index.has(id) && idFault(id) !== undefined))
      unnameable.push(link);
    else if (!index.has(link.from)) rootless.push(link);
    else {
      const edge = edgeOf(link, index.has(link.to));
      const key = edgeKey(edge);
      const known = edges.get(key) ?? edge;
      edges.set(key, known);
      if (edge.status !== 'ok') known.status = edge.status;
      const first = declared.get(known);
      if (known === edge || (first && byLine(link, first) < 0)) declared.set(known, link);
    }
  }
  return {
    edges: inOrder([...edges.values()], index),
    declared,
    rootless: rootless.sort(byLine),
    unnameable: unnameable.sort(byLine),
  };
}

function hasLost(
  { path, line, givenBy }: NonNullable<SourceLink['item']>,
  winner: SourceItem | undefined,
): boolean {
  return (
    winner !== undefined &&
    (winner.line !== line || winner.path !== path || winner.givenBy !== givenBy)
  );
}

function byLine(a: SourceLink, b: SourceLink): number {
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

function edgeKey({ from, to, type, role = '', attributes }: GraphEdge): string {
  const key = `${type} ${from.length} ${from} ${to.length} ${to}`;
  const more = attributesText(attributes);
  return role === '' && more === '' ? key : `${key} ${JSON.stringify(role)} ${more}`;
}

/** Attributes as text, the same in whatever order they come; empty for none. */
function attributesText(attributes: GraphEdge['attributes']): string {
  if (attributes === undefined) return '';
  const entries = Object.entries(attributes);
  return JSON.stringify(entries.sort(([a], [b]) => compare(a, b)));
}
