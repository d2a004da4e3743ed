// What a user searches for: words, phrases and beginnings of words, for an index and for texts.

interface SearchTerm {
  text: string;
  /** Whether its last word is only the beginning of one. */
  prefix: boolean;
}

/** What words are made of, for a class of a regular expression: as FTS5's `unicode61` has it. */
const WORD_CHARACTERS = '\\p{L}\\p{N}\\p{Co}';
const WORD = new RegExp(`[${WORD_CHARACTERS}]`, 'u');
const WORDS = new RegExp(`[${WORD_CHARACTERS}]+`, 'gu');

/**
 * The terms of what a user types: words, "quoted phrases", and beginnings of words, which end in
 * `*`. There is no other operator; what holds no word is left out.
 */
export function searchTerms(q: string): SearchTerm[] {
  return [...q.matchAll(/"([^"]*)"?|(\S+)/gu)].flatMap(([, phrase, word]) => {
    const text = phrase ?? word ?? '';
    if (!WORD.test(text)) return [];
    const prefix = phrase === undefined && text.endsWith('*');
    return [{ text: (prefix ? text.slice(0, -1) : text).replaceAll('"', ''), prefix }];
  });
}

/**
 * An FTS5 MATCH of which all terms must be there, and of each group of `scope` a token; undefined for a text
 * without a word.
 */
export function matchExpression(
  q: string | undefined,
  columns: string,
  scope: readonly (readonly string[])[],
): string | undefined {
  // A group without a token is a filter that nothing passes.
  if (scope.some((tokens) => tokens.length === 0)) return undefined;
  const scopes = scope.map((tokens) => `scope:(${tokens.join(' OR ')})`);
  if (q === undefined) return scopes.join(' AND ');
  const terms = searchTerms(q).map(({ text, prefix }) => `"${text}"${prefix ? ' *' : ''}`);
  if (terms.length === 0) return undefined;
  return [...scopes, `{${columns}}:(${terms.join(' AND ')})`].join(' AND ');
}

/** What of a value is in its token: of those that begin alike the column decides. */
const TOKEN_CHARACTERS = 24;

/** In SQL the token of a value for the scope of an index, a blank before it; none of null. */
export function tokenSql(name: string, text: string): string {
  return `coalesce(' f${name}x' || hex(substr(${text}, 1, ${TOKEN_CHARACTERS})), '')`;
}

/** The same of the values of a list. */
export function tokensSql(name: string, list: string): string {
  return `coalesce((select group_concat(${tokenSql(name, 'value')}, '') from json_each(${list})), '')`;
}

export function tokenOf(name: string, value: string): string {
  const first = [...value].slice(0, TOKEN_CHARACTERS).join('');
  return `f${name}x${Buffer.from(first).toString('hex')}`;
}

/**
 * Whether all terms of a search are in one or another of some texts, as the indexes find them: whole words
 * or their beginnings, whatever their case and their accents. Undefined without a word.
 */
export function textMatcher(q: string): ((texts: readonly string[]) => boolean) | undefined {
  const terms = searchTerms(q).map(({ text, prefix }) => {
    const words = folded(text).match(WORDS) ?? [];
    const end = prefix ? '' : `(?![${WORD_CHARACTERS}])`;
    return new RegExp(
      `(?<![${WORD_CHARACTERS}])${words.join(`[^${WORD_CHARACTERS}]+`)}${end}`,
      'u',
    );
  });
  if (terms.length === 0) return undefined;
  return (texts) => {
    const all = texts.map(folded);
    return terms.every((term) => all.some((text) => term.test(text)));
  };
}

/** A text as texts are compared: without case and accents. */
export function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
