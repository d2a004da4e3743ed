// Cucumber's parser, told to go on after an error: what stands before and after it is kept.
import { type AstBuilder, GherkinClassicTokenMatcher, Parser } from '@cucumber/gherkin';
import type { Comment, Feature, GherkinDocument } from '@cucumber/messages';
import { KeepingBuilder } from './gherkin-builder.ts';
import { FaultList, type GherkinFault, type ToldFaults } from './gherkin-faults.ts';
import { type GherkinPiece, piecesOf } from './gherkin-pieces.ts';

/** A feature of a text. */
export interface ParsedFeature {
  feature: Feature;
  /** How many lines of the text stand before those that its own are counted from. */
  before: number;
}

/** What a text gives. */
export interface ParsedGherkin {
  features: ParsedFeature[];
  faults: ToldFaults;
  /** Those by which nothing is lost that says what is wanted. */
  minor: ToldFaults;
  /** The comments, with how many lines stand before those that theirs are counted from. */
  comments: { comments: readonly Comment[]; before: number }[];
}

/** The parser looks ahead over tags, comments and blank lines; more than this in a row is no file of people. */
const MOST_LOOKED_OVER = 5000;

/** What the parser makes of a text takes some hundred times its size. */
const MOST_CHARACTERS = 4 * 1024 * 1024;

/** The features of a text, as far as they could be parsed, and the errors by line. */
export function parseGherkin(text: string): ParsedGherkin {
  if (text.length > MOST_CHARACTERS) {
    return unparsed(1, `The text is longer than ${MOST_CHARACTERS} characters.`);
  }
  const endless = lookedOver(text);
  if (endless !== null) {
    const detail = `More than ${MOST_LOOKED_OVER} lines of tags and comments follow each other.`;
    return unparsed(endless, detail);
  }
  const { pieces, language, faults: known } = piecesOf(text);
  const lines = text.split('\n').length;
  const faults = new FaultList(lines, known);
  const minor = new FaultList(lines);
  const features: ParsedFeature[] = [];
  const comments: ParsedGherkin['comments'] = [];
  for (const piece of pieces) {
    const { before } = piece;
    const parsed = parsePiece(piece, before === 0 ? 'en' : language, (fault) =>
      (fault.isMinor ? minor : faults).add({ ...fault, line: fault.line + before }),
    );
    if (parsed?.feature) features.push({ feature: parsed.feature, before });
    if (parsed) comments.push({ comments: parsed.comments, before });
  }
  return { features, faults: faults.result(), minor: minor.result(), comments };
}

function unparsed(line: number, detail: string): ParsedGherkin {
  const faults = { told: [{ line, detail }], more: 0 };
  return { features: [], faults, minor: { told: [], more: 0 }, comments: [] };
}

function parsePiece(
  { text }: GherkinPiece,
  language: string,
  note: (fault: GherkinFault) => void,
): GherkinDocument | null {
  const lines = text.split(/\r?\n/).length;
  const noteError = (error: unknown) => note(faultOf(error, lines));
  let ids = 0;
  const builder = new KeepingBuilder(() => String(ids++), note);
  const parser = new Parser(builder, new GherkinClassicTokenMatcher(language));
  // By itself it stops at the eleventh error, and compares each with all before.
  Object.assign(parser, { addError: (_context: unknown, error: unknown) => noteError(error) });
  try {
    parser.parse(text);
  } catch (error) {
    noteError(error);
  }
  return unfinished(builder);
}

/** What has been built, also where the text breaks off or the parser gave up. */
function unfinished(builder: AstBuilder): GherkinDocument | null {
  const { stack } = builder;
  while (stack.length > 1) {
    try {
      builder.endRule();
    } catch {
      // The part is not complete enough to be kept; the error that ended the parse says where.
    }
  }
  try {
    return builder.getResult() ?? null;
  } catch {
    return null;
  }
}

function faultOf(error: unknown, lines: number): GherkinFault {
  if (!(error instanceof Error)) return { line: 0, detail: String(error) };
  const location: unknown = Reflect.get(error, 'location');
  const line: unknown =
    typeof location === 'object' && location !== null ? Reflect.get(location, 'line') : 0;
  const detail = error.message.replace(/^\(\d+:\d+\): /, '').replace(/\s+/g, ' ');
  // The end of the text counts as a line of its own there.
  const known = typeof line === 'number' ? Math.min(line, lines) : 0;
  return { line: known, detail: detail.slice(0, 500) };
}

/** The line where too many lines begin that the parser would look over again and again. */
function lookedOver(text: string): number | null {
  let run = 0;
  let line = 0;
  let tagged = false;
  for (const one of text.split(/\r?\n/)) {
    line++;
    const start = one.trimStart();
    const isTag = start.startsWith('@');
    if (!isTag && start !== '' && !start.startsWith('#')) [run, tagged] = [0, false];
    else if (tagged || isTag) [run, tagged] = [run + 1, true];
    if (run > MOST_LOOKED_OVER) return line - run + 1;
  }
  return null;
}
