// Reads specification items of OpenFastTrace in Markdown. An item's id is the whole triple
// `type~name~revision`, since a link names the revision that it covers.

import { readFrontMatter, textValue } from './front-matter.ts';
import { describeDocument, documentOf, nameDocument, noteLeftOut } from './markdown-front.ts';
import { tellGherkin } from './markdown-gherkin.ts';
import { uniqueSlug } from './markdown-sections.ts';
import { tellUnclosed } from './markdown-unclosed.ts';
import type { SourceFile, SourceItem, SourceReader, SourceResult } from './model.ts';
import { tellCoverageTags } from './openfasttrace-coverage-tags.ts';
import { readField } from './openfasttrace-fields.ts';
import { tellFieldHeading, tellIdInHeading } from './openfasttrace-headings.ts';
import { tellOtherForm } from './openfasttrace-label-forms.ts';
import { linkType, tellBeside } from './openfasttrace-links.ts';
import { closeList, readListLine } from './openfasttrace-lists.ts';
import {
  type Draft,
  isText,
  ofItem,
  pushText,
  type Reading,
  shortId,
  textOfLines,
} from './openfasttrace-model.ts';
import {
  tellEmphasised,
  tellIdInList,
  tellNoForward,
  tellNoId,
  tellSecondForward,
  tellUnderlined,
} from './openfasttrace-near-misses.ts';
import { tellOtherItems } from './openfasttrace-other-items.ts';
import {
  type Forward,
  forwardOn,
  type ItemId,
  idAtStart,
  idText,
  lineUses,
} from './openfasttrace-patterns.ts';
import { regionsOf } from './openfasttrace-regions.ts';
import { tellIndentedId, tellStray } from './openfasttrace-strays.ts';
import { type FileNotes, readEach, textOf } from './source-result.ts';

/** Reads Markdown files of OpenFastTrace: documents, sections and specification items. */
export const readOpenFastTrace: SourceReader = (files) => readEach(files, readFile);

function readFile(file: SourceFile, result: SourceResult, notes: FileNotes): void {
  const lines = textOf(file, notes).split(/\r\n|\n|\r/);
  const { path } = file;
  const front = readFrontMatter(lines, notes);
  const { values, lines: used } = front;
  noteLeftOut(front, notes);
  const { document: draft, defaults } = documentOf(path, values);
  const { item: document } = draft;
  const reading: Reading = {
    ...{ result, notes, path, document, defaults, sections: [], slugs: new Map() },
    ...{ heading: null, draft: null, ended: null, within: null, blanks: 0, titled: false },
    named: textValue(values.title) !== null,
  };
  const before = result.items.push(document);
  const uses = lineUses();
  const regions = regionsOf(notes, used);
  const counting = [...lines];
  lines.forEach((line, at) => {
    if (at < used) return;
    const use = uses.of(line);
    regions.take(line, use);
    if (use === 'counts') readLine(line, at + 1, lines, reading);
    else if (use === 'text') addText(line, at + 1, reading, true);
    else counting[at] = '';
  });
  regions.end();
  tellCoverageTags(lines, used, notes, isCode(path));
  tellGherkin(lines, notes);
  const code = uses.openCode();
  if (code !== null) tellUnclosed(lines, used + code, 'fence', notes);
  endItem(reading, lines.length);
  endHeading(reading);
  const others = result.items.slice(before);
  const hasItems = others.some(({ kind }) => kind !== 'section');
  describeDocument(document, values, hasItems);
  nameDocument(document, textValue(values.id), others);
  tellOtherItems(path, counting, result.items.slice(before - 1), notes);
}

/** Whether a file is none of texts: its coverage tags stand in comments of another form. */
function isCode(path: string): boolean {
  const extension = /\.([^./]+)$/.exec(path)?.[1] ?? '';
  return !['', 'md', 'markdown', 'txt'].includes(extension.toLowerCase());
}

function bare(
  id: string,
  kind: SourceItem['kind'],
  title: string,
  path: string,
  line: number,
  parentId: string | null,
): SourceItem {
  return {
    ...{ id, kind, title, statement: '', acceptance: [], rationale: null, status: null },
    ...{ priority: null, tags: [], attributes: {}, path, line, parentId, active: true },
  };
}

function readLine(line: string, number: number, lines: readonly string[], reading: Reading): void {
  const forward = forwardOn(line);
  if (!forward) tellNoForward(line, number, reading);
  if (forward && endsItem(line, forward, reading.draft)) {
    endItem(reading, number);
    startForward(forward, number, reading);
    tellSecondForward(forward, number, reading);
    if (forward.rest !== '') addText(line, number, reading);
    return;
  }
  const found = idAtStart(line);
  if (found) {
    tellIdInList(idText(found.id), number, reading);
    startItem(found.id, number, reading);
    tellBeside(found.rest, number, idText(found.id), reading);
    return;
  }
  const heading = headingOn(line, lines[number]);
  if (heading) {
    if (heading.isUnderlined) tellUnderlined(line, number, reading);
    else tellFieldHeading({ ...heading, line: number }, reading);
    endItem(reading, number);
    endHeading(reading);
    reading.blanks = 0;
    reading.heading = { title: heading.title, depth: heading.depth, line: number };
    return;
  }
  const { draft } = reading;
  tellNoId(line, number, reading);
  if (draft) {
    tellEmphasised(line, number, draft, reading);
    tellOtherForm(line, number, lines, draft, reading);
  }
  if (draft && readField(line, number, draft, reading)) return;
  if (
    /^(?:=+|-{2,})\s*$/.test(line) &&
    lines[number - 2]?.trim() !== '' &&
    headingOn(lines[number - 2] ?? '', line)
  ) {
    return;
  }
  if (!draft) {
    tellStray(line, number, lines, reading);
    tellIndentedId(line, number, reading);
  }
  addText(line, number, reading);
}

/** Whether a forward is one: in the texts of an item a line has nothing but forwards, and is in no list. */
function endsItem(line: string, { rest }: Forward, draft: Draft | null): boolean {
  if (draft === null || !isText(draft.part)) return true;
  const isAlone = rest === '' || forwardOn(rest)?.rest === '';
  return isAlone && /^\s{0,3}[`A-Za-z]/.test(line);
}

/** A heading with `#`, or one that the next line underlines. */
function headingOn(
  line: string,
  next: string | undefined,
): { title: string; depth: number; isUnderlined: boolean } | null {
  const marks = /^ {0,3}(#{1,6})(?=[ \t]|$)/.exec(line);
  if (marks) {
    const title = line.slice(marks[0].length).trim();
    return {
      title: title.endsWith('#') ? title.replace(/(?:^| )#+$/, '').trim() : title,
      depth: marks[1]?.length ?? 1,
      isUnderlined: false,
    };
  }
  const underline = /^ {0,3}(=+|-{2,})\s*$/.exec(next ?? '')?.[1];
  if (underline === undefined || !/^ {0,3}[^\s>|*+#-]/.test(line)) return null;
  const depth = underline.startsWith('=') ? 1 : 2;
  return { title: line.trim(), depth, isUnderlined: true };
}

function parentAt(reading: Reading, depth: number): string {
  const { sections } = reading;
  while ((sections.at(-1)?.depth ?? -1) >= depth) sections.pop();
  return sections.at(-1)?.item.id ?? reading.document.id;
}

/** A heading without an item below it is a section. */
function endHeading(reading: Reading): void {
  const { heading, path, slugs, sections, result, document } = reading;
  reading.heading = null;
  if (!heading) return;
  tellIdInHeading(heading, reading);
  const isTitle = !reading.named || heading.title === document.title;
  if (!reading.titled && isTitle && heading.depth === 1 && heading.title !== '') {
    reading.titled = true;
    document.title = heading.title;
    return;
  }
  reading.titled = true;
  const parent = parentAt(reading, heading.depth);
  const id = `${path}#${uniqueSlug(heading.title, slugs)}`;
  const item = bare(id, 'section', heading.title, path, heading.line, parent);
  sections.push({ item, depth: heading.depth });
  result.items.push(item);
}

function startItem(id: ItemId, line: number, reading: Reading): void {
  endItem(reading, line);
  const { heading, path } = reading;
  reading.heading = null;
  reading.blanks = 0;
  reading.titled = true;
  const parent = heading ? parentAt(reading, heading.depth) : parentAt(reading, 7);
  const depth = heading?.depth ?? reading.sections.at(-1)?.depth ?? 0;
  reading.within = { id: idText(id), depth };
  const item = bare(
    idText(id),
    reading.defaults.kind ?? 'requirement',
    heading?.title ?? '',
    path,
    heading?.line ?? line,
    parent,
  );
  item.attributes = { type: id.type, name: id.name, revision: revisionOf(id, line, reading) };
  reading.draft = {
    ...{ item, type: id.type, shown: shortId(item.id), part: 'description', list: null },
    ...{ needs: new Set(), tags: new Set(), hasStatus: false },
    texts: { description: [], rationale: [], comment: [] },
  };
  reading.result.items.push(item);
}

/** The most that OpenFastTrace takes as a revision. */
const MOST_REVISION = 2 ** 31 - 1;

/** The revision of an id as a number, or as its digits where a number cannot hold them. */
function revisionOf(id: ItemId, line: number, { notes }: Reading): number | string {
  const revision = Number(id.revision);
  if (revision > MOST_REVISION) {
    const text = idText(id);
    const detail = `The revision of ${shortId(text)} is more than ${MOST_REVISION}, the most that OpenFastTrace reads; it is kept as it is.`;
    notes.note('invalid_id', line, detail, { severity: 'warning', ...ofItem(text) });
  }
  return Number.isSafeInteger(revision) ? revision : id.revision;
}

/** An item that a level passes on undecided: it covers the original, and needs what comes next. */
function startForward({ type, needs, original }: Forward, line: number, reading: Reading): void {
  endHeading(reading);
  reading.within = null;
  const { path, result } = reading;
  const id = idText({ ...original, type });
  const to = idText(original);
  const { defaults } = reading;
  const kind = defaults.kind ?? 'requirement';
  const item = bare(id, kind, `${to} passed on`, path, line, parentAt(reading, 7));
  item.statement = `${type} passes ${to} on to ${needs.join(', ')}.`;
  item.status = defaults.status ?? 'approved';
  item.priority = defaults.priority;
  item.tags = [...defaults.tags];
  const { name } = original;
  const revision = revisionOf(original, line, reading);
  item.attributes = { type, name, revision, needs, forwards: true };
  result.items.push(item);
  result.links.push({ from: id, to, type: linkType(type), path, line, item });
}

/** A line that is no field: of the item's text, or of the section's; code is never more than that. */
function addText(line: string, number: number, reading: Reading, isCode = false): void {
  const { draft } = reading;
  if (draft) {
    if (isText(draft.part)) pushText(draft, draft.part, line);
    else readListLine(line, number, draft, reading, isCode);
    return;
  }
  if (line.trim() === '') {
    reading.blanks++;
    return;
  }
  endHeading(reading);
  const owner = reading.sections.at(-1)?.item ?? reading.document;
  const before = owner.statement === '' ? '' : '\n'.repeat(reading.blanks + 1);
  owner.statement += `${before}${line}`;
  reading.blanks = 0;
}

/** Ends the item that is being read, where there is one, at the line that ends it. */
function endItem(reading: Reading, line: number): void {
  const { draft, defaults } = reading;
  if (!draft) return;
  closeList(draft, reading);
  reading.draft = null;
  reading.ended = { shown: draft.shown, line };
  const { item, texts, needs, tags } = draft;
  item.statement = textOfLines(texts.description);
  item.rationale = textOfLines(texts.rationale) || null;
  const comment = textOfLines(texts.comment);
  if (!draft.hasStatus) item.status = defaults.status ?? 'approved';
  item.priority = defaults.priority;
  item.tags = [...new Set([...tags, ...defaults.tags])];
  if (needs.size > 0) item.attributes = { ...item.attributes, needs: [...needs] };
  if (comment !== '') item.attributes = { ...item.attributes, comment };
}
