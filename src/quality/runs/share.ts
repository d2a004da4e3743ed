// Shares of results. A share stands with its counts, so that nobody has to believe it.

export interface Share {
  count: number;
  total: number;
  /** 0 to 1 in four decimals, null where there is nothing to count. */
  share: number | null;
}

/** A part of a whole, rounded down: 9,999 of 10,000 is never all. */
export function shareOf(count: number, total: number): Share {
  const share = total === 0 ? null : Math.floor((count * 10_000) / total) / 10_000;
  return { count, total, share };
}
