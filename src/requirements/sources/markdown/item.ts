// An item of a Markdown file while it is read: its text, fields and links gather until it ends.
import { wordsOf } from '../front-matter.ts';
import { idsIn, isStoryText, looksLikeId } from '../item-ids.ts';
import type { NodeKind, SourceItem, SourceLink } from '../model.ts';
import { bareItem } from '../report.ts';
import { isElsewhere } from './blocks.ts';
import type { Field } from './grammar.ts';

/** A field whose value is read. */
export interface Label {
  field: Field;
  /** As it is written: words that are no value of the field are an attribute of that name. */
  name: string;
  /** Of the heading that it is; 0 for one in the text. */
  depth: number;
}

interface Reference {
  type: SourceLink['type'];
  to: string;
  line: number;
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
  /** Whether it has fields: a document and a section have none. */
  isItem: boolean;
  /** Whether its title is a text of a list or a table. */
  inList: boolean;
  /** Whether its id says that it is a story. */
  isStory: boolean;
  /** The depth of its heading; 0 for the document. */
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

export function newDraft(
  item: Pick<SourceItem, 'id' | 'kind' | 'title' | 'path' | 'line' | 'parentId'>,
  { isItem, inList, isStory, depth }: Pick<Draft, 'isItem' | 'inList' | 'isStory' | 'depth'>,
): Draft {
  return {
    item: bareItem(item),
    isItem,
    inList,
    isStory,
    depth,
    label: null,
    textBelow: 0,
    kind: null,
    statement: [],
    rationale: [],
    done: [],
    links: [],
    mentions: [],
  };
}

/** M9: adds to the statement. */
export function addText(draft: Draft, text: string, line: number): void {
  if (text.trim() === '') return;
  draft.statement.push(text);
  mention(draft, text, line);
}

/** M8: adds a criterion, which may begin with a task box. */
export function addCriterion(draft: Draft, text: string, line: number): void {
  const [box = '', mark] = /^\[([ xX])\]\s+/.exec(text) ?? [];
  draft.item.acceptance.push(text.slice(box.length).trim());
  draft.done.push(mark === undefined ? null : mark !== ' ');
  mention(draft, text, line);
}

/**
 * M7: gives a field a value.
 *
 * @returns false where the value stays text: that of a second status, priority or kind
 */
export function setField(draft: Draft, label: Label, value: string, line: number): boolean {
  const { item } = draft;
  const { field, name } = label;
  const text = value.replace(/\s+/g, ' ').trim();
  if (text === '') return true;
  switch (field.name) {
    case 'acceptance':
      addCriterion(draft, value.trim(), line);
      return true;
    case 'rationale':
      draft.rationale.push(value.trimEnd());
      mention(draft, value, line);
      return true;
    case 'tags':
      item.tags.push(...tagsOf(text));
      return true;
    case 'link':
      addLinks(draft, field.type, name, value, line);
      return true;
    case 'kind': {
      const kind = kindNamed(withoutMarks(text));
      if (kind === null) addAttribute(item, name, withoutMarks(text));
      else if (draft.kind !== null) return false;
      draft.kind ??= kind;
      return true;
    }
    default:
      if (item[field.name] !== null) return false;
      item[field.name] = withoutMarks(text);
      return true;
  }
}

function tagsOf(text: string): string[] {
  const spans = /^(?:`[^`]+`[\s,;]*)+$/.test(text) ? text.match(/[^`]+(?=`)/g) : null;
  const words = spans?.filter((_, at) => at % 2 === 0) ?? [text.replaceAll('`', '')];
  return words.flatMap(wordsOf);
}

/** Links to the ids of a value; where it has other words, all of it is an attribute too. */
function addLinks(
  draft: Draft,
  type: SourceLink['type'],
  name: string,
  value: string,
  line: number,
): void {
  let others = '';
  for (const [at, text] of value.split('\n').entries()) {
    // The address of a link is no second id.
    const { ids, rest } = idsIn(
      text.replace(/\]\([^()]*\)|\]\[[^\]]*\]/g, (link) => {
        if (isElsewhere(link.slice(2))) others += link;
        return ']';
      }),
    );
    for (const to of ids) draft.links.push({ type, to, line: line + at });
    others += rest.replace(/\b(?:and|or)\b/g, '').trim();
  }
  if (others !== '') addAttribute(draft.item, name, value.replace(/\s+/g, ' ').trim());
}

function addAttribute(item: SourceItem, name: string, text: string): void {
  const before = item.attributes[name];
  item.attributes = {
    ...item.attributes,
    [name]: before === undefined ? text : `${before}\n${text}`,
  };
}

/** The kind that a word names. */
export function kindNamed(text: string): NodeKind | null {
  if (/^(?:user[ -]?)?story$/i.test(text)) return 'story';
  return /^requirement$/i.test(text) ? 'requirement' : null;
}

const MARKED = [
  /^(\*{1,3})(?=[^\s*])([^*]*[^*\s])\1$/,
  /^(_{1,3})(?=[^\s_])((?:[^_]|(?<=\w)_(?=\w))+)\1$/,
  /^(`)([^`]+)`$/,
];

/** A value without emphasis or marks of code around the whole of it. */
function withoutMarks(text: string): string {
  if (text.length > 500) return text;
  const inner = MARKED.map((pattern) => pattern.exec(text)?.[2]).find((one) => one !== undefined);
  return inner === undefined ? text : withoutMarks(inner.trim());
}

const CODE_OR_BRACKETS =
  /(?<!`)(`{1,20})(?!`)(?:[^`\n]|\n(?!\n))+\1|(?<!\\)\[([^[\]\s]{1,220})\](?:\(([^()\n]{0,500})|\[([^\]\n]{0,500})\])?/g;

/** M10: notes the ids in brackets of a text that are no code. */
export function mention(draft: Draft, text: string, line: number): void {
  if (!draft.isItem || !text.includes('[')) return;
  const prose = without(without(text, '```', '```'), '<!--', '-->');
  let [at, seen] = [line, 0];
  for (const { 1: code, 2: id = '', 3: address = '', 4: label = '', index } of prose.matchAll(
    CODE_OR_BRACKETS,
  )) {
    if (code !== undefined || !looksLikeId(id) || isElsewhere(address)) continue;
    at += prose.slice(seen, index).split('\n').length - 1;
    seen = index;
    draft.mentions.push({ type: 'relates', to: id, line: at });
    if (looksLikeId(label)) draft.mentions.push({ type: 'relates', to: label, line: at });
  }
}

/** A text with nothing but line ends between marks. */
function without(text: string, open: string, close: string): string {
  let [left, at] = ['', 0];
  for (let from = text.indexOf(open); from >= 0; from = text.indexOf(open, at)) {
    const to = text.indexOf(close, from + open.length);
    if (to < 0) break;
    left += text.slice(at, from) + text.slice(from, to).replace(/[^\n]+/g, ' ');
    at = to + close.length;
  }
  return left + text.slice(at);
}

/**
 * The item of a draft that has ended, and its links.
 *
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
  if (draft.rationale.length > 0) item.rationale = draft.rationale.join('\n\n');
  if (item.statement === '' && (draft.inList || isSentence(item.title)))
    item.statement = item.title;
  const isStory = () => draft.isStory || holdsStory(item.statement) || isStoryText(item.title);
  item.kind = draft.kind ?? defaults.kind ?? (isStory() ? 'story' : 'requirement');
  item.status ??= defaults.status;
  item.priority ??= defaults.priority;
  item.tags = [...new Set([...item.tags, ...defaults.tags])];
  if (draft.done.some((one) => one !== null)) {
    const name = item.attributes.done === undefined ? 'done' : 'done criteria';
    item.attributes = { ...item.attributes, [name]: draft.done };
  }
  if (draft.links.length === 0 && draft.mentions.length === 0) return [];
  const linked = new Set([item.id, ...draft.links.map(({ to }) => to)]);
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

function isSentence(title: string): boolean {
  return /\b(?:shall|must|should)\b/i.test(title) || isStoryText(title);
}

/** Whether a text is that of a story, with its label before it or not. */
function holdsStory(text: string): boolean {
  return isStoryText(
    text.replace(/^(?:\*\*|__)?User Story(?::(?:\*\*|__)?|(?:\*\*|__):?)\s*/i, ''),
  );
}
