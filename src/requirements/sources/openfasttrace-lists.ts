// The lists of an item of OpenFastTrace: what it covers, depends on and needs, and its tags. As in
// OpenFastTrace, a line that is no entry does not end a list.
import { isEmptyHtml, isRule } from './markdown-content.ts';
import { coverageTagsIn } from './openfasttrace-coverage-tags.ts';
import { addLinks } from './openfasttrace-links.ts';
import { type Draft, isText, ofItem, pushText, type Reading } from './openfasttrace-model.ts';
import { idWithin } from './openfasttrace-patterns.ts';

const OF_LETTERS = /(?<!\w)[A-Za-z]+(?!\w)/g;
const BULLET = /^\s*[-*+]\s+(.*)$/;

export const LIST_PARTS = {
  Covers: 'covers',
  Depends: 'depends',
  Needs: 'needs',
  Tags: 'tags',
} as const;
export type ListLabel = keyof typeof LIST_PARTS;

/** Begins a list whose label stands on a line, with what follows the label on it. */
export function openList(
  label: ListLabel,
  value: string,
  line: number,
  draft: Draft,
  reading: Reading,
): void {
  closeList(draft, reading);
  draft.part = LIST_PARTS[label];
  const hasEntry = value !== '';
  const list = { label, isLine: hasEntry, hasEntry, gap: false, goesOn: false, aside: null };
  draft.list = { ...list, last: 'label' };
  if (hasEntry) addEntry(value, line, draft, reading, false);
}

/** Reads a line of the list that is open; `isCode` where it can only be text. */
export function readListLine(
  line: string,
  number: number,
  draft: Draft,
  reading: Reading,
  isCode = false,
): void {
  const { list } = draft;
  if (!list) return;
  const { aside } = list;
  if (line.trim() === '') {
    list.gap = true;
    if (aside && !aside.ofEntry) aside.lines.push(line);
    return;
  }
  if (!isCode && isNoContent(line, number, draft, reading)) return;
  const entry = isCode ? undefined : BULLET.exec(line)?.[1]?.trim();
  if (entry !== undefined && isEntry(entry, draft)) {
    tellAside(draft, reading);
    addEntry(entry, number, draft, reading, true);
    [list.last, list.gap, list.hasEntry] = ['entry', false, true];
    return;
  }
  const ofEntry = goesOnEntry(line, draft);
  if (ofEntry && list.goesOn && !list.gap && !isCode) {
    addEntry(line.trim(), number, draft, reading, list.last === 'entry');
    return;
  }
  list.goesOn = false;
  addAside(line, number, ofEntry, draft, reading);
  if (!ofEntry) [list.last, list.gap] = ['other', false];
}

/** Whether lines after the entries of a list are being read that may be text behind it. */
export function isTextOpen({ list }: Draft): boolean {
  return list?.aside?.ofEntry === false;
}

/** Whether a line shows nothing, such as a comment or a rule; a comment is told. */
function isNoContent(line: string, number: number, draft: Draft, { notes }: Reading): boolean {
  const { list, shown, item } = draft;
  if (!list || isTextOpen(draft)) return false;
  if (isRule(line)) {
    list.gap = true;
    return true;
  }
  if (!line.trimStart().startsWith('<') || !isEmptyHtml(line)) return false;
  // Those are told of all lines of the file.
  if (coverageTagsIn(line).length > 0) return true;
  const detail = `HTML under ${list.label} of ${shown} is not kept: ${line.trim().slice(0, 200)}`;
  notes.note('text_ignored', number, detail, ofItem(item.id));
  return true;
}

/**
 * Whether a bullet is an entry: after text that is none, only what looks like one is. What is needed
 * and tags are one line or a list, so that after a line of them bullets are of the text.
 */
function isEntry(entry: string, draft: Draft): boolean {
  const { part, list } = draft;
  if (!isTextOpen(draft)) return true;
  if (part === 'covers' || part === 'depends') return idWithin(entry) !== null;
  if (!list?.hasEntry) return true;
  return !list.isLine && !list.aside?.hasBullet && !/[^\s,]\s+[^\s,]/.test(entry);
}

/** Whether a line that is no entry is one of the entry before it. */
function goesOnEntry(line: string, draft: Draft): boolean {
  const { list } = draft;
  if (!list?.hasEntry || isTextOpen(draft)) return false;
  const isIndented = /^\s/.test(line);
  if (list.last === 'label') return isIndented && !list.gap;
  return list.last === 'entry' && (isIndented || !list.gap);
}

function addAside(
  line: string,
  number: number,
  ofEntry: boolean,
  draft: Draft,
  reading: Reading,
): void {
  const { list } = draft;
  if (!list) return;
  if (list.aside?.ofEntry !== ofEntry) tellAside(draft, reading);
  list.aside ??= { line: number, lines: [], ofEntry, hasBullet: false };
  list.aside.lines.push(line);
  list.aside.hasBullet ||= BULLET.test(line);
}

/** Tells what is no entry of the list that is open, and is not kept. */
function tellAside(draft: Draft, { notes }: Reading): void {
  const { list, shown, item } = draft;
  if (!list?.aside) return;
  const { line, lines, ofEntry } = list.aside;
  list.aside = null;
  const what = ofEntry ? 'What stands beside an entry' : 'What is no entry';
  const said = lines
    .slice(0, 200)
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .join(' ')
    .slice(0, 200);
  const detail = `${what} under ${list.label} of ${shown} is not kept: ${said}`;
  const about = ofItem(item.id);
  notes.lose('text_ignored', line, detail, ofEntry ? { severity: 'info', ...about } : about);
}

/** Ends the list that is open: text that follows its entries is of the description again. */
export function closeList(draft: Draft, reading: Reading): void {
  const { list } = draft;
  if (!list) return;
  if (list.aside && !list.aside.ofEntry && list.hasEntry) {
    const { description } = draft.texts;
    if (description.at(-1)?.trim()) description.push('');
    for (const line of list.aside.lines) pushText(draft, 'description', line);
  } else tellAside(draft, reading);
  draft.list = null;
  draft.part = 'description';
}

function addEntry(
  text: string,
  line: number,
  draft: Draft,
  reading: Reading,
  inList: boolean,
): void {
  const { part, list } = draft;
  if (isText(part) || !list) return;
  list.goesOn = text.endsWith(',');
  if (part === 'needs') addNeeds(text, line, draft, reading, inList);
  else if (part === 'tags') {
    for (const tag of text.split(',')) if (tag.trim() !== '') draft.tags.add(tag.trim());
  } else addLinks(text, line, draft, reading, part === 'covers' ? 'Covers' : 'Depends');
}

/**
 * Kinds of artifacts, whatever marks are around them. Of several words in an entry of a list the last
 * one of letters alone is the kind, as OpenFastTrace has it; on the line of the label there is none.
 */
function addNeeds(
  text: string,
  line: number,
  { item, needs, shown }: Draft,
  { notes }: Reading,
  inList: boolean,
): void {
  for (const part of text.split(',')) {
    if (part.trim() === '') continue;
    const words = part.match(/[\p{L}\p{N}]+(?:[_-][\p{L}\p{N}]+)*/gu) ?? [];
    const [first, ...more] = words;
    const last = inList ? part.match(OF_LETTERS)?.at(-1) : undefined;
    const need = more.length === 0 ? first : last;
    if (need !== undefined) needs.add(need);
    if (words.length === 1) continue;
    const said = part.trim().slice(0, 200);
    const taken = need === undefined ? 'it is left out' : `its ${need.slice(0, 200)} is taken`;
    const detail = `What ${shown} needs is one word, and not ${said}: ${taken}.`;
    notes.lose('invalid_value', line, detail, ofItem(item.id));
  }
}
