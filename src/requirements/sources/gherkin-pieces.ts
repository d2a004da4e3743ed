// A Gherkin text in pieces of one feature each, without the tags that belong to nothing or are none
// and without what stands below a title that is none or below a line that is no step:
// Cucumber's parser takes what follows for a part of what it has not understood, to the end of the text.
import { type Dialect, dialects } from '@cucumber/gherkin';
import type { GherkinFault } from './gherkin-faults.ts';
import { LostArguments } from './gherkin-lost-arguments.ts';

/** The lines of a text that a parser is to be given. */
export interface GherkinPiece {
  text: string;
  /** How many lines of the whole text stand before it. */
  before: number;
}

/** A text as it is to be parsed, with what is wrong in it by line. */
export interface GherkinPieces {
  pieces: GherkinPiece[];
  /** The language of the text, and so of all pieces. */
  language: string;
  faults: GherkinFault[];
}

const LANGUAGE = /^#\s*language\s*:\s*([a-zA-Z\-_]+)\s*$/;
const TAGS = 'The tags stand before nothing that can have any; they are left out.';
const NO_TAG = 'A tag holds no white space; the tags of this line are left out.';
const FEATURE = 'A file has one feature. This is another one; its scenarios are read under it.';
const NO_TITLE =
  'cannot stand here and begins nothing; it is left out with all that follows it, up to the next scenario, rule or feature.';
/** A line that looks as if it began something. */
const TITLE_LIKE = /^(\p{L}+(?: \p{L}+)?)\s?:(?:\s|$)/u;

type Title = 'feature' | 'rule' | 'background' | 'scenario' | 'examples';

/** Cuts a text; one that the parser takes is one piece, as it stands. */
export function piecesOf(text: string): GherkinPieces {
  const lines = text.split(/\r?\n/);
  const outline = outlineOf(lines);
  const { starts, language, faults } = outline;
  if (faults.length === 0) return { pieces: [{ text, before: 0 }], language, faults };
  const kept = lines.map((line, at) => (outline.leftOut.has(at) ? '' : line));
  const pieces = [0, ...starts].map((from, at) => ({
    text: kept.slice(from, starts[at]).join('\n'),
    before: from,
  }));
  return { pieces, language, faults };
}

interface Outline {
  /** The lines, from 0, where another feature begins with its tags. */
  starts: number[];
  /** The lines of tags that belong to nothing, or of which one is none, and what is of no title. */
  leftOut: Set<number>;
  language: string;
  faults: GherkinFault[];
}

function outlineOf(lines: readonly string[]): Outline {
  const outline: Outline = { starts: [], leftOut: new Set(), language: 'en', faults: [] };
  let words = ENGLISH;
  let title: Title | null = null;
  // A step or a table has been read: another feature is no description any more.
  let hasBody = false;
  let mayQuote = false;
  let quote: string | null = null;
  let tags: number[] = [];
  // What is below a title that is none belongs to nothing.
  let adrift = false;
  // What looks like the argument of a step below a line that is none is not of the step before it.
  let isLost = false;
  const lost = new LostArguments();
  const leaveOut = (kind: 'table' | 'doc string', at: number) => {
    lost.add(kind, at);
    outline.leftOut.add(at);
  };
  const misplace = () => {
    const [first] = tags;
    if (first === undefined || title === null) return;
    for (const at of tags) outline.leftOut.add(at);
    outline.faults.push({ line: first + 1, detail: TAGS });
  };
  const leaveOutNoTags = () => {
    for (const at of tags) {
      if (outline.leftOut.has(at) || areTags(lines[at] ?? '')) continue;
      outline.leftOut.add(at);
      outline.faults.push({ line: at + 1, detail: NO_TAG });
    }
  };
  lines.forEach((whole, at) => {
    const line = whole.trimStart();
    if (quote !== null) {
      if (adrift || isLost) outline.leftOut.add(at);
      if (isLost) lost.extend(at);
      if (line.startsWith(quote)) quote = null;
      return;
    }
    if (line === '' || line.startsWith('#')) {
      const mayName = title === null && tags.length === 0 && words === ENGLISH;
      const named = mayName ? LANGUAGE.exec(line)?.[1] : undefined;
      if (named === undefined || !Object.hasOwn(dialects, named)) return;
      outline.language = named;
      words = wordsOf(named);
      return;
    }
    if (line.startsWith('@')) {
      tags.push(at);
      return;
    }
    const takesSteps = title === 'background' || title === 'scenario';
    const isStep = takesSteps && words.steps.some((word) => line.startsWith(word));
    const named = isStep ? null : titleOf(line, words, title);
    if (takesSteps && hasBody && !isStep && named === null && isLikeTitle(line, words)) {
      outline.faults.push({ line: at + 1, detail: `${line.trim().slice(0, 200)} ${NO_TITLE}` });
      adrift = true;
    }
    if (named !== null && named !== 'examples') adrift = false;
    const isRow = line.startsWith('|');
    const isQuote = /^(?:"""|```)/.test(line);
    if (isStep || named !== null) isLost = false;
    if (adrift) {
      for (const left of [...tags, at]) outline.leftOut.add(left);
      if (mayQuote && isQuote) quote = line.slice(0, 3);
      mayQuote = isStep || (mayQuote && isRow);
      tags = [];
      return;
    }
    if (title === null) {
      title = named;
    } else if (named === 'feature') {
      if (tags.length > 0 || hasBody) {
        outline.starts.push(tags[0] ?? at);
        outline.faults.push({ line: at + 1, detail: FEATURE });
        [title, hasBody, mayQuote] = ['feature', false, false];
      }
    } else {
      if (named === null || named === 'background') misplace();
      if (named !== null) [title, hasBody, mayQuote] = [named, false, false];
      else if (isStep) [hasBody, mayQuote] = [true, true];
      // A table of a step may have a doc string after it.
      else if (isRow && isLost) leaveOut('table', at);
      else if (isRow) hasBody ||= title === 'examples';
      else if (isQuote && (mayQuote || isLost)) {
        if (isLost) leaveOut('doc string', at);
        // A mark that the parser would take for no beginning has no end that can be known.
        if (mayQuote) [quote, mayQuote] = [line.slice(0, 3), false];
      } else if (takesSteps && hasBody && !isQuote) isLost = true;
      if (!isRow || !isLost) lost.end();
    }
    leaveOutNoTags();
    tags = [];
  });
  misplace();
  outline.faults.push(...lost.faults());
  return outline;
}

/** Whether a line is like a title, and not like a step with a colon after its word. */
function isLikeTitle(line: string, { steps }: Words): boolean {
  const word = TITLE_LIKE.exec(line)?.[1];
  return word !== undefined && !steps.some((step) => step.trim() === word);
}

/** Whether the parser takes a line that begins with `@` for tags. */
function areTags(line: string): boolean {
  const [shown = ''] = line.trim().split(/\s#/, 1);
  return shown.split('@').every((tag) => !/\s/.test(tag.trimEnd()));
}

interface Words {
  titles: [Title, readonly string[]][];
  steps: readonly string[];
}

function wordsOf(language: string): Words {
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

const ENGLISH = wordsOf('en');

/** What a line begins, where the parser takes it for that; null where it is a text. */
function titleOf(line: string, { titles }: Words, last: Title | null): Title | null {
  const named = titles.find(([, words]) =>
    words.some((word) => line.startsWith(word) && line[word.length] === ':'),
  )?.[0];
  if (named === 'feature') return named;
  if (last === null || named === undefined) return null;
  if (named === 'background' && last !== 'feature' && last !== 'rule') return null;
  return named === 'examples' && last !== 'scenario' && last !== 'examples' ? null : named;
}
