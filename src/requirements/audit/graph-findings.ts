// What the graph itself shows to be wrong or weak. Every check is linear in nodes and edges, and
// one cause is named once.
import type { BuiltGraph } from '../graph/build.ts';
import { foldText } from '../graph/fingerprint.ts';
import { stronglyConnected, UPSTREAM } from '../graph/graph-index.ts';
import { type Graph, type GraphEdge, type GraphNode, isNormative } from '../graph/model.ts';
import { type FindingCode, severityOf } from '../sources/findings.ts';
import { idFault, shownId } from '../sources/item-ids.ts';
import type { SourceFinding } from '../sources/model.ts';

const PARENTAL: ReadonlySet<string> = new Set(['refines', 'derives', 'satisfies']);
const MIN_DUPLICATE = 20;
const MAX_SHOWN = 50;
const WHERE_OTHERS = ', where others beside it have one.';

/** What the guides for writing requirements list as untestable (ISO/IEC/IEEE 29148, 5.2.7). */
const WEAK = `
  fast, quick, quickly, slow, easy, easily, simple, simply, intuitive, user-friendly, user
  friendly, adequate, appropriate, sufficient, reasonable, efficient, flexible, robust,
  seamless, state of the art, best practice, as far as possible, if possible, where possible, as
  appropriate, if necessary, approximately, about, several, some, many, various, usually,
  normally, often, and so on, etc, and/or, tbd, tbc, tbs, to be defined, to be determined`;

const ANY_OF_THEM = WEAK.trim().replace(/,\s*/g, '|').replace(/\s+/g, '\\s+');
const PERHAPS = new RegExp(`\\b(?:${ANY_OF_THEM})\\b`, 'i');
const EXACT = new RegExp(`(?<![\\p{L}\\p{N}_-])(?:${ANY_OF_THEM})(?![\\p{L}\\p{N}_-])`, 'giu');

type AuditedGraph = Omit<BuiltGraph, 'findings'>;
type NodesById = ReadonlyMap<string, GraphNode>;

/** All findings of a graph, in no order. Those of a link stand where the link is declared. */
export function graphFindings(graph: AuditedGraph): SourceFinding[] {
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  const siblings = siblingsOf(graph, byId);
  return [
    ...graph.nodes.flatMap(textFindings),
    ...untitled(siblings),
    ...linkFindings(graph, byId),
    ...unnameableFindings(graph),
    ...rootlessFindings(graph, byId),
    ...cycleFindings(graph, byId),
    ...orphanFindings(graph, siblings),
    ...emptyDocuments(graph),
    ...duplicateStatements(graph.nodes),
  ];
}

function finding(
  code: FindingCode,
  node: GraphNode,
  detail: string,
  relatedIds: string[] = [],
  { path, line }: { path: string; line: number } = node.source,
): SourceFinding {
  return { code, severity: severityOf(code), path, line, itemId: node.id, relatedIds, detail };
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

function textFindings(node: GraphNode): SourceFinding[] {
  if (!isNormative(node) || !node.active) return [];
  const { id, kind, statement, acceptance } = node;
  const found: SourceFinding[] = [];
  if (isBlank(statement)) found.push(finding('missing_statement', node, `${id} says nothing.`));
  if (kind === 'story' && acceptance.every(isBlank)) {
    const detail = `The story ${id} has no acceptance criteria.`;
    found.push(finding('no_acceptance_criteria', node, detail));
  }
  const words = weakWords([node.title, statement, ...acceptance]).map((word) => `"${word}"`);
  if (words.length > 0) {
    const detail = `${id} says ${words.join(', ')}, which nobody can test.`;
    found.push(finding('weak_wording', node, detail));
  }
  return found;
}

/** Requirements and stories that stand beside each other, in source order. */
interface Siblings {
  items: GraphNode[];
  /** Whether they are a document of Doorstop, whose parents are in another one. */
  isDoorstop: boolean;
  /** Whether that other one is in the graph. */
  hasParent: boolean;
}

// Siblings have the same node around them, else the same file; those of Doorstop, the same folder.
function siblingsOf({ nodes, edges }: Graph, byId: NodesById): Siblings[] {
  const around = new Map(
    edges.flatMap(({ from, to, type }) => (type === 'contains' ? [[to, from]] : [])),
  );
  const files = new Map(
    nodes.flatMap((node) => (node.kind === 'document' ? [[node.source.path, node]] : [])),
  );
  const doorstopOf = (path: string) =>
    files.has(path) ? undefined : files.get(path.replace(/[^/]*$/, '.doorstop.yml'));
  const keyOf = ({ id, source: { path } }: GraphNode) =>
    doorstopOf(path) ?? around.get(id) ?? `file ${path}`;
  return [...Map.groupBy(nodes.filter(isNormative), keyOf)].map(([key, items]) => {
    const isDoorstop = typeof key !== 'string';
    return { items, isDoorstop, hasParent: isDoorstop && byId.has(String(key.attributes.parent)) };
  });
}

/** Items without a title, where others beside them have one: not every format has titles. */
function untitled(siblings: readonly Siblings[]): SourceFinding[] {
  return siblings.flatMap(({ items: all }) => {
    const items = all.filter(({ active }) => active);
    const missing = items.filter(({ title }) => isBlank(title));
    if (missing.length === items.length) return [];
    return missing.map((node) =>
      finding('missing_title', node, `${node.id} has no title${WHERE_OTHERS}`),
    );
  });
}

function linkFindings({ edges, declared }: AuditedGraph, byId: NodesById): SourceFinding[] {
  return edges.flatMap((edge, at) => {
    const from = byId.get(edge.from);
    if (!from || isRepeated(edge, edges[at - 1])) return [];
    const find = (code: FindingCode, detail: string, relatedIds: string[] = []) => [
      finding(code, from, detail, relatedIds, declared.get(edge)),
    ];
    const { type, status, to } = edge;
    const link = `${edge.from} ${type} ${to}`;
    if (status === 'dangling')
      return find('dangling_reference', `${link}, which is in no source.`, [to]);
    if (edge.from === to) return find('self_reference', `${edge.from} ${type} itself.`);
    if (status === 'suspect' && from.active)
      return find('suspect_link', `${to} has changed since the link to it was confirmed.`, [to]);
    if (type !== 'contains' && from.active && byId.get(to)?.active === false)
      return find('inactive_referenced', `${link}, which is no longer active.`, [to]);
    return [];
  });
}

function isRepeated({ from, to, type }: GraphEdge, before: GraphEdge | undefined): boolean {
  return before?.from === from && before.to === to && before.type === type;
}

function unnameableFindings({ unnameable }: AuditedGraph): SourceFinding[] {
  return unnameable.map(({ from, to, type, path, line, item }) => {
    const [end, wrong] = idFault(from) === undefined ? [to, idFault(to)] : [from, idFault(from)];
    const detail = `A link (${type}) is left out: an id ${wrong}, and this is ${shownId(end)}.`;
    const where = { path, line, itemId: item?.id ?? null, relatedIds: [] };
    return { code: 'invalid_link', severity: 'error', ...where, detail };
  });
}

function rootlessFindings({ rootless }: AuditedGraph, byId: NodesById): SourceFinding[] {
  const known = new Map<string, SourceFinding>();
  for (const { from, to, type, path, line } of rootless) {
    const key = JSON.stringify([from, to, type]);
    if (known.has(key)) continue;
    const whole = byId.has(to);
    const missing = whole ? `but ${from} is in no source` : 'and neither is in any source';
    const detail = `${from} ${type} ${to}, ${missing}.`;
    const relatedIds = whole ? [from] : [...new Set([from, to])];
    const where = { path, line, itemId: whole ? to : null, relatedIds };
    known.set(key, { code: 'dangling_reference', severity: 'error', ...where, detail });
  }
  return [...known.values()];
}

function cycleFindings({ nodes, edges }: Graph, byId: NodesById): SourceFinding[] {
  const targets = nodes.map((): number[] => []);
  for (const { from, to, type } of edges) {
    const [here, there] = [byId.get(from), byId.get(to)];
    if (here && there && here !== there && UPSTREAM.has(type))
      targets[here.order]?.push(there.order);
  }
  const rings = stronglyConnected(targets).filter(({ length }) => length > 1);
  return rings.map((members) => {
    const ring = members.sort((a, b) => a - b).flatMap((at) => nodes[at] ?? []);
    const [first, ...others] = ring as [GraphNode, ...GraphNode[]];
    const shown = ring.slice(0, MAX_SHOWN).map(({ id }) => id);
    const more = ring.length > shown.length ? ` and ${ring.length - shown.length} more` : '';
    const detail = `${shown.join(', ')}${more} depend on each other in a ring.`;
    const ids = others.map(({ id }) => id);
    return finding('cycle', first, detail, ids);
  });
}

// Items without a parent where others beside them have one, but for what others hang on, and
// for what verifies another or has it as its parent in another role.
function orphanFindings(
  { edges, declared }: AuditedGraph,
  siblings: readonly Siblings[],
): SourceFinding[] {
  const parental = edges.filter(({ type }) => PARENTAL.has(type));
  const withParent = new Set(parental.map(({ from }) => from));
  const children = Map.groupBy(parental, ({ to }) => to);
  const origins = new Set(
    edges
      .filter((edge) => edge.type === 'verifies' || declared.get(edge)?.isParental)
      .map(({ from }) => from),
  );
  return siblings.flatMap(({ items, isDoorstop, hasParent }) => {
    if (!hasParent && !items.some(({ id }) => withParent.has(id))) return [];
    const ids = new Set(items.map(({ id }) => id));
    const isRoot = (id: string) =>
      origins.has(id) || (children.get(id) ?? []).some(({ from }) => from !== id && ids.has(from));
    return (
      items
        .filter(({ active, attributes }) => active && attributes.derived !== true)
        // Doorstop has a document's parents in another one, so that within it there is no root.
        .filter(({ id }) => !withParent.has(id) && (isDoorstop || !isRoot(id)))
        .map((node) => finding('orphan', node, `${node.id} has no parent${WHERE_OTHERS}`))
    );
  });
}

function emptyDocuments({ nodes, edges, robbed }: AuditedGraph): SourceFinding[] {
  const filled = new Set(edges.filter(({ type }) => type === 'contains').map(({ from }) => from));
  return nodes
    .filter(({ kind, id }) => kind === 'document' && !filled.has(id) && !robbed.has(id))
    .filter(({ statement }) => isBlank(statement))
    .map((node) =>
      finding('empty_document', node, `The document ${node.title || node.id} holds nothing.`),
    );
}

function duplicateStatements(nodes: readonly GraphNode[]): SourceFinding[] {
  const speaking = nodes.filter(
    (node) => isNormative(node) && node.active && node.statement.length >= MIN_DUPLICATE,
  );
  const folded = (text: string) => foldText(text).toLowerCase();
  // Few begin alike: the others need not be compared whole.
  return [...Map.groupBy(speaking, ({ statement }) => folded(statement.slice(0, 400)).slice(0, 40))]
    .filter(([, alike]) => alike.length > 1)
    .flatMap(([, alike]) => [...Map.groupBy(alike, ({ statement }) => folded(statement)).values()])
    .filter((alike) => alike.length > 1)
    .map((alike) => {
      const [first, ...others] = alike as [GraphNode, ...GraphNode[]];
      const ids = others.map(({ id }) => id);
      const shown = ids.slice(0, MAX_SHOWN).join(', ');
      const detail = `${first.id} says word for word what ${shown} says.`;
      return finding('duplicate_statement', first, detail, ids);
    });
}

/** The weak words of some texts, lower case, each once, in the order in which they come. */
export function weakWords(texts: readonly string[]): string[] {
  const found = texts
    .filter((text) => PERHAPS.test(text))
    .flatMap((text) => text.match(EXACT) ?? []);
  return [...new Set(found.map((word) => word.toLowerCase().replace(/\s+/g, ' ')))];
}
