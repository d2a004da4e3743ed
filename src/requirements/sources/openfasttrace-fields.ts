// The fields of a specification item of OpenFastTrace: `Needs:`, `Covers:` and the others, with the
// entries of their lists.
import type { SourceLink } from './model.ts';
import { type Draft, isText, type Reading } from './openfasttrace-model.ts';
import { findId, idText, idWithin } from './openfasttrace-patterns.ts';

const STATUSES = ['approved', 'proposed', 'draft', 'rejected'];
/** Artifact types whose items show that what they cover holds. */
const TESTS = /test/i;
const CODE = /^impl$/i;
const OF_LETTERS = /(?<!\w)[A-Za-z]+(?!\w)/g;

/** What covering means for items of an artifact type: tests verify, code satisfies, and every other level refines. */
export function linkType(type: string): SourceLink['type'] {
  if (TESTS.test(type)) return 'verifies';
  return CODE.test(type) ? 'satisfies' : 'refines';
}

const LABEL = /^\s{0,3}(Description|Rationale|Comment|Covers|Depends|Needs|Tags|Status):\s*(.*)$/;
/** A link: its text, and its address with a title. */
const LINK = /\[([^[\]]*)\]\(([^()]*)\)/g;
const BULLET = /^\s*[-*+]\s+(.*)$/;

/** Reads a line as a field, or as an entry of one; false where it is neither. */
export function readField(line: string, number: number, draft: Draft, reading: Reading): boolean {
  const [, label, rest = ''] = LABEL.exec(line) ?? [];
  const value = rest.trim();
  if (label === undefined) return readEntry(line, number, draft, reading);
  switch (label) {
    case 'Description':
      return readDescription(value, draft);
    case 'Status':
      readStatus(value, number, draft, reading);
      return true;
    case 'Rationale':
    case 'Comment':
      draft.part = label === 'Rationale' ? 'rationale' : 'comment';
      if (value !== '') draft.texts[draft.part].push(value);
      return true;
    case 'Covers':
    case 'Depends':
      draft.part = label === 'Covers' ? 'covers' : 'depends';
      if (value !== '') addLinks(value, number, draft, reading, label);
      return true;
    case 'Needs':
      draft.part = 'needs';
      addNeeds(value, number, draft, reading, false);
      return true;
    default:
      draft.part = 'tags';
      addWords(value, draft.item.tags);
      return true;
  }
}

/** The word counts where the description begins, and is text like any other after that. */
function readDescription(value: string, draft: Draft): boolean {
  const { description } = draft.texts;
  const begins = draft.part !== 'rationale' && draft.part !== 'comment';
  if (!begins || description.some((line) => line.trim() !== '')) return false;
  draft.part = 'description';
  if (value !== '') description.push(value);
  return true;
}

function readStatus(value: string, line: number, draft: Draft, { notes }: Reading): void {
  const { item } = draft;
  if (draft.hasStatus) {
    const second = value === '' ? 'which is empty' : value.slice(0, 200);
    const detail = `${item.id} has a second status, ${second}; the first is taken.`;
    notes.lose('duplicate_field', line, detail, { itemId: item.id });
    return;
  }
  draft.hasStatus = true;
  item.status = value === '' ? null : value;
  if (!STATUSES.includes(value)) {
    const said = value === '' ? 'it is empty' : value.slice(0, 200);
    const detail = `The status of ${item.id} is none of ${STATUSES.join(', ')}: ${said}`;
    notes.note('invalid_status', line, detail, { severity: 'warning', itemId: item.id });
  }
}

/** An entry of a list of covered items, dependencies, needs or tags. */
function readEntry(line: string, number: number, draft: Draft, reading: Reading): boolean {
  const { part } = draft;
  if (isText(part)) return false;
  if (line.trim() === '') return true;
  const entry = BULLET.exec(line)?.[1]?.trim();
  if (entry === undefined) {
    draft.part = 'description';
    return false;
  }
  if (part === 'needs') addNeeds(entry, number, draft, reading, true);
  else if (part === 'tags') addWords(entry, draft.item.tags);
  else addLinks(entry, number, draft, reading, part === 'covers' ? 'Covers' : 'Depends');
  return true;
}

function addLinks(
  text: string,
  line: number,
  { item, type }: Draft,
  reading: Reading,
  label: 'Covers' | 'Depends',
): void {
  const { notes, result, path } = reading;
  const links = text.replace(LINK, (link, said: string, address: string) => {
    const own = findId(said);
    const id = own ? null : idWithin(address);
    if (!own && !id) return link;
    const [, place = '', name = ''] = /^(<[^<>]*>|\S*)\s*(.*)$/s.exec(address.trim()) ?? [];
    const beside = [id ? said.trim() : '', place.startsWith('#') ? '' : place, name];
    const rest = beside.filter((part) => part !== '').join(' ');
    tellBeside(rest, line, item.id, reading);
    return `[${id ? idText(id) : said}]`;
  });
  // The older form of an id has a comma of its own, so only entries of today's form are a list.
  const entries = /,\s*v[0-9]/.test(links) ? [links] : links.split(',');
  for (const entry of entries) {
    const found = findId(entry);
    if (found) {
      const link = label === 'Covers' ? linkType(type) : 'depends';
      result.links.push({ from: item.id, to: idText(found.id), type: link, path, line, item });
      tellBeside(found.rest, line, item.id, reading);
    } else {
      const detail = `${label} of ${item.id} names no item: ${entry.trim().slice(0, 200)}`;
      notes.lose('invalid_reference', line, detail, { itemId: item.id });
    }
  }
}

function addWords(text: string, words: string[]): void {
  for (const part of text.split(',')) {
    const word = part.trim();
    if (word !== '' && !words.includes(word)) words.push(word);
  }
}

/**
 * Kinds of artifacts, whatever marks are around them. Of several words in an entry of a list the last
 * one of letters alone is the kind, as OpenFastTrace has it; on the line of the label there is none.
 */
function addNeeds(
  text: string,
  line: number,
  { item, needs }: Draft,
  { notes }: Reading,
  inList: boolean,
): void {
  for (const part of text.split(',')) {
    if (part.trim() === '') continue;
    const words = part.match(/[\p{L}\p{N}]+(?:[_-][\p{L}\p{N}]+)*/gu) ?? [];
    const [first, ...more] = words;
    const last = inList ? part.match(OF_LETTERS)?.at(-1) : undefined;
    const need = more.length === 0 ? first : last;
    if (need !== undefined && !needs.includes(need)) needs.push(need);
    if (words.length === 1) continue;
    const said = part.trim().slice(0, 200);
    const taken = need === undefined ? 'it is left out' : `its ${need.slice(0, 200)} is taken`;
    const detail = `What ${item.id} needs is one word, and not ${said}: ${taken}.`;
    notes.lose('invalid_value', line, detail, { itemId: item.id });
  }
}

/** Tells what stands beside an id where nothing but it is looked for. */
export function tellBeside(rest: string, line: number, itemId: string, { notes }: Reading): void {
  if (rest === '') return;
  const detail = `What stands beside the id is not kept: ${rest.slice(0, 200)}`;
  notes.lose('text_ignored', line, detail, { severity: 'info', itemId });
}
