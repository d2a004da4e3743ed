// The ids of items: which texts can be one, what looks like one in text that people write (`US-12`,
// `REQ_LOGIN_3`, `US12`, the triples of OpenFastTrace; names of standards look the same and are none),
// and those that are made of titles.
import { createHash } from 'node:crypto';
import { MAX_ID_LENGTH } from '../../limits.ts';

const KNOWN = 'US|STORY|USERSTORY|EPIC|REQ|REQUIREMENT|FR|NFR|SC|SRS|SYS|SYRS|UC|USECASE|AC';
const WITHOUT_NUMBER =
  /^(?:(?:US|FR|NFR|SRS|SYS|SYRS|UC)|(?:STORY|Story|story|EPIC|Epic|epic|REQ|Req|req|REQUIREMENT|Requirement|requirement))[-_]/;
const STANDARDS =
  /^(?:RFC|ISO|IEC|IEEE|UTF|SHA|CVE|CWE|ANSI|DIN|ETSI|ITU|NIST|PEP|BCP|AES|ECMA|RSA|MD|BASE|WCAG|X|RC|BETA|ALPHA)[-_.]/;
const KNOWN_NAMES = [
  'V[0-9]+(?:\\.[0-9]+)+(?:[-.][A-Za-z0-9]+)*',
  'COVID-19',
  'EN-[0-9]{3,}(?:-[0-9]+)*',
  'DO-(?:178|254|278|326|330|331|332|333|356)[A-C]?',
  'HTTP-(?:[1-5][0-9]{2}|[0-9]\\.[0-9])',
  '(?:TLS|SSL|USB)-[0-9]\\.[0-9]+',
  'GPT-[0-9](?:\\.[0-9]+|o)?',
  '(?:UTC|GMT)-[0-9]{1,2}',
  '(?:JAN|FEB|MAR|APR|MAY|JUNE?|JULY?|AUG|SEPT?|OCT|NOV|DEC)-(?:19|20)[0-9]{2}',
  '(?:Q[1-4]|H[12]|FY)-(?:19|20)[0-9]{2}',
];
const NAMES = new RegExp(`^(?:${KNOWN_NAMES.join('|')})$`);

const PART = '[A-Za-z0-9]+';
const GENERAL = `[A-Z][A-Z0-9]*(?:[-_.]${PART})*[-_.](?=[A-Za-z]*[0-9])${PART}`;
const ANY_CASE = KNOWN.replace(/[A-Z]/g, (letter) => `[${letter}${letter.toLowerCase()}]`);
const FAMILIAR = `(?:${ANY_CASE})(?:(?:[-_.]${PART})+|[0-9]+(?:[-_.]${PART})*)`;
const TRIPLE = '[A-Za-z]+~[A-Za-z][\\w-]*(?:\\.[\\w-]+)*~[0-9]+';

/** An id at the start of a text, as the source of a regular expression without groups. */
export const ID_SOURCE = `(?:${TRIPLE}|${FAMILIAR}|${GENERAL})`;

const WHOLE = new RegExp(`^${ID_SOURCE}$`);
const FAMILIAR_WHOLE = new RegExp(`^${FAMILIAR}$`);
const STORY = /^(?:US|STORY)(?:[-_.]|[0-9])/i;

const MAX_LOOK = 200;

const SCOPE = /^[a-z0-9][\w-]*\.(?=[A-Za-z])/;

/** Whether a word looks like an id: it has a number, or a prefix that is known; a scope may stand before it. */
export function looksLikeId(scoped: string): boolean {
  if (scoped.length > MAX_LOOK) return false;
  const word = scoped.replace(SCOPE, '');
  if (!WHOLE.test(word)) return false;
  if (FAMILIAR_WHOLE.test(word)) return /[0-9]/.test(word) || WITHOUT_NUMBER.test(word);
  return isNumbered(word) && !NAMES.test(word);
}

function isNumbered(word: string): boolean {
  return /[0-9]/.test(word) && !STANDARDS.test(word);
}

/** Whether an id says by its prefix that it is a story's. */
export function isStoryId(id: string): boolean {
  return STORY.test(id);
}

/** Whether a text has the form of a story: `As a ... I want ...`. */
export function isStoryText(text: string): boolean {
  return /^\W{0,4}as an?\b[^\n]{0,300}?(?:\n[^\n]{0,300}?)?\bI\b\W{0,2}\s*(?:want|need|can|would|should|must|wish)/i.test(
    text,
  );
}

const WORDS = /[A-Za-z0-9][\w.~-]*/g;

/** The ids that a value such as `US-3, [US-4] and req~x~1` names, and the rest of its words. */
export function idsIn(value: string): { ids: string[]; rest: string } {
  const ids: string[] = [];
  const rest = value.replace(WORDS, (word) => {
    const id = withoutPunctuation(word);
    if (!looksLikeId(id) && !/^[A-Za-z][A-Za-z_-]*[0-9]+$/.test(id)) return word;
    ids.push(id);
    return '';
  });
  return {
    ids: ids.length > 1 ? [...new Set(ids)] : ids,
    rest: rest.replace(/[^\p{L}\p{N}]+/gu, ' ').trim(),
  };
}

function withoutPunctuation(word: string): string {
  let end = word.length;
  while (/[.~-]/.test(word[end - 1] ?? '')) end--;
  return word.slice(0, end);
}

/**
 * A scenario that links those of its tags too that name a story, whatever its id looks like.
 * @param isStory - whether an id is that of a requirement or story
 */
export function linkTags<T extends { tags?: readonly string[]; storyIds?: readonly string[] }>(
  scenario: T,
  isStory: (id: string) => boolean,
): T {
  const { tags = [], storyIds = [] } = scenario;
  const more = tags.filter((tag) => isStory(tag) && !storyIds.includes(tag));
  return more.length === 0 ? scenario : { ...scenario, storyIds: [...storyIds, ...more] };
}

/**
 * Why a text cannot be the id of an item.
 * @returns what it must be, to follow its name; undefined where it can
 */
export function idFault(id: string): string | undefined {
  if (id === '' || id.length > MAX_ID_LENGTH)
    return `must be a text of 1 to ${MAX_ID_LENGTH} characters`;
  if (id.trim() === '') return 'must not be blank';
  if (/\p{Cc}/u.test(id)) return 'must hold no control character';
  if (!id.isWellFormed()) return 'must not hold half of a surrogate pair';
  // An address that ends in one of them is another address.
  return id === '.' || id === '..' ? 'must be more than dots' : undefined;
}

/**
 * An id that is made of a path or of titles: as it is where it can be one, else the beginning of it
 * with a hash of all of it, which stays the same while they do.
 */
export function usableId(made: string): string {
  if (idFault(made) === undefined) return made;
  const hash = createHash('sha256').update(made).digest('hex').slice(0, 16);
  const shown = made.replace(/\p{Cc}+/gu, ' ').slice(0, MAX_ID_LENGTH - hash.length - 1);
  return `${shown.toWellFormed()}~${hash}`;
}

/** An id that cannot be one, as a sentence may show it. */
export function shownId(id: string): string {
  return JSON.stringify(id.length > 100 ? `${id.slice(0, 100)}…` : id);
}

/** A title as the end of an address: letters and digits, joined by hyphens. */
export function slugOf(title: string): string {
  return title
    .slice(0, 200)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .replaceAll(' ', '-');
}

export function uniqueSlug(title: string, slugs: Map<string, number>): string {
  return uniqueId(slugOf(title), slugs);
}

/** An id that none of those before has: the second of a text ends in `-2`. */
export function uniqueId(slug: string, slugs: Map<string, number>): string {
  let count = slugs.get(slug) ?? 0;
  let unique = slug;
  do {
    count++;
    unique = count === 1 ? slug : `${slug}-${count}`;
  } while (count > 1 && slugs.has(unique));
  slugs.set(slug, count);
  if (unique !== slug) slugs.set(unique, 1);
  return unique;
}
