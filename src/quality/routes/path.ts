// Paths of URLs as segments, however people write them: with scheme and host, query and fragment,
// percent-encoded, with more slashes than needed.

export const MAX_SEGMENTS = 40;
const LONGEST_URL = 8192;

export function segmentsOf(url: string): string[] {
  const path = url
    .slice(0, LONGEST_URL)
    .trim()
    .replace(/[?#].*$/s, '')
    .replace(/^(?:[A-Za-z][A-Za-z0-9+.-]{0,30}:)?\/\/[^/]*/, '');
  const segments: string[] = [];
  for (const part of path.split('/')) {
    if (part !== '' && segments.length < MAX_SEGMENTS) segments.push(decoded(part));
  }
  return segments;
}

/** A path of segments, with what would not be one segment encoded. */
export function pathOf(segments: readonly string[]): string {
  return `/${segments.map((one) => one.replace(/[\s/?#%]/g, encodeURIComponent)).join('/')}`;
}

function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export function parameterOf(segment: string): string | null {
  const found =
    /^(?:\{([^{}]+)\}|:([A-Za-z_][\w-]*)|\[\[?([^[\]]+)\]?\]|<(?:[a-z]+:)?([A-Za-z_][\w-]*)>)$/.exec(
      segment,
    );
  return found ? (found.slice(1).find((name) => name !== undefined) ?? null) : null;
}
