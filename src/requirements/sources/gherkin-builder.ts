// Cucumber's builder of a feature, made to keep a table of which a row is wrong, and to tell of what
// the parser passes over: texts behind the last cell of a row and behind the end of a doc string.
import { AstBuilder } from '@cucumber/gherkin';
import type { TableRow } from '@cucumber/messages';
import type { GherkinFault } from './gherkin-faults.ts';

type Token = Parameters<AstBuilder['build']>[0];

const DOC_STRINGS: ReadonlySet<string> = new Set(['"""', '```']);
const MOST_SHOWN = 200;

/** Builds a feature, and notes what it leaves out of it. */
export class KeepingBuilder extends AstBuilder {
  readonly #note: (fault: GherkinFault) => void;
  /** What stands behind the last cell of a row, by its line. */
  readonly #rests = new Map<number, string>();

  constructor(newId: () => string, note: (fault: GherkinFault) => void) {
    super(newId);
    this.#note = note;
  }

  override build(token: Token): void {
    super.build(token);
    const { matchedText, matchedKeyword, line, location } = token;
    // The type of a doc string stands behind its beginning; its end has no text.
    const isEnd = typeof matchedText !== 'string' && DOC_STRINGS.has(matchedKeyword);
    const rest = isEnd ? line.trimmedLineText.slice(matchedKeyword.length).trim() : '';
    if (rest !== '') this.#tellRest(location.line, 'the end of a doc string', rest);
  }

  override getCells(token: Token): ReturnType<AstBuilder['getCells']> {
    const rest = behindCells(token.line.trimmedLineText);
    if (rest !== '') this.#rests.set(token.location.line, rest);
    return super.getCells(token);
  }

  /** Leaves out a row that is longer or shorter than the first of its table, not the whole table. */
  override ensureCellCount(rows: TableRow[]): void {
    const wanted = rows[0]?.cells.length;
    const kept = rows.filter(({ cells, location: { line } }) => {
      const rest = this.#rests.get(line);
      if (cells.length === wanted) {
        if (rest !== undefined) this.#tellRest(line, 'the last | of a row', rest);
        return true;
      }
      const count = cells.length === 1 ? '1 cell' : `${cells.length} cells`;
      const why = rest === undefined ? '' : ' What stands behind its last | is no cell.';
      const detail = `The row has ${count} and the first of its table ${wanted}; it is left out.${why}`;
      this.#note({ line, detail });
      return false;
    });
    if (kept.length < rows.length) rows.splice(0, rows.length, ...kept);
  }

  #tellRest(line: number, where: string, rest: string): void {
    const shown = rest.length > MOST_SHOWN ? `${rest.slice(0, MOST_SHOWN)}...` : rest;
    const detail = `What stands behind ${where} is not kept: ${shown}`;
    // What is meant as a comment is none there, but says nothing that is wanted.
    this.#note({ line, detail, isMinor: rest.startsWith('#') });
  }
}

/** What stands behind the last `|` of a row that is not escaped. */
function behindCells(row: string): string {
  let last = 0;
  for (let at = 0; at < row.length; at++) {
    if (row[at] === '\\') at++;
    else if (row[at] === '|') last = at;
  }
  return row.slice(last + 1).trim();
}
