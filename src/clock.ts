// Time as the application sees it, so that tests can move it.

/** Milliseconds since the epoch. */
export type Clock = () => number;

/** RFC 3339 in UTC with milliseconds. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}

/** The same, where there may be no time. */
export function optionalTimestamp(ms: number | null): string | null {
  return ms === null ? null : timestamp(ms);
}
