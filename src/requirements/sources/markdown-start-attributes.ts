// The attributes of an item of a Markdown source that its beginning says beside its id and its title.
import type { Draft } from './markdown-draft.ts';
import type { ItemStart } from './markdown-item-start.ts';
import { slugOf } from './markdown-sections.ts';

/** Says of an item its number, where its id leads to, and the names that others may link to it by. */
export function describeStart(draft: Draft, start: ItemStart, text: string): void {
  const { item } = draft;
  const { id, url, label, anchors, level, done } = start;
  const names = anchors.filter((name) => name !== id && name.toLowerCase() !== slugOf(id));
  if (level !== undefined) item.attributes.level = level;
  if (done !== undefined) item.attributes.done = done;
  if (url !== undefined) item.attributes.url = url;
  if (names.length > 0) item.attributes.anchor = names.length === 1 ? (names[0] ?? '') : names;
  const isLink = text.includes(`[${id}]`);
  if (label !== undefined || isLink) draft.idLabel = label ?? id;
}
