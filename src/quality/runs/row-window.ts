// The newest rows of a table, taken in by parts: those that were taken in are not read again unless
// they have changed.
import { PATHS_MOST, ROWS_MOST } from '../routes/candidate-model.ts';
import type { Observation } from '../routes/fold.ts';
import { nextTurn } from '../turns.ts';

/** What rows with keys behind `from`, up to `to`, have shown. */
export interface RowPart {
  from: number;
  to: number;
  /** The key of its first row. */
  first: number;
  rows: number;
  seen: readonly Observation[];
}

/** Rows with keys that rise with their age. */
export interface RowSource {
  /** Rows of a part. */
  partRows: number;
  /** The keys of the first row and of the last; undefined for no rows. */
  bounds(): Promise<{ first: number; last: number } | undefined>;
  /** The key behind which there are so many rows; 0 where there are fewer. */
  behindNewest(count: number): Promise<number>;
  /** Takes in rows behind a key, up to another and so many; undefined for none. */
  read(from: number, to: number, most: number): Promise<RowPart | undefined>;
}

/**
 * Moves a window on to the newest rows.
 *
 * @param parts - the window as it was
 * @param isStale - whether rows of a part have changed
 * @returns the same parts where nothing has changed
 */
export async function moveWindow(
  parts: readonly RowPart[],
  source: RowSource,
  isStale: (part: RowPart) => boolean,
): Promise<readonly RowPart[]> {
  const bounds = await source.bounds();
  if (!bounds) return parts.length === 0 ? parts : [];
  const { first, last } = bounds;
  const open = parts.at(-1);
  const grows = open !== undefined && open.to < last && open.rows < source.partRows;
  const isGood = (part: RowPart) =>
    part.first >= first && !isStale(part) && !(grows && part === open);
  if (open !== undefined && open.to >= last && parts.every(isGood)) return parts;
  const moved: RowPart[] = [];
  for (const part of parts) {
    if (part.to < first || (grows && part === open)) continue;
    if (isGood(part)) moved.push(part);
    else {
      const anew = await source.read(part.from, part.to, Number.MAX_SAFE_INTEGER);
      if (anew) moved.push({ ...anew, from: part.from, to: part.to });
      await nextTurn();
    }
  }
  let behind = grows ? open.from : (open?.to ?? (await source.behindNewest(ROWS_MOST)));
  while (behind < last) {
    const part = await source.read(behind, last, source.partRows);
    if (!part) break;
    moved.push(part);
    behind = part.to;
    await nextTurn();
  }
  return withinBounds(moved);
}

/** Without the oldest parts that are not needed to reach the bounds. */
function withinBounds(parts: readonly RowPart[]): RowPart[] {
  let [rows, seen] = [0, 0];
  let from = parts.length;
  while (from > 0 && rows < ROWS_MOST && seen < PATHS_MOST) {
    from -= 1;
    rows += parts[from]?.rows ?? 0;
    seen += parts[from]?.seen.length ?? 0;
  }
  return parts.slice(from);
}
