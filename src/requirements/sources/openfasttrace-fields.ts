// The fields of a specification item of OpenFastTrace: `Status:`, `Rationale:`, `Needs:` and the others.
import {
  closeList,
  isTextOpen,
  LIST_PARTS,
  type ListLabel,
  openList,
  readListLine,
} from './openfasttrace-lists.ts';
import { type Draft, isText, ofItem, pushText, type Reading } from './openfasttrace-model.ts';

const STATUSES = ['approved', 'proposed', 'draft', 'rejected'];
const LABEL = /^\s{0,3}(Description|Rationale|Comment|Covers|Depends|Needs|Tags|Status):(.*)$/s;

/** The label of a field that a line begins with, and what follows it. */
export function labelOn(line: string): { label: string; value: string } | null {
  const [, label, rest = ''] = LABEL.exec(line) ?? [];
  return label === undefined ? null : { label, value: rest.trim() };
}

/** Whether a label is that of a list. */
export function isListLabel(label: string): label is ListLabel {
  return Object.hasOwn(LIST_PARTS, label);
}

/** Reads a line as a field, or as a line of a list; false where it is neither. */
export function readField(line: string, number: number, draft: Draft, reading: Reading): boolean {
  const found = labelOn(line);
  if (found && readLabel(found.label, found.value, number, draft, reading)) return true;
  if (isText(draft.part)) return false;
  readListLine(line, number, draft, reading);
  return true;
}

function readLabel(
  label: string,
  value: string,
  number: number,
  draft: Draft,
  reading: Reading,
): boolean {
  if (isListLabel(label)) {
    openList(label, value, number, draft, reading);
    return true;
  }
  switch (label) {
    case 'Description':
      return readDescription(value, draft, reading);
    case 'Status':
      return readStatus(value, number, draft, reading);
    default:
      closeList(draft, reading);
      draft.part = label === 'Rationale' ? 'rationale' : 'comment';
      if (value !== '') pushText(draft, draft.part, value);
      return true;
  }
}

/** Whether an item has text already, so that what comes before its text is over. */
function isWithinText(draft: Draft): boolean {
  const { part, texts } = draft;
  return (
    part === 'rationale' || part === 'comment' || texts.description.length > 0 || isTextOpen(draft)
  );
}

/** The word counts where the description begins, and is text like any other after that. */
function readDescription(value: string, draft: Draft, reading: Reading): boolean {
  if (isWithinText(draft)) return false;
  closeList(draft, reading);
  draft.part = 'description';
  if (value !== '') pushText(draft, 'description', value);
  return true;
}

/** A status counts before the texts of its item; in them it is text like any other. */
function readStatus(value: string, line: number, draft: Draft, reading: Reading): boolean {
  const { notes } = reading;
  const { item, shown } = draft;
  const about = ofItem(item.id);
  if (isText(draft.part) ? isWithinText(draft) : isTextOpen(draft)) {
    if (!isText(draft.part) || !STATUSES.includes(value)) return false;
    const detail = `Status: ${value} stands within the text of ${shown} and is kept as text: a status comes before the text.`;
    notes.note('invalid_status', line, detail, about);
    return false;
  }
  if (draft.hasStatus) {
    const second = value === '' ? 'which is empty' : value.slice(0, 200);
    const detail = `${shown} has a second status, ${second}; the first is taken.`;
    notes.lose('duplicate_field', line, detail, about);
    return true;
  }
  draft.hasStatus = true;
  item.status = value === '' ? null : value;
  if (!STATUSES.includes(value)) {
    const said = value === '' ? 'it is empty' : value.slice(0, 200);
    const detail = `The status of ${shown} is none of ${STATUSES.join(', ')}: ${said}`;
    notes.note('invalid_status', line, detail, { severity: 'warning', ...about });
  }
  return true;
}
