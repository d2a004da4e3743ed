// What StrictDoc's documents and nodes are in the terms of all sources.

import { idFault } from '../item-ids.ts';
import type { AttributeValue, SourceItem } from '../model.ts';
import { titleFrom } from '../text.ts';
import {
  fieldOf,
  type SdocContent,
  type SdocField,
  type SdocNode,
  type SdocRelation,
} from './model.ts';

const STATEMENT = ['STATEMENT', 'DESCRIPTION', 'CONTENT'];
const ACCEPTANCE = ['ACCEPTANCE_CRITERIA', 'ACCEPTANCE', 'FIT_CRITERION', 'FIT_CRITERIA'];
const INFORMATIVE = new Set(['SECTION', 'TEXT']);
const LINKING = new Set(['Parent', 'Child']);
const STORIES = new Set(['STORY', 'USER_STORY']);
const PLACED = ['UID', 'TITLE', 'RATIONALE', 'STATUS', 'PRIORITY', 'TAGS'];
const RETIRED = /^(?:deleted|obsolete|retired|removed|withdrawn)$/i;

/** An id for what has none: from path and title, and a number where that is not enough. */
export function generatedId(path: string, title: string, counts: Map<string, number>): string {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const base = `${path}#${words.join('-').slice(0, 80)}`;
  const count = (counts.get(base) ?? 0) + 1;
  counts.set(base, count);
  return count === 1 ? base : `${base}-${count}`;
}

export function ownId(block: { fields: SdocField[] }): string | null {
  const id = fieldOf(block, 'UID') || fieldOf(block, 'MID');
  return id && idFault(id) === undefined ? id : null;
}

export function titleOf(node: { fields: SdocField[] }): string {
  return fieldOf(node, 'TITLE') || titleFrom(statementOf(node)?.value.split('\n', 1)[0] ?? '');
}

function statementOf(block: { fields: SdocField[] }): SdocField | undefined {
  for (const name of STATEMENT) {
    const field = block.fields.find((candidate) => candidate.name === name);
    if (field !== undefined) return field;
  }
  return undefined;
}

export function documentItem(path: string, id: string, { fields }: SdocContent): SourceItem {
  return {
    ...shared({ fields }),
    id,
    kind: 'document',
    title: fieldOf({ fields }, 'TITLE') || (path.split('/').at(-1) ?? path),
    path,
    line: 1,
    parentId: null,
  };
}

export function nodeItem(node: SdocNode, id: string, path: string, parentId: string): SourceItem {
  const { tag, line } = node;
  const kind = INFORMATIVE.has(tag) ? 'section' : STORIES.has(tag) ? 'story' : 'requirement';
  const item: SourceItem = {
    ...shared(node),
    id,
    kind,
    title: titleOf(node),
    path,
    line,
    parentId,
  };
  item.attributes.node_type = tag;
  const relations = node.relations.filter(
    ({ type, value, role, fields }) =>
      role !== null || value === '' || !LINKING.has(type) || fields.length > 2,
  );
  if (relations.length > 0) item.attributes.relations = relations.map(shownRelation);
  return item;
}

export function shownRelation({ fields }: SdocRelation): string {
  return fields.map(({ name, value }) => `${name}: ${value}`).join(', ');
}

function shared(block: { fields: SdocField[] }) {
  const statement = statementOf(block);
  const status = fieldOf(block, 'STATUS');
  const placed = new Set(PLACED);
  if (idFault(fieldOf(block, 'UID') ?? '') !== undefined) placed.delete('UID');
  const attributes: Record<string, AttributeValue> = {};
  for (const field of block.fields) {
    // Of a name that stands twice the first has the place.
    const isPlaced = placed.delete(field.name);
    if (!isPlaced && field !== statement && !ACCEPTANCE.includes(field.name))
      addAttribute(attributes, field);
  }
  return {
    statement: statement?.value ?? '',
    acceptance: block.fields
      .filter(({ name }) => ACCEPTANCE.includes(name))
      .flatMap(({ value }) => listOf(value)),
    rationale: block.fields.find(({ name }) => name === 'RATIONALE')?.value || null,
    status: status || null,
    priority: fieldOf(block, 'PRIORITY') || null,
    tags: (fieldOf(block, 'TAGS') ?? '')
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
    attributes,
    active: status === null || !RETIRED.test(status),
  };
}

function addAttribute(
  attributes: Record<string, AttributeValue>,
  { name, value }: SdocField,
): void {
  const earlier = attributes[name];
  if (earlier === undefined) attributes[name] = value;
  else if (Array.isArray(earlier)) earlier.push(value);
  else attributes[name] = [earlier, value];
}

function listOf(text: string): string[] {
  const items: string[] = [];
  for (const line of text.split('\n')) {
    const bullet = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(\S.*)$/.exec(line);
    if (bullet?.[1] !== undefined) items.push(bullet[1].trim());
    else if (line.trim() !== '') {
      const last = items.pop();
      items.push(last === undefined ? line.trim() : `${last} ${line.trim()}`);
    }
  }
  return items;
}
