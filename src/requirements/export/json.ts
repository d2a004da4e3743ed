// The graph in our own format, from which the same graph is read again, and as needs.json of Sphinx-Needs.
import { VERSION } from '../../version.ts';
import type { ExportSubject, Graph, GraphEdge, GraphNode } from '../graph/model.ts';
import { EDGE_TYPES, SRS_FORMAT, SRS_VERSION } from '../sources/model.ts';
import { isStoryType } from '../sources/needs-json/fields.ts';

/** A document of the format `pqrs-srs`: one node or edge a line, in the order of the graph. */
export function writeSrsJson({ nodes, edges }: Graph): string {
  const head = `"format": ${JSON.stringify(SRS_FORMAT)}, "version": ${SRS_VERSION}`;
  const plain = nodes.map(
    ({ order: _order, fingerprint: _own, deepFingerprint: _deep, ...node }) => node,
  );
  return `{ ${head},\n"nodes": ${listOf(plain)},\n"edges": ${listOf(edges)} }\n`;
}

function listOf(values: readonly object[]): string {
  const lines = values.map((value) => JSON.stringify(value));
  return lines.length === 0 ? '[]' : `[\n${lines.join(',\n')}\n]`;
}

const LINK_TYPES = EDGE_TYPES.filter((type) => type !== 'contains');

const NEED_FIELDS: ReadonlySet<string> = new Set([
  ...['id', 'type', 'title', 'full_title', 'content', 'description', 'status', 'priority', 'tags'],
  ...['rationale', 'acceptance', 'docname', 'sections', 'section_name', 'parent_need', 'links'],
  ...['parent_needs', 'parts', 'is_need', 'is_part', 'lineno', 'active', ...LINK_TYPES],
]);

/**
 * A needs.json with one version. Each type of edge is a link field; roles, attributes of links and
 * what is suspect are in `srs-json` alone.
 */
export function writeNeedsJson(
  { nodes, edges }: Graph,
  { project, revision }: ExportSubject,
): string {
  const contains = edges.filter(({ type }) => type === 'contains');
  const parents = new Map(contains.map(({ from, to }) => [to, from]));
  const links = Map.groupBy(
    edges.filter(({ type }) => type !== 'contains'),
    ({ from }) => from,
  );
  // As text, since an object would put ids that are numbers before the others.
  const needs = nodes.map((node) => {
    const need = needOf(node, parents.get(node.id) ?? '', links.get(node.id) ?? []);
    return `${JSON.stringify(node.id)}: ${JSON.stringify(need)}`;
  });
  const field = { field_type: 'links', type: 'array', default: [] };
  const properties = Object.fromEntries(LINK_TYPES.map((name) => [name, field]));
  const body = {
    creator: { program: 'pqrs', version: VERSION },
    needs_amount: nodes.length,
    needs_schema: { properties },
  };
  const version = String(revision);
  const head = JSON.stringify({ current_version: version, project }).slice(0, -1);
  const start = JSON.stringify({ [version]: body }).slice(0, -2);
  return `${head},\n"versions": ${start},\n"needs": {\n${needs.join(',\n')}\n}}}}\n`;
}

function needOf(node: GraphNode, parent: string, links: readonly GraphEdge[]): object {
  const { id, kind, title, statement, status, tags, priority, rationale, acceptance } = node;
  const { type, ...attributes } = node.attributes;
  const isType = typeof type === 'string' && type.trim() !== '';
  const fits = isType && isStoryType(type) === (kind === 'story');
  const lists = [...Map.groupBy(links, (link) => link.type)].map(([name, own]) => [
    name,
    [...new Set(own.map(({ to }) => to))],
  ]);
  const more = Object.entries(fits ? attributes : node.attributes).map(([name, value]) => [
    NEED_FIELDS.has(name) ? `x_${name}` : name,
    value,
  ]);
  const texts = { title, content: statement, status, tags, priority, rationale, acceptance };
  return {
    id,
    type: fits ? type : kind,
    ...texts,
    parent_need: parent,
    ...(node.active ? {} : { active: false }),
    ...Object.fromEntries(lists),
    ...Object.fromEntries(more),
  };
}
