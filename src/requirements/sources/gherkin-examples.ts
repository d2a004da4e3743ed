// The tables of an outline as one list of rows.
import type { Examples } from '@cucumber/messages';

/** The rows of the tables of an outline. */
export interface ExampleRows {
  /**
   * One table below the other, the heading first; it is repeated only where it changes, and then an
   * empty row stands before it: else it would look like one more row.
   */
  rows: string[][];
  /** The lines of the headings after the first that name other columns than those before them. */
  changes: number[];
}

interface Heading {
  cells: readonly string[];
  /** Where each name stands; null where a name repeats. */
  places: ReadonlyMap<string, number> | null;
}

/** The tables one below the other; the columns of a table come in the order of the one before it. */
export function examplesOf(tables: readonly Examples[]): ExampleRows {
  const rows: string[][] = [];
  const changes: number[] = [];
  let heading: Heading | null = null;
  for (const { tableHeader, tableBody } of tables) {
    if (!tableHeader) continue;
    const own = headingOf(tableHeader.cells.map(({ value }) => value));
    let order = heading && orderOf(own, heading);
    if (order === null) {
      if (heading) {
        changes.push(tableHeader.location.line);
        rows.push([]);
      }
      heading = own;
      rows.push([...own.cells]);
      order = own.cells.map((_, at) => at);
    }
    for (const { cells } of tableBody) rows.push(order.map((at) => cells[at]?.value ?? ''));
  }
  return { rows, changes };
}

function headingOf(cells: readonly string[]): Heading {
  const places = new Map(cells.map((name, at) => [name, at]));
  return { cells, places: places.size === cells.length ? places : null };
}

/** Where a table has the columns of another; null where the names are not the same. */
function orderOf(own: Heading, wanted: Heading): number[] | null {
  if (own.cells.length !== wanted.cells.length) return null;
  if (own.cells.every((name, at) => name === wanted.cells[at])) return own.cells.map((_, at) => at);
  const { places } = own;
  if (places === null || wanted.places === null) return null;
  const order = wanted.cells.flatMap((name) => places.get(name) ?? []);
  return order.length === wanted.cells.length ? order : null;
}
