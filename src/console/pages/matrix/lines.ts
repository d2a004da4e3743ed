// The lines of the grid: each row of the matrix, and before those of a document its heading.
import type { DocumentRows } from './filters.ts';

export type Line = { row: number } | { document: DocumentRows };

export class Lines {
  readonly count: number;
  readonly #documents: readonly DocumentRows[];

  constructor(documents: readonly DocumentRows[], rows: number) {
    this.#documents = documents;
    this.count = rows + documents.length;
  }

  at(line: number): Line {
    const place = this.#documentAt(line);
    const document = this.#documents[place];
    if (document && document.rowFrom + place === line) return { document };
    return { row: line - place - 1 };
  }

  /** The place of the first row at a line or behind it. */
  rowFrom(line: number): number {
    const found = this.at(line);
    return 'row' in found ? found.row : found.document.rowFrom;
  }

  /** The place of the last document that begins at a line or before it. */
  #documentAt(line: number): number {
    let [low, high] = [0, this.#documents.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#documents[middle]?.rowFrom ?? 0) + middle <= line) low = middle;
      else high = middle - 1;
    }
    return this.#documents.length === 0 ? -1 : low;
  }
}
