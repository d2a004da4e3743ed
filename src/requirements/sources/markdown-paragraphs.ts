// The paragraphs of a Markdown source, line by line: fields with their values, and text.

import { noteFieldText } from './markdown-apart.ts';
import type { Block, PlacedText } from './markdown-blocks.ts';
import { paragraphContent, withoutBreak } from './markdown-content.ts';
import { labelAmongCriteria } from './markdown-criteria.ts';
import type { Definitions } from './markdown-definitions.ts';
import {
  addText,
  type Defaults,
  type Draft,
  keepLabel,
  type Mode,
  setField,
} from './markdown-draft.ts';
import { fieldsApart } from './markdown-field-lines.ts';
import type { Footnotes } from './markdown-footnotes.ts';
import { holdsIdsAlone, labelIn } from './markdown-lists.ts';
import { isDataLine } from './markdown-names.ts';
import type { Sections } from './markdown-sections.ts';
import type { UnreadId } from './markdown-unread-ids.ts';
import type { SourceResult } from './model.ts';
import type { FileNotes } from './source-result.ts';

/** A label in bold, whatever that is, at the beginning of a line. */
const BOLD_LABEL = /^\s{0,3}(\*\*|__)\p{L}[^*_:\n]{0,60}(?::\1|\1\s?:)(?=\s|$)/u;

/** A file while it is being read. */
export interface Reading {
  result: SourceResult;
  notes: FileNotes;
  defaults: Defaults;
  sections: Sections;
  /** What has ended, in that order. */
  closed: Draft[];
  /** Ids that are links to other places wherever they stand in the file. */
  elsewhere: Set<string>;
  /** The ids that texts begin with where they begin no items. */
  unread: UnreadId[];
  footnotes: Footnotes;
  /** What links in brackets mean. */
  definitions: Definitions;
}

/** Reads a paragraph; gives the field that its end is of. */
export function readParagraph(
  paragraph: PlacedText,
  owner: Draft,
  reading: Reading,
  next: Block | undefined,
): Mode | null {
  const { lines, skipped, elsewhere, definitions, isFootnote } = paragraphContent(paragraph);
  for (const id of elsewhere) reading.elsewhere.add(id);
  for (const definition of definitions) reading.definitions.add(definition);
  const own = paragraph.lines.slice(skipped);
  if (isFootnote) reading.footnotes.add({ raw: lines.join('\n'), lines: own }, owner);
  else if (lines.length > 0) return readLines(lines, own, owner, reading, next);
  return null;
}

/**
 * Reads the lines of a paragraph: those with a label are fields, the others text.
 *
 * @returns the field that the last line is of
 */
export function readLines(
  written: readonly string[],
  writtenAt: readonly number[],
  owner: Draft,
  reading: Reading,
  next: Block | undefined,
): Mode | null {
  const beforeList = next?.type === 'list';
  const hasFields = owner.isItem && !owner.apart;
  const apart = owner.isItem ? fieldsApart(written, writtenAt) : null;
  const { lines, places } = apart && hasFields ? apart : { lines: written, places: writtenAt };
  if (apart && !hasFields) {
    apart.lines.forEach((text, at) => {
      const found = labelIn(text, beforeList && at === apart.lines.length - 1);
      if (found) noteFieldText(owner, found.label, apart.places[at] ?? 0);
    });
  }
  let from = 0;
  let given: Mode | null = null;
  const flush = (to: number, value = '') => {
    const said = [value, ...lines.slice(from, to)];
    const start = Math.max(
      said.findIndex((text) => text.trim() !== ''),
      0,
    );
    const raw = said.slice(start).join('\n').trim();
    // A break before a field or after its value shows nothing.
    const text = {
      raw: to < lines.length ? withoutBreak(raw) : raw,
      lines: places.slice(from - 1 + start, to),
    };
    if (given) setField(owner, given, text, reading.notes);
    else if (text.raw !== '') addByMode(owner, text, reading);
  };
  let value = '';
  lines.forEach((text, at) => {
    const found = hasFields ? labelIn(text, beforeList && at === lines.length - 1) : null;
    if (!found) {
      const mode = given ?? owner.mode;
      if (mode && mode.depth === 0 && isAcceptance(mode) && !(mode.listed && at > from)) {
        const hasText = value !== '' || at > from;
        const label = labelAmongCriteria(text, mode, hasText || !mode.unused);
        if (label === 'more') mode.listed = false;
        else if (label === 'end') {
          if (hasText) flush(at, value);
          else keepLabel(owner);
          [given, value, from] = [null, '', at];
          owner.mode = null;
          return;
        }
      }
      const isBegun = value !== '' || at > from || !(given ?? owner.mode)?.unused;
      // A reason that begins with a label of its own has others in it.
      const isOfLabels = value === '' && at > from && BOLD_LABEL.test(lines[from] ?? '');
      const mayEnd = isBegun && !isOfLabels && isReason(given ?? owner.mode);
      const isPlainEnd = given && value !== '' && mayEnd && isDataLine(text);
      if (isPlainEnd || (mayEnd && BOLD_LABEL.test(text))) {
        if (given || at > from) flush(at, value);
        [given, value, from] = [null, '', at];
        owner.mode = null;
      }
      // A status is one line, ids and tags are as many as end in a comma or stand alone on the next;
      // what follows is text again.
      const goes = given && goesOn(given, lines[at - 1] ?? '', text);
      if (given && value !== '' && !holdsText(given) && !goes) {
        flush(at, value);
        [given, value, from] = [null, '', at];
        owner.mode = null;
      }
      return;
    }
    if (at > from || given) flush(at, value);
    const unused = { raw: text, lines: places.slice(at, at + 1) };
    const mode = { field: found.field, label: found.label, depth: 0, listed: false, unused };
    [given, value, from] = [mode, found.value, at + 1];
    owner.mode = mode;
  });
  const ended: Mode | null = given;
  flush(lines.length, value);
  // A label with its value in the same paragraph is done with it; one without takes what follows.
  if (ended && (value !== '' || from < lines.length)) {
    owner.mode = isAcceptance(ended) ? ended : null;
  }
  return ended;
}

/** Whether the values of a field are texts. */
export function holdsText(mode: Mode): boolean {
  return mode.field.name === 'rationale' || mode.field.name === 'acceptance';
}

/** Whether what follows is a reason below a label, and not below a heading. */
function isReason(mode: Mode | null): boolean {
  return mode?.field.name === 'rationale' && mode.depth === 0 && !mode.listed;
}

/** Whether a line of a field ends in the middle of its list, or the next one has nothing but ids. */
function goesOn({ field }: Mode, line: string, next: string): boolean {
  if (field.name !== 'link' && field.name !== 'tags') return false;
  if (/,\s*$/.test(withoutBreak(line))) return true;
  return field.name === 'link' && holdsIdsAlone(withoutBreak(next));
}

export function isAcceptance(mode: Mode | null): boolean {
  return mode?.field.name === 'acceptance';
}

/** Text without a label: it belongs to the label or heading before it, or to the statement. */
function addByMode(owner: Draft, text: PlacedText, reading: Reading): void {
  const { mode } = owner;
  if (mode && (mode.depth > 0 || !mode.listed)) {
    setField(owner, mode, text, reading.notes);
    if (mode.depth === 0 && !holdsText(mode)) owner.mode = null;
    return;
  }
  owner.mode = null;
  addText(owner, text);
}
