// Reads the headings of a Markdown source: items, fields of these, parts of their text, and sections.
import { beginPart, endPart, noteFieldText } from './markdown-apart.ts';
import { anchorsAlone } from './markdown-before-id.ts';
import { type Block, fold } from './markdown-blocks.ts';
import { addText, type Draft, type Mode, mention, newDraft, setField } from './markdown-draft.ts';
import { fieldHeading } from './markdown-fields.ts';
import { itemStart } from './markdown-item-start.ts';
import { tellLongHeading } from './markdown-long-ids.ts';
import { isAcceptance, type Reading } from './markdown-paragraphs.ts';
import { describeStart } from './markdown-start-attributes.ts';
import { letterAt } from './markdown-unread-ids.ts';

/**
 * Reads a heading.
 *
 * @param before - what stands right before it
 */
export function readHeading(
  block: Block & { type: 'heading' },
  reading: Reading,
  before: Block | undefined,
): void {
  const { sections, result } = reading;
  reading.footnotes.end();
  const { depth, line } = block;
  const text = fold(block.text);
  const found = itemStart(text, true);
  if (!found) tellLongHeading(text, line, reading.notes);
  for (const draft of sections.closeTo(depth)) reading.closed.push(draft);
  const top = sections.top();
  const within = top.mode !== null && top.mode.depth > 0 && top.mode.depth < depth;
  // A heading with a number or a mark among criteria is one of them.
  const isDressed = found?.level !== undefined || found?.isMarked === true;
  const isCriterion = within && isAcceptance(top.mode) && isDressed;
  const start = isCriterion ? null : found;
  if (start) {
    top.mode = null;
    const parts = { id: start.id, kind: 'requirement', title: fold(start.rest) } as const;
    const place = { path: reading.notes.path, line, parentId: top.item.id };
    const draft = newDraft({ ...parts, ...place }, { isItem: true, inList: false, depth });
    const anchors = [...new Set([...anchorsAlone(before?.raw ?? ''), ...start.anchors])];
    describeStart(draft, { ...start, anchors }, text);
    // An underlined heading may have several lines.
    mention(draft, block.raw.includes('\n') ? block : { raw: start.rest, lines: [line] });
    result.items.push(draft.item);
    sections.open(draft);
  } else if (top.isItem) {
    const field = fieldHeading(text);
    endPart(top, depth);
    if (field && top.apart) noteFieldText(top, text, line);
    if (field && !top.apart) {
      top.mode = { field, label: text, depth, listed: false, unused: block };
      top.underHeading = false;
    } else if (within && top.mode) readInnerHeading(block, top, top.mode, reading);
    else {
      beginPart(top, text, depth);
      addText(top, block);
    }
  } else {
    for (const one of letterAt(text, line)) reading.unread.push(one);
    const section = sections.section(text, depth, reading.notes.path, line);
    if (section) result.items.push(section.item);
  }
}

/** Reads a heading below that of a field: it is a part of a reason as it stands, and a value else. */
function readInnerHeading(
  block: Block & { type: 'heading' },
  owner: Draft,
  mode: Mode,
  { notes }: Reading,
): void {
  if (mode.field.name === 'rationale') setField(owner, mode, block, notes);
  else setField(owner, mode, { raw: fold(block.text), lines: [block.line] }, notes);
}
