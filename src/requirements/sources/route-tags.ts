// The routes that tags of scenarios declare, since a tag has no blanks: `@GET:/orders/{id}`.

export const HTTP_METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
] as const;

const BEGIN = `^(?:routes?[:=])?(${HTTP_METHODS.join('|')})[:=]`;
const ROUTE = new RegExp(`${BEGIN}(/[^?#]*)$`, 'i');
/** A method in capitals, or one with a path or an address: `post:mortem` is neither. */
const LIKE = new RegExp(`${BEGIN}.`);
const LIKE_PATH = new RegExp(`${BEGIN}(?:/|https?://)`, 'i');

/** The method as it is written and the path that a tag declares; null where it declares none. */
export function routeInTag(tag: string): { method: string; path: string } | null {
  const [, method = '', path = ''] = ROUTE.exec(tag.trim()) ?? [];
  return method === '' ? null : { method, path };
}

/** Whether a tag looks like a route and declares none: its path has a query, or is none. */
export function isNearlyRoute(tag: string): boolean {
  return (LIKE.test(tag) || LIKE_PATH.test(tag)) && routeInTag(tag) === null;
}
