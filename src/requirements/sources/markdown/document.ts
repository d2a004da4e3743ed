// What a Markdown file says of itself: its front matter (M13), and where its items belong (M14).
import { type Part, take } from '../account.ts';
import { attributeOf, type FrontMatter, textOfPart, wordsOf } from '../front-matter.ts';
import { isStoryId } from '../item-ids.ts';
import type { NodeKind } from '../model.ts';
import { type Field, fieldNamed } from './grammar.ts';
import { type Defaults, type Draft, kindNamed, newDraft, setField } from './item.ts';

export interface Place {
  /** What stands before the ids of the file, with a dot; empty without a scope. */
  prefix: string;
  /** Whether the file gives items: in a folder of specifications not all do. */
  givesItems: boolean;
}

/** M14: in `.../specs/<name>/` ids are of the folder, and two files have them. */
export function placeOf(path: string, front: FrontMatter): Place {
  const [, folder, file = ''] = /(?:^|\/)specs\/([^/]+)\/(.+)$/.exec(path) ?? [];
  const scope = textOfPart(take(front.top, 'scope')) ?? folder;
  return {
    prefix: scope === undefined ? '' : `${scope}.`,
    givesItems: folder === undefined || /^(?:spec|requirements)\.md$/i.test(file),
  };
}

export interface FrontValues {
  id: string | null;
  /** Its place, where front matter gives an id. */
  idPart: Part | undefined;
  title: string | null;
  /** The kind of the one item that the file is, or of all its items. */
  kind: NodeKind | null;
  defaults: Defaults;
}

/** Takes what front matter says of the file; the rest is said of its document or its item. */
export function frontValues({ top }: FrontMatter): FrontValues {
  const idPart = take(top, 'id');
  const id = textOfPart(idPart);
  const title = textOfPart(take(top, 'title'));
  const own = take(top, 'defaults');
  const kind = takeKind(top, 'type') ?? takeKind(top, 'kind');
  const isStory = id !== null && isStoryId(id) && !has(top, 'type') && !has(top, 'kind');
  const defaults = {
    kind: takeKind(own, 'kind') ?? takeKind(own, 'type') ?? (id === null ? kind : null),
    status: textOfPart(take(own, 'status')),
    priority: textOfPart(take(own, 'priority')),
    tags: tagsOf(take(own, 'tags')),
  };
  return { id, idPart, title, kind: kind ?? (isStory ? 'story' : null), defaults };
}

function has(part: Part, name: string): boolean {
  return part.parts.some((one) => one.name === name);
}

/** Takes a part that names a kind of item; another is an attribute. */
function takeKind(part: Part | undefined, name: string): NodeKind | null {
  const kind = kindNamed(part?.parts.find((one) => one.name === name)?.text ?? '');
  return kind === null || textOfPart(take(part, name)) === null ? null : kind;
}

function tagsOf(part: Part | undefined): string[] {
  if (part?.kind !== 'list') return wordsOf(textOfPart(part) ?? '');
  const tags = part.parts.filter((one) => textOfPart(one) !== null);
  for (const one of tags) one.kept = true;
  return tags.map((one) => one.text.trim().replace(/^#/, ''));
}

/** The document of a file. */
export function documentOf(path: string, { id, title }: Pick<FrontValues, 'id' | 'title'>): Draft {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return newDraft(
    { id: id ?? path, kind: 'document', title: title ?? name, path, line: 1, parentId: null },
    { isItem: false, inList: false, isStory: false, depth: 0 },
  );
}

/** Says of a document or an item what front matter has left: fields, and attributes. */
export function describe({ top }: FrontMatter, draft: Draft): void {
  for (const part of top.parts) {
    if (part.kept || part.name in draft.item.attributes) continue;
    const field = fieldNamed(part.name.replace(/[_-]+/g, ' '));
    if (field !== null && setValues(draft, field, part)) part.kept = true;
    else draft.item.attributes = { ...draft.item.attributes, [part.name]: attributeOf(part) };
  }
}

/** A document has no criteria, reasons and links. */
function setValues(draft: Draft, field: Field, part: Part): boolean {
  const { item } = draft;
  const texts = (part.kind === 'list' ? part.parts : [part]).map(textOfPart);
  if (field.name === 'tags') {
    item.tags.push(...tagsOf(part));
    return true;
  }
  if (field.name === 'status' || field.name === 'priority') {
    if (texts.length !== 1 || texts[0] == null || item[field.name] !== null) return false;
    item[field.name] = texts[0];
    return true;
  }
  if (!draft.isItem || field.name === 'kind' || !texts.every((text) => text !== null)) return false;
  const label = { field, name: part.name, depth: 0 };
  for (const text of texts) setField(draft, label, text, part.line);
  for (const one of part.parts) one.kept = true;
  return true;
}
