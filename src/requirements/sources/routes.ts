// Routes as sources write them in tags of scenarios.

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

const ROUTE = new RegExp(`^(?:routes?[:=])?(${HTTP_METHODS.join('|')})[:=](/[^?#]*)$`, 'i');

/** The method as it is written and the path that a tag such as `@GET:/orders/{id}` declares; null where it declares none. */
export function routeInTag(tag: string): { method: string; path: string } | null {
  const [, method = '', path = ''] = ROUTE.exec(tag.trim()) ?? [];
  return method === '' ? null : { method, path };
}
