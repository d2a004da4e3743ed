// Makes the canonical graph of what the readers found.

import { idFault, shownId } from '../sources/item-ids.ts';
import type { SourceFinding, SourceItem, SourceLink } from '../sources/model.ts';
import { type CollectedEdges, collectEdges, compare } from './edges.ts';
import { deepFingerprints, fingerprinter, type NormativeField } from './fingerprint.ts';
import { edgesAt, upstreamLinks, upstreamPlaces } from './graph-index.ts';
import type { Graph, GraphNode } from './model.ts';

export interface SourceContent {
  items: readonly SourceItem[];
  links: readonly SourceLink[];
  /** The paths of files of prose, whose items give way to those of files that hold nothing else. */
  prose?: ReadonlySet<string>;
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
  content: SourceContent,
  normative: readonly NormativeField[],
): BuiltGraph {
  const sorted = [...content.items].sort(bySource);
  const leftOut = sorted.filter(({ id }) => idFault(id) !== undefined);
  const named = leftOut.length === 0 ? sorted : sorted.filter(({ id }) => !idFault(id));
  const { winners, findings: repeated, robbed } = oneOfEachId(named, content.prose ?? new Set());
  const index = new Map(winners.map((item, at) => [item.id, at]));
  const collected = collectEdges(winners, linksWithout(leftOut, content.links), index);
  const findings = [...leftOut.map(leftOutFinding), ...repeated];
  const edges = { at: index, outgoing: edgesAt('from', collected.edges, index, winners.length) };
  const fingerprint = fingerprinter(normative);
  const fingerprints = winners.map((item, at) => fingerprint(item, upstreamLinks(edges, at)));
  const deep = deepFingerprints(
    fingerprints,
    winners.map((_, at) => upstreamPlaces(edges, at)),
  );
  const nodes = winners.map((item, at) => nodeOf(item, at, fingerprints[at] ?? '', deep[at] ?? ''));
  return { nodes, ...collected, findings, leftOut, robbed };
}

function nodeOf(
  item: SourceItem,
  order: number,
  fingerprint: string,
  deepFingerprint: string,
): GraphNode {
  const { id, kind, title, statement, acceptance, rationale, status, priority, tags } = item;
  return {
    id,
    kind,
    title,
    statement,
    acceptance,
    rationale,
    status,
    priority,
    tags,
    attributes: item.attributes,
    active: item.active,
    source: { path: item.path, line: item.line },
    order,
    fingerprint,
    deepFingerprint,
  };
}

/** The order of a graph: that in which people read the files. */
function bySource(a: SourceItem, b: SourceItem): number {
  return compare(a.among ?? a.path, b.among ?? b.path) || byPlace(a, b);
}

function byPath(a: SourceItem, b: SourceItem): number {
  return compare(a.path, b.path) || byPlace(a, b);
}

/** The order within a file. */
function byPlace(a: SourceItem, b: SourceItem): number {
  return (a.order ?? a.line) - (b.order ?? b.line);
}

function fileOf({ givenBy, path }: SourceItem): string {
  return givenBy ?? path;
}

function placeOf({ path, line, inside, givenBy }: SourceItem): string {
  return givenBy ?? `${path}${inside === undefined ? '' : `!${inside}`}:${line}`;
}

function leftOutFinding({ id, path, line, inside }: SourceItem): SourceFinding {
  const here = inside === undefined ? '' : `${inside}: `;
  const detail = `${here}An item is left out: its id ${idFault(id)}, and is ${shownId(id)}; its links go with it.`;
  return {
    code: 'invalid_id',
    severity: 'error',
    path,
    line,
    itemId: null,
    relatedIds: [],
    detail,
  };
}

function linksWithout(
  leftOut: readonly SourceItem[],
  links: readonly SourceLink[],
): readonly SourceLink[] {
  if (leftOut.length === 0) return links;
  const ids = new Set(leftOut.map(({ id }) => id));
  return links.filter(({ from, to }) => !ids.has(from) && !ids.has(to));
}

function oneOfEachId(
  sorted: readonly SourceItem[],
  prose: ReadonlySet<string>,
): { winners: SourceItem[]; findings: SourceFinding[]; robbed: Set<string> } {
  const byId = Map.groupBy(sorted, (item) => item.id);
  const findings: SourceFinding[] = [];
  const robbed = new Set<string>();
  /** The parents of the items that have lost their ids to one of another file, by file and id. */
  const lost = new Map<string, string | null>();
  const isProse = (item: SourceItem) => Number(prose.has(fileOf(item)));
  for (const [id, alike] of byId) {
    if (alike.length === 1) continue;
    // Where an item says that it once stood counts for nothing against one that stands there.
    alike.sort((a, b) => isProse(a) - isProse(b) || compare(fileOf(a), fileOf(b)) || byPath(a, b));
    const [first, ...others] = alike as [SourceItem, ...SourceItem[]];
    for (const { path, parentId } of others) {
      if (parentId !== null) robbed.add(parentId);
      if (path !== first.path) lost.set(placeKey(path, id), parentId);
    }
    const here = first.inside === undefined ? '' : `${first.inside}: `;
    findings.push({
      code: 'duplicate_id',
      severity: 'error',
      path: first.path,
      line: first.line,
      itemId: id,
      relatedIds: [],
      detail: `${here}${id} stands here and again at ${others.map(placeOf).join(', ')}: this one is taken, and what the others link to is left out.`,
    });
  }
  const firsts = [...byId.values()].flatMap(([first]) => (first ? [first] : []));
  return { winners: firsts.map((item) => underOwnParent(item, lost)), findings, robbed };
}

function underOwnParent(item: SourceItem, lost: Map<string, string | null>): SourceItem {
  let { parentId } = item;
  const passed = new Set<string>();
  while (parentId !== null) {
    const key = placeKey(item.path, parentId);
    if (!lost.has(key) || passed.has(key)) break;
    passed.add(key);
    parentId = lost.get(key) ?? null;
  }
  for (const key of passed) lost.set(key, parentId);
  return passed.size === 0 ? item : { ...item, parentId };
}

function placeKey(path: string, id: string): string {
  return JSON.stringify([path, id]);
}
