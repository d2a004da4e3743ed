// What people type to search: words and phrases that must all be there, as terms and as FTS5 has it.

export interface SearchTerm {
  text: string;
  /** Whether its last word is only the beginning of one. */
  prefix: boolean;
}

/** What words are made of, for a class of a regular expression: as FTS5's `unicode61` has it. */
export const WORD_CHARACTERS = '\\p{L}\\p{N}\\p{Co}';
const WORD = new RegExp(`[${WORD_CHARACTERS}]`, 'u');

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

/** An FTS5 MATCH of which all terms and tokens of `scope` must be there; undefined without a word. */
export function matchExpression(q: string, columns: string, scope: string[]): string | undefined {
  const terms = searchTerms(q).map(({ text, prefix }) => `"${text}"${prefix ? ' *' : ''}`);
  if (terms.length === 0) return undefined;
  const scopes = scope.map((token) => `scope:${token}`);
  return [...scopes, `{${columns}}:(${terms.join(' AND ')})`].join(' AND ');
}
