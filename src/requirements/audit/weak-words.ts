// Words that make a requirement untestable, as the guides for writing requirements list them
// (ISO/IEC/IEEE 29148, 5.2.7).

const WEAK = `
  fast, quick, quickly, slow, easy, easily, simple, simply, intuitive, user-friendly, user
  friendly, adequate, appropriate, sufficient, reasonable, efficient, flexible, robust,
  seamless, state of the art, best practice, as far as possible, if possible, where possible, as
  appropriate, if necessary, approximately, about, several, some, many, various, usually,
  normally, often, and so on, etc, and/or, tbd, tbc, tbs, to be defined, to be determined`;

const ANY_OF_THEM = WEAK.trim().replace(/,\s*/g, '|').replace(/\s+/g, '\\s+');

const PERHAPS = new RegExp(`\\b(?:${ANY_OF_THEM})\\b`, 'i');

const EXACT = new RegExp(`(?<![\\p{L}\\p{N}_-])(?:${ANY_OF_THEM})(?![\\p{L}\\p{N}_-])`, 'giu');

/** The weak words of some texts, lower case, each once, in the order in which they come. */
export function weakWords(texts: readonly string[]): string[] {
  const words = texts.flatMap((text) => (PERHAPS.test(text) ? exactWords(text) : []));
  return words.length > 1 ? [...new Set(words)] : words;
}

function exactWords(text: string): string[] {
  return [...text.matchAll(EXACT)].map(([word]) => word.toLowerCase().replace(/\s+/g, ' '));
}
