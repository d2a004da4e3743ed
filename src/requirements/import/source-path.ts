// Paths of sources: relative, inside the set, different ones on every system.
import { invalid } from '../../errors.ts';

const LONGEST = 1024;

/**
 * A path as it is stored: `/` between its parts, without `.`.
 * @throws Problem `invalid` for one that is absolute, leaves the set, or could not be a file
 */
export function sourcePath(pointer: string, path: string): string {
  const parts = path
    .normalize('NFC')
    .replaceAll('\\', '/')
    .split('/')
    .filter((part) => part !== '' && part !== '.');
  const outside = parts.includes('..') || /^[/\\]/.test(path) || /^[A-Za-z]:$/.test(parts[0] ?? '');
  if (outside || parts.length === 0 || path.length > LONGEST || /\p{Cc}/u.test(path)) {
    throw invalid(pointer, 'must be a relative path inside the source set');
  }
  return parts.join('/');
}

/**
 * Sources of which no two have one path.
 * @param pointerOf - the place of one of them in the request
 * @throws Problem `invalid` for the second of two
 */
export function eachOnce<S extends { path: string }>(
  sources: S[],
  pointerOf: (at: number) => string,
): S[] {
  const seen = new Set<string>();
  for (const [at, { path }] of sources.entries()) {
    if (seen.has(path)) throw invalid(pointerOf(at), `${path} is given twice`);
    seen.add(path);
  }
  return sources;
}
