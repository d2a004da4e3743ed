// What looks like a part of an item of OpenFastTrace and is none: fields after a heading or a forward
// that ended the item, and ids that are indented.
import { labelOn } from './openfasttrace-fields.ts';
import { isFieldValue } from './openfasttrace-label-values.ts';
import { type Reading, shortId } from './openfasttrace-model.ts';
import { idAtStart, idText } from './openfasttrace-patterns.ts';

/** The fields without which links and needs are missing. */
const LOST: readonly string[] = ['Covers', 'Depends', 'Needs'];

/** Tells of a line outside of items that would be a field in one, since nothing comes of it here. */
export function tellStray(
  line: string,
  number: number,
  lines: readonly string[],
  { notes, ended }: Reading,
): void {
  const found = labelOn(line);
  if (!found) return;
  const { label, value } = found;
  if (!LOST.includes(label) || !isFieldValue(label, value, lines, number)) return;
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
