// Lines of OpenFastTrace that are written like a part of it and are none, as it reads them: fields that
// are underlined or in bold, ids and forwards that break their grammar. Each stays what it is, and is told.
import { labelOn } from './openfasttrace-fields.ts';
import { type Draft, ofItem, type Reading, shortId } from './openfasttrace-model.ts';
import { type Forward, forwardOn, idAtStart, idWithin } from './openfasttrace-patterns.ts';

/** A label of a field with marks of emphasis around it. */
const EMPHASISED =
  /^\s{0,3}(\*{1,3}|_{1,3})(Description|Rationale|Comment|Covers|Depends|Needs|Tags|Status)(?::\1|\1\s?:)/;
/** Of these a text is no less when it is of the description. */
const TEXTS: readonly string[] = ['Description', 'Rationale', 'Comment'];

const WORD = '[\\p{L}\\p{N}_.-]+';
/** A line with nothing but words and tildes, in backticks; or without them where it has no spaces. */
const ID_LIKE = new RegExp(
  `^(?:\`\\s?${WORD} ?~ ?(?:${WORD})?(?: ?~ ?(?:${WORD})?)?\\s?\`|${WORD}~(?:${WORD})?(?:~(?:${WORD})?)?|${WORD} ?~ ?${WORD} ?~ ?[0-9]+)\\s*$`,
  'u',
);
/** A line that begins with a word and an arrow. */
const FORWARD_LIKE = /^`?[\p{L}\p{N}_.~-]{1,200}?\s*-{1,3}>([^`]*)/u;
const LONGEST = 1000;

function shown(text: string): string {
  const said = text.trim();
  return said.length > 200 ? `${said.slice(0, 200)}…` : said;
}

/** Tells of a field within an item that the next line underlines, since it is a heading by that. */
export function tellUnderlined(line: string, number: number, { notes, draft }: Reading): void {
  const found = draft && labelOn(line);
  if (!found) return;
  const detail = `\`${found.label}:\` is underlined and so is a heading, which ends ${draft.shown}: what it says is no field. A blank line before the rule makes it one.`;
  notes.lose('stray_text', number, detail, ofItem(draft.item.id));
}

/** Tells of a field of an item whose label is in bold or in italics: it is text. */
export function tellEmphasised(line: string, number: number, draft: Draft, reading: Reading): void {
  const label = EMPHASISED.exec(line)?.[2];
  if (label === undefined) return;
  const detail = `The label \`${label}:\` of ${draft.shown} has marks of emphasis around it, so that it begins no field and stays text.`;
  const isText = TEXTS.includes(label);
  const about = { ...ofItem(draft.item.id), ...(isText && { severity: 'info' as const }) };
  if (isText) reading.notes.note('stray_text', number, detail, about);
  else reading.notes.lose('stray_text', number, detail, about);
}

/** Tells of a line that is written like an id and is none. */
export function tellNoId(line: string, number: number, { notes }: Reading): void {
  if (!line.includes('~') || line.length > LONGEST) return;
  if (line.includes('\\~') && idAtStart(line.replaceAll('\\~', '~'))?.rest === '') {
    const detail = `No item begins at ${shown(line)}, which stays text: the tildes of an id have no backslashes before them.`;
    notes.lose('invalid_id', number, detail);
    return;
  }
  if (!ID_LIKE.test(line)) return;
  const detail = `No item begins at ${shown(line)}, which stays text: an id is type~name~revision without spaces, its type of letters A to Z alone, its name beginning with a letter, its revision a number.`;
  notes.lose('invalid_id', number, detail);
}

/**
 * Tells of an id that begins an item right under `Covers:` or `Depends:` of the item that is open, where
 * an entry without its mark was meant.
 */
export function tellIdInList(id: string, number: number, { notes, draft }: Reading): void {
  const { list, part, item } = draft ?? {};
  if (!draft || !list || !item || (part !== 'covers' && part !== 'depends')) return;
  const isEmpty = !list.hasEntry && list.last === 'label';
  if (!isEmpty && (!list.goesOn || list.gap)) return;
  const detail = `${shortId(id)} stands under \`${list.label}:\` of ${draft.shown} without the mark of a list, so that it is no entry and begins an item of its own: an entry begins with \`-\`, \`*\` or \`+\`.`;
  notes.lose('stray_text', number, detail, ofItem(item.id));
}

/** Tells of the other forwards on a line of which the first counts. */
export function tellSecondForward({ rest }: Forward, number: number, { notes }: Reading): void {
  if (rest === '' || !forwardOn(rest)) return;
  const others = rest.replace(/^[^\p{L}\p{N}]+/u, '');
  const detail = `Of several forwards on a line the first counts; the others stay text: ${shown(others)}`;
  notes.lose('stray_text', number, detail);
}

/** Tells of a line that is written like a forward and is none. */
export function tellNoForward(line: string, number: number, { notes }: Reading): void {
  if (!line.includes('->') || line.length > LONGEST || forwardOn(line)) return;
  const rest = FORWARD_LIKE.exec(line)?.[1];
  if (!rest?.includes(':') || idWithin(rest) === null) return;
  const detail = `No forward begins at ${shown(line)}, which stays text: a forward is type --> types : type~name~revision, and types are of letters A to Z alone.`;
  notes.lose('stray_text', number, detail);
}
