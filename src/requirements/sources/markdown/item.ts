// An item of a Markdown file while it is read: its text, fields and links gather until it ends.
import { wordsOf } from '../front-matter.ts';
import { idsIn, isStoryText, looksLikeId } from '../item-ids.ts';
import type { NodeKind, SourceItem, SourceLink } from '../model.ts';
import { bareItem } from '../report.ts';
import { fold, isElsewhere } from './blocks.ts';
import type { Field } from './grammar.ts';

export interface Label {
  field: Field;
  /** As it is written: words that are no value of the field are an attribute of that name. */
  name: string;
  /** Of the heading that it is; 0 for one in the text. */
  depth: number;
}

type Reference = Pick<SourceLink, 'type' | 'to' | 'line'>;

export interface Defaults {
  kind: NodeKind | null;
  status: string | null;
  priority: string | null;
  tags: string[];
}

export interface Draft {
  item: SourceItem;
  /** Whether it has fields: a document and a section have none. */
  isItem: boolean;
  /** Whether its id says that it is a story. */
  isStory: boolean;
  /** The depth of its heading; 0 for the document, {@link IN_LIST} in a list or a table. */
  depth: number;
  label: Label | null;
  /** The depth of a sub-heading that is no field, below which there are none; 0 without. */
  textBelow: number;
  kind: NodeKind | null;
  statement: string[];
  rationale: string[];
  /** For each criterion whether its box is ticked; null without a box. */
  done: (boolean | null)[];
  links: Reference[];
  mentions: Reference[];
}

export const IN_LIST = 7;

export function newDraft(item: Parameters<typeof bareItem>[0], parts: Partial<Draft>): Draft {
  return {
    item: bareItem(item),
    isItem: false,
    isStory: false,
    depth: 0,
    label: null,
    textBelow: 0,
    kind: null,
    statement: [],
    rationale: [],
    done: [],
    links: [],
    mentions: [],
    ...parts,
  };
}

export function addText(draft: Draft, text: string, line: number): void {
  if (text.trim() === '') return;
  draft.statement.push(text);
  mention(draft, text, line);
}

/**
 * M7: gives a field a value.
 * @returns false where the value stays text: that of a second status, priority or kind
 */
export function setField(draft: Draft, label: Label, value: string, line: number): boolean {
  const { item } = draft;
  const { field, name } = label;
  const written = value.trim();
  if (written === '') return true;
  if (field === 'acceptance') {
    const [box = '', mark] = /^\[([ xX])\]\s+/.exec(written) ?? [];
    item.acceptance.push(written.slice(box.length).trim());
    draft.done.push(mark === undefined ? null : mark !== ' ');
    mention(draft, value, line);
  } else if (field === 'rationale') {
    draft.rationale.push(value.trimEnd());
    mention(draft, value, line);
  } else if (field === 'tags') item.tags.push(...wordsOf(fold(written).replaceAll('`', '')));
  else if (field === 'kind') {
    const kind = kindNamed(withoutMarks(fold(written)));
    if (kind !== null && draft.kind !== null) return false;
    if (kind === null) addAttribute(item, name, fold(written));
    draft.kind ??= kind;
  } else if (field === 'status' || field === 'priority') {
    if (item[field] !== null) return false;
    item[field] = withoutMarks(fold(written));
  } else addLinks(draft, field, label, value, line);
  return true;
}

function addLinks(
  draft: Draft,
  type: Reference['type'],
  label: Label,
  value: string,
  line: number,
) {
  // The address of a link is no second id.
  const addresses: string[] = [];
  const text = value.replace(/\]\(([^()]*)\)/g, (_, address: string) => {
    if (isElsewhere(address)) addresses.push(address);
    return ']';
  });
  const { ids, rest } = idsIn(text);
  for (const to of ids) draft.links.push({ type, to, line });
  if (addresses.length > 0 || rest.replace(/\b(?:and|or)\b/g, '').trim() !== '')
    addAttribute(draft.item, label.name, fold(value));
}

function addAttribute(item: SourceItem, name: string, text: string): void {
  const before = item.attributes[name];
  item.attributes = {
    ...item.attributes,
    [name]: before === undefined ? text : `${before}\n${text}`,
  };
}

export function kindNamed(text: string): NodeKind | null {
  if (/^(?:user[ -]?)?story$/i.test(text)) return 'story';
  return /^requirement$/i.test(text) ? 'requirement' : null;
}

function withoutMarks(text: string): string {
  return text.replace(/^(\*{1,3}|_{1,3}|`)([^*`]+)\1$/, '$2');
}

const MARKS =
  /(?<!`)(`{1,20})(?!`)[^`]+\1|(<!--|-->)|(?<!\\)\[([^[\]\s]{1,220})\](?:\(([^()\n]{0,500}))?/g;

function mention(draft: Draft, text: string, line: number): void {
  if (!draft.isItem || !text.includes('[')) return;
  let [at, seen, isHidden] = [line, 0, false];
  for (const { 2: comment, 3: id = '', 4: address = '', index } of text.matchAll(MARKS)) {
    if (comment !== undefined) isHidden = comment === '<!--';
    if (isHidden || !looksLikeId(id) || isElsewhere(address)) continue;
    at += text.slice(seen, index).split('\n').length - 1;
    seen = index;
    draft.mentions.push({ type: 'relates', to: id, line: at });
  }
}

const SAYS_SHALL = /\b(?:shall|must|should)\b/i;

/**
 * The item of a draft that has ended, and its links.
 * @param elsewhere - labels that are links to other hosts, in capitals
 */
export function finishDraft(
  draft: Draft,
  defaults: Defaults,
  elsewhere: ReadonlySet<string>,
): SourceLink[] {
  const { item } = draft;
  item.statement = draft.statement.join('\n\n');
  if (!draft.isItem) return [];
  mention(draft, item.title, item.line);
  if (draft.rationale.length > 0) item.rationale = draft.rationale.join('\n\n');
  if (
    item.statement === '' &&
    (draft.depth === IN_LIST || SAYS_SHALL.test(item.title) || isStoryText(item.title))
  )
    item.statement = item.title;
  const isStory = draft.isStory || isStoryOf(item.statement) || isStoryOf(item.title);
  item.kind = draft.kind ?? defaults.kind ?? (isStory ? 'story' : 'requirement');
  item.status ??= defaults.status;
  item.priority ??= defaults.priority;
  const tags = item.tags.concat(defaults.tags);
  item.tags = tags.length > 1 ? [...new Set(tags)] : tags;
  if (draft.done.some((one) => one !== null)) {
    const name = item.attributes.done === undefined ? 'done' : 'done criteria';
    item.attributes = { ...item.attributes, [name]: draft.done };
  }
  if (draft.links.length + draft.mentions.length === 0) return [];
  const linked = new Set(draft.links.map(({ to }) => to));
  const mentions = draft.mentions.filter(
    ({ to }) => !linked.has(to) && !elsewhere.has(to.toUpperCase()),
  );
  const links = new Map<string, SourceLink>();
  for (const { type, to, line } of [...draft.links, ...mentions]) {
    const key = `${type} ${to}`;
    if (!links.has(key)) links.set(key, { from: item.id, to, type, path: item.path, line, item });
  }
  return [...links.values()];
}

function isStoryOf(text: string): boolean {
  return isStoryText(text.replace(/^(?:\*\*|__)?User Story[:*_]+\s*/i, ''));
}
