// Cucumber's parser, told to go on after an error: what stands before and after it is kept.
import { AstBuilder, GherkinClassicTokenMatcher, Parser } from '@cucumber/gherkin';
import type { Feature, TableRow } from '@cucumber/messages';
import { type GherkinPiece, piecesOf } from './gherkin-pieces.ts';

/** Something that the parser could not take. */
export interface GherkinFault {
  /** From 1. */
  line: number;
  detail: string;
}

/** A feature of a text. */
export interface ParsedFeature {
  feature: Feature;
  /** How many lines of the text stand before those that its own are counted from. */
  before: number;
}

const MOST_FAULTS = 1000;
/** The parser looks ahead over tags, comments and blank lines; more than this in a row is no file of people. */
const MOST_LOOKED_OVER = 5000;

/** What the parser makes of a text takes some hundred times its size. */
const MOST_CHARACTERS = 4 * 1024 * 1024;

/** The features of a text, as far as they could be parsed, and the errors by line. */
export function parseGherkin(text: string): { features: ParsedFeature[]; faults: GherkinFault[] } {
  if (text.length > MOST_CHARACTERS) {
    const detail = `The text is longer than ${MOST_CHARACTERS} characters.`;
    return { features: [], faults: [{ line: 1, detail }] };
  }
  const endless = lookedOver(text);
  if (endless !== null) {
    const detail = `More than ${MOST_LOOKED_OVER} lines of tags and comments follow each other.`;
    return { features: [], faults: [{ line: endless, detail }] };
  }
  const { pieces, language, faults } = piecesOf(text);
  const features: ParsedFeature[] = [];
  for (const piece of pieces) {
    const parsed = parsePiece(piece, piece.before === 0 ? 'en' : language);
    const { before } = piece;
    if (parsed.feature) features.push({ feature: parsed.feature, before });
    for (const { line, detail } of parsed.faults) faults.push({ line: line + before, detail });
  }
  faults.sort((a, b) => a.line - b.line);
  return { features, faults: distinct(faults).slice(0, MOST_FAULTS) };
}

/** Leaves out a row that is longer or shorter than the first of its table, not the whole table. */
class KeepingBuilder extends AstBuilder {
  readonly #note: (fault: GherkinFault) => void;

  constructor(newId: () => string, note: (fault: GherkinFault) => void) {
    super(newId);
    this.#note = note;
  }

  override ensureCellCount(rows: TableRow[]): void {
    const wanted = rows[0]?.cells.length;
    const kept = rows.filter(({ cells, location: { line } }) => {
      if (cells.length === wanted) return true;
      const count = cells.length === 1 ? '1 cell' : `${cells.length} cells`;
      const detail = `The row has ${count} and the first of its table ${wanted}; it is left out.`;
      this.#note({ line, detail });
      return false;
    });
    if (kept.length < rows.length) rows.splice(0, rows.length, ...kept);
  }
}

function parsePiece(
  { text }: GherkinPiece,
  language: string,
): { feature: Feature | null; faults: GherkinFault[] } {
  const faults: GherkinFault[] = [];
  const note = (error: unknown) => {
    if (faults.length < MOST_FAULTS) faults.push(faultOf(error, lines));
  };
  const noteRow = (fault: GherkinFault) => {
    if (faults.length < MOST_FAULTS) faults.push(fault);
  };
  const lines = text.split(/\r?\n/).length;
  let ids = 0;
  const builder = new KeepingBuilder(() => String(ids++), noteRow);
  const parser = new Parser(builder, new GherkinClassicTokenMatcher(language));
  // By itself it stops at the eleventh error, and compares each with all before.
  Object.assign(parser, { addError: (_context: unknown, error: unknown) => note(error) });
  try {
    parser.parse(text);
  } catch (error) {
    note(error);
  }
  return { feature: unfinished(builder), faults };
}

/** What has been built, also where the text breaks off or the parser gave up. */
function unfinished(builder: AstBuilder): Feature | null {
  const { stack } = builder;
  while (stack.length > 1) {
    try {
      builder.endRule();
    } catch {
      // The part is not complete enough to be kept; the error that ended the parse says where.
    }
  }
  try {
    return builder.getResult()?.feature ?? null;
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

/** The first fault of each line: those after it say the same in the parser's own terms. */
function distinct(faults: readonly GherkinFault[]): GherkinFault[] {
  const seen = new Set<number>();
  return faults.filter(({ line }) => !seen.has(line) && seen.add(line));
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
