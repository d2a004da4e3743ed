// The parameters that the template of a route names.
import type { RouteParam } from './model.ts';

/** Adds the parameters that stand in the template alone. */
export function withTemplate(params: readonly RouteParam[], template: string): RouteParam[] {
  const declared = new Set(params.filter((one) => one.in === 'path').map(({ name }) => name));
  const names = [...template.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name);
  const more = [...new Set(names)].filter((name) => !declared.has(name));
  return [...params, ...more.map((name) => ({ name, in: 'path' }))];
}
