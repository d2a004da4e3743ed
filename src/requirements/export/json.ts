// The graph in our own format, from which the same graph is read again, and as needs.json of Sphinx-Needs.
import { VERSION } from '../../version.ts';
import type { ExportSubject, Graph, GraphEdge, GraphNode } from '../graph/model.ts';
import { EDGE_TYPES, SRS_FORMAT, SRS_VERSION } from '../sources/model.ts';
import { isStoryType, meaningOf } from '../sources/needs-json/fields.ts';

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

interface LinkPlace {
  need: string;
  field: string;
  target: string;
}

const LINK_TYPES = EDGE_TYPES.filter((type) => type !== 'contains');

const NEED_FIELDS: ReadonlySet<string> = new Set([
  ...['id', 'type', 'title', 'full_title', 'content', 'description', 'status', 'priority', 'tags'],
  ...['rationale', 'acceptance', 'docname', 'sections', 'section_name', 'parent_need', 'links'],
  ...['parent_needs', 'parts', 'is_need', 'is_part', 'lineno', 'active', ...LINK_TYPES],
]);

/**
 * A needs.json with one version. Each type of edge is a link field, and so is each role whose name
 * means that type; other roles, attributes of links and what is suspect are in `srs-json` alone.
 */
export function writeNeedsJson(
  { nodes, edges }: Graph,
  { project, revision }: ExportSubject,
): string {
  const ids = new Set(nodes.map(({ id }) => id));
  const contains = edges.filter(({ type }) => type === 'contains');
  const parents = new Map(contains.map(({ from, to }) => [to, from]));
  const places = edges.filter(({ type }) => type !== 'contains').map((edge) => placeOf(edge, ids));
  const linkFields = new Set<string>([...LINK_TYPES, ...places.map(({ field }) => field)]);
  const links = Map.groupBy(places, ({ need }) => need);
  // As text, since an object would put ids that are numbers before the others.
  const needs = nodes.map((node) => {
    const need = needOf(node, parents.get(node.id) ?? '', links.get(node.id) ?? [], linkFields);
    return `${JSON.stringify(node.id)}: ${JSON.stringify(need)}`;
  });
  const field = { field_type: 'links', type: 'array', default: [] };
  const properties = Object.fromEntries([...linkFields].map((name) => [name, field]));
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

function placeOf({ from, to, type, role = '' }: GraphEdge, ids: ReadonlySet<string>): LinkPlace {
  const name = role
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[_0-9]+|_+$/g, '');
  const meaning = meaningOf(name, '');
  const isField = name !== '' && name.length <= 60 && !NEED_FIELDS.has(name);
  if (!isField || meaning.type !== type || (meaning.reversed && !ids.has(to)))
    return { need: from, field: type, target: to };
  const [need, target] = meaning.reversed ? [to, from] : [from, to];
  return { need, field: name, target };
}

function needOf(
  node: GraphNode,
  parent: string,
  links: readonly LinkPlace[],
  linkFields: ReadonlySet<string>,
): object {
  const { id, kind, title, statement, status, tags, priority, rationale, acceptance } = node;
  const { type, ...attributes } = node.attributes;
  const isType = typeof type === 'string' && type.trim() !== '';
  const fits = isType && isStoryType(type) === (kind === 'story');
  const lists = [...Map.groupBy(links, ({ field }) => field)].map(([field, own]) => [
    field,
    [...new Set(own.map(({ target }) => target))],
  ]);
  const more = Object.entries(fits ? attributes : node.attributes).map(([name, value]) => [
    NEED_FIELDS.has(name) || linkFields.has(name) ? `x_${name}` : name,
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
