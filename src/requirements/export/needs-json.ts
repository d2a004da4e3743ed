// The graph as a needs.json of Sphinx-Needs.
import { VERSION } from '../../version.ts';
import type { Graph, GraphEdge, GraphNode } from '../graph/model.ts';
import { isReversedRole } from '../sources/link-words.ts';
import { type AttributeValue, EDGE_TYPES, type SourceLink } from '../sources/model.ts';
import { kindOf } from '../sources/needs-json-fields.ts';
import { isPassiveName } from '../sources/needs-json-meanings.ts';
import { isPlainName, OWN_PROGRAM, type OwnLink, type OwnNeed } from '../sources/needs-json-own.ts';
import type { ExportSubject } from './subject.ts';

/** A field of links: one for each type, and for each role within a type. */
interface LinkField {
  name: string;
  type: SourceLink['type'];
  role: string | undefined;
  /** Whether it is at the need that its links run to, as `verified_by` is. */
  reversed: boolean;
}

/**
 * A needs.json with one version; each type of edge is a link field, and so is each role. What
 * Sphinx-Needs has no field for stands in the field `pqrs` of a need, which our reader knows.
 */
export function writeNeedsJson(
  { nodes, edges }: Graph,
  { project, revision }: ExportSubject,
): string {
  const version = String(revision);
  const isAtTarget = tellerOfPlaces(nodes);
  const fields = linkFields(edges, isAtTarget);
  const links = Map.groupBy(edges, (edge) => (isAtTarget(edge) ? edge.to : edge.from));
  const fieldOf = (edge: GraphEdge) => fields.get(fieldKey(edge, isAtTarget(edge)));
  const parents = new Map(
    edges.flatMap(({ from, to, type }) => (type === 'contains' ? [[to, from]] : [])),
  );
  const names = new Set([...fields.values()].map(({ name }) => name));
  // As text, since an object would put ids that are numbers before the others.
  const needs = nodes.map((node) => {
    const need = needOf(node, parents.get(node.id) ?? '', links.get(node.id) ?? [], names, fieldOf);
    return `${JSON.stringify(node.id)}: ${JSON.stringify(need)}`;
  });
  const schema = {
    properties: Object.fromEntries(
      [...fields.values()].map(({ name, type, role, reversed }) => [
        name,
        {
          ...{ field_type: 'links', type: 'array', default: [] },
          'x-pqrs': {
            ...{ type, ...(role === undefined ? {} : { role }) },
            ...(reversed ? { reversed } : {}),
          },
        },
      ]),
    ),
  };
  const body = {
    creator: { program: OWN_PROGRAM, version: VERSION },
    ...{ needs_amount: nodes.length, needs_schema: schema },
  };
  const head = JSON.stringify({ current_version: version, project }).slice(0, -1);
  const start = JSON.stringify({ [version]: body }).slice(0, -2);
  return `${head},\n"versions": ${start},\n"needs": {\n${needs.join(',\n')}\n}}}}\n`;
}

/**
 * Makes the function that says whether an edge is told at the need that it runs to, since its name
 * is one for that end, as `verified_by` is.
 */
function tellerOfPlaces(nodes: readonly GraphNode[]): (edge: GraphEdge) => boolean {
  const ids = new Set(nodes.map(({ id }) => id));
  const passive = new Map<string, boolean>();
  return ({ to, type, role }) => {
    if (role === undefined || type === 'contains' || !ids.has(to)) return false;
    const key = `${type} ${role}`;
    const known = passive.get(key) ?? isPassive(type, role);
    passive.set(key, known);
    return known;
  };
}

function isPassive(type: SourceLink['type'], role: string): boolean {
  return isReversedRole(type, role) || isPassiveName(fieldName(role), type);
}

/** The fields by type and role; those of the types alone are there whether used or not. */
function linkFields(
  edges: readonly GraphEdge[],
  isAtTarget: (edge: GraphEdge) => boolean,
): Map<string, LinkField> {
  const fields = new Map<string, LinkField>();
  for (const type of EDGE_TYPES) {
    if (type === 'contains') continue;
    fields.set(type, { name: type, type, role: undefined, reversed: false });
  }
  const taken = new Set<string>(EDGE_TYPES);
  for (const edge of edges) {
    const { type, role } = edge;
    const reversed = isAtTarget(edge);
    const key = fieldKey(edge, reversed);
    if (role === undefined || type === 'contains' || fields.has(key)) continue;
    // At the other end such a name would say the contrary.
    const base = reversed || !isPassive(type, role) ? fieldName(role) : '';
    let name = isPlainName(base) && !/_back$/.test(base) ? base : `${type}_role`;
    for (let more = 2; taken.has(name); more += 1) name = `${base || type}_${more}`;
    taken.add(name);
    fields.set(key, { name, type, role, reversed });
  }
  return fields;
}

function fieldKey({ type, role }: GraphEdge, reversed: boolean): string {
  return role === undefined ? type : `${type}${reversed ? '<' : '>'}${role}`;
}

function fieldName(role: string): string {
  return role
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[_0-9]+|_+$/g, '');
}

function needOf(
  node: GraphNode,
  parent: string,
  edges: readonly GraphEdge[],
  names: ReadonlySet<string>,
  fieldOf: (edge: GraphEdge) => LinkField | undefined,
): object {
  const { id, kind, title, statement, status, tags, priority, rationale, acceptance } = node;
  const { source, active, attributes } = node;
  const own: OwnNeed = { kind, ...(active ? {} : { active }) };
  const { type } = attributes;
  const typed = typeof type === 'string' && type.trim() !== '' && kindOf(type) === kind;
  const shown: [string, AttributeValue][] = [];
  const hidden: [string, AttributeValue][] = [];
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'type' && typed) continue;
    const plain = isPlainName(name) && !names.has(name) && !Array.isArray(value);
    (plain ? shown : hidden).push([name, value]);
  }
  if (shown.length > 0) own.shown = shown.map(([name]) => name);
  if (hidden.length > 0) own.attributes = Object.fromEntries(hidden);
  if (typed) own.typed = true;
  const lists = new Map<string, string[]>();
  const said: OwnLink[] = [];
  for (const edge of edges) {
    const field = edge.type === 'contains' ? undefined : fieldOf(edge);
    if (field === undefined) continue;
    const list = lists.get(field.name) ?? [];
    lists.set(field.name, list);
    const suspect = edge.status === 'suspect' ? { suspect: true } : {};
    const more = edge.attributes === undefined ? {} : { attributes: edge.attributes };
    if (edge.status === 'suspect' || edge.attributes !== undefined) {
      said.push({ field: field.name, at: list.length, ...suspect, ...more });
    }
    list.push(field.reversed ? edge.from : edge.to);
  }
  if (said.length > 0) own.links = said;
  return {
    ...{ id, type: typed ? type : kind, title, content: statement, status, tags },
    ...{ priority, rationale, acceptance },
    ...{ docname: source.path, lineno: source.line, parent_need: parent },
    ...Object.fromEntries(lists),
    ...Object.fromEntries(shown),
    pqrs: own,
  };
}
