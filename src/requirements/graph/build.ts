// Makes the canonical graph of what the readers found.
import type { SourceFinding, SourceItem, SourceLink } from '../sources/model.ts';
import {
  deepFingerprints,
  fingerprinter,
  type NormativeField,
  UPSTREAM,
  type UpstreamLink,
} from './fingerprint.ts';
import type { Graph, GraphEdge, GraphNode } from './model.ts';

/** All that the readers of a source set found. */
export interface SourceContent {
  items: readonly SourceItem[];
  links: readonly SourceLink[];
}

export interface BuiltGraph extends Graph {
  /** Of two items with one id the first by path and line has won: one finding for each id. */
  findings: SourceFinding[];
}

/**
 * Builds the graph. The same content gives the same graph, in whatever order it comes.
 *
 * @param normative - the fields that fingerprints cover
 */
export function buildGraph(
  content: SourceContent,
  normative: readonly NormativeField[],
): BuiltGraph {
  const sorted = [...content.items].sort(bySource);
  const { winners, findings } = firstOfEachId(sorted);
  const index = new Map(winners.map((item, at) => [item.id, at]));
  const edges = collectEdges(winners, content.links, index);
  const upstream = winners.map((): UpstreamLink[] => []);
  const targets = winners.map((): number[] => []);
  for (const edge of edges) {
    const from = index.get(edge.from);
    if (from === undefined || !UPSTREAM.has(edge.type)) continue;
    const to = index.get(edge.to);
    const link: UpstreamLink = [edge.type, to === undefined ? `missing:${edge.to}` : edge.to];
    // Edges that differ in their roles alone follow each other, and are one to a fingerprint.
    const last = upstream[from]?.at(-1);
    if (last?.[0] === link[0] && last[1] === link[1]) continue;
    upstream[from]?.push(link);
    if (to !== undefined) targets[from]?.push(to);
  }
  const fingerprint = fingerprinter(normative);
  const fingerprints = winners.map((item, at) => fingerprint(item, upstream[at] ?? []));
  const deep = deepFingerprints(fingerprints, targets);
  const nodes = winners.map((item, at) => nodeOf(item, at, fingerprints[at] ?? '', deep[at] ?? ''));
  return { nodes, edges, findings };
}

function nodeOf(
  item: SourceItem,
  order: number,
  fingerprint: string,
  deepFingerprint: string,
): GraphNode {
  const {
    id,
    kind,
    title,
    statement,
    acceptance,
    rationale,
    status,
    priority,
    tags,
    attributes,
    active,
  } = item;
  const source = { path: item.path, line: item.line };
  return {
    ...{
      id,
      kind,
      title,
      statement,
      acceptance,
      rationale,
      status,
      priority,
      tags,
      attributes,
      active,
    },
    ...{ source, order, fingerprint, deepFingerprint },
  };
}

function bySource(a: SourceItem, b: SourceItem): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return (a.order ?? a.line) - (b.order ?? b.line);
}

function firstOfEachId(sorted: readonly SourceItem[]): {
  winners: SourceItem[];
  findings: SourceFinding[];
} {
  const byId = Map.groupBy(sorted, (item) => item.id);
  const findings: SourceFinding[] = [];
  for (const [id, [first, ...others]] of byId) {
    if (!first || others.length === 0) continue;
    const places = others.map(({ path, line }) => `${path}:${line}`);
    findings.push({
      code: 'duplicate_id',
      severity: 'error',
      path: first.path,
      line: first.line,
      itemId: id,
      relatedIds: [],
      detail: `${id} stands here and again at ${places.join(', ')}; the first is taken.`,
    });
  }
  return { winners: [...byId.values()].flatMap(([first]) => (first ? [first] : [])), findings };
}

function collectEdges(
  items: readonly SourceItem[],
  links: readonly SourceLink[],
  index: ReadonlyMap<string, number>,
): GraphEdge[] {
  const edges = new Map<string, GraphEdge>();
  for (const item of items) {
    if (item.parentId === null || !index.has(item.parentId)) continue;
    const edge: GraphEdge = { from: item.parentId, to: item.id, type: 'contains', status: 'ok' };
    edges.set(keyOf(edge), edge);
  }
  for (const link of links) {
    if (!index.has(link.from)) continue;
    const edge = edgeOf(link, index.has(link.to));
    const key = keyOf(edge);
    const known = edges.get(key);
    if (!known || known.status === 'ok') edges.set(key, edge);
  }
  const place = (id: string) => index.get(id) ?? Number.MAX_SAFE_INTEGER;
  return [...edges.values()].sort(
    (a, b) =>
      place(a.from) - place(b.from) ||
      compare(a.type, b.type) ||
      place(a.to) - place(b.to) ||
      compare(a.to, b.to) ||
      compare(a.role ?? '', b.role ?? '') ||
      compare(textOf(a.attributes), textOf(b.attributes)),
  );
}

function edgeOf({ from, to, type, suspect, role, attributes }: SourceLink, found: boolean) {
  const status = found ? (suspect === true ? 'suspect' : 'ok') : 'dangling';
  const edge: GraphEdge = { from, to, type, status };
  if (role !== undefined && role !== '') edge.role = role;
  if (attributes !== undefined && Object.keys(attributes).length > 0) edge.attributes = attributes;
  return edge;
}

/** What makes two links one edge: all that they say, but for whether the target has changed. */
function keyOf({ from, to, type, role, attributes }: GraphEdge): string {
  const key = `${type} ${from.length} ${from} ${to.length} ${to}`;
  if (role === undefined && attributes === undefined) return key;
  return `${key} ${role === undefined ? '' : JSON.stringify(role)} ${textOf(attributes)}`;
}

/** Attributes as text, the same in whatever order they come. */
function textOf(attributes: GraphEdge['attributes']): string {
  if (attributes === undefined) return '';
  const entries = Object.entries(attributes).sort(([a], [b]) => compare(a, b));
  return JSON.stringify(entries);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
