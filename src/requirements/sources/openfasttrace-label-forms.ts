// Labels of OpenFastTrace that are written in another way than it reads them: in other letters, or with
// a space before the colon. They begin no field, which is told where what follows is like that of one.
import { labelOn } from './openfasttrace-fields.ts';
import { isFieldValue } from './openfasttrace-label-values.ts';
import { type Draft, ofItem, type Reading } from './openfasttrace-model.ts';

const FIELD = /^\s{0,3}((covers|depends|needs|tags|status)\s?:)(.*)$/is;
/** In small letters these are words of a sentence. */
const TEXT =
  /^\s{0,3}((Description|Rationale|Comment)\s:|(DESCRIPTION|RATIONALE|COMMENT)\s?:)(?:\s|$)/;
const END_OF_SENTENCE = /[.;:!?]$/;

/** Tells of a label within an item that is one but for its letters or a space: it is text. */
export function tellOtherForm(
  line: string,
  number: number,
  lines: readonly string[],
  draft: Draft,
  { notes }: Reading,
): void {
  if (labelOn(line)) return;
  const [, written = '', word = '', rest = ''] = FIELD.exec(line) ?? [];
  const value = rest.trim();
  const field = capitalised(word);
  const about = ofItem(draft.item.id);
  if (word !== '') {
    if (END_OF_SENTENCE.test(value) || !isFieldValue(field, value, lines, number)) return;
    notes.lose('stray_text', number, detailOf(written, field, draft), about);
    return;
  }
  const [, own, first, second] = TEXT.exec(line) ?? [];
  if (own === undefined) return;
  const text = capitalised(first ?? second ?? '');
  notes.note('stray_text', number, detailOf(own, text, draft), about);
}

function detailOf(written: string, field: string, { shown }: Draft): string {
  return `The label \`${written}\` of ${shown} begins no field and stays text: the field is written \`${field}:\`, in these letters and without a space before the colon.`;
}

function capitalised(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1).toLowerCase()}`;
}
