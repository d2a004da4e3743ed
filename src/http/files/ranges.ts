// Byte ranges of a file's answer: Range and If-Range (RFC 9110 sections 13.1.5 and 14).

/** What to send: all of it (200), the bytes from start to end inclusive (206), or nothing (416). */
type ResolvedRange =
  | { kind: 'full' }
  | { kind: 'partial'; start: number; end: number }
  | { kind: 'unsatisfiable' };

const FULL: ResolvedRange = { kind: 'full' };
const UNSATISFIABLE: ResolvedRange = { kind: 'unsatisfiable' };

/**
 * Decides what a request for a part of a representation gets.
 *
 * A malformed header, another unit than bytes and a set of several ranges are answered in full,
 * as the RFC allows; so is a request whose If-Range is not this very representation (strong
 * comparison; a date never matches).
 * @param size the representation's size in bytes
 */
export function resolveRange(
  header: string | null | undefined,
  size: number,
  ifRange?: string | null,
  etag?: string,
): ResolvedRange {
  if (header == null) return FULL;
  if (ifRange != null && (ifRange !== etag || !ifRange.startsWith('"'))) return FULL;
  const set = /^bytes=(.*)$/i.exec(header)?.[1];
  if (set === undefined) return FULL;
  const specs = set
    .split(',')
    .map((spec) => spec.replace(/^[ \t]+|[ \t]+$/g, ''))
    .filter((spec) => spec !== '');
  const match = specs.length === 1 ? /^(\d*)-(\d*)$/.exec(specs[0] ?? '') : null;
  if (match === null) return FULL;
  const [, first = '', last = ''] = match;
  if (first === '') return last === '' ? FULL : suffix(Number(last), size);
  const start = Number(first);
  const end = last === '' ? Number.POSITIVE_INFINITY : Number(last);
  if (start > end) return FULL;
  if (start >= size) return UNSATISFIABLE;
  return { kind: 'partial', start, end: Math.min(end, size - 1) };
}

/**
 * The Content-Range header of a partial answer, or of a 416 where no range is given.
 * @param size the representation's size in bytes
 */
export function contentRange(size: number, range?: { start: number; end: number }): string {
  return range === undefined ? `bytes */${size}` : `bytes ${range.start}-${range.end}/${size}`;
}

function suffix(length: number, size: number): ResolvedRange {
  if (length === 0) return UNSATISFIABLE;
  // Satisfiable by the RFC, but no Content-Range can name a part of nothing.
  if (size === 0) return FULL;
  return { kind: 'partial', start: Math.max(0, size - length), end: size - 1 };
}
