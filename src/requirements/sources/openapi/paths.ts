// The paths of an API document: each operation as a route, with what its path gives to all of them.
import type { RouteParam, SourceRoute } from '../model.ts';
import { memberOf, memberOfKind, type Node } from './library.ts';
import { type PathItem, readOperation } from './operation.ts';
import { withParams } from './params.ts';
import type { Reading } from './reading.ts';
import { serverPrefix } from './servers.ts';
import { declaredIds } from './story-ids.ts';

/** What a document says for all its paths. */
export interface DocumentScope {
  /** The prefix of all paths: empty, or `/...` without a slash at the end. */
  prefix: string;
  isSwagger: boolean;
  /** Whether it is of 3.2 or newer, which knows more methods. */
  isNewer: boolean;
}

const MAX_ROUTES = 100_000;
const MAX_TEMPLATE = 2000;

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
/** What may be the name of a method (RFC 9110, a token). */
const METHOD_NAME = /^[!#$%&'*+.^`|~\w-]{1,50}$/;

/** Adds the routes of a map of paths, up to the limit of all documents. */
export function readPaths(
  paths: Node,
  scope: DocumentScope,
  routes: SourceRoute[],
  reading: Reading,
): void {
  const names = new Set<string>();
  for (const part of paths.part.parts) {
    if (part.name.startsWith('x-') || part.name === '$ref' || names.has(part.name)) continue;
    names.add(part.name);
    for (const route of operationsAt({ path: paths.path, part }, scope, reading)) {
      reading.left -= JSON.stringify(route).length;
      if (routes.length >= MAX_ROUTES || reading.left < 0) {
        const detail = 'The documents describe more routes than are kept.';
        reading.library.report('limit_exceeded', paths, detail);
        return;
      }
      routes.push(route);
    }
  }
}

/** The operations of a path, one after the other. */
function* operationsAt(
  given: Node,
  scope: DocumentScope,
  reading: Reading,
): Generator<SourceRoute> {
  const { library } = reading;
  const template = templateOf(given, reading);
  if (template === null || given.part.kind !== 'map') return;
  given.part.kept = true;
  const target = library.resolve(given);
  // What stands beside a reference is added to what it leads to, and is there where it leads nowhere.
  const items = target === null || target.part === given.part ? [given] : [target, given];
  if (target && target.part.kind !== 'map') {
    target.part.kept = false;
    items.shift();
  }
  const operations = new Map<string, Node>();
  for (const item of items) {
    library.name(item, 'path');
    for (const operation of operationsOf(item, scope))
      operations.set(operation.part.name, operation);
  }
  if (operations.size === 0) return;
  const prefixes = scope.isSwagger ? [] : items.map((item) => serverPrefix(item, reading));
  const path: PathItem = {
    template,
    prefix: scope.prefix,
    ownPrefix: prefixes.findLast((prefix) => prefix !== null) ?? null,
    isSwagger: scope.isSwagger,
    params: items.reduce<RouteParam[]>((all, item) => withParams(all, item, reading), []),
    storyIds: items.flatMap((item) => declaredIds(item, reading)),
  };
  for (const operation of operations.values()) {
    operation.part.kept = true;
    const route = readOperation(operation, path, reading);
    if (route) yield route;
  }
}

/** The operations of a path, those of further methods last. */
function operationsOf(item: Node, { isNewer }: DocumentScope): Node[] {
  const methods = isNewer ? [...METHODS, 'query'] : METHODS;
  const operations = methods.flatMap((method) => {
    const found = item.part.parts.find(({ name }) => name === method);
    return found ? [{ path: item.path, part: found }] : [];
  });
  const more = isNewer ? memberOfKind(item, 'additionalOperations', 'map') : undefined;
  for (const part of more?.part.parts ?? [])
    if (METHOD_NAME.test(part.name) && !methods.includes(part.name.toLowerCase()))
      operations.push({ path: item.path, part });
  return operations;
}

/** The template of a path; null where it cannot be one. */
function templateOf({ path, part }: Node, { library }: Reading): string | null {
  // The query of a template (RFC 6570), `{?q,page}`, begins with a brace.
  const template = part.name.replace(/(?:\{[?&#]|[?#]).*$/s, '');
  if (template.length > MAX_TEMPLATE) return null;
  if (/[\s\p{Cc}]/u.test(template.replace(/\{[^{}]*\}/g, ''))) return null;
  const read = template.startsWith('/') ? template : `/${template}`;
  if (read !== part.name) {
    const detail = `A path starts with / and has neither ? nor #: it is read as ${read.slice(0, 200)}.`;
    library.report('invalid_value', { path, part }, detail);
  }
  return read;
}

/** The map of paths of a document, which may be a reference; undefined where it has none. */
export function pathsOf(document: Node, { library }: Reading): Node | undefined {
  const given = memberOf(document, 'paths');
  const map = given && library.resolve(given);
  if (!given || !map) return undefined;
  if (map.part.kind === 'map') return map;
  given.part.kept = map.part.kind === 'null';
  return undefined;
}
