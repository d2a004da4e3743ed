// The measures of the grid, which the style sheet has by variables.
import type { View } from './filters.ts';

export const LINE_HEIGHT = 28;

export interface Shape {
  /** Of the header line. */
  head: number;
  /** Width of the requirements, of their totals, of a column. */
  name: number;
  total: number;
  column: number;
  /** What stays on the left while the rest scrolls. */
  sticky: number;
  /** How many shapes a cell has room for. */
  room: number;
}

export function shapeOf(view: View, width: number): Shape {
  const narrow = width < 640;
  const name = narrow ? 176 : width < 1000 ? 270 : 340;
  const total = 60;
  const ofTests = view === 'test';
  return {
    head: ofTests ? 196 : 180,
    name,
    total,
    column: ofTests ? 28 : 52,
    sticky: narrow ? name : name + total,
    room: ofTests ? 1 : 3,
  };
}

export function leftOf({ name, total, column }: Shape, place: number): number {
  return name + total + place * column;
}
