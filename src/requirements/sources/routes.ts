// Routes as sources write them: in tags of scenarios, and the parameters that a template names.
import type { RouteParam } from './model.ts';

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

/** Adds the parameters that stand in the template alone. */
export function withTemplate(params: readonly RouteParam[], template: string): RouteParam[] {
  const declared = new Set(params.filter((one) => one.in === 'path').map(({ name }) => name));
  const names = [...template.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name);
  const more = [...new Set(names)].filter((name) => !declared.has(name));
  return [...params, ...more.map((name) => ({ name, in: 'path' }))];
}
