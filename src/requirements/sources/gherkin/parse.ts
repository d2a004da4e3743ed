// Cucumber's own parser, within bounds: a file is parsed whole, or its errors are reported.
import { AstBuilder, Errors, GherkinClassicTokenMatcher, Parser } from '@cucumber/gherkin';
import type { GherkinDocument } from '@cucumber/messages';

export interface GherkinError {
  /** From 1. */
  line: number;
  message: string;
}

const MAX_CHARACTERS = 4 * 1024 * 1024;
const MAX_LOOKAHEAD = 5000;

export function parseGherkin(text: string): GherkinDocument | GherkinError[] {
  if (text.length > MAX_CHARACTERS)
    return [{ line: 1, message: `The text is longer than ${MAX_CHARACTERS} characters.` }];
  const endless = tooFarAhead(text);
  if (endless !== undefined) {
    const message = `More than ${MAX_LOOKAHEAD} lines of tags and comments follow each other.`;
    return [{ line: endless, message }];
  }
  let ids = 0;
  const parser = new Parser(new AstBuilder(() => String(ids++)), new GherkinClassicTokenMatcher());
  try {
    return parser.parse(text);
  } catch (error) {
    const errors = error instanceof Errors.CompositeParserException ? error.errors : [error];
    return errors.map(errorOf);
  }
}

function errorOf(error: unknown): GherkinError {
  if (!(error instanceof Error)) throw error;
  const location = Reflect.get(error, 'location') as { line?: number } | undefined;
  if (location?.line === undefined) throw error;
  const message = error.message.replace(/^\(\d+:\d+\): /, '').replace(/\s+/g, ' ');
  return { line: location.line, message: message.slice(0, 500) };
}

function tooFarAhead(text: string): number | undefined {
  let run = 0;
  let tagged = false;
  for (const [at, line] of text.split('\n').entries()) {
    const start = line.trimStart();
    if (start.startsWith('@')) tagged = true;
    else if (start !== '' && !start.startsWith('#')) [run, tagged] = [0, false];
    if (tagged) run += 1;
    if (run > MAX_LOOKAHEAD) return at + 2 - run;
  }
  return undefined;
}
