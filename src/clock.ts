// Time as the application sees it, so that tests can move it, and as clients send it.
import { invalid } from './errors.ts';

/** Milliseconds since the epoch. */
export type Clock = () => number;

/** RFC 3339 in UTC with milliseconds. */
export function timestamp(ms: number): string {
  // One answer shows the same moment several times, and answers of one moment follow each other.
  if (ms !== last.ms) last = { ms, text: new Date(ms).toISOString() };
  return last.text;
}

let last = { ms: 0, text: new Date(0).toISOString() };

export function optionalTimestamp(ms: number | null): string | null {
  return ms === null ? null : timestamp(ms);
}

/**
 * Reads an RFC 3339 time that has passed its schema.
 * @returns milliseconds since the epoch
 * @throws Problem `invalid` for a day that does not exist
 */
export function parseTime(pointer: string, text: string): number {
  const ms = Date.parse(text.toUpperCase());
  const day = Number(text.slice(8, 10));
  const lastDay = new Date(
    Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0),
  ).getUTCDate();
  if (Number.isNaN(ms) || day > lastDay) throw invalid(pointer, 'is not a day that exists');
  return ms;
}
