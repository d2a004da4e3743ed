// Shares of results. A share stands with its counts, so that nobody has to believe it.
import type { Static } from '@sinclair/typebox';
import type { Share as ShareSchema } from '../../model/answer-schemas.ts';

export type Share = Static<typeof ShareSchema>;

/** A part of a whole, rounded down: 9,999 of 10,000 is never all. */
export function shareOf(count: number, total: number): Share {
  const share = total === 0 ? null : Math.floor((count * 10_000) / total) / 10_000;
  return { count, total, share };
}
