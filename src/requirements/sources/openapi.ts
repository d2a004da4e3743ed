// Reads the routes of API documents: OpenAPI 2.0 (Swagger), 3.0 to 3.2, in JSON or YAML, of one file
// or of several. Webhooks and callbacks are routes of others and are left out.
import type { SourceFile, SourceReader, SourceResult } from './model.ts';
import { holdsNeeds } from './needs-json-version.ts';
import { createRoutes, type RouteList } from './openapi-operations.ts';
import { createReading, type Reading, resolved } from './openapi-reading.ts';
import { openLibrary } from './openapi-references.ts';
import { basePathOf, serverPrefix } from './openapi-servers.ts';
import type { TreeNode } from './openapi-tree.ts';
import { addUnreferred } from './openapi-unreferred.ts';
import { byPath, emptyResult } from './source-result.ts';

/** Reads API documents: their routes; files that they refer to may be among the others. */
export const readOpenapi: SourceReader = (files, others = []) => {
  const result = emptyResult();
  const documents = byPath(files);
  const library = openLibrary([...byPath(others), ...documents], result);
  const reading = createReading(library);
  const routes = createRoutes(reading);
  const unknown: SourceFile[] = [];
  const read = new Set<string>();
  for (const file of documents) {
    const top = library.open(file.path);
    if (top && readDocument(top, reading, routes)) read.add(file.path);
    else if (top) unknown.push(file);
  }
  for (const { path } of unknown) {
    const detail = 'The file names no version of OpenAPI: 2.0 and 3.x are read.';
    if (!library.isPart(path)) library.notes(path).fail(1, detail);
  }
  for (const [path, pointers] of library.parts()) {
    const top = read.has(path) ? null : library.open(path);
    if (top) addUnreferred(top, pointers, reading.unkept);
  }
  const inOrder = routes.finish();
  library.finish();
  return { ...result, ...sorted(result), routes: inOrder };
};

function sorted({ findings }: SourceResult): Pick<SourceResult, 'findings'> {
  const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  return { findings: findings.sort((a, b) => compare(a.path, b.path) || a.line - b.line) };
}

/** Reads a document; false where it says no version that is known. */
function readDocument(top: TreeNode, reading: Reading, routes: RouteList): boolean {
  const { library } = reading;
  const notes = library.notes(top.path);
  const version = top.entries().get('openapi') ?? top.entries().get('swagger');
  if (version?.node.kind !== 'text') return false;
  const number = version.node.text.trim();
  const isSwagger = version.key === 'swagger';
  if (!(isSwagger ? /^2(?:\.0)?$/ : /^3(?:\.[0-9]+){0,2}$/).test(number)) return false;
  reading.unkept.look(isSwagger ? 'swagger' : 'openapi', top);
  const isNewer = /^3\.(?:[2-9]|1[0-9])/.test(number);
  if (isNewer) {
    const detail = `Of OpenAPI ${number.slice(0, 20)} the routes are read as 3.2 has them; what else is newer than 3.1 is not known here.`;
    notes.note('unknown_version', version.line, detail);
  }
  const paths = top.entries().get('paths');
  const map = paths && resolved(paths.node, () => 'the paths', reading);
  if (map?.kind === 'map') {
    const prefix = isSwagger
      ? basePathOf(top, reading)
      : (serverPrefix(top, 'the document', reading) ?? '');
    routes.addPaths(map, { prefix, isSwagger, isNewer });
  } else if (paths && map && map.kind !== 'null') {
    notes.lose('invalid_field', paths.line, 'The paths of the document are no map.');
  }
  const webhooks = top.entries().get('webhooks');
  if (webhooks) {
    notes.note('webhooks_left_out', webhooks.line, 'Webhooks are no routes of the service itself.');
  }
  const entries = top.entries();
  if (holdsNeeds((key) => entries.has(key))) {
    const line = (entries.get('versions') ?? entries.get('needs'))?.line ?? version.line;
    const detail = 'The file is read as an API document: the needs that it holds too are not read.';
    notes.lose('unread_needs', line, detail);
  }
  // Why there is none where a reference leads nowhere has been told.
  if (map ? map.entries().size === 0 : !paths) {
    notes.note('empty_document', version.line, 'The document describes no paths.');
  }
  return true;
}
