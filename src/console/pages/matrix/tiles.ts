// The part of a matrix that was asked for so far: what is in view is asked for by tiles, what went out
// of view before its turn is not.

import type { TraceabilityFilters } from '../../../assurance/traceability/model.ts';
import type { Problem } from '../../core/api.ts';
import { dataOf } from '../../core/api.ts';
import {
  askMatrix,
  type Column,
  type Counts,
  type Matrix,
  type StoryRow,
  TILE,
} from './filters.ts';

/** Places of rows and columns, the last not among them. */
export interface Span {
  rowFrom: number;
  rowTo: number;
  columnFrom: number;
  columnTo: number;
}

const AT_ONCE = 2;
const NO_CELLS: ReadonlyMap<number, Counts> = new Map();

export class Tiles {
  readonly query: TraceabilityFilters;
  readonly first: Matrix;
  readonly rows = new Map<number, StoryRow>();
  readonly columns = new Map<number, Column>();
  problem: Problem | undefined;
  /** Is called when more is there, or a problem. */
  changed: () => void = () => {};
  readonly #cells = new Map<number, Map<number, Counts>>();
  readonly #asked = new Set<string>();
  #wanted: Span = { rowFrom: 0, rowTo: 0, columnFrom: 0, columnTo: 0 };
  #running = 0;

  /** @param first - the answer of its first tile, with the summary */
  constructor(query: TraceabilityFilters, first: Matrix) {
    this.query = query;
    this.first = first;
    this.#asked.add(keyOf(0, 0));
    this.#take(first);
  }

  /** What a row has, by the places of columns; anew whenever more of it is known. */
  cellsOf(row: number): ReadonlyMap<number, Counts> {
    return this.#cells.get(row) ?? NO_CELLS;
  }

  want(span: Span): void {
    this.#wanted = span;
    this.#askNext();
  }

  retry(): void {
    this.problem = undefined;
    this.#askNext();
  }

  /** Asks for a tile and waits for it, whatever is in view. */
  async load(row: number, column: number): Promise<void> {
    const key = keyOf(row, column);
    if (this.#asked.has(key)) return;
    this.#asked.add(key);
    try {
      const from = { rowFrom: row * TILE, columnFrom: column * TILE };
      this.#take((await dataOf(askMatrix({ ...this.query, ...from }))) as Matrix);
    } catch (problem) {
      this.#asked.delete(key);
      this.problem = problem as Problem;
    }
  }

  #askNext(): void {
    const { rowFrom, rowTo, columnFrom, columnTo } = this.#wanted;
    for (let row = Math.floor(rowFrom / TILE); row * TILE < rowTo; row += 1)
      for (let column = Math.floor(columnFrom / TILE); column * TILE < columnTo; column += 1) {
        if (this.#running >= AT_ONCE || this.problem) return;
        if (this.#asked.has(keyOf(row, column))) continue;
        this.#running += 1;
        void this.load(row, column).finally(() => {
          this.#running -= 1;
          this.changed();
          this.#askNext();
        });
      }
  }

  #take({ rowFrom, columnFrom, rows, columns, cells }: Matrix): void {
    for (const [at, row] of rows.entries()) this.rows.set(rowFrom + at, row);
    for (const [at, column] of columns.entries())
      if (!this.columns.has(columnFrom + at)) this.columns.set(columnFrom + at, column);
    const fresh = new Map<number, Map<number, Counts>>();
    for (const { row, column, outcome, count } of cells) {
      const own = fresh.get(row) ?? new Map(this.#cells.get(row));
      fresh.set(row, own);
      own.set(column, { ...own.get(column), [outcome]: count });
    }
    for (const [row, own] of fresh) this.#cells.set(row, own);
  }
}

function keyOf(row: number, column: number): string {
  return `${row} ${column}`;
}
