// What looks like a field of an item of a Markdown source and is part of its text: it stands below a
// heading of something else, such as a test case, or in a list that the text introduces.
import type { Draft } from './markdown-draft.ts';
import { isOwnPart } from './markdown-names.ts';
import type { FileNotes } from './source-result.ts';

/** How many of them a finding names. */
const MOST_NAMED = 5;
const MOST_HEADING = 100;

/** Notes that a heading stands in the text of an item: fields below it are the item's no longer. */
export function beginPart(owner: Draft, heading: string, depth: number): void {
  owner.mode = null;
  owner.underHeading = true;
  if (heading !== '' && !isOwnPart(heading)) owner.apart ??= { heading, depth };
}

/** Ends the part that a heading of a depth ends. */
export function endPart(owner: Draft, depth: number): void {
  if (owner.apart && depth <= owner.apart.depth) owner.apart = null;
}

/** Notes what looks like a field of an item and stays text. */
export function noteFieldText(owner: Draft, label: string, line: number): void {
  owner.unread.count++;
  if (owner.unread.count > MOST_NAMED) return;
  const { heading = null } = owner.apart ?? {};
  owner.unread.first.push({ label, line, heading });
}

/** Tells once of an item which of its lines look like fields and stay text. */
export function tellFieldTexts({ item, unread: { first, count } }: Draft, notes: FileNotes): void {
  const [one] = first;
  if (!one) return;
  const named = first.map(({ label, line, heading }) => {
    const place = heading === null ? '' : `, below "${heading.slice(0, MOST_HEADING)}"`;
    return `"${label}" (line ${line}${place})`;
  });
  const more = count > first.length ? ` and ${count - first.length} more` : '';
  const detail = `What looks like fields of ${item.id} is kept as text: ${named.join(', ')}${more}. It stands below a heading of something else, or in a list of the text.`;
  notes.note('unread_field', one.line, detail, { itemId: item.id });
}
