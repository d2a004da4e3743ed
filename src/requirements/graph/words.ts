// Searches the texts of a node for what people type, as the full-text indexes search theirs.
import { type SearchTerm, searchTerms, WORD_CHARACTERS } from '../../store/search/query.ts';

const WORDS = new RegExp(`[${WORD_CHARACTERS}]+`, 'gu');

/**
 * Finds texts by whole words, "phrases" and beginnings of words (`pay*`), whatever their case and
 * their accents.
 *
 * @param q - what the user typed
 * @returns whether all of it is in one or another of some texts; where it holds no word it is in none
 */
export function searchOf(q: string): (texts: readonly string[]) => boolean {
  const terms = searchTerms(q).flatMap((term) => patternOf(term) ?? []);
  if (terms.length === 0) return () => false;
  return (texts) => {
    const folded = texts.map(foldWords);
    return terms.every((term) => folded.some((text) => term.test(text)));
  };
}

/** The words of a term, one behind the other with nothing but what separates words between them. */
function patternOf({ text, prefix }: SearchTerm): RegExp | undefined {
  const words = foldWords(text).match(WORDS);
  if (words === null) return undefined;
  const end = prefix ? '' : `(?![${WORD_CHARACTERS}])`;
  return new RegExp(`(?<![${WORD_CHARACTERS}])${words.join(`[^${WORD_CHARACTERS}]+`)}${end}`, 'u');
}

function foldWords(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
