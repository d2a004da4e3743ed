// Reads a needs.json of Sphinx-Needs: the needs of its current version, their nesting, and their
// links. Conditions on links are kept as text and never run.
import type { FindingCode } from './finding-codes.ts';
import { attributeValue, textValue, wordsValue } from './front-matter.ts';
import { type JsonDocument, noteInnerRepeats, noteRepeats, openJson } from './json-document.ts';
import type { JsonMember } from './json-text.ts';
import { slugOf } from './markdown-sections.ts';
import type { SourceFile, SourceItem, SourceReader, SourceResult } from './model.ts';
import { noteBackLinks, type SaidLink } from './needs-json-back.ts';
import {
  forwardOf,
  isEmpty,
  isLinkField,
  kindOf,
  linkType,
  listFields,
  mistyped,
  type NeedsSchema,
  readLink,
  readSchema,
  recordOf,
  saysNothing,
  withDefaults,
} from './needs-json-fields.ts';
import { type EntryLines, entryLines } from './needs-json-lines.ts';
import { isOwnVersion, type OwnFields, ownFields, ownItem, ownLinks } from './needs-json-own.ts';
import { type NeedPart, partsAttribute, partsOf } from './needs-json-parts.ts';
import { readVersion } from './needs-json-version.ts';
import { createNesting } from './nesting.ts';
import { type FileNotes, readEach } from './source-result.ts';
import { idFault, shownId, usableId } from './usable-id.ts';

/** A need as it stands in the file. */
interface Need {
  id: string;
  line: number;
  values: Record<string, unknown>;
  type: string;
  parts: readonly NeedPart[];
  lineOf: EntryLines;
}

interface Reading {
  result: SourceResult;
  notes: FileNotes;
  schema: NeedsSchema;
  document: SourceItem;
  needs: Need[];
  /** The parts of each need by its id. */
  parts: Map<string, ReadonlySet<string>>;
  sections: Map<string, SourceItem>;
  /** The links of needs that Sphinx-Needs wrote. */
  said: SaidLink[];
  /** The link fields of a file that we wrote; null for one of Sphinx-Needs. */
  own: OwnFields | null;
}

/** Reads files of needs: a document, its pages and sections, and the needs in them. */
export const readNeedsJson: SourceReader = (files) => readEach(files, readFile);

function readFile(file: SourceFile, result: SourceResult, notes: FileNotes): void {
  const json = openJson(file, notes);
  if (!json) return;
  const current = readVersion(json, notes);
  if (!current) return;
  const { version, needs: member, project } = current;
  const document: SourceItem = { ...bare(usableId(file.path), file.path, 1), kind: 'document' };
  document.title = project ?? file.path.slice(file.path.lastIndexOf('/') + 1);
  const own = isOwnVersion(version, json) ? ownFields(version, json) : null;
  if (!own) result.items.push(document);
  const declared = readSchema(version, json);
  const read = readNeeds(json, member, notes, declared, own !== null);
  const schema = { ...declared, lists: listFields(read.map(({ values }) => values)) };
  const isBack = (name: string) => forwardOf(name, schema) !== null;
  const needs = read.map((need): Need => ({ ...need, parts: partsOf(need.values.parts, isBack) }));
  const parts = needs.map((need): [string, ReadonlySet<string>] => [
    need.id,
    new Set(need.parts.map(({ id }) => id)),
  ]);
  const reading: Reading = {
    ...{ result, notes, document, needs, schema },
    ...{ parts: new Map(parts), sections: new Map(), said: [], own },
  };
  placeItems(
    needs.map((need) => (own ? readOwn(need, own, reading) : readNeed(need, reading))),
    reading,
  );
  if (own) return;
  noteBackLinks(needs, reading.said, (id) => reading.parts.has(id), reading.schema, notes);
}

function readNeeds(
  json: JsonDocument,
  member: JsonMember,
  notes: FileNotes,
  schema: NeedsSchema,
  own: boolean,
): Omit<Need, 'parts'>[] {
  const needs: Omit<Need, 'parts'>[] = [];
  for (const one of json.members(member.start)) {
    const line = json.line(one.at);
    const said = recordOf(json.exactValue(one));
    if (!said) {
      const detail = `The need ${one.key} is left out: it is no object, or nests too deep.`;
      notes.lose('invalid_item', line, detail, { severity: 'error', itemId: one.key || null });
      continue;
    }
    const values = withDefaults(said, schema);
    const id = own && typeof values.id === 'string' ? values.id : (textValue(values.id) ?? one.key);
    const wrong = idFault(id);
    if (wrong !== undefined) {
      const why =
        id === '' ? 'A need has no id' : `The id of a need ${wrong}, and is ${shownId(id)}`;
      notes.lose('invalid_id', line, `${why}; it is left out.`, { severity: 'error' });
      continue;
    }
    if (typeof values.id === 'object' && !isEmpty(values.id)) {
      const detail = `id of ${id} is no text: ${shown(values.id)}; its name stands for it.`;
      notes.lose('invalid_field', line, detail, { itemId: id });
    }
    const members = json.members(one.start);
    noteRepeats(members, `The need ${id}`, json, notes, id);
    noteInnerRepeats(members, said, `The need ${id}`, json, notes, id);
    if (id !== one.key) {
      notes.note('invalid_id', line, `The need ${id} stands under the name ${one.key}.`, {
        ...{ severity: 'warning', itemId: id },
      });
    }
    const type = textValue(values.type) ?? '';
    const lineOf = entryLines(json, one);
    const { lineno } = values;
    if (!isEmpty(lineno) && typeof lineno !== 'number') {
      const detail = `lineno of ${id} is no number: ${shown(lineno)}`;
      notes.lose('invalid_field', lineOf('lineno', 0), detail, { itemId: id });
    }
    needs.push({ id, line, values, type, lineOf });
  }
  return needs;
}

function bare(id: string, path: string, line: number): SourceItem {
  return {
    ...{ id, kind: 'requirement', title: '', statement: '', acceptance: [], rationale: null },
    ...{ status: null, priority: null, tags: [], attributes: {}, path, line, parentId: null },
    active: true,
  };
}

function readOwn(need: Need, fields: OwnFields, reading: Reading): SourceItem {
  const { id, values, line } = need;
  const { path } = reading.notes;
  for (const link of ownLinks(need, fields, path)) reading.result.links.push(link);
  return ownItem(id, values, path, line);
}

/** Fields that are read by name, or that only say how the tool shows a need. */
const READ = new Set(
  'id type title full_title content description status priority tags rationale acceptance docname sections section_name parent_need parent_needs parts is_need is_part lineno'.split(
    ' ',
  ),
);

/** How deep sections are made; deeper ones are an attribute. */
const SECTIONS_MOST = 20;

function readNeed(need: Need, reading: Reading): SourceItem {
  const { id, line, type, values, parts, lineOf } = need;
  const { notes, schema } = reading;
  const item = bare(id, notes.path, line);
  const wrong = (name: string, at: number, wanted = 'no text') =>
    notes.note('invalid_field', at, `${name} of ${id} is ${wanted}: ${shown(values[name])}`, {
      ...{ severity: 'warning', itemId: id },
    });
  const text = (name: string): string | null => {
    const value = values[name];
    if (value === undefined || value === null || typeof value === 'string') return value || null;
    wrong(name, line);
    return textValue(value) ?? String(attributeValue(value));
  };
  item.kind = kindOf(type);
  const description = text('description');
  const whole = text('full_title');
  item.title = text('title') ?? whole ?? '';
  item.statement = (text('content') ?? description ?? '').trim();
  item.status = text('status');
  item.priority = text('priority');
  item.rationale = text('rationale');
  item.tags = wordsValue(values.tags);
  if (Array.isArray(values.acceptance))
    item.acceptance = values.acceptance.map((one) => String(attributeValue(one) ?? ''));
  else item.acceptance = text('acceptance')?.split('\n') ?? [];
  const attributes: [string, SourceItem['attributes'][string]][] =
    type === '' ? [] : [['type', type]];
  // The tool shortens a title, and calls the content a description where it is old.
  if (whole !== null && whole !== item.title) attributes.push(['full_title', whole]);
  if (description !== null && description.trim() !== item.statement)
    attributes.push(['description', description]);
  for (const name of mistyped(values)) {
    if (isLinkField(name, values[name], schema)) continue;
    const isList = name === 'sections' || name === 'tags';
    wrong(name, lineOf(name, 0), isList ? 'no list of texts' : 'no text');
    if (name !== 'tags') attributes.push([name, attributeValue(values[name])]);
  }
  // Sections are in a page: without one they make no place.
  const { sections } = values;
  const isDeep = Array.isArray(sections) && sections.length > SECTIONS_MOST;
  if (isDeep || (textValue(values.docname) === null && !isEmpty(sections)))
    attributes.push(['sections', attributeValue(sections)]);
  if (parts.length > 0) attributes.push(['parts', partsAttribute(parts)]);
  const parent = parentIn(values);
  const parents = listOf(values.parent_needs);
  for (const one of [parent, ...parents]) {
    const to = textValue(one);
    if (to !== null) reading.said.push({ from: id, to, field: 'parent_needs' });
  }
  if (parents.some((one) => textValue(one) !== parent))
    attributes.push(['parent_needs', attributeValue(parents)]);
  for (const [name, value] of Object.entries(values)) {
    // Links that are told at their other end are looked at when all needs are read.
    if (forwardOf(name, schema) !== null) continue;
    if (isLinkField(name, value, schema)) {
      if (name === 'parent_needs') continue;
      const opaque = readLinks(name, value, need, item, reading);
      if (opaque) attributes.push([name, opaque]);
    } else if (!READ.has(name) && !saysNothing(name, value))
      attributes.push([name, attributeValue(value)]);
  }
  item.attributes = Object.fromEntries(attributes);
  return item;
}

/** Notes the links of a field. Where some have parts or conditions, gives the texts, to be kept. */
function readLinks(
  field: string,
  value: unknown,
  { type, lineOf }: Need,
  item: SourceItem,
  reading: Reading,
): string[] | null {
  const { notes, result, parts, said } = reading;
  const { id, path } = item;
  const entries: unknown[] = Array.isArray(value) ? value : [value];
  const texts: string[] = [];
  let keep = false;
  for (const [at, entry] of entries.entries()) {
    const line = lineOf(field, at);
    const wrong = (code: FindingCode, detail: string, relatedIds: string[] = []) =>
      notes.lose(code, line, detail, { itemId: id, relatedIds });
    if (entry === null || entry === undefined || entry === '') continue;
    const link = typeof entry === 'string' ? readLink(entry, (one) => parts.has(one)) : null;
    if (typeof entry !== 'string' || !link) {
      wrong(
        'invalid_reference',
        `${field} of ${id} names no need: ${JSON.stringify(entry).slice(0, 200)}`,
      );
      continue;
    }
    texts.push(entry);
    if (link.part !== null || link.condition !== null) keep = true;
    if (link.part !== null && !parts.get(link.id)?.has(link.part)) {
      wrong(
        'dangling_reference',
        `${id} links to ${link.id}.${link.part}, a part that is not there.`,
        [link.id],
      );
    }
    said.push({ from: id, to: link.id, field });
    if (link.part !== null) said.push({ from: id, to: `${link.id}.${link.part}`, field });
    const place = { path, line, item };
    const meaning = linkType(field, type);
    const role = field === 'links' || field === meaning ? {} : { role: field };
    result.links.push({ from: id, to: link.id, type: meaning, ...place, ...role });
  }
  return keep ? texts : null;
}

/** Puts each need into the one it is written in, else into the section or page, else the file. */
function placeItems(items: readonly SourceItem[], reading: Reading): void {
  const { needs, parts, document, notes, result, own } = reading;
  const pages = !items.some(({ kind }) => kind === 'document');
  const nesting = createNesting();
  needs.forEach(({ values, id }, at) => {
    const item = items[at];
    if (!item) return;
    const parent = own ? textOf(values.parent_need) : parentIn(values);
    if (parent !== null && parts.has(parent) && nesting.put(id, parent)) {
      item.parentId = parent;
      result.items.push(item);
      return;
    }
    if (parent !== null) {
      const why = parts.has(parent) ? 'which it contains itself' : 'which is not there';
      notes.lose('invalid_parent', item.line, `${id} is said to be in ${parent}, ${why}.`, {
        ...{ itemId: id, relatedIds: [parent] },
      });
    }
    if (own || item.kind === 'document') item.parentId = null;
    else item.parentId = pages ? sectionOf(values, item.line, reading) : document.id;
    // After its page and section, which may have been made for it.
    result.items.push(item);
  });
}

/** The need that a need says it is in. */
function parentIn(values: Readonly<Record<string, unknown>>): string | null {
  return textValue(values.parent_need) ?? textValue(listOf(values.parent_needs)[0]);
}

function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return isEmpty(value) ? [] : [value];
}

function shown(value: unknown): string {
  return JSON.stringify(value).slice(0, 100);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The page and section of a need, which are made when the first need is in them. */
function sectionOf(values: Record<string, unknown>, line: number, reading: Reading): string {
  const { document, sections, notes, result } = reading;
  const page = textValue(values.docname);
  if (page === null) return document.id;
  const titles = Array.isArray(values.sections)
    ? values.sections.slice(0, SECTIONS_MOST).flatMap((title) => textValue(title) ?? [])
    : [];
  let parent = document;
  let place = `${notes.path}#${page}`;
  [page, ...titles.reverse()].forEach((title, level) => {
    if (level > 0) place += `/${slugOf(title)}`;
    let section = sections.get(place);
    if (!section) {
      const id = usableId(place);
      section = { ...bare(id, notes.path, line), kind: level === 0 ? 'document' : 'section' };
      section.title = title;
      section.parentId = parent.id;
      sections.set(place, section);
      result.items.push(section);
    }
    parent = section;
  });
  return parent.id;
}
