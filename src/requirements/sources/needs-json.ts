// Reads the needs.json of Sphinx-Needs: the needs of the current version of each, their nesting, and
// their links, across all files.
import { textValue } from './front-matter.ts';
import { type JsonDocument, noteInnerRepeats, noteRepeats, openJson } from './json-document.ts';
import { openRepeats } from './json-link-repeats.ts';
import type { JsonMember } from './json-text.ts';
import type { SourceFile, SourceItem, SourceReader } from './model.ts';
import { noteBackLinks, openSaidLinks } from './needs-json-back.ts';
import { noteBookkeeping, noteVersion } from './needs-json-beside.ts';
import {
  forwardOf,
  isEmpty,
  listFields,
  type NeedsSchema,
  readSchema,
  recordOf,
  withDefaults,
} from './needs-json-fields.ts';
import { readNeed } from './needs-json-item.ts';
import { entryLines } from './needs-json-lines.ts';
import { isOwnVersion, type OwnFields, ownFields, ownItem, ownLinks } from './needs-json-own.ts';
import { ownFaults } from './needs-json-own-faults.ts';
import { partsOf } from './needs-json-parts.ts';
import { placeItems } from './needs-json-place.ts';
import {
  bare,
  listOf,
  type Need,
  type NeedsSet,
  type Reading,
  shown,
} from './needs-json-reading.ts';
import { type FieldsInUse, noteSchema } from './needs-json-schema.ts';
import { readVersion } from './needs-json-version.ts';
import { createNesting } from './nesting.ts';
import { byPath, emptyResult, type FileNotes, inOrder, notesOn } from './source-result.ts';
import { idFault, shownId, usableId } from './usable-id.ts';

/**
 * Reads files of needs: of each a document, its pages and sections, and the needs in them, which may
 * name those of other files.
 */
export const readNeedsJson: SourceReader = (files) => {
  const result = emptyResult();
  const set = { result, needs: new Map(), nesting: createNesting(), said: openSaidLinks() };
  const open = byPath(files).map((file) => {
    const notes = notesOn(result, file.path);
    return { notes, reading: openFile(file, set, notes) };
  });
  for (const { reading } of open) if (reading) readFile(reading);
  for (const { notes, reading } of open) {
    if (reading && !reading.own) {
      const { needs, schema } = reading;
      noteBackLinks(needs, set.said, (id) => set.needs.has(id), schema, notes);
    }
    notes.finish();
  }
  return { ...result, items: inOrder(result.items) };
};

/** Finds the needs of a file, which the others may name. */
function openFile(file: SourceFile, set: NeedsSet, notes: FileNotes): Reading | null {
  const json = openJson(file, notes);
  if (!json) return null;
  const current = readVersion(json, notes);
  if (!current) return null;
  const { version, key, needs: member, project } = current;
  const document: SourceItem = { ...bare(usableId(file.path), file.path, 1), kind: 'document' };
  if (key !== '') document.attributes = { version: key };
  document.title = project ?? file.path.slice(file.path.lastIndexOf('/') + 1);
  const own = isOwnVersion(version, json) ? ownFields(version, json) : null;
  const declared = readSchema(version, json);
  const members = json.members(member.start);
  noteVersion(current, members.length, json, notes);
  const read = readNeeds(members, json, notes, declared, own !== null);
  noteSchema(current, fieldsInUse(read, declared, own), json, notes);
  noteBookkeeping(current, lineOfLines(read), own !== null, json, notes);
  const schema = { ...declared, lists: listFields(read.map(({ values }) => values)) };
  const isBack = (name: string) => forwardOf(name, schema) !== null;
  const needs = read.map(
    (need): Need => ({
      ...need,
      parts: partsOf(need.values.parts, need.values.docname, isBack),
    }),
  );
  for (const { id, parts, values } of needs) {
    const known = set.needs.get(id) ?? { parts: new Set(), values };
    for (const part of parts) known.parts.add(part.id);
    set.needs.set(id, known);
  }
  return { set, notes, document, needs, schema, own, noteRepeat: openRepeats(notes) };
}

function readFile(reading: Reading): void {
  const { set, document, needs, own } = reading;
  if (!own) set.result.items.push(document);
  placeItems(
    needs.map((need) => (own ? readOwn(need, own, reading) : readNeed(need, reading))),
    reading,
  );
}

function fieldsInUse(
  needs: readonly Omit<Need, 'parts'>[],
  { defaultsRemoved }: NeedsSchema,
  own: OwnFields | null,
): FieldsInUse {
  const used = new Set<string>();
  for (const { values } of needs) for (const name in values) used.add(name);
  return { used, defaultsRemoved, own };
}

/** The line of the first `lineno` that a need has. */
function lineOfLines(needs: readonly Omit<Need, 'parts'>[]): number | null {
  const first = needs.find(({ values }) => typeof values.lineno === 'number');
  return first?.lineOf('lineno', 0) ?? null;
}

function readNeeds(
  members: readonly JsonMember[],
  json: JsonDocument,
  notes: FileNotes,
  schema: NeedsSchema,
  own: boolean,
): Omit<Need, 'parts'>[] {
  const needs: Omit<Need, 'parts'>[] = [];
  for (const one of members) {
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
    const fields = json.members(one.start);
    noteRepeats(fields, `The need ${id}`, json, notes, id);
    noteInnerRepeats(fields, said, `The need ${id}`, json, notes, id);
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

/** The item of a need of ours; links of needs in other files may be told at it. */
function readOwn(need: Need, fields: OwnFields, { notes, set, noteRepeat }: Reading): SourceItem {
  const { id, values, line } = need;
  const faults = ownFaults(values, fields);
  if (faults.length > 0) {
    const names = faults.slice(0, 20).map(shown).join(', ');
    const more = faults.length > 20 ? ` and ${faults.length - 20} more` : '';
    const detail = `${id} is not as we write needs, and is read as far as it goes. Wrong is ${names}${more}.`;
    notes.lose('invalid_field', line, detail, { itemId: id });
  }
  for (const link of ownLinks(need, fields, notes.path)) {
    set.result.links.push(link);
    noteRepeat(link, link.line);
  }
  for (const [field, value] of Object.entries(values)) {
    if (!fields.has(field)) continue;
    for (const to of listOf(value)) {
      if (typeof to === 'string') set.said.add({ from: id, to, field });
    }
  }
  return ownItem(id, values, fields, notes.path, line);
}
