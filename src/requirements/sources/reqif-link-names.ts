// What the names of relations mean: the type of the link, and which end depends on the other. A name
// is read as English, from SOURCE to TARGET: "SOURCE is verified by TARGET", "TARGET is the child".

import type { SourceLink } from './model.ts';

const LINK_WORDS: readonly [RegExp, SourceLink['type']][] = [
  [/^(refine|refining|elaborat|detail|parent|child)/, 'refines'],
  [/^(derive|derivation|deriving)/, 'derives'],
  [/^(depend|require[sd]?$|requiring$|prerequisite|needed$)/, 'depends'],
  [/^(verif|validat|test|check(s|ed|ing)?$)/, 'verifies'],
  [/^(satisf|implement|fulfil|realis|realiz|cover)/, 'satisfies'],
  [/^(conflict|contradict)/, 'conflicts'],
];

/** Nouns for what is depended on. */
const DEPENDED_ON = /^(parents?|prerequisites?|dependenc(?:y|ies))$/;
/** Nouns for what depends. */
const DEPENDS =
  /^(child(?:s|ren)?|refinements?|elaborations?|details?|derivations?|dependents|dependants?|verifications?|validations?|tests?|testcases?|testing|satisfaction|implementations?|fulfill?ments?|reali[sz]ations?|coverage|verifiers?|validators?|testers?|implement[eo]rs?|refiners?)$/;
/** Those of them that no one calls the relation itself: alone they are what the TARGET is. */
const DEPENDS_ALONE =
  /^(child(?:s|ren)?|dependents|dependants?|verifiers?|validators?|testers?|implement[eo]rs?|refiners?)$/;

const HAS: ReadonlySet<string> = new Set(['has', 'have', 'having']);
const IS: ReadonlySet<string> = new Set(['is', 'are', 'was', 'were', 'be', 'been', 'being']);
/** After a noun: it is what the SOURCE is, as in "child of". */
const OF: ReadonlySet<string> = new Set(['of', 'for', 'to']);
/** Before a noun: it is what the TARGET is, as in "link to test". */
const TOWARDS: ReadonlySet<string> = new Set(['to', 'into', 'in', 'by', 'with', 'through', 'via']);
/** After a participle: the TARGET is what acts, or where it is done, as in "verified in". */
const DONE_BY: ReadonlySet<string> = new Set(['by', 'in', 'with', 'through', 'via']);
const INTO: ReadonlySet<string> = new Set(['to', 'into']);
const PREPOSITIONS: ReadonlySet<string> = new Set(
  'against at by for from in into of on through to upon via with'.split(' '),
);

/** Names beyond say nothing in so few words as a name has. */
const LONGEST_NAME = 300;

/**
 * What the LONG-NAME of a relation's type means.
 *
 * @returns the type of the link, and whether it runs from TARGET to SOURCE (`is verified by`,
 *   `child`), since a link runs from what depends to what it depends on
 */
export function linkTypeOf(name: string): { type: SourceLink['type']; reversed: boolean } {
  const words = wordsOf(name);
  for (const [at, word] of words.entries()) {
    const type = typeOf(word);
    if (type === undefined) continue;
    const before = words.slice(0, at);
    const after = words.slice(at + 1);
    const isNoun = DEPENDED_ON.test(word) || DEPENDS.test(word) || isDependent(word, before);
    const reversed = isNoun
      ? isNounReversed(word, before, after)
      : isVerbReversed(word, before, after);
    return { type, reversed };
  }
  return { type: 'relates', reversed: false };
}

/** Whether the name of a relation says that it runs from what is depended on, as in "verified by". */
export function isReversedRole(type: SourceLink['type'], role: string | undefined): boolean {
  if (role === undefined) return false;
  const meaning = linkTypeOf(role);
  return meaning.reversed && meaning.type === type;
}

function typeOf(word: string): SourceLink['type'] | undefined {
  return LINK_WORDS.find(([pattern]) => pattern.test(word))?.[1];
}

function wordsOf(name: string): string[] {
  return name
    .slice(0, LONGEST_NAME)
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '')
    .flatMap(unglued);
}

/** The words of `isverifiedby` and its like. */
function unglued(word: string): string[] {
  const [, before = '', stem = '', after = ''] = /^(is|has)?(.+?)(by|of|for)?$/.exec(word) ?? [];
  if (typeOf(stem) === undefined) return [word];
  return [before, stem, after].filter((part) => part !== '');
}

/** Whether "dependent" is a noun: "has dependent", and not "is dependent on". */
function isDependent(word: string, before: readonly string[]): boolean {
  return word === 'dependent' && before.some((one) => HAS.has(one));
}

/** Whether a noun says that what depends is the TARGET. */
function isNounReversed(
  word: string,
  before: readonly string[],
  after: readonly string[],
): boolean {
  const isOfSource = DEPENDED_ON.test(word);
  // "verification by": the TARGET does it.
  if (!isOfSource && after.includes('by')) return true;
  const ofTarget = before.some((one) => HAS.has(one));
  if (!ofTarget) {
    const isPair = after.some((one) => /^(parent|child)/.test(one));
    const ofSource = isPair || isFollowed(word, after) || before.some((one) => IS.has(one));
    if (ofSource) return isOfSource;
  }
  if (isOfSource) return false;
  return ofTarget || DEPENDS_ALONE.test(word) || before.some((one) => TOWARDS.has(one));
}

/** Whether a noun is followed by what says that it is of the SOURCE: but a dependency to is one on. */
function isFollowed(word: string, after: readonly string[]): boolean {
  const [next] = after.filter((one) => OF.has(one));
  return next !== undefined && !(next === 'to' && word.startsWith('dependenc'));
}

/** Whether a verb says that what depends is the TARGET. */
function isVerbReversed(
  word: string,
  before: readonly string[],
  after: readonly string[],
): boolean {
  const next = after.find((one) => PREPOSITIONS.has(one));
  if (INTO.has(next ?? '') && /^(refin|elaborat|detail|deriv)/.test(word)) return true;
  // "verifies by analysis": the SOURCE does it all the same.
  if (/[^s]s$/.test(word)) return false;
  if (after.includes('by') || word === 'depended') return true;
  if (!word.endsWith('ed') || /^(conflict|contradict)/.test(word)) return false;
  if (word === 'required' && next !== undefined) return OF.has(next) || DONE_BY.has(next);
  if (next !== undefined) return DONE_BY.has(next) && (next === 'in' || word !== 'derived');
  if (before.some((one) => IS.has(one))) return word !== 'derived';
  // "has derived", "has refined requirements": they are at the TARGET.
  return before.some((one) => HAS.has(one)) && (word === 'derived' || after.length > 0);
}
