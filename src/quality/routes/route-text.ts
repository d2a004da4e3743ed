// Routes as people write them: `GET /orders/{id}`. Of a path there is only what a route is made of:
// no host, no query, no fragment, so that no secret of a URL is kept.
import { HTTP_METHODS, routeInTag } from '../../requirements/sources/routes.ts';
import { parameterOf, pathOf, segmentsOf } from './path.ts';

const METHOD = HTTP_METHODS.join('|');

/** What a route is declared by, as the source of a regular expression. */
export const ROUTE_PATTERN = '^(?:[A-Za-z]{1,20} +)?/\\S*$';
export const ROUTE_SAYS =
  'must be a path or template, with a method before it where it is of one: POST /orders/{id}';

/** A route that a text names; `method` in capitals, null where the text has none. */
export interface NamedRoute {
  method: string | null;
  path: string;
}

/** The path of a URL, a path or a template as templates are written: `{id}` for each parameter. */
export function templateOf(path: string): string {
  const parts = segmentsOf(path).map((part) => {
    const name = parameterOf(part);
    return name === null ? part : `{${name}}`;
  });
  return pathOf(parts);
}

/** A template with its parameters unnamed: two of one shape are the same route. */
export function shapeOf(template: string): string {
  return template.replace(/\{([^{}]*)\}/g, (_, name: string) =>
    /^(?:\*|\.\.\.)|[*+]$/.test(name) ? '{*}' : '{}',
  );
}

/** `GET /orders/{id}`; the template alone where the method is not known. */
export function routeText({
  method,
  template,
}: {
  method: string | null;
  template: string;
}): string {
  return method === null ? template : `${method} ${template}`;
}

const DECLARED = /^(?:([A-Za-z]{1,20})\s+)?(\/\S*|https?:\/\/\S+)$/;

/**
 * Reads a route that somebody declares or that was seen: `GET /orders/{id}`, a path alone, a URL.
 *
 * @returns null for what is none; its path has neither query nor fragment
 */
export function readRoute(text: string): NamedRoute | null {
  const found = DECLARED.exec(text.trim());
  if (!found) return null;
  const [, method, url = ''] = found;
  return { method: method?.toUpperCase() ?? null, path: pathOfUrl(url) };
}

/** A declared route as it is kept: the method in capitals, the path as a template. */
export function declaredText(text: string): string {
  const route = readRoute(text);
  if (!route) return text;
  return routeText({ method: route.method, template: templateOf(route.path) });
}

export function pathOfUrl(url: string): string {
  return pathOf(segmentsOf(url).flatMap((part) => part.replace(/;.*$/s, '') || []));
}

/** The route that a tag declares, since a tag has no blanks: `@GET:/orders/{id}`. */
export function routeOfTag(tag: string): string | null {
  const route = routeInTag(tag);
  return route && `${route.method.toUpperCase()} ${templateOf(route.path)}`;
}

/**
 * A method in capitals and a path behind it: `GET /orders/7`, `a "GET" request to "/orders/7"`. A
 * path without a method is no sure sign of a route.
 */
const NAMED = new RegExp(
  `(?<![\\w/-])(${METHOD})["'\`]?[ \\t]+(?:(?:request|call)[ \\t]+)?(?:(?:to|on|at|for|of)[ \\t]+)?(?:the[ \\t]+)?` +
    `(?:(?:url|uri|path|route|endpoint)[ \\t]+)?["'\`]?((?:https?://[^\\s"'\`/<>]+)?/(?:[^\\s"'\`<>|\\\\]|<[A-Za-z_][\\w-]*>){0,2000})`,
  'g',
);
const MAX_NAMED = 200;

export function routesNamedIn(text: string): NamedRoute[] {
  const routes: NamedRoute[] = [];
  // Nearly no text has one.
  if (!text.includes('/')) return routes;
  for (const [, method = '', url = ''] of text.matchAll(NAMED)) {
    routes.push({ method, path: pathOfUrl(withoutPunctuation(url)) });
    if (routes.length >= MAX_NAMED) break;
  }
  return routes;
}

function withoutPunctuation(url: string): string {
  let end = url.length;
  for (; end > 1; end--) {
    const last = url[end - 1] ?? '';
    if (/[.,:;!?…]/.test(last)) continue;
    // Emphasis of Markdown, and no `/files/*`.
    if (/[*_]/.test(last) && url[end - 2] !== '/') continue;
    const open = OPENING[last];
    if (open === undefined || count(url, open, end) >= count(url, last, end)) break;
  }
  return url.slice(0, end);
}

const OPENING: Record<string, string> = { ')': '(', ']': '[', '}': '{' };

function count(text: string, character: string, end: number): number {
  let found = 0;
  for (
    let at = text.indexOf(character);
    at !== -1 && at < end;
    at = text.indexOf(character, at + 1)
  )
    found += 1;
  return found;
}
