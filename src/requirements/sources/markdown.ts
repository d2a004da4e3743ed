// Reads requirements and stories that people write in Markdown: a heading or a list item that begins
// with an id is an item, the text below it its statement, other headings are sections.
import { readFrontMatter, textValue } from './front-matter.ts';
import { blocksOf } from './markdown-blocks.ts';
import { readBlock } from './markdown-body.ts';
import { noDefinitions, tellUnused } from './markdown-definitions.ts';
import { finishDraft } from './markdown-draft.ts';
import { noFootnotes } from './markdown-footnotes.ts';
import { documentOf, noteLeftOut, placeFrontMatter, subjectOf } from './markdown-front.ts';
import { withId } from './markdown-front-kind.ts';
import { tellGherkin } from './markdown-gherkin.ts';
import { readHeading } from './markdown-heading.ts';
import type { Reading } from './markdown-paragraphs.ts';
import { openSections } from './markdown-sections.ts';
import { tellUnclosed } from './markdown-unclosed.ts';
import { tellUnread, type UnreadId } from './markdown-unread-ids.ts';
import type { SourceFile, SourceReader, SourceResult } from './model.ts';
import { tellCoverageTags } from './openfasttrace-coverage-tags.ts';
import { byPath, emptyResult, type FileNotes, inOrder, notesOn, textOf } from './source-result.ts';

/** Reads Markdown files: documents, sections, requirements and stories. */
export const readMarkdown: SourceReader = (files) => {
  const result = emptyResult();
  const read = byPath(files).map((file) => {
    const notes = notesOn(result, file.path);
    return { notes, unread: readFile(file, result, notes) };
  });
  // What begins with the id of an item, wherever that stands, refers to it.
  const known = new Set(result.items.map(({ id }) => id));
  for (const { notes, unread } of read) {
    tellUnread(unread, known, notes);
    notes.finish();
  }
  return { ...result, items: inOrder(result.items) };
};

/** Reads a file; gives the ids that texts in it begin with, where these begin no items. */
function readFile(file: SourceFile, result: SourceResult, notes: FileNotes): UnreadId[] {
  const lines = textOf(file, notes).split(/\r\n|\n|\r/);
  const front = withId(readFrontMatter(lines, notes));
  const { values, lines: used } = front;
  noteLeftOut(front, notes);
  const { document, defaults } = documentOf(file.path, values);
  const { blocks, losses, unclosed } = blocksOf(lines.slice(used), used);
  for (const { line, detail } of losses) notes.lose('unread_block', line, detail);
  tellCoverageTags(lines, used, notes);
  tellGherkin(lines, notes);
  if (unclosed) tellUnclosed(lines, used + unclosed.at, unclosed.type, notes);
  const sections = openSections(document);
  const lists = {
    closed: [],
    unread: [],
    elsewhere: new Set<string>(),
    definitions: noDefinitions(),
    footnotes: noFootnotes(),
  };
  const reading: Reading = { result, notes, defaults, sections, ...lists };
  result.items.push(document.item);
  if (textValue(values.title) !== null) sections.titled = true;
  const subject = subjectOf(values, blocks, document.item);
  if (subject) {
    result.items.push(subject.draft.item);
    sections.open(subject.draft);
  }
  const content = subject ? blocks.filter((block) => block !== subject.heading) : blocks;
  content.forEach((block, at) => {
    if (block.type === 'heading') readHeading(block, reading, content[at - 1]);
    else readBlock(block, sections.top(), reading, content[at + 1]);
  });
  for (const draft of sections.closeAll()) reading.closed.push(draft);
  reading.footnotes.place(reading.closed, notes);
  const held = placeFrontMatter(front, document, reading.closed, defaults, notes);
  for (const draft of reading.closed) {
    const { elsewhere, definitions } = reading;
    for (const link of finishDraft(draft, held, elsewhere, definitions, notes))
      result.links.push(link);
  }
  tellUnused(reading.definitions, notes);
  return reading.unread;
}
