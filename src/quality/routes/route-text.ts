// Routes as people write them: `GET /orders/{id}`. Of a path there is only what a route is made of:
// no host, no query, no fragment, so that no secret of a URL is kept.
import { HTTP_METHODS, routeInTag } from '../../requirements/sources/routes.ts';

/** What a route is declared by, as the source of a regular expression. */
export const ROUTE_PATTERN = '^(?:[A-Za-z]{1,20} +)?/\\S*$';
export const ROUTE_SAYS =
  'must be a path or template, with a method before it where it is of one: POST /orders/{id}';

const MAX_SEGMENTS = 40;
const MAX_URL = 8192;
const MAX_NAMED = 200;

/** A route that a text names; `method` in capitals, null where the text has none. */
export interface NamedRoute {
  method: string | null;
  path: string;
}

/** The decoded segments of a URL's path, at most forty. */
export function segmentsOf(url: string): string[] {
  const path = url
    .slice(0, MAX_URL)
    .trim()
    .replace(/[?#].*$/s, '')
    .replace(/^(?:[A-Za-z][A-Za-z0-9+.-]{0,30}:)?\/\/[^/]*/, '');
  const parts = path.split('/').filter((part) => part !== '');
  return parts.slice(0, MAX_SEGMENTS).map(decoded);
}

function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** A path of segments, with what would not be one segment encoded. */
export function pathOf(segments: readonly string[]): string {
  return `/${segments.map((one) => one.replace(/[\s/?#%]/g, encodeURIComponent)).join('/')}`;
}

export function pathOfUrl(url: string): string {
  return pathOf(segmentsOf(url).flatMap((part) => part.replace(/;.*$/s, '') || []));
}

/** The name in `{id}`, `:id`, `[id]` or `<int:id>`; null for what is no parameter. */
export function parameterOf(segment: string): string | null {
  const found =
    /^(?:\{([^{}]+)\}|:([A-Za-z_][\w-]*)|\[\[?([^[\]]+)\]?\]|<(?:[a-z]+:)?([A-Za-z_][\w-]*)>)$/.exec(
      segment,
    );
  return found?.slice(1).find((name) => name !== undefined) ?? null;
}

/** Whether a parameter takes the rest of the path: `{path+}`, `{*path}`, `[...path]`. */
export function takesRest(name: string): boolean {
  return /^(?:\*|\.\.\.)|[*+]$/.test(name);
}

/** The path of a URL, a path or a template as templates are written: `{id}` for each parameter. */
export function templateOf(path: string): string {
  const parts = segmentsOf(path).map((part) => {
    const name = parameterOf(part);
    return name === null ? part : `{${name}}`;
  });
  return pathOf(parts);
}

export function paramsIn(template: string): string[] {
  return [...template.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name);
}

/** A template with its parameters unnamed: two of one shape are the same route. */
export function shapeOf(template: string): string {
  return template.replace(/\{([^{}]*)\}/g, (_, name: string) => (takesRest(name) ? '{*}' : '{}'));
}

/** `GET /orders/{id}`, a path alone or a URL; null for none. Its path has no query, no fragment. */
export function readRoute(text: string): NamedRoute | null {
  const found = /^(?:([A-Za-z]{1,20})\s+)?(\/\S*|https?:\/\/\S+)$/.exec(text.trim());
  if (!found) return null;
  const [, method, url = ''] = found;
  return { method: method?.toUpperCase() ?? null, path: pathOfUrl(url) };
}

/** A declared route as it is stored: the method in capitals, the path as a template. */
export function declaredText(text: string): string {
  const route = readRoute(text);
  if (!route) return text;
  const template = templateOf(route.path);
  return route.method === null ? template : `${route.method} ${template}`;
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
  `(?<![\\w/-])(${HTTP_METHODS.join('|')})["'\`]?[ \\t]+(?:(?:request|call)[ \\t]+)?` +
    `(?:(?:to|on|at|for|of)[ \\t]+)?(?:the[ \\t]+)?(?:(?:url|uri|path|route|endpoint)[ \\t]+)?["'\`]?` +
    `((?:https?://[^\\s"'\`/<>]+)?/(?:[^\\s"'\`<>|\\\\]|<[A-Za-z_][\\w-]*>){0,2000})`,
  'g',
);

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

const OPENING: Record<string, string> = { ')': '(', ']': '[', '}': '{' };

/** Without the punctuation of the sentence, and without a bracket that closes what the path did not open. */
function withoutPunctuation(url: string): string {
  let end = url.length;
  for (; end > 1; end -= 1) {
    const last = url[end - 1] ?? '';
    if (/[.,:;!?…]/.test(last)) continue;
    // Emphasis of Markdown, and no `/files/*`.
    if (/[*_]/.test(last) && url[end - 2] !== '/') continue;
    const open = OPENING[last];
    if (open === undefined || url.includes(open)) break;
  }
  return url.slice(0, end);
}
