// Writes items and links as a ReqIF 1.2 document (OMG formal/2016-07-01, whose schema fixes the
// version to 1.0), from which the reader of ReqIF takes them back unchanged.

import { encodeName, OWN } from '../sources/reqif-names.ts';
import {
  type ColumnForm,
  type Columns,
  columnsOf,
  DATATYPE_IDS,
  kindOfForm,
} from './reqif-columns.ts';
import {
  cellsOf,
  type ExportedLink,
  endsOf,
  itemType,
  relationCells,
  relationType,
} from './reqif-elements.ts';
import { groupsText, groupTypeText, haveGroups, specificationsOf } from './reqif-groups.ts';
import {
  identifiersOf,
  linkIdentifiers,
  linkNatives,
  type Natives,
  nativesOf,
} from './reqif-natives.ts';
import { type ExportedItem, planReqif, type ReqifPlan } from './reqif-plan.ts';
import { attributeText, escapeText, isXmlText } from './xml-text.ts';

export type { ExportedLink } from './reqif-elements.ts';
export type { ExportedItem } from './reqif-plan.ts';

/** What a ReqIF document says of itself. */
export interface ReqifOptions {
  title: string;
  /** Name and version of the tool that writes. */
  tool: string;
  /** An RFC 3339 time: that of the document, and of all in it that came with none. */
  time: string;
}

/** The types of one sort (of objects, of specifications, of relations), by identifier. */
interface Types {
  element: 'SPEC-OBJECT' | 'SPECIFICATION' | 'SPEC-RELATION';
  columns: Map<string, { name: string; columns: Columns }>;
}

/**
 * The document in pieces, one after the other.
 *
 * Links whose source is not among the items are left out; those that a relation cannot hold (to
 * or from a document, or to what is not there) are kept in an attribute of their source.
 *
 * @param items - parents before or after what they hold; what nests deeper than 200 stands flat,
 *   each with a mark of its parent that the reader knows
 */
export function* reqifChunks(
  items: readonly ExportedItem[],
  links: readonly ExportedLink[],
  options: ReqifOptions,
): Generator<string> {
  const plan = planReqif(items);
  const { relations, kept } = splitLinks(plan, links);
  const identifiers = identifiersOf(plan.byId.values());
  const natives = (item: ExportedItem) =>
    nativesOf(item, identifiers.get(item), options.time, plan.documents.has(item));
  const cells = (item: ExportedItem) => cellsOf(item, kept.get(item) ?? [], natives(item));
  const opening = (item: ExportedItem) =>
    itemAttributes(item, identifiers.get(item), natives(item), options);
  const ofRelations = linkIdentifiers(relations, identifiers);
  const numbers = new Map(relations.map((link, at) => [link, at]));
  const ofLink = (link: ExportedLink) =>
    relationCells(link, linkNatives(link, ofRelations[numbers.get(link) ?? -1], options.time));
  const objectTypes: Types = {
    element: 'SPEC-OBJECT',
    columns: typesOf(plan.objects, (item) => itemType(item, false), cells),
  };
  const documentTypes: Types = {
    element: 'SPECIFICATION',
    columns: typesOf(plan.documents, (item) => itemType(item, true), cells),
  };
  const rootType = `${OWN.type}specification`;
  if (!documentTypes.columns.has(rootType)) {
    documentTypes.columns.set(rootType, {
      name: 'Specification',
      columns: columnsOf('specification', []),
    });
  }
  const relationTypes: Types = {
    element: 'SPEC-RELATION',
    columns: typesOf(relations, relationType, ofLink),
  };

  yield headText(options);
  yield '<CORE-CONTENT><REQ-IF-CONTENT>\n';
  yield datatypesText(options.time);
  yield '<SPEC-TYPES>\n';
  for (const types of [objectTypes, relationTypes, documentTypes]) {
    yield* typeTexts(types, options.time);
  }
  const grouped = haveGroups(relations);
  if (grouped) yield groupTypeText(options.time);
  yield '</SPEC-TYPES>\n<SPEC-OBJECTS>\n';
  for (const item of plan.objects) {
    const [type] = itemType(item, false);
    const values = objectTypes.columns.get(type)?.columns.values(cells(item)) ?? '';
    yield `<SPEC-OBJECT${opening(item)}>${alternativeText(natives(item))}${values}${typeText('SPEC-OBJECT', type)}</SPEC-OBJECT>\n`;
  }
  yield '</SPEC-OBJECTS>\n<SPEC-RELATIONS>\n';
  yield* relationTexts(plan, relations, relationTypes, identifiers, ofRelations, options);
  yield '</SPEC-RELATIONS>\n<SPECIFICATIONS>\n';
  for (const [at, { document, children }] of plan.specifications.entries()) {
    if (document === null) {
      const attributes = attributeText({
        IDENTIFIER: `${OWN.root}${at + 1}`,
        'LAST-CHANGE': options.time,
        'LONG-NAME': 'Items in no document',
      });
      yield `<SPECIFICATION${attributes}>${typeText('SPECIFICATION', rootType)}`;
    } else {
      const [type] = itemType(document, true);
      const values = documentTypes.columns.get(type)?.columns.values(cells(document)) ?? '';
      yield `<SPECIFICATION${opening(document)}>${alternativeText(natives(document))}${values}${typeText('SPECIFICATION', type)}`;
    }
    yield* hierarchyTexts(plan, children, identifiers, natives, options);
    yield '</SPECIFICATION>\n';
  }
  yield '</SPECIFICATIONS>\n';
  if (grouped) {
    const specificationOf = specificationsOf(plan, (at) => {
      const document = plan.specifications[at]?.document;
      return document ? (identifiers.get(document) ?? '') : `${OWN.root}${at + 1}`;
    });
    yield groupsText(plan, relations, ofRelations, specificationOf, options.time);
  }
  yield '</REQ-IF-CONTENT></CORE-CONTENT>\n</REQ-IF>\n';
}

/** The whole document of {@link reqifChunks}. */
export function writeReqif(
  items: readonly ExportedItem[],
  links: readonly ExportedLink[],
  options: ReqifOptions,
): string {
  return [...reqifChunks(items, links, options)].join('');
}

/** Relations have objects at both ends; the other links stay with their source. */
function splitLinks(plan: ReqifPlan, links: readonly ExportedLink[]) {
  const relations: ExportedLink[] = [];
  const kept = new Map<ExportedItem, ExportedLink[]>();
  for (const link of links) {
    const from = plan.byId.get(link.from);
    const to = plan.byId.get(link.to);
    if (from === undefined) continue;
    if (to !== undefined && !plan.documents.has(from) && !plan.documents.has(to)) {
      relations.push(link);
      continue;
    }
    const list = kept.get(from);
    if (list === undefined) kept.set(from, [link]);
    else list.push(link);
  }
  return { relations, kept };
}

/** The types that elements have, with columns for all that these say. */
function typesOf<T>(
  elements: Iterable<T>,
  typeOf: (element: T) => [string, string],
  cells: (element: T) => ReturnType<typeof cellsOf>,
): Types['columns'] {
  const groups = new Map<string, { name: string; elements: T[] }>();
  for (const element of elements) {
    const [identifier, name] = typeOf(element);
    const group = groups.get(identifier);
    if (group === undefined) groups.set(identifier, { name, elements: [element] });
    else group.elements.push(element);
  }
  const types: Types['columns'] = new Map();
  for (const [identifier, group] of groups) {
    const columns = columnsOf(encodeName(identifier), group.elements.map(cells));
    types.set(identifier, { name: group.name, columns });
  }
  return types;
}

function headText({ title, tool, time }: ReqifOptions): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<REQ-IF xmlns="http://www.omg.org/spec/ReqIF/20110401/reqif.xsd" xmlns:xhtml="http://www.w3.org/1999/xhtml">
<THE-HEADER><REQ-IF-HEADER IDENTIFIER="${OWN.header}">
<CREATION-TIME>${escapeText(time)}</CREATION-TIME>
<REQ-IF-TOOL-ID>${escapeText(tool)}</REQ-IF-TOOL-ID>
<REQ-IF-VERSION>1.0</REQ-IF-VERSION>
<SOURCE-TOOL-ID>${escapeText(tool)}</SOURCE-TOOL-ID>
<TITLE>${escapeText(title)}</TITLE>
</REQ-IF-HEADER></THE-HEADER>
`;
}

const DATATYPE_BOUNDS: Partial<Record<string, Record<string, string>>> = {
  STRING: { 'MAX-LENGTH': '2147483647' },
  INTEGER: { MAX: '9007199254740991', MIN: '-9007199254740991' },
  REAL: { ACCURACY: '17', MAX: '1.7976931348623157E308', MIN: '-1.7976931348623157E308' },
};

function datatypesText(time: string): string {
  let text = '<DATATYPES>\n';
  for (const [form, identifier] of Object.entries(DATATYPE_IDS)) {
    const kind = kindOfForm(form as ColumnForm);
    const attributes = attributeText({
      IDENTIFIER: identifier,
      'LAST-CHANGE': time,
      'LONG-NAME': form === kind ? kind : `${kind} (${form})`,
      ...DATATYPE_BOUNDS[kind],
    });
    text += `<DATATYPE-DEFINITION-${kind}${attributes}/>\n`;
  }
  return `${text}</DATATYPES>\n`;
}

function* typeTexts({ element, columns }: Types, time: string): Generator<string> {
  for (const [identifier, type] of columns) {
    const attributes = attributeText({
      IDENTIFIER: identifier,
      'LAST-CHANGE': time,
      'LONG-NAME': type.name,
    });
    yield `<${element}-TYPE${attributes}>${type.columns.definitions(time)}</${element}-TYPE>\n`;
  }
}

function typeText(element: Types['element'], identifier: string): string {
  return `<TYPE><${element}-TYPE-REF>${identifier}</${element}-TYPE-REF></TYPE>`;
}

function itemAttributes(
  item: ExportedItem,
  identifier: string | undefined,
  natives: Natives,
  { time }: ReqifOptions,
): string {
  const { title } = item;
  const named = title.trim() !== '' && isXmlText(title) ? title : undefined;
  return attributeText({
    DESC: natives['reqif:desc'],
    IDENTIFIER: identifier,
    'LAST-CHANGE': natives['reqif:last-change'] ?? time,
    'LONG-NAME': natives['reqif:long-name'] ?? named,
  });
}

function alternativeText(natives: Natives): string {
  const identifier = natives['reqif:alternative-id'];
  if (identifier === undefined) return '';
  const attributes = attributeText({ IDENTIFIER: identifier });
  return `<ALTERNATIVE-ID><ALTERNATIVE-ID${attributes}/></ALTERNATIVE-ID>`;
}

function* relationTexts(
  plan: ReqifPlan,
  relations: readonly ExportedLink[],
  types: Types,
  identifiers: ReadonlyMap<ExportedItem, string>,
  ofRelations: readonly string[],
  { time }: ReqifOptions,
): Generator<string> {
  const end = (id: string) => {
    const item = plan.byId.get(id);
    return `<SPEC-OBJECT-REF>${item === undefined ? '' : identifiers.get(item)}</SPEC-OBJECT-REF>`;
  };
  for (const [at, link] of relations.entries()) {
    const [type] = relationType(link);
    const identifier = ofRelations[at];
    const natives = linkNatives(link, identifier, time);
    const values = types.columns.get(type)?.columns.values(relationCells(link, natives)) ?? '';
    const attributes = attributeText({
      DESC: natives['reqif:desc'],
      IDENTIFIER: identifier,
      'LAST-CHANGE': natives['reqif:last-change'] ?? time,
      'LONG-NAME': natives['reqif:long-name'],
    });
    const { source, target } = endsOf(link);
    yield `<SPEC-RELATION${attributes}>${values}<SOURCE>${end(source)}</SOURCE><TARGET>${end(target)}</TARGET>${typeText('SPEC-RELATION', type)}</SPEC-RELATION>\n`;
  }
}

function* hierarchyTexts(
  plan: ReqifPlan,
  children: readonly ExportedItem[],
  identifiers: ReadonlyMap<ExportedItem, string>,
  natives: (item: ExportedItem) => Natives,
  { time }: ReqifOptions,
): Generator<string> {
  if (children.length === 0) return;
  yield '<CHILDREN>\n';
  const stack: { items: readonly ExportedItem[]; at: number }[] = [{ items: children, at: 0 }];
  for (let top = stack[stack.length - 1]; top !== undefined; top = stack[stack.length - 1]) {
    const item = top.items[top.at];
    top.at += 1;
    if (item === undefined) {
      stack.pop();
      yield stack.length === 0 ? '</CHILDREN>\n' : '</CHILDREN></SPEC-HIERARCHY>\n';
      continue;
    }
    const identifier = identifiers.get(item) ?? '';
    const parent = plan.parentAbove(item);
    const attributes = attributeText({
      DESC: parent && `${OWN.parent}${identifiers.get(parent)}`,
      IDENTIFIER: `pqrs.place.${identifier}`,
      'IS-TABLE-INTERNAL': item.attributes['reqif:table-internal'] === true ? 'true' : undefined,
      'LAST-CHANGE': time,
      'LONG-NAME': natives(item)['reqif:place-name'],
    });
    const below = plan.childrenOf(item);
    yield `<SPEC-HIERARCHY${attributes}><OBJECT><SPEC-OBJECT-REF>${identifier}</SPEC-OBJECT-REF></OBJECT>`;
    if (below.length === 0) {
      yield '</SPEC-HIERARCHY>\n';
    } else {
      yield '<CHILDREN>\n';
      stack.push({ items: below, at: 0 });
    }
  }
}
