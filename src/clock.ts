// Time as the application sees it, so that tests can move it.

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
