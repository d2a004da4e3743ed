// Makes the canonical graph of what the readers found.
import type { SourceFinding, SourceItem, SourceLink } from '../sources/model.ts';
import { idFault, shownId } from '../sources/usable-id.ts';
import { type CollectedEdges, collectEdges, compare } from './edges.ts';
import {
  deepFingerprints,
  fingerprinter,
  type NormativeField,
  UPSTREAM,
  type UpstreamLink,
} from './fingerprint.ts';
import { withOwnParents } from './lost-parents.ts';
import type { Graph, GraphNode } from './model.ts';

/** All that the readers of a source set found. */
export interface SourceContent {
  items: readonly SourceItem[];
  links: readonly SourceLink[];
}

/** A graph, with what its audit needs beside it. */
export interface BuiltGraph extends Graph, CollectedEdges {
  /** Of two items with one id the first by path and line has won: one finding for each id. */
  findings: SourceFinding[];
  /** Items whose ids can be none, one finding for each: they are no nodes, nor their links edges. */
  leftOut: SourceItem[];
  /** Ids of what would hold items that have lost their ids to others. */
  robbed: ReadonlySet<string>;
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
  const leftOut = sorted.filter(({ id }) => idFault(id) !== undefined);
  const named = leftOut.length === 0 ? sorted : sorted.filter(({ id }) => !idFault(id));
  const { winners: firsts, findings: repeated, robbed } = firstOfEachId(named);
  const isRepeated = firsts.length < named.length;
  const winners = isRepeated ? withOwnParents(firsts, [...named].sort(byPath)) : firsts;
  const index = new Map(winners.map((item, at) => [item.id, at]));
  const links = linksWithout(leftOut, content.links);
  const collected = collectEdges(winners, links, index);
  const moved = Map.groupBy(
    firsts.filter(({ parentId }, at) => winners[at]?.parentId !== parentId),
    ({ parentId }) => parentId,
  );
  const findings = [...leftOut.map(leftOutFinding), ...withLosses(repeated, collected.lost, moved)];
  const upstream = winners.map((): UpstreamLink[] => []);
  const targets = winners.map((): number[] => []);
  for (const edge of collected.edges) {
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
  return { nodes, ...collected, findings, leftOut, robbed };
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

/** The file of the source set that an item is of. */
function fileOf({ givenBy, path }: SourceItem): string {
  return givenBy ?? path;
}

/** Where an item stands, as a sentence may say it. */
function placeOf({ path, line, inside, givenBy }: SourceItem): string {
  return givenBy ?? `${path}${inside === undefined ? '' : `!${inside}`}:${line}`;
}

function leftOutFinding({ id, path, line, inside }: SourceItem): SourceFinding {
  const here = inside === undefined ? '' : `${inside}: `;
  const detail = `${here}An item is left out: its id ${idFault(id)}, and is ${shownId(id)}; its links go with it.`;
  return {
    ...{ code: 'invalid_id', severity: 'error', path, line, detail },
    ...{ itemId: null, relatedIds: [] },
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

const SHOWN = 5;

/** Findings on ids of several items, with what has gone with those that have lost theirs. */
function withLosses(
  findings: readonly SourceFinding[],
  lost: readonly SourceLink[],
  moved: ReadonlyMap<string | null, readonly SourceItem[]>,
): SourceFinding[] {
  const byItem = Map.groupBy(lost, ({ item }) => item?.id ?? '');
  return findings.map((finding) => {
    const links = byItem.get(finding.itemId ?? '') ?? [];
    const items = moved.get(finding.itemId) ?? [];
    const losses = [
      ...(links.length > 0
        ? [
            `these links of the others are left out: ${shownOf(links, (link) => linkText(link, finding))}`,
          ]
        : []),
      ...(items.length > 0
        ? [
            `these items below the others are below what those are in: ${shownOf(items, ({ id }) => id)}`,
          ]
        : []),
    ];
    if (losses.length === 0) return finding;
    return { ...finding, detail: `${finding.detail.slice(0, -1)}, and ${losses.join('; ')}.` };
  });
}

function linkText({ from, type, to }: SourceLink, { itemId }: SourceFinding): string {
  return `${from === itemId ? '' : `${from.slice(0, 100)} `}${type} ${to}`;
}

/** The first of some things, and how many more. */
function shownOf<T>(all: readonly T[], textOf: (one: T) => string): string {
  const more = all.length > SHOWN ? ` and ${all.length - SHOWN} more` : '';
  const shown = all.slice(0, SHOWN).map((one) => textOf(one).slice(0, 250));
  return `${shown.join(', ')}${more}`;
}

function firstOfEachId(sorted: readonly SourceItem[]): {
  winners: SourceItem[];
  findings: SourceFinding[];
  robbed: Set<string>;
} {
  const byId = Map.groupBy(sorted, (item) => item.id);
  const findings: SourceFinding[] = [];
  const robbed = new Set<string>();
  for (const [id, alike] of byId) {
    if (alike.length === 1) continue;
    // Where an item says that it once stood counts for nothing against one that stands there.
    alike.sort((a, b) => compare(fileOf(a), fileOf(b)) || byPath(a, b));
    const [first, ...others] = alike as [SourceItem, ...SourceItem[]];
    for (const { parentId } of others) if (parentId !== null) robbed.add(parentId);
    const here = first.inside === undefined ? '' : `${first.inside}: `;
    findings.push({
      code: 'duplicate_id',
      severity: 'error',
      path: first.path,
      line: first.line,
      itemId: id,
      relatedIds: [],
      detail: `${here}${id} stands here and again at ${others.map(placeOf).join(', ')}; the first is taken.`,
    });
  }
  const winners = [...byId.values()].flatMap(([first]) => (first ? [first] : []));
  return { winners, findings, robbed };
}
