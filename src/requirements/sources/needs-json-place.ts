// Where a need stands: in another need, else in a section or a page, else in the file. What it says of
// its place and its place in the graph does not say is kept as attributes.
import { isDeepStrictEqual } from 'node:util';
import { attributeValue, textValue } from './front-matter.ts';
import type { SourceItem } from './model.ts';
import { isEmpty } from './needs-json-fields.ts';
import { listOf, parentIn, type Reading } from './needs-json-reading.ts';
import { openSections, type Sections } from './needs-json-sections.ts';

/** How deep sections are made; deeper ones are an attribute. */
export const SECTIONS_MOST = 20;

/** Puts each need into the one it is written in, else into the section or page, else the file. */
export function placeItems(items: readonly SourceItem[], reading: Reading): void {
  const { needs, set, notes, own } = reading;
  const { result, nesting } = set;
  const sections = openSections(reading.document, (section) => result.items.push(section));
  const inSections: [item: SourceItem, section: SourceItem][] = [];
  needs.forEach((need, at) => {
    const { values, id } = need;
    const item = items[at];
    if (!item) return;
    const parent = own ? textOf(values.parent_need) : parentIn(values);
    const around = parent === null ? undefined : set.needs.get(parent);
    if (parent !== null && around && nesting.put(id, parent)) {
      item.parentId = parent;
      if (!own) keepPlace(item, values, around.values);
      result.items.push(item);
      return;
    }
    if (parent !== null) {
      const why = around ? 'which it contains itself' : 'which is not there';
      notes.lose('invalid_parent', item.line, `${id} is said to be in ${parent}, ${why}.`, {
        ...{ itemId: id, relatedIds: [parent] },
      });
    }
    if (!own) {
      item.parentId = reading.document.id;
      const section = sectionOf(values, item.line, sections);
      if (section) inSections.push([item, section]);
      keepPlace(item, values, values);
    }
    // After its page and section, which may have been made for it.
    result.items.push(item);
  });
  sections.name();
  for (const [item, { id }] of inSections) item.parentId = id;
}

/** Keeps what a need says of its place, where what it is in says something else. */
function keepPlace(
  item: SourceItem,
  values: Readonly<Record<string, unknown>>,
  around: Readonly<Record<string, unknown>>,
): void {
  const more: Record<string, unknown> = {};
  for (const name of ['docname', 'sections']) {
    const value = values[name];
    if (!isEmpty(value) && !isDeepStrictEqual(value, around[name])) more[name] = value;
  }
  const { section_name: name, sections } = values;
  if (!isEmpty(name) && !isDeepStrictEqual(name, listOf(sections)[0])) more.section_name = name;
  for (const [name, value] of Object.entries(more)) {
    if (!Object.hasOwn(item.attributes, name)) item.attributes[name] = attributeValue(value);
  }
}

/** The page or section that a need says it is in; null where it names no page. */
function sectionOf(
  values: Readonly<Record<string, unknown>>,
  line: number,
  sections: Sections,
): SourceItem | null {
  const page = textValue(values.docname);
  if (page === null) return null;
  const titles = Array.isArray(values.sections)
    ? values.sections.slice(0, SECTIONS_MOST).flatMap((title) => textValue(title) ?? [])
    : [];
  return sections.at(page, titles.reverse(), line);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
