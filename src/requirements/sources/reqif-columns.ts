// The columns of a table of XHTML: a cell that spans several rows or columns leaves empty ones in
// their places, so that what follows stands in its own column.

/** A cell of a row, with how many columns and rows it takes. */
export interface Cell {
  text: string;
  columns: number;
  rows: number;
}

export interface Columns {
  /** The texts of the next row, one for each column that is taken up to its last cell. */
  row(cells: readonly Cell[]): string[];
}

/** So wide a table is shown in its columns; cells that would lie beyond follow one another. */
const MOST_COLUMNS = 40;

/** The columns of one table, before its first row. */
export function createColumns(): Columns {
  /** By column, for how many more rows a cell above takes it. */
  let taken: number[] = [];
  return {
    row(cells) {
      const texts: string[] = [];
      const next = taken.map((rows) => Math.max(rows - 1, 0));
      for (const [at, { text, columns, rows }] of cells.entries()) {
        while ((taken[texts.length] ?? 0) > 0) texts.push('');
        const first = texts.length;
        texts.push(text);
        const last = Math.min(first + columns, MOST_COLUMNS);
        for (let column = first; column < last; column += 1) next[column] = rows - 1;
        if (at === cells.length - 1) continue;
        while (texts.length < last) texts.push('');
      }
      taken = next;
      return texts;
    },
  };
}
