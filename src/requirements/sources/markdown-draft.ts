// An item of a Markdown source while it is being read: its text, its fields and its links gather
// until the item ends.

import { wordsValue } from './front-matter.ts';
import { isStoryId, isStoryText, LOOK_MOST } from './item-ids.ts';
import { tellFieldTexts } from './markdown-apart.ts';
import { fold, type PlacedText } from './markdown-blocks.ts';
import { type Checks, keepChecks, noteCheck } from './markdown-checks.ts';
import { withoutBreak, withoutOwnDefinitions } from './markdown-content.ts';
import type { Definitions } from './markdown-definitions.ts';
import type { Field } from './markdown-fields.ts';
import { keepFootnotes } from './markdown-footnotes.ts';
import { fieldLinks, keep, keepAddress, keepDefinitions } from './markdown-links.ts';
import { codeSpans, withoutMarks } from './markdown-marks.ts';
import { referencesIn } from './markdown-references.ts';
import type { NodeKind, SourceItem, SourceLink } from './model.ts';
import type { FileNotes } from './source-result.ts';
import { shownId } from './usable-id.ts';

/** What text that follows belongs to. */
export interface Mode {
  field: Field;
  label: string;
  /** The depth of the heading that began it; 0 for a label in the text. */
  depth: number;
  /** Whether a list has been read in it. */
  listed: boolean;
  /** The label as it is written, until it has a value. */
  unused?: PlacedText;
  /** How the labels stand that part its criteria: alone on their lines, or before their text. */
  groups?: 'alone' | 'inline';
  /** Whether the item has taken its one value from it. */
  taken?: boolean;
}

/** What front matter says for all items of a file. */
export interface Defaults {
  kind: NodeKind | null;
  status: string | null;
  priority: string | null;
  tags: string[];
}

export interface Draft {
  item: SourceItem;
  isItem: boolean;
  /** Whether it is an item of a list, whose one line is title and statement. */
  inList: boolean;
  /** The depth of its heading; 0 for the document. */
  depth: number;
  mode: Mode | null;
  /** Whether a heading of its own, which is no field, stands above what follows. */
  underHeading: boolean;
  /** The heading of something else than the item's own data that stands above what follows. */
  apart: { heading: string; depth: number } | null;
  /** The last line of the text right before what follows, from its title on; null after a field. */
  lead: string | null;
  /** What looks like its fields and stays text: the first of them, and how many there are. */
  unread: { first: { label: string; line: number; heading: string | null }[]; count: number };
  statement: string[];
  rationale: string[];
  /** The values of its fields that are links. */
  references: { type: SourceLink['type']; label: string; value: PlacedText }[];
  /** The footnotes that it refers to and that stand elsewhere. */
  footnotes: PlacedText[];
  /** The values of its other fields that are no texts. */
  said: string[];
  /** Which of its criteria are done, and which are not. */
  checks: Checks;
  /** The text that its item of a list begins with, as it is written. */
  opening?: string;
  /** Whether it has a title beside that text. */
  isTitled?: boolean;
  /** The label that says what the id is a link to, where it is one. */
  idLabel?: string;
  /** References in its text, which are links unless a field says more. */
  mentions: { id: string; line: number }[];
  kind: NodeKind | null;
}

/** A draft with nothing but its id, title and place. */
export function newDraft(
  parts: Pick<SourceItem, 'id' | 'kind' | 'title' | 'path' | 'line' | 'parentId'>,
  place: Pick<Draft, 'isItem' | 'inList' | 'depth'>,
): Draft {
  const item: SourceItem = {
    ...{ id: '', statement: '', acceptance: [], rationale: null, status: null, priority: null },
    ...{ tags: [], attributes: {}, active: true },
    ...parts,
  };
  const texts = { statement: [], rationale: [], footnotes: [], said: [] };
  const lists = { ...texts, references: [], mentions: [] };
  const checks: Checks = { checked: [], unchecked: [] };
  const unread = { first: [], count: 0 };
  const begun = {
    mode: null,
    underHeading: false,
    apart: null,
    lead: lastLine(item.title),
    kind: null,
  };
  return { item, ...place, ...begun, ...lists, checks, unread };
}

/** Adds a criterion, which may have the mark of a task. */
export function addCriterion(draft: Draft, given: PlacedText & { done?: boolean }): void {
  const text = given.raw.trim();
  if (text !== '') {
    draft.item.acceptance.push(text);
    noteCheck(draft.checks, text, given.done);
  }
  mentionIn(draft, given);
}

/** Takes a value that a field of an item has been given. */
export function setField(
  draft: Draft,
  mode: Mode,
  given: PlacedText & { done?: boolean },
  notes: FileNotes,
): void {
  const { item } = draft;
  const { field, label } = mode;
  // A reason may introduce a list as the statement does.
  draft.lead = field.name === 'rationale' ? lastLine(given.raw) : null;
  const holdsText = field.name === 'acceptance' || field.name === 'rationale';
  const value = holdsText ? given : withoutBreaks(given);
  const text = fold(value.raw);
  if (text !== '') delete mode.unused;
  if (field.name === 'acceptance') {
    addCriterion(draft, given);
  } else if (field.name === 'rationale') {
    if (text !== '') draft.rationale.push(value.raw.trim());
    mentionIn(draft, value);
  } else if (field.name === 'tags') {
    // Those that repeat go where the item ends.
    for (const tag of wordsValue(codeSpans(text) ?? text.replace(/`/g, ''))) item.tags.push(tag);
    draft.said.push(text);
  } else if (field.name === 'link') {
    draft.references.push({ type: field.type, label, value });
  } else if (text !== '') {
    const before = field.name === 'kind' ? draft.kind : item[field.name];
    if (before !== null) {
      const detail = mode.taken
        ? `${label} of ${item.id} goes on after its value; what follows is left out: ${shownText(text)}`
        : `${item.id} has ${label} twice: "${shownText(before)}" is taken, and "${shownText(text)}" is left out.`;
      const line = value.lines[0] ?? item.line;
      notes.lose('duplicate_field', line, detail, { itemId: item.id });
      return;
    }
    mode.taken = true;
    draft.said.push(text);
    const bare = withoutMarks(text);
    if (field.name !== 'kind') item[field.name] = bare;
    else {
      draft.kind = kindNamed(bare);
      if (draft.kind === null) keep(item, label, bare);
    }
  }
}

const MOST_SHOWN = 200;
const MOST_LEAD = 500;

function shownText(text: string): string {
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

/** Keeps a label as text where what follows it cannot be its value. */
export function keepLabel(draft: Draft): void {
  const { mode } = draft;
  if (!mode?.unused) return;
  addText(draft, mode.unused);
  delete mode.unused;
}

/** A value in which breaks of lines mean nothing. */
function withoutBreaks(value: PlacedText): PlacedText {
  if (!value.raw.includes('\\')) return value;
  return { ...value, raw: value.raw.split('\n').map(withoutBreak).join('\n') };
}

/** The kind that a word names. */
export function kindNamed(text: string): NodeKind | null {
  if (/^(?:user[ -]?)?story$/i.test(text)) return 'story';
  return /^requirement$/i.test(text) ? 'requirement' : null;
}

/** Notes the references of a text, each with the line that it stands on. */
export function mention(draft: Draft, { raw, lines }: PlacedText): void {
  if (!draft.isItem || !raw.includes('[')) return;
  for (const { id, line } of referencesIn(raw)) {
    draft.mentions.push({ id, line: lines[line] ?? lines[0] ?? draft.item.line });
  }
}

/** Notes the references of a paragraph, which may begin with definitions of links. */
function mentionIn(draft: Draft, { raw, lines }: PlacedText): void {
  mention(draft, { raw: withoutOwnDefinitions(raw), lines });
}

/** The last line of a text, of a long one its end. */
export function lastLine(raw: string): string {
  return raw.slice(Math.max(raw.lastIndexOf('\n') + 1, raw.length - MOST_LEAD));
}

/** Adds text to the statement. */
export function addText(draft: Draft, text: PlacedText): void {
  if (text.raw.trim() === '') return;
  draft.statement.push(text.raw);
  draft.lead = lastLine(text.raw);
  mentionIn(draft, text);
}

/**
 * The item of a draft that has ended, and its links.
 *
 * @param elsewhere - ids in brackets that are links to other places
 * @param definitions - what links in brackets mean in the file
 */
export function finishDraft(
  draft: Draft,
  defaults: Defaults,
  elsewhere: ReadonlySet<string>,
  definitions: Definitions,
  notes: FileNotes,
): SourceLink[] {
  const { item } = draft;
  const opening = draft.isTitled && draft.opening ? [draft.opening] : [];
  item.statement = [...opening, ...draft.statement].join('\n\n');
  if (draft.rationale.length > 0) item.rationale = draft.rationale.join('\n\n');
  if (!draft.isItem) {
    keepFootnotes(draft);
    keepDefinitions(draft, definitions);
    return [];
  }
  tellFieldTexts(draft, notes);
  const named = fieldLinks(draft, definitions, notes);
  keepAddress(draft, definitions);
  if (item.statement === '' && item.title !== '' && saysItself(draft)) {
    item.statement = draft.opening ?? item.title;
  }
  const isStory = isStoryId(item.id) || isStoryText(item.statement) || isStoryText(item.title);
  keepFootnotes(draft);
  keepDefinitions(draft, definitions);
  keepChecks(item, draft.checks);
  item.kind = draft.kind ?? defaults.kind ?? (isStory ? 'story' : 'requirement');
  item.status ??= defaults.status;
  item.priority ??= defaults.priority;
  item.tags = [...new Set([...item.tags, ...defaults.tags])];
  const links = new Map<string, SourceLink>();
  const linked = new Set([item.id, ...named.map(({ to }) => to)]);
  const mentions = draft.mentions.filter(({ id }) => !linked.has(id) && !elsewhere.has(id));
  const told = new Set<string>();
  for (const { id, line } of mentions) {
    if (id.length <= LOOK_MOST || told.has(id)) continue;
    told.add(id);
    const detail = `${shownId(id)} has more than the ${LOOK_MOST} characters by which an id is known; it is no reference.`;
    notes.lose('invalid_reference', line, detail, { itemId: item.id });
  }
  const known = mentions.filter(({ id }) => !told.has(id));
  const relations = known.map(
    ({ id, line }): SourceLink => ({
      from: item.id,
      to: id,
      type: 'relates',
      path: item.path,
      line,
      item,
    }),
  );
  for (const link of [...named, ...relations]) {
    const key = `${link.type} ${link.to}`;
    if (!links.has(key)) links.set(key, link);
  }
  return [...links.values()];
}

/** Whether the title is a whole sentence of its own: the item has no other statement. */
function saysItself({ inList, item }: Draft): boolean {
  return inList || isStoryText(item.title) || /\b(?:shall|must|should)\b/i.test(item.title);
}
