// A need as an item with its links. What is in no field of the item is an attribute under its own
// name, so that of a need nothing is left but its line in its document.
import { type Part, takeWhole } from '../account.ts';
import type { AttributeValue, SourceItem, SourceResult } from '../model.ts';
import { bareItem, type FileReport } from '../report.ts';
import { attributeOf, isEmpty, plainOf } from '../tree/value.ts';
import {
  type FieldTypes,
  isBackField,
  isLinkField,
  isStoryType,
  meaningOf,
  readLink,
  saysNothing,
  takeScalar,
} from './fields.ts';

export interface Need {
  id: string;
  line: number;
  type: string;
  /** The need that it is in. */
  parent: string | null;
  /** The page and the titles of the sections around it, the innermost first. */
  page: string | null;
  titles: readonly string[];
  /** Texts inside it that links may name: of each its id, its text, and as JSON what else it says. */
  parts: readonly string[][];
  /** What of its members is still to be read. */
  fields: Map<string, Part>;
}

export interface NeedsSet {
  result: SourceResult;
  needs: Map<string, Need>;
}

const MAX_SECTIONS = 20;

export function openNeed(key: string, part: Part, fields: Map<string, Part>): Need {
  const id = takeScalar(fields, 'id') ?? key;
  const type = takeScalar(fields, 'type') ?? '';
  const parents = fields.get('parent_needs');
  const parent = takeScalar(fields, 'parent_need') ?? firstText(parents);
  if (parents && parents.parts.length <= 1 && firstText(parents) === parent)
    takeOut(fields, parents);
  const sections = fields.get('sections');
  const isPlaced = scalarIn(fields, 'docname') && isTextList(sections);
  const page = takeScalar(fields, 'docname');
  const titles = (isPlaced && sections?.parts.map(({ text }) => text)) || [];
  if (titles.length <= MAX_SECTIONS && isPlaced && sections) takeOut(fields, sections);
  const name = fields.get('section_name');
  if (name && name.text === sections?.parts[0]?.text) takeOut(fields, name);
  const place = { page, titles: titles.filter((one) => one.trim() !== '').slice(0, MAX_SECTIONS) };
  return { id, line: part.line, type, parent, ...place, parts: partsOf(fields, page), fields };
}

export function readNeed(
  need: Need,
  fieldTypes: FieldTypes,
  set: NeedsSet,
  report: FileReport,
): SourceItem {
  const { id, line, type, fields } = need;
  const text = (name: string) => takeScalar(fields, name);
  const whole = text('full_title');
  const title = text('title') ?? whole ?? '';
  const description = text('description');
  const content = withoutBlankEnds(text('content') ?? description ?? '');
  const attributes: [string, AttributeValue][] = [];
  const keep = (name: string, value: AttributeValue) => void attributes.push([name, value]);
  if (type !== '') keep('type', type);
  // The tool shortens a title, and calls the content a description where it is old.
  if (whole !== null && whole !== title) keep('full_title', whole);
  if (description !== null && description.trim() !== content.trim())
    keep('description', description);
  const kind = isStoryType(type) ? 'story' : 'requirement';
  const item: SourceItem = {
    ...bareItem({ id, kind, title, path: report.path, line, parentId: null }),
    statement: content,
    acceptance: listOf(fields, 'acceptance', /\r?\n/).filter((one) => one.trim() !== ''),
    rationale: text('rationale'),
    status: text('status'),
    priority: text('priority'),
    tags: listOf(fields, 'tags', ',').flatMap((one) => one.trim() || []),
  };
  if (need.parts.length > 0) keep('parts', [...need.parts]);
  for (const field of fields.values()) {
    const { name } = field;
    field.kept = true;
    if (isBackField(name, fieldTypes)) field.kept = isEmpty(field);
    else if (saysNothing(name, field)) takeWhole(field);
    else if (name === 'lineno') field.kept = false;
    else if (
      name !== 'parent_needs' &&
      isLinkField(field, fieldTypes, (one) => set.needs.has(one))
    ) {
      const texts = readLinks(field, need, item, set, report);
      if (texts) keep(name, texts);
    } else keep(name, attributeOf(field));
  }
  item.attributes = Object.fromEntries(attributes);
  return item;
}

function readLinks(
  field: Part,
  { id, type }: Need,
  item: SourceItem,
  set: NeedsSet,
  report: FileReport,
): string[] | null {
  const meaning = meaningOf(field.name, type);
  const texts: string[] = [];
  let says = false;
  for (const entry of field.kind === 'list' ? field.parts : [field]) {
    const link = entry.kind === 'text' ? readLink(entry.text, (one) => set.needs.has(one)) : null;
    entry.kept = link !== null || isEmpty(entry);
    if (!link) continue;
    texts.push(entry.text);
    if (link.part !== null || link.isConditional) says = true;
    if (link.part !== null) {
      const target = `${link.id}.${link.part}`;
      if (!set.needs.get(link.id)?.parts.some(([one]) => one === link.part)) {
        const detail = `${id} links to ${target}, a part that is not there.`;
        const parts = { itemId: id, relatedIds: [link.id] };
        report.report('dangling_reference', entry.line, detail, parts);
      }
    }
    const [from, to] = meaning.reversed ? [link.id, id] : [id, link.id];
    const role = field.name === 'links' || field.name === meaning.type ? {} : { role: field.name };
    set.result.links.push({
      from,
      to,
      type: meaning.type,
      path: item.path,
      line: entry.line,
      item,
      ...role,
    });
  }
  return says ? texts : null;
}

function partsOf(fields: Map<string, Part>, page: string | null): string[][] {
  const map = fields.get('parts');
  if (map?.kind !== 'map') return [];
  fields.delete('parts');
  map.kept = true;
  return map.parts.map((one) => {
    const { name: id } = one;
    one.kept = true;
    const more = new Map<string, unknown>();
    let content = one.text;
    for (const member of one.parts) {
      const { name, text } = member;
      const isGiven =
        (name === 'id' && text === id) ||
        (name === 'is_part' && text === 'true') ||
        (name === 'is_need' && text === 'false') ||
        (name === 'document' && text === page);
      if (more.has(name)) continue;
      if (isGiven || isEmpty(member)) takeWhole(member);
      else if (name === 'content' && member.parts.length === 0 && content === '') {
        member.kept = true;
        content = text;
      } else if (!name.endsWith('_back')) more.set(name, plainOf(member));
    }
    const rest = more.size === 0 ? [] : [JSON.stringify(Object.fromEntries(more))];
    return [id, content, ...rest];
  });
}

function takeOut(fields: Map<string, Part>, part: Part): void {
  fields.delete(part.name);
  takeWhole(part);
}

function firstText(list: Part | undefined): string | null {
  const text = list?.kind === 'list' ? (list.parts[0]?.text ?? '') : '';
  return text.trim() === '' ? null : text;
}

function scalarIn(fields: Map<string, Part>, name: string): boolean {
  return (fields.get(name)?.text ?? '').trim() !== '';
}

function isTextList(part: Part | undefined): boolean {
  return part?.kind === 'list' && part.parts.every(({ kind }) => kind !== 'map' && kind !== 'list');
}

function listOf(fields: Map<string, Part>, name: string, between: string | RegExp): string[] {
  const part = fields.get(name);
  if (!part || !isTextList(part)) return takeScalar(fields, name)?.split(between) ?? [];
  takeOut(fields, part);
  return part.parts.map(({ text }) => text);
}

function withoutBlankEnds(text: string): string {
  const length = text.trimEnd().length;
  const after = text.slice(length).search(/[\r\n]/);
  return text.slice(0, after < 0 ? undefined : length + after).replace(/^(?:[^\S\n]*\n)+/, '');
}
