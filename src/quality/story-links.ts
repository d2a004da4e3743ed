// Links a test's result to stories by what people write: `[US-12]` or `@US-12` in a name, and
// properties, tags and labels named story, requirement, verifies or issue.
import { idsIn, looksLikeId } from '../requirements/sources/item-ids.ts';

const KEPT = 100;
const LINK = /^(?:story|stories|requirements?|verif(?:y|ies)|issues?)(?:[-_ .]?(?:ids?|keys?))?$/i;
const SEPARATORS = /[\s,;|\]]+/;
const AT = /(?<![\w@/.-])@([A-Za-z][\w.~-]{0,199})/g;

/** Whether a property, tag or label of that name links to stories. */
export function isStoryLink(name: string): boolean {
  return name.length <= 40 && LINK.test(name.trim());
}

/** The ids that a test's name links to, with those of the suites that it stands in. */
export function storyIdsInName(name: string): string[] {
  // Nearly no name has either, and there is one for every result.
  if (!/[[@]/.test(name)) return [];
  const ids: string[] = [];
  idsInBrackets(name, ids);
  for (const [, word = ''] of name.matchAll(AT)) {
    const id = word.replace(/[.~-]+$/, '');
    if (looksLikeId(id)) ids.push(id);
  }
  return unique(ids);
}

/** Adds the ids in brackets to those that there are: `[US-1]`, `[US-1, US-2]`. */
function idsInBrackets(name: string, ids: string[]): void {
  for (let end = name.indexOf(']'); end !== -1; end = name.indexOf(']', end + 1)) {
    const start = name.lastIndexOf('[', end);
    if (start === -1 || end - start > 300) continue;
    for (const word of name.slice(start + 1, end).split(SEPARATORS)) {
      const id = word.startsWith('@') ? word.slice(1) : word;
      if (looksLikeId(id)) ids.push(id);
    }
  }
}

/**
 * The ids in the value of a property or label that links to stories: those that look like ids, and
 * otherwise a value that is one word, or a list of words, as it is.
 */
export function storyIdsInValue(value: string): string[] {
  const text = value.slice(0, 10_000);
  const { ids } = idsIn(text);
  if (ids.length > 0) return unique(ids);
  const words = text
    .split(/[,;|\n]+/)
    .map((word) => word.trim().replace(/^[@[]+|\]+$/g, ''))
    .filter((word) => word !== '');
  return words.every((word) => /^[\w][\w.~:/#-]{0,199}$/.test(word)) ? unique(words) : [];
}

/** The ids of a tag: `US-12`, `@US-12`, `[US-12]`, `story:US-12`, `verifies=US-12`. */
export function storyIdsInTag(tag: string): string[] {
  const text = tag.trim().slice(0, 1000);
  const [, name = '', value = ''] = /^@?([A-Za-z_ .-]{1,40}?)\s*[:=]\s*(.+)$/s.exec(text) ?? [];
  if (isStoryLink(name)) return storyIdsInValue(value);
  const id = text.replace(/^[@[]+|\]+$/g, '');
  return looksLikeId(id) ? [id] : [];
}

/** Ids of several places in the order they came, each once, at most a hundred. */
export function unique(ids: readonly string[]): string[] {
  if (ids.length < 2) return [...ids];
  return [...new Set(ids)].slice(0, KEPT);
}
