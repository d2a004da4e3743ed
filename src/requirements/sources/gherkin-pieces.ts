// A Gherkin text in pieces of one feature each, without the tags that belong to nothing or are none
// and without what stands below a title that is none or below a line that is no step:
// Cucumber's parser takes what follows for a part of what it has not understood, to the end of the text.
import { dialects } from '@cucumber/gherkin';
import type { GherkinFault } from './gherkin-faults.ts';
import { LostArguments } from './gherkin-lost-arguments.ts';
import { ENGLISH, isLikeTitle, type Title, titleOf, wordsOf } from './gherkin-titles.ts';

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

/** Cuts a text; one that the parser takes is one piece, as it stands. */
export function piecesOf(text: string): GherkinPieces {
  const lines = text.split(/\r?\n/);
  const outline = outlineOf(lines);
  const { starts, language, faults } = outline;
  if (faults.length === 0) return { pieces: [{ text, before: 0 }], language, faults };
  const kept = lines.map((line, at) => (outline.leftOut.has(at) ? '' : line));
  if (outline.open !== null) close(kept, outline.open);
  const pieces = [0, ...starts].map((from, at) => ({
    text: kept.slice(from, starts[at]).join('\n'),
    before: from,
  }));
  return { pieces, language, faults };
}

/** Ends a doc string with its text, so that the parser takes it as it is told. */
function close(lines: string[], mark: string): void {
  if (lines.at(-1) === '') lines.pop();
  lines.push(mark);
}

/** What is wrong with a doc string that nothing ends. */
function openFault(from: number, lines: readonly string[], isLeftOut: boolean): GherkinFault {
  const last = lines.at(-1) === '' ? lines.length - 1 : lines.length;
  const became = isLeftOut ? 'is left out' : 'became text of the step above it';
  const detail = `The doc string that begins here has no end: all up to the end of the file, line ${last}, ${became}.`;
  return { line: from + 1, detail };
}

interface Outline {
  /** The lines, from 0, where another feature begins with its tags. */
  starts: number[];
  /** The lines of tags that belong to nothing, or of which one is none, and what is of no title or step. */
  leftOut: Set<number>;
  /** The mark of a doc string of a step that is open at the end. */
  open: string | null;
  language: string;
  faults: GherkinFault[];
}

function outlineOf(lines: readonly string[]): Outline {
  const outline: Outline = {
    ...{ starts: [], leftOut: new Set(), open: null },
    ...{ language: 'en', faults: [] },
  };
  let words = ENGLISH;
  let title: Title | null = null;
  // A step or a table has been read: another feature is no description any more.
  let hasBody = false;
  let mayQuote = false;
  let quote: string | null = null;
  let quoteFrom = 0;
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
      if (mayQuote && isQuote) [quote, quoteFrom] = [line.slice(0, 3), at];
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
        if (mayQuote) [quote, quoteFrom, mayQuote] = [line.slice(0, 3), at, false];
      } else if (takesSteps && hasBody && !isQuote) isLost = true;
      if (!isRow || !isLost) lost.end();
    }
    leaveOutNoTags();
    tags = [];
  });
  misplace();
  if (quote !== null) {
    const isLeftOut = adrift || isLost;
    outline.faults.push(openFault(quoteFrom, lines, isLeftOut));
    if (!isLeftOut) outline.open = quote;
  }
  outline.faults.push(...lost.faults());
  return outline;
}

/** Whether the parser takes a line that begins with `@` for tags. */
function areTags(line: string): boolean {
  const [shown = ''] = line.trim().split(/\s#/, 1);
  return shown.split('@').every((tag) => !/\s/.test(tag.trimEnd()));
}
