// What items and links say in a ReqIF export: the cells of their attributes, and what ReqIF has
// attributes of its elements for.

import type { AttributeValue, SourceLink } from '../sources/model.ts';
import { encodeName, OWN, OWN_PREFIX, type Role } from '../sources/reqif-names.ts';
import type { Cell } from './reqif-columns.ts';
import type { ExportedItem } from './reqif-plan.ts';
import { isXmlText } from './xml-text.ts';

/** A link as it is exported: where its source has it does not matter. */
export type ExportedLink = Omit<SourceLink, 'path' | 'line'>;

/** Attributes that the reader makes of attributes of ReqIF's elements, as the writer does back. */
const NATIVE: ReadonlySet<string> = new Set([
  'reqif:identifier',
  'reqif:type',
  'reqif:last-change',
  'reqif:desc',
  'reqif:long-name',
  'reqif:alternative-id',
  'reqif:place-name',
]);

/** A native attribute that is a text; undefined otherwise. */
export function nativeText(item: ExportedItem, name: string): string | undefined {
  const value = item.attributes[name];
  return typeof value === 'string' && value !== '' && isXmlText(value) ? value : undefined;
}

/**
 * The cells of an item.
 *
 * @param links - those of the item that are no relations
 */
export function cellsOf(item: ExportedItem, links: readonly ExportedLink[]): Cell[] {
  const cells: Cell[] = [];
  const add = (role: Role, name: string, value: AttributeValue, rich = false) => {
    cells.push({ role, name, value, rich });
  };
  add('id', 'ReqIF.ForeignID', item.id);
  if (item.title !== '') {
    add('title', item.kind === 'section' ? 'ReqIF.ChapterName' : 'ReqIF.Name', item.title);
  }
  if (item.statement !== '') add('statement', 'ReqIF.Text', item.statement, true);
  if (isSaid(item.status)) add('status', 'Status', item.status);
  if (isSaid(item.priority)) add('priority', 'Priority', item.priority);
  if (isSaid(item.rationale)) add('rationale', 'Rationale', item.rationale, true);
  if (item.acceptance.length > 0) add('acceptance', 'Acceptance Criteria', item.acceptance);
  if (item.tags.length > 0) add('tags', 'Tags', item.tags);
  if (!item.active) add('deleted', 'ReqIF.ForeignDeleted', true);
  if (links.length > 0) add('links', 'Links', links.map(linkJson));
  for (const [name, value] of Object.entries(item.attributes)) {
    if (NATIVE.has(name) && nativeText(item, name) !== undefined) continue;
    if (name === 'reqif:table-internal' && value === true) continue;
    cells.push({ role: null, name, value });
  }
  return cells;
}

function isSaid(text: string | null): text is string {
  return text !== null && text.trim() !== '';
}

function linkJson({ type, to, role, suspect, attributes }: ExportedLink): AttributeValue {
  return [type, to, role ?? null, suspect ?? null, Object.entries(attributes ?? {})];
}

/** The cells of a relation. */
export function relationCells(link: ExportedLink): Cell[] {
  const cells: Cell[] = [];
  if (link.suspect !== undefined) {
    cells.push({ role: 'suspect', name: 'Suspect', value: link.suspect });
  }
  for (const [name, value] of Object.entries(link.attributes ?? {})) {
    cells.push({ role: null, name, value });
  }
  return cells;
}

/** The identifier of the type of an item, and its name. */
export function itemType(item: ExportedItem, specification: boolean): [string, string] {
  const kind = specification ? 'specification' : item.kind;
  const name = nativeText(item, 'reqif:type');
  if (name === undefined) {
    return [`${OWN.type}${kind}`, `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`];
  }
  return [`${OWN.type}${kind}.${encodeName(name)}`, name];
}

/** The identifier of the type of a link, and its name. */
export function relationType({ type, role }: ExportedLink): [string, string] {
  if (role === undefined) return [`${OWN.relation}${type}`, type];
  return [`${OWN.relation}${type}.${encodeName(role)}`, role];
}

/**
 * An IDENTIFIER for each item: the one that it came with, where that is a legal one, else one
 * made of its id, so that it stays the same from export to export.
 */
export function identifiersOf(items: Iterable<ExportedItem>): Map<ExportedItem, string> {
  const taken = new Set<string>();
  const identifiers = new Map<ExportedItem, string>();
  for (const item of items) {
    const came = nativeText(item, 'reqif:identifier');
    const kept =
      came !== undefined &&
      /^[A-Za-z_][\w.-]*$/.test(came) &&
      !came.startsWith(OWN_PREFIX) &&
      !taken.has(came);
    const identifier = kept ? came : `${OWN_PREFIX}item.${encodeName(item.id)}`;
    taken.add(identifier);
    identifiers.set(item, identifier);
  }
  return identifiers;
}
