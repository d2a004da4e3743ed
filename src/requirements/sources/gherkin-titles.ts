// The words of Gherkin in a language, and the lines that begin something by them.
import { type Dialect, dialects } from '@cucumber/gherkin';

/** A line that looks as if it began something. */
const TITLE_LIKE = /^(\p{L}+(?: \p{L}+)?)\s?:(?:\s|$)/u;

/** What a line may begin. */
export type Title = 'feature' | 'rule' | 'background' | 'scenario' | 'examples';

/** The words of a language. */
export interface Words {
  titles: [Title, readonly string[]][];
  steps: readonly string[];
}

/** The words of a language that there is. */
export function wordsOf(language: string): Words {
  const dialect = dialects[language] as Dialect;
  const { feature, rule, background, scenario, scenarioOutline, examples } = dialect;
  const { given, when, and, but } = dialect;
  return {
    titles: [
      ['feature', feature],
      ['rule', rule],
      ['background', background],
      ['scenario', [...scenario, ...scenarioOutline]],
      ['examples', examples],
    ],
    steps: [...given, ...when, ...dialect.then, ...and, ...but],
  };
}

export const ENGLISH = wordsOf('en');

/** What a line begins, where the parser takes it for that; null where it is a text. */
export function titleOf(line: string, { titles }: Words, last: Title | null): Title | null {
  const named = titles.find(([, words]) =>
    words.some((word) => line.startsWith(word) && line[word.length] === ':'),
  )?.[0];
  if (named === 'feature') return named;
  if (last === null || named === undefined) return null;
  if (named === 'background' && last !== 'feature' && last !== 'rule') return null;
  return named === 'examples' && last !== 'scenario' && last !== 'examples' ? null : named;
}

/** Whether a line is like a title, and not like a step with a colon after its word. */
export function isLikeTitle(line: string, { steps }: Words): boolean {
  const word = TITLE_LIKE.exec(line)?.[1];
  return word !== undefined && !steps.some((step) => step.trim() === word);
}
