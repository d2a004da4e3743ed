// The graph of a revision as a ReqIF 1.2 document (OMG formal/2016-07-01, whose schema fixes the
// version to 1.0), as StrictDoc, Python's `reqif` and our own reader read it.
import { timestamp } from '../../clock.ts';
import { VERSION } from '../../version.ts';
import type { ExportSubject, Graph, GraphEdge, GraphNode } from '../graph/model.ts';
import { linkMeaning } from '../sources/link-words.ts';
import type { AttributeValue } from '../sources/model.ts';
import { planReqif, type ReqifPlan } from './reqif-plan.ts';
import {
  type Cell,
  datatypesText,
  type ElementType,
  typeOf,
  typeText,
  valuesText,
} from './reqif-types.ts';
import { attributeText, escapeText } from './xml-text.ts';

const NATIVE =
  /^reqif:(?:identifier|type|last-change|desc|long-name|file|places|place-.*|header:.*)$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?$/;

/**
 * Writes the graph. Nodes have their ids as ReqIF.ForeignID, sections without `#`. A relation is between two objects: a link
 * to or from a document, or to what is in no source, is a line of the attribute `Links`.
 */
export function writeReqif(graph: Graph, { project, revision, at }: ExportSubject): string {
  const time = timestamp(at);
  const plan = planReqif(graph);
  const objects = new Set(plan.objects.map(({ id }) => id));
  const [relations, others] = split(
    graph.edges.filter(({ type }) => type !== 'contains'),
    ({ from, to }) => objects.has(from) && objects.has(to),
  );
  const links = Map.groupBy(others, ({ from }) => from);
  const foreignIds = foreignIdsOf(graph.nodes);
  const cells = new Map(
    graph.nodes.map((node) => {
      const id = foreignIds.get(node) ?? node.id;
      return [node, cellsOf(node, id, links.get(node.id) ?? [])] as const;
    }),
  );
  const cellsIn = (node: GraphNode) => cells.get(node) ?? [];
  const identifiers = identifiersOf(graph.nodes);
  const idOf = new Map(graph.nodes.map((node) => [node.id, identifiers.get(node) ?? '']));
  const objectTypes = typesOf('SPEC-OBJECT', plan.objects, typeNameOf, cellsIn);
  const documents = plan.specifications.flatMap(({ document }) => document ?? []);
  const documentType = typeOf(
    'SPECIFICATION',
    'pqrs.specification',
    'Specification',
    documents.map(cellsIn),
  );
  const relationTypes = typesOf('SPEC-RELATION', relations, relationName, relationCells);

  const elementText = (
    type: ElementType,
    node: GraphNode,
    more: Record<string, string | undefined>,
    inside = '',
  ) =>
    `<${type.element}${headText(node.attributes, idOf.get(node.id), time, more)}>${valuesText(type, cellsIn(node))}${typeRef(type)}${inside}</${type.element}>\n`;
  const objectTexts = plan.objects.map((node) => {
    return elementText(objectTypes(node), node, longNameOf(node.attributes));
  });
  const taken = new Set(identifiers.values());
  const relationTexts = relations.map((edge, at) => {
    const type = relationTypes(edge);
    const attributes = edge.attributes ?? {};
    const own = legalIdentifier(attributes, taken) ?? `pqrs.link.${at + 1}`;
    taken.add(own);
    const head = headText(attributes, own, time, longNameOf(attributes));
    const ends = [edge.from, edge.to].map(
      (id) => `<SPEC-OBJECT-REF>${idOf.get(id)}</SPEC-OBJECT-REF>`,
    );
    const [source, target] = isReversed(edge) ? ends.reverse() : ends;
    return `<SPEC-RELATION${head}>${valuesText(type, relationCells(edge))}<SOURCE>${source}</SOURCE><TARGET>${target}</TARGET>${typeRef(type)}</SPEC-RELATION>\n`;
  });
  const specificationTexts = plan.specifications.map(({ document, children }) => {
    const hierarchy = hierarchyText(plan, children, idOf, time);
    if (document)
      return elementText(
        documentType,
        document,
        { 'LONG-NAME': document.title || document.id },
        hierarchy,
      );
    const name = {
      IDENTIFIER: 'pqrs.loose',
      'LAST-CHANGE': time,
      'LONG-NAME': 'Items in no document',
    };
    return `<SPECIFICATION${attributeText(name)}>${typeRef(documentType)}${hierarchy}</SPECIFICATION>\n`;
  });
  const types = [...objectTypes.all, ...relationTypes.all, documentType];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    '<REQ-IF xmlns="http://www.omg.org/spec/ReqIF/20110401/reqif.xsd" xmlns:xhtml="http://www.w3.org/1999/xhtml">\n',
    `<THE-HEADER><REQ-IF-HEADER IDENTIFIER="pqrs.header">\n<CREATION-TIME>${escapeText(time)}</CREATION-TIME>\n`,
    `<REQ-IF-TOOL-ID>pqrs ${VERSION}</REQ-IF-TOOL-ID>\n<REQ-IF-VERSION>1.0</REQ-IF-VERSION>\n<SOURCE-TOOL-ID>pqrs ${VERSION}</SOURCE-TOOL-ID>\n`,
    `<TITLE>${escapeText(`${project} revision ${revision}`)}</TITLE>\n</REQ-IF-HEADER></THE-HEADER>\n`,
    `<CORE-CONTENT><REQ-IF-CONTENT>\n${datatypesText(time)}`,
    `<SPEC-TYPES>\n${types.map((type) => typeText(type, time)).join('')}</SPEC-TYPES>\n`,
    `<SPEC-OBJECTS>\n${objectTexts.join('')}</SPEC-OBJECTS>\n`,
    `<SPEC-RELATIONS>\n${relationTexts.join('')}</SPEC-RELATIONS>\n`,
    `<SPECIFICATIONS>\n${specificationTexts.join('')}</SPECIFICATIONS>\n`,
    '</REQ-IF-CONTENT></CORE-CONTENT>\n</REQ-IF>\n',
  ].join('');
}

function split<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

function typesOf<T>(
  element: string,
  elements: readonly T[],
  nameOf: (one: T) => string,
  cellsIn: (one: T) => readonly Cell[],
): ((one: T) => ElementType) & { all: ElementType[] } {
  const groups = Map.groupBy(elements, nameOf);
  const prefix = `pqrs.${element.toLowerCase()}`;
  const types = new Map(
    [...groups].map(([name, of], at) => [
      name,
      typeOf(element, `${prefix}.${at + 1}`, name, of.map(cellsIn)),
    ]),
  );
  const find = (one: T) => types.get(nameOf(one)) as ElementType;
  return Object.assign(find, { all: [...types.values()] });
}

function typeNameOf({ kind, attributes }: GraphNode): string {
  if (kind === 'section' || kind === 'document') return 'Heading';
  const name = attributes['reqif:type'];
  const isFree =
    typeof name === 'string' && !/^(?:document|section|heading|chapter)s?$/i.test(name);
  if (isFree && name.trim() !== '') return name;
  return kind === 'story' ? 'Story' : 'Requirement';
}

function relationName({ type, role }: GraphEdge): string {
  return role !== undefined && linkMeaning(role).type === type ? role : type;
}

function isReversed(edge: GraphEdge): boolean {
  return linkMeaning(relationName(edge)).reversed;
}

function cellsOf(node: GraphNode, id: string, links: readonly GraphEdge[]): Cell[] {
  const { kind, title, statement, status, priority, rationale, acceptance, tags } = node;
  const cells: Cell[] = [{ key: 'ReqIF.ForeignID', name: 'ReqIF.ForeignID', value: id }];
  const add = (name: string, value: AttributeValue, key = name) => {
    if (value !== null && value !== '' && !(Array.isArray(value) && value.length === 0))
      cells.push({ key, name, value });
  };
  add(kind === 'section' || kind === 'document' ? 'ReqIF.ChapterName' : 'ReqIF.Name', title);
  add('ReqIF.Text', statement);
  add('Status', status);
  add('Priority', priority);
  add('Rationale', rationale);
  add('Acceptance Criteria', acceptance);
  add('Tags', tags.join(', '));
  if (!node.active) add('ReqIF.ForeignDeleted', true);
  add(
    'Links',
    links.map(({ type, to, role }) => `${role ?? type} ${to}`),
  );
  for (const [name, value] of Object.entries(node.attributes))
    if (!NATIVE.test(name)) add(name, value, `:${name}`);
  return cells;
}

/** The ids that sections get whose own ones StrictDoc cannot have: those of headings have a `#`. */
function foreignIdsOf(nodes: readonly GraphNode[]): Map<GraphNode, string> {
  const taken = new Set(nodes.map(({ id }) => id));
  const ids = new Map<GraphNode, string>();
  for (const node of nodes) {
    if (node.kind === 'requirement' || node.kind === 'story') continue;
    const plain = node.id.replace(/[^\w()\-/.: ]+/g, ':').replace(/^\W+/, '') || 'section';
    if (plain === node.id) continue;
    let id = plain;
    for (let count = 2; taken.has(id); count += 1) id = `${plain}:${count}`;
    taken.add(id);
    ids.set(node, id);
  }
  return ids;
}

function relationCells(edge: GraphEdge): Cell[] {
  const cells = Object.entries(edge.attributes ?? {})
    .filter(([name, value]) => !NATIVE.test(name) && value !== null)
    .map(([name, value]): Cell => ({ key: `:${name}`, name, value }));
  if (edge.status === 'suspect') cells.push({ key: 'Suspect', name: 'Suspect', value: true });
  if (edge.role !== undefined && relationName(edge) !== edge.role)
    cells.push({ key: 'Role', name: 'Role', value: edge.role });
  return cells;
}

function headText(
  attributes: Record<string, AttributeValue>,
  identifier: string | undefined,
  time: string,
  more: Record<string, string | undefined> = {},
): string {
  const changed = attributes['reqif:last-change'];
  const desc = attributes['reqif:desc'];
  return attributeText({
    DESC: typeof desc === 'string' ? desc : undefined,
    IDENTIFIER: identifier,
    'LAST-CHANGE': typeof changed === 'string' && TIME.test(changed) ? changed : time,
    ...more,
  });
}

function typeRef({ element, identifier }: ElementType): string {
  return `<TYPE><${element}-TYPE-REF>${identifier}</${element}-TYPE-REF></TYPE>`;
}

function hierarchyText(
  plan: ReqifPlan,
  children: readonly GraphNode[],
  idOf: ReadonlyMap<string, string>,
  time: string,
): string {
  if (children.length === 0) return '';
  let text = '<CHILDREN>\n';
  const stack = [{ nodes: children, at: 0 }];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const node = top.nodes[top.at];
    top.at += 1;
    if (node === undefined) {
      stack.pop();
      text += stack.length === 0 ? '</CHILDREN>\n' : '</CHILDREN></SPEC-HIERARCHY>\n';
      continue;
    }
    const identifier = idOf.get(node.id) ?? '';
    const head = attributeText({ IDENTIFIER: `pqrs.place.${identifier}`, 'LAST-CHANGE': time });
    text += `<SPEC-HIERARCHY${head}><OBJECT><SPEC-OBJECT-REF>${identifier}</SPEC-OBJECT-REF></OBJECT>`;
    const below = plan.childrenOf(node);
    text += below.length === 0 ? '</SPEC-HIERARCHY>\n' : '<CHILDREN>\n';
    if (below.length > 0) stack.push({ nodes: below, at: 0 });
  }
  return text;
}

/**
 * An IDENTIFIER for each node: the one that it came with, where that is a legal one, else one made of
 * its id, so that it stays the same from export to export.
 */
function identifiersOf(nodes: readonly GraphNode[]): Map<GraphNode, string> {
  const taken = new Set<string>();
  return new Map(
    nodes.map((node) => {
      const encoded = node.id.replace(
        /[^A-Za-z0-9-]/g,
        (unit) => `_${unit.charCodeAt(0).toString(16)}_`,
      );
      const identifier = legalIdentifier(node.attributes, taken) ?? `pqrs.item.${encoded}`;
      taken.add(identifier);
      return [node, identifier];
    }),
  );
}

function legalIdentifier(
  { 'reqif:identifier': came }: Record<string, AttributeValue>,
  taken: ReadonlySet<string>,
): string | undefined {
  const isLegal = typeof came === 'string' && /^(?!pqrs\.)[A-Za-z_][\w.-]*$/.test(came);
  return isLegal && !taken.has(came) ? came : undefined;
}

function longNameOf({ 'reqif:long-name': name }: Record<string, AttributeValue>) {
  return typeof name === 'string' ? { 'LONG-NAME': name } : {};
}
