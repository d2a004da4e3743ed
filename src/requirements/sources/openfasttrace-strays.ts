// What looks like a part of an item of OpenFastTrace and is none: fields after a heading or a forward
// that ended the item, and ids that are indented.
import { labelOn } from './openfasttrace-fields.ts';
import { type Reading, shortId } from './openfasttrace-model.ts';
import { idAtStart, idText, idWithin } from './openfasttrace-patterns.ts';

const BULLET = /^\s*[-*+]\s+/;

/** Tells of a line outside of items that would be a field in one, since nothing comes of it here. */
export function tellStray(
  line: string,
  number: number,
  lines: readonly string[],
  { notes, ended }: Reading,
): void {
  const found = labelOn(line);
  if (!found) return;
  const { label } = found;
  const value = found.value === '' ? entryBelow(lines, number) : found.value;
  const counts =
    label === 'Covers' || label === 'Depends'
      ? idWithin(value) !== null
      : label === 'Needs' && isNeeds(value);
  if (!counts) return;
  const since = ended ? `, since ${ended.shown} ends at line ${ended.line}` : '';
  const lost = label === 'Needs' ? 'no item needs what it names' : 'makes no links';
  const detail = `\`${label}:\` stands in no item${since}: it is text, and ${lost}.`;
  notes.lose('stray_text', number, detail);
}

/** Tells of an id alone on its line below a heading that begins no item, since its line is indented. */
export function tellIndentedId(line: string, number: number, { notes, heading }: Reading): void {
  if (!heading || !/^\s{1,3}\S/.test(line)) return;
  const found = idAtStart(line.trimStart());
  if (!found || found.rest !== '') return;
  const shown = shortId(idText(found.id));
  const detail = `${shown} is indented, so that no item begins here: an id begins at the start of its line.`;
  notes.lose('invalid_id', number, detail);
}

/** The first entry of a list below a line; empty where something else stands there. */
function entryBelow(lines: readonly string[], number: number): string {
  let at = number;
  while (lines[at]?.trim() === '') at++;
  const next = lines[at] ?? '';
  return BULLET.test(next) ? next.replace(BULLET, '') : '';
}

/** Whether a text is kinds of artifacts, each one word. */
function isNeeds(value: string): boolean {
  const parts = value.split(',').map((part) => part.trim());
  return parts.every((part) => (part.match(/[\p{L}\p{N}_-]+/gu) ?? []).length === 1);
}
