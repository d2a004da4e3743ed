// The tables of an outline as one list of rows.
import type { Examples } from '@cucumber/messages';

/**
 * The tables one below the other, the heading first. A table with the columns in another order is
 * given in that of the one before it; one with other columns stands below an empty row, with its
 * heading.
 */
export function examplesOf(tables: readonly Examples[]): string[][] {
  const rows: string[][] = [];
  let heading: string[] | undefined;
  for (const { tableHeader, tableBody } of tables) {
    if (!tableHeader) continue;
    const own = tableHeader.cells.map(({ value }) => value);
    let order = heading && orderOf(own, heading);
    if (!order) {
      if (heading) rows.push([]);
      heading = own;
      rows.push(own);
      order = own.map((_, at) => at);
    }
    for (const { cells } of tableBody) rows.push(order.map((at) => cells[at]?.value ?? ''));
  }
  return rows;
}

/** Where a table has the columns of another; undefined where the names are not the same. */
function orderOf(own: readonly string[], wanted: readonly string[]): number[] | undefined {
  if (own.every((name, at) => name === wanted[at]) && own.length === wanted.length)
    return own.map((_, at) => at);
  const places = new Map(own.map((name, at) => [name, at]));
  if (places.size !== own.length || own.length !== wanted.length) return undefined;
  const order = wanted.flatMap((name) => places.get(name) ?? []);
  return new Set(order).size === own.length ? order : undefined;
}
