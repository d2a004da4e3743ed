// Headings of OpenFastTrace that look like a part of an item and are none: names of fields below the
// heading of an item, and ids.
import { ofItem, type Reading, shortId } from './openfasttrace-model.ts';
import { idAtStart, idText } from './openfasttrace-patterns.ts';

const FIELD =
  /^[*_]{0,3}(Description|Rationale|Comment|Covers|Depends|Needs|Tags|Status):?[*_]{0,3}:?$/;

/** A heading, and the line that it stands on. */
interface Heading {
  title: string;
  depth: number;
  line: number;
}

/** Tells of the name of a field as a heading below that of an item: it ends the item, or what follows it. */
export function tellFieldHeading({ title, depth, line }: Heading, reading: Reading): void {
  const { notes, within } = reading;
  const label = FIELD.exec(title)?.[1];
  // What is below an item without a heading ends with the first that is no field.
  const ends = within && (depth <= within.depth || (within.depth === 0 && label === undefined));
  if (ends) reading.within = null;
  if (label === undefined || !reading.within) return;
  const { id } = reading.within;
  const detail = `${label} stands in a heading below ${shortId(id)} and begins no field of it: a heading ends an item, and what follows is text of a section. A field begins with \`${label}:\` on a line of its own.`;
  notes.lose('stray_text', line, detail, ofItem(id));
}

/** Tells of a heading without an item below it that begins with an id. */
export function tellIdInHeading({ title, line }: Heading, { notes }: Reading): void {
  const found = idAtStart(title.replace(/^[*_]{1,3}/, ''));
  if (!found) return;
  const shown = shortId(idText(found.id));
  const detail = `${shown} stands in a heading, so that no item begins here: an id stands at the start of a line below the heading.`;
  notes.lose('invalid_id', line, detail);
}
