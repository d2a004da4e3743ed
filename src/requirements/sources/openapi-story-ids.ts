// The items that an API document names for its routes: by extensions (`x-story` and the like), by
// tags, and in brackets or after `@` in a summary.
import { ID_MOST } from '../../http/id-length.ts';
import { idOfTag } from './gherkin-ids.ts';
import { idsIn, looksLikeId } from './item-ids.ts';
import type { TreeNode } from './openapi-tree.ts';
import type { FileNotes } from './source-result.ts';

/** The extensions that name items, each a text or a list of texts. */
export const STORY_EXTENSIONS: readonly string[] = [
  ...['x-story', 'x-stories', 'x-requirement', 'x-requirements'],
];

/** Values of one extension that are read. */
const MOST_VALUES = 1000;

/** Ids by the paths and operations that name them, which may be many by reference. */
const known = new WeakMap<TreeNode, readonly string[]>();

/** The ids that the extensions of a path or an operation name; what is no id is noted. */
export function declaredIds(node: TreeNode, notes: FileNotes): readonly string[] {
  const before = known.get(node);
  if (before) return before;
  const ids: string[] = [];
  known.set(node, ids);
  for (const name of STORY_EXTENSIONS) {
    const entry = node.entries().get(name);
    if (!entry) continue;
    const values = entry.node.kind === 'list' ? entry.node.items() : [entry.node];
    const lose = (detail: string) => notes.lose('invalid_reference', entry.line, detail);
    for (const value of values.slice(0, MOST_VALUES)) {
      if (value.isLost) continue;
      const found = value.kind === 'text' ? idsOfValue(value.text) : { ids: [], rest: '' };
      ids.push(...found.ids);
      if (found.ids.length === 0) lose(`A value of ${name} names no item.`);
      else if (found.rest !== '')
        lose(`This of a value of ${name} names no item: ${found.rest.slice(0, 200)}`);
    }
    if (values.length > MOST_VALUES) {
      const detail = `${name} has ${values.length} values: the first ${MOST_VALUES} are read.`;
      notes.lose('too_much', entry.line, detail);
    }
  }
  return ids;
}

/**
 * `US-1, US-2` names two; a word that looks like no id, such as `a.md#login`, is one all the same,
 * since it is said to be.
 */
function idsOfValue(text: string): { ids: string[]; rest: string } {
  const found = idsIn(text);
  if (found.ids.length > 0 && found.rest === '') return found;
  const word = text.trim();
  return /^[^\s,;]+$/.test(word) && word.length <= ID_MOST ? { ids: [word], rest: '' } : found;
}

/** The ids that a tag names: as a whole, `US-3`, `@US-3` or `story:US-3`, or marked in its text. */
export function idsOfTag(tag: string): string[] {
  const whole = tag.replace(/^@/, '');
  if (looksLikeId(whole)) return [whole];
  const named = whole.includes(':') || whole.includes('=') ? idOfTag(whole) : [];
  return named.length > 0 ? named : markedIds(tag);
}

/** The ids that a text marks: `Lists the users [US-3] @US-4`, or before a colon at its start. */
export function markedIds(text: string): string[] {
  const marks = text.matchAll(
    /\[([^[\]]{1,500})\]|(?:^|[\s([,])@([A-Za-z][\w.~-]{0,199})(?![\w.~-])/g,
  );
  const words = [...marks].flatMap(([, inside, word = '']) =>
    inside === undefined ? [word] : inside.split(/[\s,;]+/),
  );
  words.push(/^([^\s:]{1,200}):(?=\s)/.exec(text.trimStart())?.[1] ?? '');
  return words.map((word) => word.replace(/^@|[.~-]+$/g, '')).filter(looksLikeId);
}
