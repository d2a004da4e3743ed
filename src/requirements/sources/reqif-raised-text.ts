// Text that XHTML or MathML sets higher or lower, as plain text shows it: `m^2`, `a^(n+1)`.

/** The marks before text that is raised or lowered, by element. */
export const RAISED: ReadonlyMap<string, string> = new Map([
  ['sup', '^'],
  ['sub', '_'],
]);

/** The marks between the two parts of an element of MathML. */
export const BETWEEN: ReadonlyMap<string, string> = new Map([
  ['mfrac', '/'],
  ['msup', '^'],
  ['msub', '_'],
]);

/** A number or a word, with a sign; or one character of another kind, such as a star. */
const SINGLE = /^(?:[-+\u2212]?[\p{L}\p{N}]+(?:[.,]\p{N}+)?|[^\p{L}\p{N}\s])$/u;

/** A text in parentheses, unless it is one number or word. */
export function grouped(text: string): string {
  return text === '' || SINGLE.test(text) ? text : `(${text})`;
}

/**
 * Raised or lowered text, in parentheses also where what follows would go on with it.
 *
 * @param next - the text that follows
 */
export function raised(text: string, next: string): string {
  const goesOn = /^(?:\p{L}\n\p{L}|\p{N}\n\p{N})/u.test(`${text.slice(-1)}\n${next.slice(0, 1)}`);
  return goesOn ? `(${text})` : grouped(text);
}
