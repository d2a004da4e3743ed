// Which items of a list of a Markdown source are fields of the item around it, and which only look so:
// a list in a statement may name things that are called as fields are.
import { noteFieldText } from './markdown-apart.ts';
import type { Block, ListItem } from './markdown-blocks.ts';
import { withoutBreak } from './markdown-content.ts';
import type { Draft } from './markdown-draft.ts';
import {
  firstLine,
  goesOnIn,
  holdsIdsAlone,
  introduces,
  labelOf,
  startOf,
  TASK,
} from './markdown-lists.ts';
import { isDataAlone, isOtherData } from './markdown-names.ts';

type ListBlock = Block & { type: 'list' };

/** Says of an item of a list whether it is a field. */
export type IsField = (item: ListItem) => boolean;

const LABEL = /^(\*{1,3}|_{1,3})?(\p{L}[\p{L} /-]{0,38}\p{L})(?::\1?|\1\s?:)(?:\s|$)/u;

/** What takes no label for a field. */
export const noField: IsField = () => false;
/** What takes each label for a field. */
export const anyField: IsField = (item) =>
  labelOf(item) !== null && (!TASK.test(item.raw) || isCriteria(item));

/**
 * Which items of a list are fields of the item that it stands in, and whether some that look so are
 * none for reasons that may surprise. With marks that are no numbers and no sentence that introduces
 * them, these are:
 * - all with a label, where nothing of the statement stands before the list, where a name such as
 *   "Details" does, or where all of it is such data, or items, and no value is given twice;
 * - else criteria with a list of their own, and links with nothing but ids.
 *
 * @param isFirst - whether nothing of the statement stands before the list
 */
export function fieldsIn(
  list: ListBlock,
  owner: Draft,
  isFirst: boolean,
): { isField: IsField; mayBeMeant: boolean } {
  const none = { isField: noField, mayBeMeant: false };
  if (!owner.isItem || !list.items.some(mayHoldFields)) return none;
  const isNumbered = list.items.some(({ mark }) => /\d/.test(mark));
  const isIntroduced = introduces(owner.lead);
  const isAllData = list.items.every((item) => isData(item, owner));
  if (isIntroduced || owner.apart) {
    return { ...none, mayBeMeant: !isNumbered && (isAllData || !isIntroduced) };
  }
  if (isNumbered) return { isField: isCriteria, mayBeMeant: false };
  const isMeant = isFirst || isDataAlone(owner.lead ?? '');
  if (isMeant || (isAllData && !repeats(list, owner))) {
    return { isField: anyField, mayBeMeant: false };
  }
  return { isField: isCertain, mayBeMeant: true };
}

function mayHoldFields(item: ListItem): boolean {
  return labelOf(item) !== null || isDataAlone(firstLine(item) ?? '');
}

/** Which items of a list in an item of a list are fields, where those of the outer list are given. */
export function fieldsWithin(outer: ListItem, isField: IsField): IsField {
  const label = firstLine(outer) ?? '';
  return isField === anyField && !outer.blocks[0]?.raw.includes('\n') && isDataAlone(label)
    ? anyField
    : noField;
}

/** Whether an item of a list is one of the source or a field, or has such in it. */
export function holdsParts(item: ListItem, owner: Draft, isField: IsField): boolean {
  if (startOf(item, owner) || (owner.isItem && isField(item))) return true;
  const within = fieldsWithin(item, isField);
  return item.blocks.some(
    (block) =>
      block.type === 'list' && block.items.some((inner) => holdsParts(inner, owner, within)),
  );
}

/** Whether an item of a list is data of the item around it, or an item of its own. */
function isData(item: ListItem, owner: Draft): boolean {
  if (startOf(item, owner) !== null || anyField(item)) return true;
  const line = firstLine(item) ?? '';
  const label = LABEL.exec(line)?.[2];
  return label === undefined ? isDataAlone(line) : isOtherData(label);
}

/** Whether a list gives a value that is given before. */
function repeats({ items }: ListBlock, { item, kind }: Draft): boolean {
  return items.some((one) => {
    const name = labelOf(one)?.field.name;
    if (name === 'kind') return kind !== null;
    return (name === 'status' || name === 'priority') && item[name] !== null;
  });
}

/** Whether an item of a list can be meant as nothing but a field. */
function isCertain(item: ListItem): boolean {
  if (isCriteria(item)) return true;
  const label = labelOf(item);
  if (label?.field.name !== 'link') return false;
  if (holdsIdsAlone(withoutBreak(label.value))) return true;
  const mode = { ...label, depth: 0, listed: false };
  return label.value === '' && goesOnIn(item.blocks[1], mode);
}

/** Whether an item of a list is a label of criteria that has them in a list below it. */
function isCriteria(item: ListItem): boolean {
  const label = labelOf(item);
  return (
    label?.field.name === 'acceptance' && label.value === '' && item.blocks[1]?.type === 'list'
  );
}

/** Notes which items of a list look like fields and are none. */
export function noteFields({ items }: ListBlock, owner: Draft, isField: IsField): void {
  for (const item of items) {
    const label = isField(item) ? null : labelOf(item);
    if (label) noteFieldText(owner, label.label, item.line);
  }
}
