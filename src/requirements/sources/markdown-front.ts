// What the front matter of a Markdown file is said of: the document, or the one item that has its id.
import { attributeValue, type FrontMatter, textValue, wordsValue } from './front-matter.ts';
import { fieldOfKey } from './front-matter-values.ts';
import { isStoryId, looksLikeId } from './item-ids.ts';
import { type Block, fold } from './markdown-blocks.ts';
import { type Defaults, type Draft, kindNamed, newDraft, setField } from './markdown-draft.ts';
import { fieldHeading } from './markdown-fields.ts';
import { kindOf, shown, tellNoItem } from './markdown-front-kind.ts';
import { itemStart } from './markdown-item-start.ts';
import { firstLine, labelIn } from './markdown-lists.ts';
import type { NodeKind, SourceItem } from './model.ts';
import type { FileNotes } from './source-result.ts';

/** Front matter by its keys. */
type Values = Readonly<Record<string, unknown>>;

/** The document of a file, by its path until its items are known, and what holds for all of these. */
export function documentOf(path: string, values: Values): { document: Draft; defaults: Defaults } {
  const title = textValue(values.title) ?? path.slice(path.lastIndexOf('/') + 1);
  const document = newDraft(
    { id: path, kind: 'document', title, path, line: 1, parentId: null },
    { isItem: false, inList: false, depth: 0 },
  );
  const own = ownDefaults(values);
  const kind = kindOf(values) ?? kindOf(own);
  const [status, priority] = [textValue(own.status), textValue(own.priority)];
  return { document, defaults: { kind, status, priority, tags: wordsValue(own.tags) } };
}

function ownDefaults({ defaults }: Values): Values {
  return typeof defaults === 'object' && defaults !== null ? (defaults as Values) : {};
}

const TEXTS = ['id', 'title', 'status', 'priority'];
const DEFAULTS = ['kind', 'status', 'priority', 'tags'];

/** Notes what is left out of front matter: what is no text where a text is read, or no tag. */
export function noteLeftOut(front: FrontMatter, notes: FileNotes): void {
  const { values, keyLines, partLines } = front;
  const lineOf = (key: string) => partLines.get(key) ?? keyLines.get(key) ?? 1;
  const lose = (key: string, why: string, given: unknown, line = lineOf(key)) => {
    const detail = `\`${key}\` of the front matter ${why}: ${shown(given)} is left out.`;
    notes.lose('invalid_field', line, detail);
  };
  const checkTags = (key: string, tags: readonly unknown[]) => {
    const byLine = new Map<number, unknown[]>();
    tags.forEach((tag, at) => {
      if (isPlain(tag)) return;
      const line = partLines.get(`${key}.${at}`) ?? lineOf(key);
      const others = byLine.get(line);
      if (others) others.push(tag);
      else byLine.set(line, [tag]);
    });
    for (const [line, wrong] of byLine) {
      lose(key, 'has tags that are texts', wrong.length === 1 ? wrong[0] : wrong, line);
    }
  };
  const check = (key: string, name: string, value: unknown) => {
    if (value === null || value === undefined) return;
    if (name === 'kind' && kindNamed(textValue(value) ?? '') === null) {
      lose(key, 'names a kind of item', value);
    } else if (name === 'tags' && Array.isArray(value)) {
      checkTags(key, value);
    } else if (name === 'tags' && !isPlain(value)) {
      lose(key, 'has tags that are texts', value);
    } else if (TEXTS.includes(name) && !isPlain(value)) {
      lose(key, 'is a text, and no list or map', value);
    }
  };
  for (const key of [...TEXTS, 'tags']) check(key, key, values[key]);
  const { defaults = null } = values;
  if (defaults === null) return;
  if (typeof defaults !== 'object' || Array.isArray(defaults)) {
    lose('defaults', 'is a map', defaults);
    return;
  }
  for (const [name, value] of Object.entries(defaults)) {
    const key = `defaults.${name}`;
    if (DEFAULTS.includes(name)) check(key, name, value);
    else {
      const why = `is none of ${DEFAULTS.join(', ')}`;
      lose(`defaults.${name.slice(0, 100)}`, why, value, lineOf(key));
    }
  }
}

function isPlain(value: unknown): boolean {
  return value === null || typeof value !== 'object';
}

/**
 * The item that a whole file is, where its front matter has an id and the type or the kind of an item,
 * or no kind and the id of a story, and no heading begins another; with the heading that is its title.
 */
export function subjectOf(
  values: Values,
  blocks: readonly Block[],
  { id: parentId, path }: SourceItem,
): { draft: Draft; heading: Block | null } | null {
  const id = textValue(values.id);
  const type = kindNamed(textValue(values.type) ?? '');
  const kind = type ?? kindOf(values) ?? kindOfId(values);
  if (id === null || kind === null) return null;
  // A kind may be that of the items in a document, whose id is any word.
  if (type === null && (!looksLikeId(id) || holdsItems(blocks))) return null;
  if (blocks.some((one) => one.type === 'heading' && itemStart(fold(one.text), true))) return null;
  const [first] = blocks;
  const given = textValue(values.title);
  const shown = first?.type === 'heading' ? fold(first.text) : null;
  const heading = first && shown !== null && (given === null || given === shown) ? first : null;
  const draft = newDraft(
    { id, kind, title: given ?? shown ?? '', path, line: heading?.line ?? 1, parentId },
    { isItem: true, inList: false, depth: 0 },
  );
  return { draft, heading };
}

/** The kind that the id of front matter says, where no key does. */
function kindOfId(values: Values): NodeKind | null {
  const { type = null, kind = null } = values;
  const namesNone = type === null && kind === null;
  return namesNone && isStoryId(textValue(values.id) ?? '') ? 'story' : null;
}

/** Whether lists that are neither criteria nor values of another field begin items. */
function holdsItems(blocks: readonly Block[]): boolean {
  let inField = false;
  return blocks.some((block, at) => {
    if (block.type === 'heading') inField = fieldHeading(fold(block.text)) !== null;
    if (block.type !== 'list' || inField) return false;
    const before = blocks[at - 1];
    const label = before?.type === 'paragraph' ? before.raw.split('\n').at(-1) : undefined;
    if (label !== undefined && labelIn(label, true)) return false;
    return block.items.some((item) => itemStart(firstLine(item) ?? '', false) !== null);
  });
}

/**
 * Gives the document the id of the front matter and what else that says; where an item has the id, the
 * document goes by its path, and the rest is the item's if no other stands beside it.
 *
 * @param drafts - all of the file
 * @param defaults - what holds for all items
 * @returns what holds for all items, without the kind where that is of the one item
 */
export function placeFrontMatter(
  front: FrontMatter,
  document: Draft,
  drafts: readonly Draft[],
  defaults: Defaults,
  notes: FileNotes,
): Defaults {
  const { values } = front;
  const items = drafts.filter(({ isItem }) => isItem);
  const id = textValue(values.id);
  const subject = id === null ? undefined : items.find(({ item }) => item.id === id);
  nameDocument(
    document.item,
    id,
    drafts.map(({ item }) => item),
  );
  const ids = new Set(items.map(({ item }) => item.id));
  const outer = items.filter(({ item }) => item.parentId === null || !ids.has(item.parentId));
  if (subject && outer.length === 1 && outer[0] === subject) {
    describe(subject, front, notes);
    return { ...defaults, kind: kindOf(ownDefaults(values)) };
  }
  describeDocument(document.item, values, items.length > 0);
  const kind = kindOf(values);
  const isDocument = id !== null && looksLikeId(id) && !subject;
  if (items.length === 0) tellNoItem(front, document.item.id, notes);
  if (kind !== null && isDocument && items.length > 0 && items.every(({ inList }) => inList)) {
    const detail = `${shown(id)} stays the id of the document, since lists in it begin items; its kind, ${kind}, is said of these.`;
    notes.note('invalid_field', front.keyLines.get('kind') ?? 1, detail, { severity: 'warning' });
  }
  return defaults;
}

/** Gives a document the id of its front matter, where it has one and none of the items has it. */
export function nameDocument(
  document: SourceItem,
  id: string | null,
  items: readonly SourceItem[],
): void {
  if (id === null || items.some((item) => item !== document && item.id === id)) return;
  const { id: path } = document;
  document.id = id;
  for (const item of items) if (item.parentId === path) item.parentId = id;
}

/**
 * Says of a document what front matter says besides its id and its title.
 *
 * @param hasItems - whether it has items, of which a kind is said
 */
export function describeDocument(item: SourceItem, values: Values, hasItems: boolean): void {
  item.status = textValue(values.status);
  item.priority = textValue(values.priority);
  item.tags = wordsValue(values.tags);
  const kind = hasItems ? knownKind(values) : [];
  item.attributes = othersOf(values, ['status', 'priority', 'tags', ...kind]);
}

/** The key of the kind, where its value is one. */
function knownKind(values: Values): string[] {
  return kindOf(values) === null ? [] : ['kind'];
}

/** Says of an item what front matter says and its own text does not. */
function describe(draft: Draft, front: FrontMatter, notes: FileNotes): void {
  const { item } = draft;
  const { values, keyLines } = front;
  const tellOther = (key: string, taken: string | null, given: string | null) => {
    if (taken === null || given === null || isSame(taken, given)) return;
    const detail = `${item.id} has \`${key}\` twice: ${shown(taken)} is taken, and ${shown(given)} of the front matter is left out.`;
    notes.lose('duplicate_field', keyLines.get(key) ?? 1, detail, { itemId: item.id });
  };
  for (const name of ['status', 'priority'] as const) {
    const given = textValue(values[name]);
    tellOther(name, item[name], given);
    item[name] ??= given;
  }
  item.tags = [...new Set([...item.tags, ...wordsValue(values.tags)])];
  const read = ['status', 'priority', 'tags', ...knownKind(values)];
  for (const [key, value] of Object.entries(values)) {
    const field = fieldOfKey(key);
    const texts = (Array.isArray(value) ? value : [value]).map(textValue);
    if (field === null || !texts.every((text) => text !== null)) continue;
    const isList = field.name === 'acceptance' || field.name === 'link';
    const kind = field.name === 'kind' ? kindNamed(texts[0] ?? '') : null;
    if (kind) {
      tellOther(key, draft.kind, kind);
      draft.kind ??= kind;
      read.push(key);
    } else if (isList || field.name === 'rationale') {
      const mode = { field, label: key, depth: 0, listed: false };
      const lines = [keyLines.get(key) ?? 1];
      for (const raw of texts) setField(draft, mode, { raw, lines }, notes);
      read.push(key);
    }
  }
  const others = othersOf(values, read);
  for (const [key, value] of Object.entries(others)) {
    const own = item.attributes[key];
    if (own === undefined || shown(own) === shown(value)) continue;
    const detail = `${item.id} says \`${key}\` itself; that of the front matter is left out: ${shown(value)}`;
    notes.lose('duplicate_field', keyLines.get(key) ?? 1, detail, { itemId: item.id });
  }
  item.attributes = { ...others, ...item.attributes };
}

/** Whether two values say the same: case and white space make no difference. */
function isSame(one: string, other: string): boolean {
  return fold(one).toLowerCase() === fold(other).toLowerCase();
}

/** What has no place of its own, as attributes. */
function othersOf(values: Values, read: readonly string[]): SourceItem['attributes'] {
  const placed = new Set(['id', 'title', 'defaults', ...read]);
  return Object.fromEntries(
    Object.entries(values)
      .filter(([key]) => !placed.has(key))
      .map(([key, value]) => [key, attributeValue(value)]),
  );
}
