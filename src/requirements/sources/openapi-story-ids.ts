// The items that an API document names for its routes: by extensions (`x-story` and the like), by
// tags, and in brackets or after `@` in a summary.
import { ID_MOST } from '../../http/id-length.ts';
import { idsIn, looksLikeId } from './item-ids.ts';
import type { TreeNode } from './openapi-tree.ts';
import type { FileNotes } from './source-result.ts';

/** The extensions that name items, each a text or a list of texts. */
export const STORY_EXTENSIONS = ['x-story', 'x-stories', 'x-requirements'] as const;

const MOST_IDS = 100;

/** The ids that the extensions of a path or an operation name; what is no id is noted. */
export function declaredIds(node: TreeNode, notes: FileNotes): string[] {
  const ids: string[] = [];
  for (const name of STORY_EXTENSIONS) {
    const entry = node.entries().get(name);
    if (!entry) continue;
    const values = entry.node.kind === 'list' ? entry.node.items() : [entry.node];
    for (const value of values.slice(0, MOST_IDS)) {
      const found = value.kind === 'text' ? idsOfValue(value.text) : [];
      ids.push(...found);
      if (found.length > 0 || value.isLost) continue;
      notes.lose('invalid_reference', entry.line, `A value of ${name} names no item.`);
    }
  }
  return ids;
}

/** `US-1, US-2` names two; a word that looks like no id is one all the same, since it is said to be. */
function idsOfValue(text: string): string[] {
  const { ids } = idsIn(text.slice(0, 10_000));
  if (ids.length > 0) return ids;
  const word = text.trim();
  return /^\S+$/.test(word) && word.length <= ID_MOST ? [word] : [];
}

/** The ids that a tag names: as a whole, `US-3` or `@US-3`, or marked in its text. */
export function idsOfTag(tag: string): string[] {
  const whole = tag.replace(/^@/, '');
  return looksLikeId(whole) ? [whole] : markedIds(tag);
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
