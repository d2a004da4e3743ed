// The graph of a revision as a ReqIF 1.2 document (OMG formal/2016-07-01, whose schema fixes the
// version to 1.0), as StrictDoc, Python's `reqif` and our own reader read it.
import { timestamp } from '../../clock.ts';
import { VERSION } from '../../version.ts';
import {
  type ExportSubject,
  type Graph,
  type GraphEdge,
  type GraphNode,
  isNormative,
} from '../graph/model.ts';
import { linkMeaning } from '../sources/link-words.ts';
import type { AttributeValue } from '../sources/model.ts';
import {
  type Cell,
  datatypesText,
  type ElementType,
  refTo,
  typeOf,
  typeText,
  valuesText,
} from './reqif-types.ts';
import { element, escapeText } from './xml-text.ts';

type Attributes = Record<string, AttributeValue>;

const NATIVE =
  /^reqif:(?:identifier|type|last-change|desc|long-name|file|places|place-.*|header:.*)$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?$/;
const MAX_NESTING = 200;

/**
 * Nodes have their ids as ReqIF.ForeignID, sections without `#`. A link to or from a document, or
 * to what is in no source, is a line of the attribute `Links`: relations are between two objects.
 */
export function writeReqif(graph: Graph, { project, revision, at }: ExportSubject): string {
  const { nodes, edges } = graph;
  const time = timestamp(at);
  const { objects, documents, childrenOf } = hierarchyOf(graph);
  const objectIds = new Set(objects.map(({ id }) => id));
  const links = edges.filter(({ type }) => type !== 'contains');
  const isRelation = ({ from, to }: GraphEdge) => objectIds.has(from) && objectIds.has(to);
  const others = Map.groupBy(
    links.filter((edge) => !isRelation(edge)),
    ({ from }) => from,
  );
  const taken = new Set<string>();
  const idOf = new Map(nodes.map((node) => [node.id, identifierOf(node, taken)]));
  const cellsOf = (node: GraphNode) => nodeCells(node, others.get(node.id) ?? []);
  const identified = (identifier = '', name?: string) => ({
    IDENTIFIER: identifier,
    'LAST-CHANGE': time,
    'LONG-NAME': name,
  });
  const headOf = (attributes: Attributes, identifier: string | undefined, name?: string) => ({
    ...identified(identifier, name ?? textAt(attributes, 'reqif:long-name')),
    DESC: textAt(attributes, 'reqif:desc'),
    'LAST-CHANGE': textAt(attributes, 'reqif:last-change', TIME) ?? time,
  });

  const objectTypes = typesOf('SPEC-OBJECT', objects, typeNameOf, cellsOf);
  const objectTexts = objects.map((node) => {
    const type = objectTypes(node);
    const head = headOf(node.attributes, idOf.get(node.id));
    return element('SPEC-OBJECT', head, valuesText(type, cellsOf(node)), typeRef(type));
  });

  const relations = links.filter(isRelation);
  const relationTypes = typesOf('SPEC-RELATION', relations, relationName, relationCells);
  const relationTexts = relations.map((edge, place) => {
    const type = relationTypes(edge);
    const ends = [edge.from, edge.to].map((id) => refTo('SPEC-OBJECT', idOf.get(id) ?? ''));
    const [source = '', target = ''] = isReversed(edge) ? ends.reverse() : ends;
    return element(
      'SPEC-RELATION',
      headOf(edge.attributes ?? {}, `pqrs.link.${place + 1}`),
      valuesText(type, relationCells(edge)),
      element('SOURCE', {}, source),
      element('TARGET', {}, target),
      typeRef(type),
    );
  });

  const place = (node: GraphNode): string => {
    const identifier = idOf.get(node.id) ?? '';
    const object = element('OBJECT', {}, refTo('SPEC-OBJECT', identifier));
    return element('SPEC-HIERARCHY', identified(`pqrs.place.${identifier}`), object, places(node));
  };
  const places = (holder: GraphNode | null): string => {
    const children = childrenOf(holder);
    return children.length === 0 ? '' : element('CHILDREN', {}, ...children.map(place));
  };
  const documentType = typeOf(
    'SPECIFICATION',
    'pqrs.specification',
    'Specification',
    documents.map(cellsOf),
  );
  const specificationTexts = documents.map((node) => {
    const head = headOf(node.attributes, idOf.get(node.id), node.title || node.id);
    const values = valuesText(documentType, cellsOf(node));
    return element('SPECIFICATION', head, values, typeRef(documentType), places(node));
  });
  if (childrenOf(null).length > 0 || documents.length === 0) {
    const head = identified('pqrs.loose', 'Items in no document');
    specificationTexts.push(element('SPECIFICATION', head, typeRef(documentType), places(null)));
  }
  const types = [...objectTypes.all, ...relationTypes.all, documentType];
  const header = element(
    'REQ-IF-HEADER',
    { IDENTIFIER: 'pqrs.header' },
    element('CREATION-TIME', {}, escapeText(time)),
    element('REQ-IF-TOOL-ID', {}, `pqrs ${VERSION}`),
    element('REQ-IF-VERSION', {}, '1.0'),
    element('SOURCE-TOOL-ID', {}, `pqrs ${VERSION}`),
    element('TITLE', {}, escapeText(`${project} revision ${revision}`)),
  );
  const content = element(
    'REQ-IF-CONTENT',
    {},
    datatypesText(time),
    element('SPEC-TYPES', {}, ...types.map((type) => typeText(type, time))),
    element('SPEC-OBJECTS', {}, ...objectTexts),
    element('SPEC-RELATIONS', {}, ...relationTexts),
    element('SPECIFICATIONS', {}, ...specificationTexts),
  );
  const root = element(
    'REQ-IF',
    {
      xmlns: 'http://www.omg.org/spec/ReqIF/20110401/reqif.xsd',
      'xmlns:xhtml': 'http://www.w3.org/1999/xhtml',
    },
    element('THE-HEADER', {}, header),
    element('CORE-CONTENT', {}, content),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}`;
}

// Where nodes stand: documents that nothing contains are specifications, all else are objects, in
// the order of the hierarchies. What is nested deeper than the bound stands below the deepest that
// may hold it.
function hierarchyOf({ nodes, edges }: Graph) {
  const parents = new Map(
    edges.flatMap(({ from, to, type }) => (type === 'contains' ? [[to, from]] : [])),
  );
  const below = Map.groupBy(nodes, ({ id }) => parents.get(id) ?? null);
  const children = new Map<GraphNode | null, GraphNode[]>();
  const documents: GraphNode[] = [];
  const objects: GraphNode[] = [];
  const reached = new Set<GraphNode>();
  // What hangs in a ring has no root.
  for (const root of [...(below.get(null) ?? []), ...nodes]) {
    const stack = [{ node: root, holder: null as GraphNode | null, depth: 0 }];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const { node, holder, depth } = next;
      if (reached.has(node)) continue;
      reached.add(node);
      if (node === root && node.kind === 'document') documents.push(node);
      else {
        objects.push(node);
        const siblings = children.get(holder) ?? [];
        siblings.push(node);
        children.set(holder, siblings);
      }
      for (const child of (below.get(node.id) ?? []).toReversed())
        stack.push({ node: child, holder: depth < MAX_NESTING ? node : holder, depth: depth + 1 });
    }
  }
  return { objects, documents, childrenOf: (node: GraphNode | null) => children.get(node) ?? [] };
}

function typesOf<T>(
  element: string,
  elements: readonly T[],
  nameOf: (one: T) => string,
  cellsOf: (one: T) => readonly Cell[],
): ((one: T) => ElementType) & { all: ElementType[] } {
  const prefix = `pqrs.${element.toLowerCase()}`;
  const types = new Map(
    [...Map.groupBy(elements, nameOf)].map(([name, of], at) => [
      name,
      typeOf(element, `${prefix}.${at + 1}`, name, of.map(cellsOf)),
    ]),
  );
  const find = (one: T) => types.get(nameOf(one)) as ElementType;
  return Object.assign(find, { all: [...types.values()] });
}

function typeRef({ element: name, identifier }: ElementType): string {
  return element('TYPE', {}, refTo(`${name}-TYPE`, identifier));
}

function typeNameOf({ kind, attributes }: GraphNode): string {
  if (kind === 'section' || kind === 'document') return 'Heading';
  const name = textAt(attributes, 'reqif:type', /\S/);
  if (name && !/^(?:document|section|heading|chapter)s?$/i.test(name)) return name;
  return kind === 'story' ? 'Story' : 'Requirement';
}

function textAt(attributes: Attributes, name: string, pattern = /^/): string | undefined {
  const value = attributes[name];
  return typeof value === 'string' && pattern.test(value) ? value : undefined;
}

function relationName({ type, role }: GraphEdge): string {
  return role !== undefined && linkMeaning(role).type === type ? role : type;
}

function isReversed(edge: GraphEdge): boolean {
  return linkMeaning(relationName(edge)).reversed;
}

function nodeCells(node: GraphNode, links: readonly GraphEdge[]): Cell[] {
  const isHeading = node.kind === 'section' || node.kind === 'document';
  const ours: Attributes = {
    // StrictDoc has no `#` in ids, which those of headings have.
    'ReqIF.ForeignID': isNormative(node) ? node.id : node.id.replace(/[^\w()\-/.: ]+/g, ':'),
    [isHeading ? 'ReqIF.ChapterName' : 'ReqIF.Name']: node.title,
    'ReqIF.Text': node.statement,
    Status: node.status,
    Priority: node.priority,
    Rationale: node.rationale,
    'Acceptance Criteria': node.acceptance,
    Tags: node.tags.join(', '),
    'ReqIF.ForeignDeleted': node.active ? null : true,
    Links: links.map(({ type, to, role }) => `${role ?? type} ${to}`),
  };
  const cells = Object.entries(ours).map(([name, value]): Cell => ({ key: name, name, value }));
  return [...cells, ...foreignCells(node.attributes)].filter(
    ({ value }) => value !== null && value !== '' && !(Array.isArray(value) && value.length === 0),
  );
}

function foreignCells(attributes: Attributes = {}): Cell[] {
  return Object.entries(attributes)
    .filter(([name, value]) => !NATIVE.test(name) && value !== null)
    .map(([name, value]) => ({ key: `:${name}`, name, value }));
}

function relationCells(edge: GraphEdge): Cell[] {
  const cells = foreignCells(edge.attributes);
  if (edge.status === 'suspect') cells.push({ key: 'Suspect', name: 'Suspect', value: true });
  if (edge.role !== undefined && relationName(edge) !== edge.role)
    cells.push({ key: 'Role', name: 'Role', value: edge.role });
  return cells;
}

// The IDENTIFIER that a node came with, where that is a legal one, else one made of its id, so that
// it stays the same from export to export.
function identifierOf({ id, attributes }: GraphNode, taken: Set<string>): string {
  const encoded = id.replace(/[^A-Za-z0-9-]/g, (unit) => `_${unit.charCodeAt(0).toString(16)}_`);
  const came = textAt(attributes, 'reqif:identifier', /^(?!pqrs\.)[A-Za-z_][\w.-]*$/);
  const identifier = came !== undefined && !taken.has(came) ? came : `pqrs.item.${encoded}`;
  taken.add(identifier);
  return identifier;
}
