// Which methods a path takes, so that another one is 405 with `Allow` (RFC 9110, 15.5.6) and an
// unknown path 404.
import { ACCESS, PREFIXES } from '../../access/access.ts';
import { Problem } from '../../errors.ts';
import { pathOf } from './request.ts';

const patterns = new Map<RegExp, Set<string>>();
for (const row of ACCESS) {
  const below = row.path.replace(/:[a-z]+/g, '[^/]+');
  const source = `^(?:${PREFIXES.join('|')})${below}$`;
  const known = [...patterns].find(([pattern]) => pattern.source === new RegExp(source).source);
  if (known) known[1].add(row.method);
  else patterns.set(new RegExp(source), new Set([row.method]));
}

const pages = new Set<string>();

/** Makes a path outside the API known, which takes GET alone. */
export function servePage(path: string): string {
  pages.add(path);
  return path;
}

/** The methods of a path, in the order of the specification; empty for an unknown path. */
export function methodsOf(path: string): string[] {
  if (pages.has(path)) return ['GET'];
  for (const [pattern, methods] of patterns) if (pattern.test(path)) return [...methods];
  return [];
}

/** The problem of a path and method that no route takes. */
export function unrouted(request: Request): Problem {
  const methods = methodsOf(pathOf(request));
  if (methods.length === 0 || methods.includes(request.method)) {
    return new Problem('not_found', 'There is nothing at this path.');
  }
  const allow = methods.join(', ');
  return new Problem('method_not_allowed', `This path takes ${allow}.`, {
    headers: { Allow: allow },
  });
}
