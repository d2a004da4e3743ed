// What a list of a Markdown source holds: items, fields with labels, tasks, or only text.
import { idsIn } from './item-ids.ts';
import { withoutAnchors } from './markdown-before-id.ts';
import { type Block, type ListItem, type PlacedText, textOfBlocks } from './markdown-blocks.ts';
import { withoutBreak } from './markdown-content.ts';
import type { Draft, Mode } from './markdown-draft.ts';
import { criteriaLabel, fieldLine } from './markdown-fields.ts';
import { itemStart } from './markdown-item-start.ts';
import { isReference } from './markdown-list-references.ts';
import { isDataAlone } from './markdown-names.ts';

/** The label of a line, which may stand right before a list. */
export function labelIn(text: string, beforeList: boolean) {
  return fieldLine(text) ?? (beforeList ? criteriaLabel(text) : null);
}

const IN_BOLD = /^(\*\*|__)[^*_.,!?]{1,60}\1$/;

/** The mark of a task: done or not. */
export const TASK = /^\[([ xX])\][ \t]+/;

/** The text of an item without the mark of a task, and what that says. */
export function withoutTask({ raw, lines }: ListItem): PlacedText & { done?: boolean } {
  const mark = TASK.exec(raw);
  return mark ? { raw: raw.slice(mark[0].length), lines, done: mark[1] !== ' ' } : { raw, lines };
}

/** The values of a field that an item of a list holds: lists in it have more of them, but for parts of a text. */
export function valuesIn(item: ListItem, mode: Mode): (PlacedText & { done?: boolean })[] {
  const { name } = mode.field;
  const isWhole = name === 'acceptance' || name === 'rationale' || name === 'link';
  if (isWhole || !item.blocks.some(({ type }) => type === 'list')) return [withoutTask(item)];
  const own = textOfBlocks(item.blocks.filter(({ type }) => type !== 'list'));
  const inner = item.blocks.flatMap((block) => (block.type === 'list' ? block.items : []));
  return [withoutTask({ ...item, ...own }), ...inner.flatMap((one) => valuesIn(one, mode))];
}

/** Whether a list below a field, in the item of a list that holds this, goes on with its value. */
export function goesOnIn(block: Block | undefined, { field: { name } }: Mode): boolean {
  if (block?.type !== 'list') return false;
  if (name === 'link') return block.items.every(({ raw }) => idsIn(raw).ids.length > 0);
  return name === 'tags' || name === 'rationale';
}

/** Whether a text names ids and says nothing more. */
export function holdsIdsAlone(text: string): boolean {
  const { ids, rest } = idsIn(text);
  return ids.length > 0 && rest.replace(/\b(?:and|or|und)\b/g, '').trim() === '';
}

/** The first line of an item without the mark of a task; null where it is none of a paragraph. */
export function firstLine(item: ListItem): string | null {
  const first = item.blocks[0];
  return first?.type === 'paragraph' ? (first.raw.split('\n')[0] ?? '').replace(TASK, '') : null;
}

/** The label that an item of a list begins with. */
export function labelOf(item: ListItem) {
  const [first, next] = item.blocks;
  if (first?.type !== 'paragraph') return null;
  return labelIn(firstLine(item) ?? '', next?.type === 'list' && !first.raw.includes('\n'));
}

/** How an item of a list begins an item of the source, where it does. */
export function startOf(item: ListItem, owner: Draft) {
  const text = firstLine(item);
  const start = text === null ? null : startIn(text, owner);
  return start && isReference(item, start, owner.isItem) ? null : start;
}

/** How the first line of an item of a list begins an item of the source, where it does. */
export function startIn(text: string, owner: Draft) {
  const start = itemStart(text, false);
  // In an item, what begins with a bracketed id is a reference but for a colon after it.
  const isBracketed = withoutAnchors(text).startsWith('[');
  const isReference =
    owner.isItem && (isBracketed || start?.url !== undefined) && start?.colon !== true;
  return isReference ? null : start;
}

/** Whether something in a list is an item. */
function holdsItem(item: ListItem, owner: Draft): boolean {
  return startOf(item, owner) !== null || inLists(item, (inner) => holdsItem(inner, owner));
}

/** Whether something in a list is an item or a field. */
export function holdsMore(item: ListItem, owner: Draft): boolean {
  if (startOf(item, owner) || (owner.isItem && labelOf(item))) return true;
  return inLists(item, (inner) => holdsMore(inner, owner));
}

function inLists({ blocks }: ListItem, holds: (inner: ListItem) => boolean): boolean {
  return blocks.some((block) => block.type === 'list' && block.items.some(holds));
}

/** Whether a list is looked at as the values of a field. */
export function takesList(mode: Mode): boolean {
  return mode.depth > 0 || !mode.listed;
}

/** Whether what looks like an item is, in a list at this place, the value of a field. */
export function takesItems(mode: Mode | null): boolean {
  if (!mode || !takesList(mode)) return false;
  return mode.field.name === 'acceptance' || mode.field.name === 'link';
}

/** Whether a list below a label is none of its values: it holds items, or fields with their own labels. */
export function isNoValue(list: Block & { type: 'list' }, { field }: Mode, owner: Draft): boolean {
  // Criteria are numbered like items, and a list of ids is what a link is to.
  if (field.name === 'acceptance') return false;
  if (field.name === 'link') return list.items.every((item) => labelOf(item) !== null);
  if (field.name !== 'rationale') return list.items.some((item) => holdsMore(item, owner));
  // A reason may begin with a word that is a label elsewhere.
  return (
    list.items.some((item) => holdsItem(item, owner)) ||
    (!introduces(owner.lead) && list.items.every((item) => holdsMore(item, owner)))
  );
}

/**
 * Whether a line introduces what follows it: it ends in a colon or is all in bold, and is neither a
 * field nor a name such as "Details".
 */
export function introduces(lead: string | null): boolean {
  const line = withoutBreak(lead ?? '').trim();
  const end = line.slice(-10).replace(/[*_\s]+$/, '');
  if (!/[:\uff1a]$/.test(end) && !IN_BOLD.test(line)) return false;
  return !isDataAlone(line) && fieldLine(line) === null;
}
