// Links a test's result to stories by what people write: `[US-12]` or `@US-12` in a name, and
// properties, tags and labels named story, requirement, verifies or issue.
import { MAX_ID_LENGTH } from '../../limits.ts';
import { idsIn, looksLikeId } from '../../requirements/sources/item-ids.ts';
import type { StoryLinks } from './model.ts';
import { boundedName, wholeName } from './text.ts';

const KEPT = 100;
const LINK = /^(?:story|stories|requirements?|verif(?:y|ies)|issues?)(?:[-_ .]?(?:ids?|keys?))?$/i;
const SEPARATORS = /[\s,;|\]]+/;
const AT = /(?<![\w@/.-])@([A-Za-z][\w.~-]{0,199})([.~-]*\w)?/g;
const AT_ANY = new RegExp(`(?<![\\w@/.-])@([^\\s@,;|[\\]]{1,${MAX_ID_LENGTH}})`, 'g');
const CLOSING = /[.~:!?)}>'"-]+$/;
/** A word that is an id because it is said to be one. */
const ONE_WORD = new RegExp(`^\\w[\\w.~:/#-]{0,${MAX_ID_LENGTH - 1}}$`);
/** How many brackets may close one, so that no name costs much. */
const MAX_CLOSED = 10;
const MAX_TAG = MAX_ID_LENGTH + 100;

export function isStoryLink(name: string): boolean {
  return name.length <= 40 && LINK.test(name.trim());
}

const NONE: ReadonlySet<string> = new Set();

/** The links of the tests of a project. */
export function createStoryLinks(known = NONE): StoryLinks {
  return {
    inName: (name) => storyIdsInName(name, known),
    inValue: (value) => storyIdsInValue(value, known),
    inTag: (tag) => storyIdsInTag(tag, known),
    given: (id) => (known.has(id) ? id : boundedName(id, MAX_ID_LENGTH)),
  };
}

/**
 * The ids that a test's name links to, or that of a suite that it stands in: what looks like an id,
 * or is known to be one, in brackets or behind `@`. The name is to be whole: one that was cut to be
 * kept may have lost them.
 */
export function storyIdsInName(text: string, known = NONE): string[] {
  // Nearly no name has either, and there is one for every result.
  if (!/[[@]/.test(text)) return [];
  const name = wholeName(text);
  const ids: string[] = [];
  idsInBrackets(name, known, ids);
  for (const [, word = '', more] of name.matchAll(AT)) {
    const id = word.replace(/[.~-]+$/, '');
    if (more === undefined && looksLikeId(id)) ids.push(id);
  }
  if (known.size > 0) {
    for (const [, word = ''] of name.matchAll(AT_ANY)) {
      const id = [word, word.replace(CLOSING, '')].find((one) => known.has(one));
      if (id !== undefined) ids.push(id);
    }
  }
  return unique(ids);
}

function idsInBrackets(name: string, known: ReadonlySet<string>, ids: string[]): void {
  let [start, seen, closed] = [-1, -1, 0];
  for (const { 0: mark, index } of name.matchAll(/[[\]]/g)) {
    if (mark === '[') {
      [start, seen, closed] = [index, index, 0];
      continue;
    }
    closed += 1;
    if (start === -1 || closed > MAX_CLOSED || index - start > MAX_ID_LENGTH + 1) continue;
    // Ids of more than one word are among the known alone.
    const whole = known.size > 0 ? name.slice(start + 1, index).trim() : '';
    if (known.has(whole)) ids.push(whole);
    else ids.push(...idsOfList(name.slice(seen + 1, index), known));
    seen = index;
  }
}

function idsOfList(list: string, known: ReadonlySet<string>): string[] {
  const words = list.split(SEPARATORS).map((word) => word.replace(/^@/, ''));
  return words.filter((id) => looksLikeId(id) || known.has(id));
}

/**
 * The ids in the value of a property or label that links to stories: those that look like ids or
 * are known, and otherwise a value that is one word, or a list of words, as it is.
 */
export function storyIdsInValue(value: string, known = NONE): string[] {
  const text = value.slice(0, 10_000);
  const whole = unmarked(text);
  if (known.has(whole)) return [whole];
  const { ids } = idsIn(text);
  if (known.size > 0) ids.push(...knownIn(text, known));
  if (ids.length > 0) return unique(ids);
  const words = text
    .split(/[,;|\n]+/)
    .map(unmarked)
    .filter((word) => word !== '');
  return words.every((word) => ONE_WORD.test(word)) ? unique(words) : [];
}

function knownIn(text: string, known: ReadonlySet<string>): string[] {
  const entries = text.split(/[,;|\n]+/);
  return [...entries, ...text.split(SEPARATORS)].map(unmarked).filter((word) => known.has(word));
}

/** The ids of a tag: `US-12`, `@US-12`, `[US-12]`, `story:US-12`, `verifies=US-12`. */
export function storyIdsInTag(tag: string, known = NONE): string[] {
  const text = tag.trim().slice(0, MAX_TAG);
  const id = unmarked(text);
  if (known.has(id)) return [id];
  const [, name = '', value = ''] = /^@?([A-Za-z_ .-]{1,40}?)\s*[:=]\s*(.+)$/s.exec(text) ?? [];
  if (isStoryLink(name)) return storyIdsInValue(value, known);
  return looksLikeId(id) ? [id] : [];
}

function unmarked(word: string): string {
  return word.trim().replace(/^[@[]+|\]+$/g, '');
}

/** Ids of several places in the order they came, each once, at most a hundred. */
export function unique(ids: readonly string[]): string[] {
  if (ids.length < 2) return [...ids];
  return [...new Set(ids)].slice(0, KEPT);
}
