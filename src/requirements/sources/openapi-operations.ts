// The paths of an API document: each operation as a route, with what its path gives to all of them.
import type { RouteParam, SourceRoute } from './model.ts';
import { type DocumentScope, type PathItem, readOperation } from './openapi-operation.ts';
import { withParams } from './openapi-params.ts';
import { loseOnce, type Reading } from './openapi-reading.ts';
import { noteSameIds, noteSameRoutes, type Operation } from './openapi-repeats.ts';
import { declaredIds, STORY_EXTENSIONS } from './openapi-story-ids.ts';
import type { TreeEntry, TreeNode } from './openapi-tree.ts';

/** What a document says for all its paths. */
export interface PathScope extends DocumentScope {
  /** Whether it is of a version that is newer than those that are known. */
  isNewer: boolean;
}

/** The routes of all documents, of which there may be so many. */
export interface RouteList {
  /** Adds the routes of a map of paths. */
  addPaths(paths: TreeNode, scope: PathScope): void;
  /** Notes what can't be told apart; gives the routes in the order of path and line. */
  finish(): SourceRoute[];
}

const MOST_ROUTES = 100_000;
const LONGEST_TEMPLATE = 2000;

/** What a path holds beside its operations, of any version; extensions apart. */
const DESCRIPTIONS = ['summary', 'description'];
const PATH_FIELDS = ['$ref', 'servers', 'parameters', ...DESCRIPTIONS];
/** The operations of other methods, by their names, from OpenAPI 3.2 on. */
const MORE_OPERATIONS = 'additionalOperations';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
/** The methods of OpenAPI 3.2. */
const NEWER_METHODS = [...METHODS, 'query'];
/** What may be the name of a method (RFC 9110, a token). */
const METHOD_NAME = /^[!#$%&'*+.^`|~\w-]{1,50}$/;

/** Makes an empty list of routes. */
export function createRoutes(reading: Reading): RouteList {
  const { library } = reading;
  const all: Operation[] = [];
  const documents: Operation[][] = [];

  function addPaths(paths: TreeNode, scope: PathScope): void {
    const operations: Operation[] = [];
    for (const operation of kept(paths, scope)) {
      operations.push(operation);
      all.push(operation);
    }
    documents.push(operations);
  }

  function* kept(paths: TreeNode, scope: PathScope): Generator<Operation> {
    for (const entry of paths.entries().values()) {
      if (entry.key.startsWith('x-')) reading.unkept.add(entry, 'the paths');
      if (entry.key.startsWith('x-') || entry.key === '$ref') continue;
      for (const operation of operationsAt(entry, scope, reading)) {
        reading.left -= JSON.stringify(operation.route).length;
        if (all.length >= MOST_ROUTES || reading.left < 0) {
          const detail = 'The documents describe more routes than are kept.';
          library.notes(paths.path).lose('too_much', entry.line, detail);
          return;
        }
        yield operation;
      }
    }
  }
  return {
    addPaths,
    finish() {
      all.sort(({ route: a }, { route: b }) =>
        a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1,
      );
      noteSameRoutes(all, library);
      for (const operations of documents) noteSameIds(operations, library);
      noteCallbacks(reading);
      reading.unkept.tell(library);
      return all.map(({ route }) => route);
    },
  };
}

/** The operations of a path, one after the other. */
function* operationsAt(entry: TreeEntry, scope: PathScope, reading: Reading): Generator<Operation> {
  const { library } = reading;
  const notes = library.notes(entry.node.path);
  const template = templateOf(entry, scope.prefix, reading);
  const named = entry.key.slice(0, 200);
  const target = library.resolve(entry.node, () => named);
  if (template === null) return;
  // What stands beside a reference that leads nowhere is there all the same.
  const resolved = target ?? (entry.node.kind === 'map' ? entry.node : null);
  if (!resolved) return;
  if (entry.node.kind !== 'map' || resolved.kind !== 'map') {
    notes.lose('invalid_field', entry.line, `The path ${named} is no map.`);
    return;
  }
  // What stands beside a reference is added to what it leads to.
  const items = resolved === entry.node ? [resolved] : [resolved, entry.node];
  const operations = new Map<string, TreeEntry>();
  for (const item of items) {
    noteUnknown(item, entry.key, scope, reading);
    for (const operation of operationsOf(item, scope, reading)) {
      const other = operations.get(operation.key);
      if (other) noteReplaced(other, named, reading);
      operations.set(operation.key, operation);
    }
  }
  if (operations.size === 0) {
    reading.unkept.add(entry, 'the paths without operations');
    return;
  }
  const own = items.at(-1) ?? resolved;
  const replaced =
    items.length > 1 && own.entries().has('servers') && resolved.entries().get('servers');
  if (replaced) noteReplaced(replaced, named, reading);
  const paths: PathItem = {
    ...scope,
    ...{ named, template },
    item: own.entries().has('servers') ? own : resolved,
    params: items.reduce<RouteParam[]>((all, item) => withParams(all, item, named, reading), []),
    storyIds: items.flatMap((item) => declaredIds(item, library.notes(item.path))),
  };
  for (const operation of operations.values()) {
    const read = readOperation(operation, paths, reading);
    if (read) yield read;
  }
}

/** Notes what is referred to and stands beside the reference too. */
function noteReplaced(entry: TreeEntry, named: string, reading: Reading): void {
  const detail = `\`${entry.key.slice(0, 100)}\` is not read here: ${named}, which refers to it, has one of its own.`;
  loseOnce(entry, entry.node.path, detail, reading, 'duplicate_field');
}

/** The operations of a path, those of further methods last. */
function operationsOf(item: TreeNode, { isNewer }: PathScope, reading: Reading): TreeEntry[] {
  const entries = item.entries();
  const methods = isNewer ? NEWER_METHODS : METHODS;
  const operations = methods.flatMap((method) => entries.get(method) ?? []);
  const more = isNewer ? entries.get(MORE_OPERATIONS) : undefined;
  if (!more) return operations;
  if (more.node.kind !== 'map' && !more.node.isLost) {
    loseOnce(more, item.path, `\`${MORE_OPERATIONS}\` is no map.`, reading);
  }
  for (const operation of more.node.entries().values()) {
    const { key } = operation;
    const named = `\`${key.slice(0, 100)}\` of \`${MORE_OPERATIONS}\``;
    if (!METHOD_NAME.test(key)) {
      loseOnce(operation, item.path, `${named} is no name of a method.`, reading);
    } else if (methods.includes(key.toLowerCase())) {
      const detail = `${named} is not read: the method has a field of the path for itself.`;
      loseOnce(operation, item.path, detail, reading);
    } else {
      if (key !== key.toUpperCase()) {
        const detail = `${named} is read in capitals.`;
        reading.library.notes(item.path).note('invalid_field', operation.line, detail);
      }
      operations.push(operation);
    }
  }
  return operations;
}

/** Notes what may have been meant for an operation and is none. */
function noteUnknown(item: TreeNode, path: string, { isNewer }: PathScope, reading: Reading): void {
  const methods = isNewer ? NEWER_METHODS : METHODS;
  for (const entry of item.entries().values()) {
    const { key } = entry;
    const isExtension = key.startsWith('x-') && !STORY_EXTENSIONS.includes(key);
    if (isExtension || DESCRIPTIONS.includes(key)) reading.unkept.add(entry, 'paths');
    if (methods.includes(key) || PATH_FIELDS.includes(key) || key.startsWith('x-')) continue;
    if (isNewer && key === MORE_OPERATIONS) continue;
    const named = `\`${key.slice(0, 100)}\` of ${path.slice(0, 200)}`;
    const detail = methods.includes(key.toLowerCase())
      ? `${named} is no method: methods are written in small letters.`
      : `${named} is neither a method nor another field of a path.`;
    loseOnce(entry, item.path, detail, reading);
  }
}

/** The template of a path; null, with a finding, where it cannot be one. */
function templateOf({ key, line, node }: TreeEntry, prefix: string, { library }: Reading) {
  const notes = library.notes(node.path);
  // The query of a template (RFC 6570), `{?q,page}`, begins with a brace.
  const path = key.replace(/(?:\{[?&#]|[?#]).*$/s, '');
  if (path.length > LONGEST_TEMPLATE) {
    const detail = `The path ${key.slice(0, 100)} is longer than ${LONGEST_TEMPLATE} characters, and is not read.`;
    notes.lose('invalid_path', line, detail);
    return null;
  }
  if (/[\s\p{Cc}]/u.test(path.replace(/\{[^{}]*\}/g, ''))) {
    notes.lose('invalid_path', line, `${key.slice(0, 100)} is no path.`);
    return null;
  }
  if (path !== key || !path.startsWith('/')) {
    const read = path === key ? '' : ` It is read as ${path.slice(0, 200)}.`;
    const detail = `A path starts with / and has neither ? nor #: ${key.slice(0, 200)} does not.${read}`;
    notes.note('invalid_path', line, detail, { severity: 'warning' });
  }
  return `${prefix}${path.startsWith('/') ? '' : '/'}${path}`;
}

function noteCallbacks({ callbacks, library }: Reading): void {
  for (const [path, { line, count }] of callbacks) {
    const what = count === 1 ? 'One callback is' : `${count} callbacks are`;
    const detail = `${what} left out: callbacks are no routes of the service itself.`;
    library.notes(path).note('callbacks_left_out', line, detail);
  }
}
