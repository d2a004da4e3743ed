// The paths of an API document: each operation as a route, with what its path gives to all of them.
import type { SourceRoute } from '../model.ts';
import { type Library, memberOf, memberOfKind, type Node } from './library.ts';
import { type PathItem, readOperation } from './operation.ts';
import { serverPrefix } from './servers.ts';
import { declaredIds } from './story-ids.ts';

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

export function readPaths(
  paths: Node,
  scope: DocumentScope,
  routes: SourceRoute[],
  library: Library,
): void {
  const names = new Set<string>();
  for (const part of paths.part.parts) {
    if (part.name.startsWith('x-') || part.name === '$ref' || names.has(part.name)) continue;
    names.add(part.name);
    for (const route of operationsAt({ path: paths.path, part }, scope, library)) {
      library.left -= JSON.stringify(route).length;
      if (routes.length >= MAX_ROUTES || library.left < 0) {
        const detail = 'The documents describe more routes than are kept.';
        library.report('limit_exceeded', paths, detail);
        return;
      }
      routes.push(route);
    }
  }
}

function* operationsAt(
  given: Node,
  scope: DocumentScope,
  library: Library,
): Generator<SourceRoute> {
  const template = given.part.name;
  if (!isTemplate(template) || given.part.kind !== 'map') return;
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
  const prefixes = scope.isSwagger ? [] : items.map((item) => serverPrefix(item, library));
  const path: PathItem = {
    template,
    prefix: scope.prefix,
    ownPrefix: prefixes.findLast((prefix) => prefix !== null) ?? null,
    isSwagger: scope.isSwagger,
    storyIds: items.flatMap((item) => declaredIds(item, library)),
  };
  for (const operation of operations.values()) {
    operation.part.kept = true;
    const route = readOperation(operation, path, library);
    if (route) yield route;
  }
}

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

function isTemplate(name: string): boolean {
  if (!name.startsWith('/') || name.length > MAX_TEMPLATE) return false;
  return !/[\s\p{Cc}]/u.test(name.replace(/\{[^{}]*\}/g, '')) && !/[?#]/.test(name);
}

export function pathsOf(document: Node, library: Library): Node | undefined {
  const given = memberOf(document, 'paths');
  const map = given && library.resolve(given);
  if (!given || !map) return undefined;
  if (map.part.kind === 'map') return map;
  given.part.kept = map.part.kind === 'null';
  return undefined;
}
