// What items and links say in a ReqIF export: the cells of their attributes, and what ReqIF has
// attributes of its elements for.

import type { AttributeValue, SourceLink } from '../sources/model.ts';
import { isReversedRole } from '../sources/reqif-link-names.ts';
import { encodeName, OWN, type Role } from '../sources/reqif-names.ts';
import type { Cell } from './reqif-columns.ts';
import { GROUPS, groupsOf, type Natives, typeName } from './reqif-natives.ts';
import type { ExportedItem } from './reqif-plan.ts';

/** A link as it is exported: where its source has it does not matter. */
export type ExportedLink = Omit<SourceLink, 'path' | 'line'>;

/** The ids at the ends of a relation: one named the other way round also runs that way. */
export function endsOf({ from, to, type, role }: ExportedLink): { source: string; target: string } {
  return isReversedRole(type, role) ? { source: to, target: from } : { source: from, target: to };
}

/**
 * The cells of an item.
 *
 * @param links - those of the item that are no relations
 * @param natives - what of its attributes is written otherwise
 */
export function cellsOf(
  item: ExportedItem,
  links: readonly ExportedLink[],
  natives: Natives,
): Cell[] {
  const cells: Cell[] = [];
  const add = (role: Role, name: string, value: AttributeValue, rich = false) => {
    cells.push({ role, name, value, rich });
  };
  add('id', 'ReqIF.ForeignID', item.id);
  if (item.title !== '') {
    add('title', item.kind === 'section' ? 'ReqIF.ChapterName' : 'ReqIF.Name', item.title);
  }
  if (item.statement !== '') add('statement', 'ReqIF.Text', item.statement, true);
  if (item.status !== null) add('status', 'Status', item.status);
  if (item.priority !== null) add('priority', 'Priority', item.priority);
  if (item.rationale !== null) add('rationale', 'Rationale', item.rationale, true);
  if (item.acceptance.length > 0) add('acceptance', 'Acceptance Criteria', item.acceptance);
  if (item.tags.length > 0) add('tags', 'Tags', item.tags);
  if (!item.active) add('deleted', 'ReqIF.ForeignDeleted', true);
  if (links.length > 0) add('links', 'Links', links.map(linkJson));
  for (const [name, value] of Object.entries(item.attributes)) {
    if (Object.hasOwn(natives, name) && natives[name] !== undefined) continue;
    if (name === 'reqif:table-internal' && value === true && item.kind !== 'document') continue;
    cells.push({ role: null, name, value });
  }
  return cells;
}

function linkJson({ type, to, role, suspect, attributes }: ExportedLink): AttributeValue {
  return [type, to, role ?? null, suspect ?? null, Object.entries(attributes ?? {})];
}

/**
 * The cells of a relation.
 *
 * @param natives - what of its attributes is written otherwise
 */
export function relationCells(link: ExportedLink, natives: Natives): Cell[] {
  const cells: Cell[] = [];
  if (link.suspect !== undefined) {
    cells.push({ role: 'suspect', name: 'Suspect', value: link.suspect });
  }
  for (const [name, value] of Object.entries(link.attributes ?? {})) {
    if (Object.hasOwn(natives, name) && natives[name] !== undefined) continue;
    if (name === GROUPS && groupsOf(link).length > 0) continue;
    cells.push({ role: null, name, value });
  }
  return cells;
}

/** The identifier of the type of an item, and its name. */
export function itemType(item: ExportedItem, specification: boolean): [string, string] {
  const kind = specification ? 'specification' : item.kind;
  const name = typeName(item);
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
