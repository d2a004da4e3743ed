// Reads a needs.json of Sphinx-Needs: the needs of its current version, their nesting, and their
// links. Conditions on links are kept as text and never run.
import { attributeValue, textValue, wordsValue } from './front-matter.ts';
import { type JsonDocument, noteRepeats, openJson } from './json-document.ts';
import type { JsonMember } from './json-text.ts';
import { slugOf } from './markdown-sections.ts';
import type { SourceFile, SourceItem, SourceReader, SourceResult } from './model.ts';
import { noteBackLinks } from './needs-json-back.ts';
import {
  isBackField,
  isLinkField,
  kindOf,
  linkType,
  type NeedsSchema,
  readLink,
  readSchema,
  recordOf,
} from './needs-json-fields.ts';
import { type EntryLines, entryLines } from './needs-json-lines.ts';
import { isOwnVersion, type OwnFields, ownFields, ownItem, ownLinks } from './needs-json-own.ts';
import { byPath, emptyResult, type FileNotes, inOrder, notesOn } from './source-result.ts';
import { idFault, shownId } from './usable-id.ts';

/** A need as it stands in the file. */
interface Need {
  id: string;
  line: number;
  values: Record<string, unknown>;
  type: string;
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
  said: { from: string; to: string; field: string }[];
  /** The link fields of a file that we wrote; null for one of Sphinx-Needs. */
  own: OwnFields | null;
}

/** Reads files of needs: a document, its pages and sections, and the needs in them. */
export const readNeedsJson: SourceReader = (files) => {
  const result = emptyResult();
  for (const file of byPath(files)) {
    const notes = notesOn(result, file.path);
    readFile(file, result, notes);
    notes.finish();
  }
  return { ...result, items: inOrder(result.items) };
};

function readFile(file: SourceFile, result: SourceResult, notes: FileNotes): void {
  const json = openJson(file, notes);
  if (!json) return;
  const fields = json.members();
  noteRepeats(fields, 'The file', json, notes);
  const top = membersByKey(fields);
  const version = currentVersion(json, top, notes);
  const member = version?.get('needs');
  if (!version || !member) return;
  const project = textValue(valueIn(json, top.get('project')));
  const document: SourceItem = { ...bare(file.path, file.path, 1), kind: 'document' };
  document.title = project ?? file.path.slice(file.path.lastIndexOf('/') + 1);
  const own = isOwnVersion(version, json) ? ownFields(version, json) : null;
  if (!own) result.items.push(document);
  const needs = readNeeds(json, member, notes, own !== null);
  const parts = needs.map(({ id, values }): [string, ReadonlySet<string>] => [
    id,
    new Set(Object.keys(recordOf(values.parts) ?? {})),
  ]);
  const reading: Reading = {
    ...{ result, notes, document, needs, schema: readSchema(version, json) },
    ...{ parts: new Map(parts), sections: new Map(), said: [], own },
  };
  placeItems(
    needs.map((need) => (own ? readOwn(need, own, reading) : readNeed(need, reading))),
    reading,
  );
  if (own) return;
  noteBackLinks(needs, reading.said, (id) => reading.parts.has(id), reading.schema, notes);
}

function membersByKey(members: readonly JsonMember[]): Map<string, JsonMember> {
  const last = new Map<string, JsonMember>();
  for (const member of members) last.set(member.key, member);
  return last;
}

function valueIn(json: JsonDocument, member: JsonMember | undefined): unknown {
  return member && json.value(member);
}

/** The version that is current: as the file says, else the last one it holds. */
function currentVersion(
  json: JsonDocument,
  top: ReadonlyMap<string, JsonMember>,
  notes: FileNotes,
): Map<string, JsonMember> | null {
  const versions = top.get('versions');
  if (!versions || !json.isObject(versions)) {
    notes.fail(versions ? json.line(versions.at) : 1, 'The file has no "versions" with needs.');
    return null;
  }
  const all = json.members(versions.start);
  noteRepeats(all, 'The versions', json, notes);
  const current = textValue(valueIn(json, top.get('current_version')));
  const named = all.findLast(({ key }) => key === current);
  const chosen = named ?? all.at(-1);
  if (!chosen) {
    notes.fail(json.line(versions.at), 'The file has no version.');
    return null;
  }
  const line = json.line(chosen.at);
  if (!named) {
    const says =
      current === null ? 'The file names no current version' : `There is no version ${current}`;
    notes.note('missing_version', line, `${says}; ${chosen.key} is read, the last one.`, {
      severity: 'warning',
    });
  }
  const others = all.filter((one) => one !== chosen).map(({ key }) => key);
  if (others.length > 0) {
    const names = others.slice(0, 20).join(', ');
    notes.note('other_versions', line, `Only version ${chosen.key} is read, and not ${names}.`);
  }
  const fields = json.members(chosen.start);
  noteRepeats(fields, `Version ${chosen.key}`, json, notes);
  const version = membersByKey(fields);
  const needs = version.get('needs');
  if (needs && json.isObject(needs)) return version;
  notes.fail(line, `Version ${chosen.key} has no "needs".`);
  return null;
}

function readNeeds(json: JsonDocument, member: JsonMember, notes: FileNotes, own: boolean): Need[] {
  const needs: Need[] = [];
  for (const one of json.members(member.start)) {
    const line = json.line(one.at);
    const values = recordOf(json.value(one));
    if (!values) {
      const detail = `The need ${one.key} is left out: it is no object, or nests too deep.`;
      notes.lose('invalid_item', line, detail, { severity: 'error', itemId: one.key || null });
      continue;
    }
    const id = own && typeof values.id === 'string' ? values.id : (textValue(values.id) ?? one.key);
    const wrong = idFault(id);
    if (wrong !== undefined) {
      const why =
        id === '' ? 'A need has no id' : `The id of a need ${wrong}, and is ${shownId(id)}`;
      notes.lose('invalid_id', line, `${why}; it is left out.`, { severity: 'error' });
      continue;
    }
    noteRepeats(json.members(one.start), `The need ${id}`, json, notes, id);
    if (id !== one.key) {
      notes.note('invalid_id', line, `The need ${id} stands under the name ${one.key}.`, {
        ...{ severity: 'warning', itemId: id },
      });
    }
    const type = textValue(values.type) ?? '';
    needs.push({ id, line, values, type, lineOf: entryLines(json, one) });
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

function readNeed(need: Need, reading: Reading): SourceItem {
  const { id, line, type } = need;
  const { notes, schema } = reading;
  const values = withDefaults(need.values, schema);
  const item = bare(id, notes.path, line);
  const text = (name: string): string | null => {
    const value = values[name];
    if (value === undefined || value === null || typeof value === 'string') return value || null;
    const detail = `${name} of ${id} is no text: ${JSON.stringify(value).slice(0, 100)}`;
    notes.note('invalid_field', line, detail, { severity: 'warning', itemId: id });
    return textValue(value) ?? String(attributeValue(value));
  };
  item.kind = kindOf(type);
  item.title = text('title') ?? '';
  item.statement = (text('content') ?? text('description') ?? '').trim();
  item.status = text('status');
  item.priority = text('priority');
  item.rationale = text('rationale');
  item.tags = wordsValue(values.tags);
  if (Array.isArray(values.acceptance)) item.acceptance = values.acceptance.map(String);
  else item.acceptance = text('acceptance')?.split('\n') ?? [];
  const attributes: [string, SourceItem['attributes'][string]][] =
    type === '' ? [] : [['type', type]];
  const parts = Object.entries(recordOf(values.parts) ?? {});
  if (parts.length > 0) {
    const contents = parts.map(([part, value]) => [
      part,
      textValue(recordOf(value)?.content) ?? '',
    ]);
    attributes.push(['parts', contents]);
  }
  for (const [name, value] of Object.entries(values)) {
    if (isBackField(name, values, schema)) continue;
    if (isLinkField(name, values, schema)) {
      if (name === 'parent_needs') continue;
      const opaque = readLinks(name, value, need, item, reading);
      if (opaque) attributes.push([name, opaque]);
    } else if (!READ.has(name) && !isEmpty(value)) attributes.push([name, attributeValue(value)]);
  }
  item.attributes = Object.fromEntries(attributes);
  return item;
}

/** In a file without defaults, what is missing has the value that the schema says. */
function withDefaults(values: Record<string, unknown>, { fields, defaultsRemoved }: NeedsSchema) {
  if (!fields || !defaultsRemoved) return values;
  const missing = [...fields].filter(
    ([name, field]) => !(name in values) && !isEmpty(field.default),
  );
  if (missing.length === 0) return values;
  return {
    ...values,
    ...Object.fromEntries(missing.map(([name, field]) => [name, field.default])),
  };
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === false || value === 0)
    return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
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
    const wrong = (code: string, detail: string, relatedIds: string[] = []) =>
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
  const parents = new Map<string, string>();
  needs.forEach(({ values, id }, at) => {
    const item = items[at];
    if (!item) return;
    const first: unknown = Array.isArray(values.parent_needs) ? values.parent_needs[0] : null;
    const said = own ? textOf(values.parent_need) : textValue(values.parent_need);
    const parent = said ?? textValue(first);
    if (parent !== null && parts.has(parent) && !reaches(parents, parent, id)) {
      item.parentId = parent;
      parents.set(id, parent);
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

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

const MOST_LEVELS = 100;

function reaches(parents: ReadonlyMap<string, string>, from: string, to: string): boolean {
  let id: string | undefined = from;
  for (let level = 0; id !== undefined; level++) {
    if (id === to || level > MOST_LEVELS) return true;
    id = parents.get(id);
  }
  return false;
}

/** The page and section of a need, which are made when the first need is in them. */
function sectionOf(values: Record<string, unknown>, line: number, reading: Reading): string {
  const { document, sections, notes, result } = reading;
  const page = textValue(values.docname);
  if (page === null) return document.id;
  const titles = Array.isArray(values.sections)
    ? values.sections.slice(0, 20).flatMap((title) => textValue(title) ?? [])
    : [];
  let parent = document;
  let id = `${notes.path}#${page}`;
  [page, ...titles.reverse()].forEach((title, level) => {
    if (level > 0) id += `/${slugOf(title)}`;
    let section = sections.get(id);
    if (!section) {
      section = { ...bare(id, notes.path, line), kind: level === 0 ? 'document' : 'section' };
      section.title = title;
      section.parentId = parent.id;
      sections.set(id, section);
      result.items.push(section);
    }
    parent = section;
  });
  return parent.id;
}
