// Times as clients send them.
import { invalid } from '../errors.ts';

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
