// Links a test's result to stories by what people write: `[US-12]` or `@US-12` in a name, and
// properties, tags and labels named story, requirement, verifies or issue.
import { MAX_ID_LENGTH } from '../../limits.ts';
import { idsIn, looksLikeId } from '../../requirements/sources/item-ids.ts';
import { boundedName, wholeName } from './text.ts';

const MAX_LINKS = 100;
const LINK = /^(?:story|stories|requirements?|verif(?:y|ies)|issues?)(?:[-_ .]?(?:ids?|keys?))?$/i;
const BRACKETS = new RegExp(`\\[([^[\\]]{1,${MAX_ID_LENGTH}})\\]`, 'g');
const AT = new RegExp(`(?<![\\w@/.-])@([^\\s@,;|[\\]]{1,${MAX_ID_LENGTH}})`, 'g');
const SEPARATORS = /[\s,;|\]]+/;
const CLOSING = /[.~:!?)}>'"-]+$/;
/** A word that is an id because it is said to be one. */
const ONE_WORD = new RegExp(`^\\w[\\w.~:/#-]{0,${MAX_ID_LENGTH - 1}}$`);
const MAX_TAG = MAX_ID_LENGTH + 100;

export function isStoryLink(name: string): boolean {
  return name.length <= 40 && LINK.test(name.trim());
}

export type StoryLinks = ReturnType<typeof createStoryLinks>;

/** @param known - ids of the project's stories that do not look like ids, and link all the same */
export function createStoryLinks(known: ReadonlySet<string> = new Set()) {
  const isId = (word: string) => known.has(word) || looksLikeId(word);

  /** The ids in brackets or behind `@`. The name is to be whole: one that was cut may have lost them. */
  function inName(text: string): string[] {
    // Nearly no name has either, and there is one for every result.
    if (!/[[@]/.test(text)) return [];
    const name = wholeName(text);
    const ids: string[] = [];
    for (const [, inside = ''] of name.matchAll(BRACKETS)) {
      const words = inside
        .split(SEPARATORS)
        .map((word) => (isId(word) ? word : word.replace(/^@/, '')));
      ids.push(...(known.has(inside.trim()) ? [inside.trim()] : words.filter(isId)));
    }
    for (const [, word = ''] of name.matchAll(AT))
      ids.push(...[word, word.replace(CLOSING, '')].filter(isId).slice(0, 1));
    return unique(ids);
  }

  /** What looks like an id or is known; otherwise the words, where each may be one. */
  function inValue(value: string): string[] {
    const text = value.slice(0, 10_000);
    if (known.has(unmarked(text))) return [unmarked(text)];
    const entries = text.split(/[,;|\n]+/).map(unmarked);
    const words = [...entries, ...text.split(SEPARATORS).map(unmarked)];
    const ids = [...idsIn(text).ids, ...words.filter((word) => known.has(word))];
    if (ids.length > 0) return unique(ids);
    const said = entries.filter((word) => word !== '');
    return said.every((word) => ONE_WORD.test(word)) ? unique(said) : [];
  }

  /** The ids of a tag: `US-12`, `@US-12`, `[US-12]`, `story:US-12`, `verifies=US-12`. */
  function inTag(tag: string): string[] {
    const text = tag.trim().slice(0, MAX_TAG);
    const id = unmarked(text);
    if (known.has(id)) return [id];
    const [, name = '', value = ''] = /^@?([A-Za-z_ .-]{1,40}?)\s*[:=]\s*(.+)$/s.exec(text) ?? [];
    if (isStoryLink(name)) return inValue(value);
    return looksLikeId(id) ? [id] : [];
  }

  /** An id that is said to be one. */
  const given = (id: string) => (known.has(id) ? id : boundedName(id, MAX_ID_LENGTH));

  return { inName, inValue, inTag, given };
}

function unmarked(word: string): string {
  return word.trim().replace(/^[@[]+|\]+$/g, '');
}

export function unique(ids: readonly string[]): string[] {
  if (ids.length < 2) return [...ids];
  return [...new Set(ids)].slice(0, MAX_LINKS);
}
