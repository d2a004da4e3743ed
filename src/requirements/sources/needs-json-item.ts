// A need of Sphinx-Needs as an item with its links. Conditions on links are kept as text and never run.
import type { FindingCode } from './finding-codes.ts';
import { attributeValue, textValue } from './front-matter.ts';
import type { SourceItem, SourceLink } from './model.ts';
import {
  forwardOf,
  isEmpty,
  isLinkField,
  kindOf,
  mistyped,
  readLink,
  saysNothing,
} from './needs-json-fields.ts';
import { linkMeaning } from './needs-json-meanings.ts';
import { partsAttribute } from './needs-json-parts.ts';
import { SECTIONS_MOST } from './needs-json-place.ts';
import { bare, listOf, type Need, parentIn, type Reading, shown } from './needs-json-reading.ts';
import { criteriaIn, criteriaOf, tagsOf, withoutBlankEnds } from './needs-json-texts.ts';

/** Fields that are read by name, or that only say how the tool shows a need. */
const READ = new Set(
  'id type title full_title content description status priority tags rationale acceptance docname sections section_name parent_need parent_needs parts lineno'.split(
    ' ',
  ),
);

/** The item of a need that Sphinx-Needs wrote, and its links; its place comes later. */
export function readNeed(need: Need, reading: Reading): SourceItem {
  const { id, line, type, values, parts, lineOf } = need;
  const { notes, schema, set } = reading;
  const isNeed = (one: string) => set.needs.has(one);
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
  // What a project calls a document or a section is a need as the others are.
  item.kind = kindOf(type) === 'story' ? 'story' : 'requirement';
  const description = text('description');
  const whole = text('full_title');
  item.title = text('title') ?? whole ?? '';
  item.statement = withoutBlankEnds(text('content') ?? description ?? '');
  item.status = text('status');
  item.priority = text('priority');
  item.rationale = text('rationale');
  item.tags = tagsOf(values.tags);
  const { acceptance } = values;
  item.acceptance = Array.isArray(acceptance)
    ? criteriaOf(acceptance)
    : criteriaIn(text('acceptance') ?? '');
  const attributes: [string, SourceItem['attributes'][string]][] =
    type === '' ? [] : [['type', type]];
  // The tool shortens a title, and calls the content a description where it is old.
  if (whole !== null && whole !== item.title) attributes.push(['full_title', whole]);
  if (description !== null && description.trim() !== item.statement.trim())
    attributes.push(['description', description]);
  for (const name of mistyped(values)) {
    if (isLinkField(name, values[name], schema, isNeed)) continue;
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
    if (to !== null) set.said.add({ from: id, to, field: 'parent_needs' });
  }
  if (parents.some((one) => !isEmpty(one) && (textValue(one) ?? undefined) !== parent))
    attributes.push(['parent_needs', attributeValue(parents)]);
  noteMoreParents(parents, parent, need, reading);
  for (const [name, value] of Object.entries(values)) {
    // Links that are told at their other end are looked at when all needs are read.
    if (forwardOf(name, schema) !== null) continue;
    if (isLinkField(name, value, schema, isNeed)) {
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
  const { notes, set } = reading;
  const { id, path } = item;
  const entries: unknown[] = Array.isArray(value) ? value : [value];
  const texts: string[] = [];
  const links: SourceLink[] = [];
  let keep = false;
  for (const [at, entry] of entries.entries()) {
    const line = lineOf(field, at);
    const wrong = (code: FindingCode, detail: string, relatedIds: string[] = []) =>
      notes.lose(code, line, detail, { itemId: id, relatedIds });
    if (entry === null || entry === undefined || entry === '') continue;
    const link = typeof entry === 'string' ? readLink(entry, (one) => set.needs.has(one)) : null;
    if (typeof entry !== 'string' || !link) {
      wrong(
        'invalid_reference',
        `${field} of ${id} names no need: ${JSON.stringify(entry).slice(0, 200)}`,
      );
      continue;
    }
    texts.push(entry);
    if (link.part !== null || link.condition !== null) keep = true;
    if (link.part !== null && !set.needs.get(link.id)?.parts.has(link.part)) {
      wrong(
        'dangling_reference',
        `${id} links to ${link.id}.${link.part}, a part that is not there.`,
        [link.id],
      );
    }
    set.said.add({ from: id, to: link.id, field });
    if (link.part !== null) set.said.add({ from: id, to: `${link.id}.${link.part}`, field });
    const place = { path, line, item };
    const meaning = linkMeaning(field, type);
    const [from, to] = meaning.reversed ? [link.id, id] : [id, link.id];
    const role = field === 'links' || field === meaning.type ? {} : { role: field };
    links.push({ from, to, type: meaning.type, ...place, ...role });
  }
  for (const link of links) {
    set.result.links.push(link);
    // Where the texts are kept, they say how often.
    if (!keep) reading.noteRepeat(link, link.line);
  }
  return keep ? texts : null;
}

/** Notes which of the needs that a need says it is in, beside its parent, are none. */
function noteMoreParents(
  parents: readonly unknown[],
  parent: string | null,
  { id, lineOf }: Need,
  { notes, set }: Reading,
): void {
  for (const [at, one] of parents.entries()) {
    const named = textValue(one);
    if (named === null) {
      if (isEmpty(one)) continue;
      const detail = `parent_needs of ${id} names no need: ${shown(one)}`;
      notes.lose('invalid_reference', lineOf('parent_needs', at), detail, { itemId: id });
    } else if (named !== parent && !set.needs.has(named)) {
      const detail = `${id} is said to be in ${named} too, which is not there.`;
      notes.lose('invalid_parent', lineOf('parent_needs', at), detail, {
        ...{ itemId: id, relatedIds: [named] },
      });
    }
  }
}
