// Reads the routes of API documents: OpenAPI 2.0 (Swagger), 3.0 to 3.2, in JSON or YAML, of one file
// or of several. Webhooks and callbacks are routes of others and are left out.
import type { Loss } from '../account.ts';
import type { SourceReader, SourceRoute } from '../model.ts';
import { byPath, emptyResult } from '../report.ts';
import { Library, memberOf, type Node } from './library.ts';
import { pathsOf, readPaths } from './paths.ts';
import { basePathOf, serverPrefix } from './servers.ts';

/** Reads API documents: their routes; files that they refer to may be among the others. */
export const readOpenapi: SourceReader = (files, others = []) => {
  const result = emptyResult();
  const documents = byPath(files);
  const library = new Library([...byPath(others), ...documents], result);
  const unknown: string[] = [];
  for (const { path } of documents) {
    const top = library.open(path);
    if (top && !readDocument({ path, part: top }, result.routes, library)) unknown.push(path);
  }
  for (const path of unknown) {
    if (library.isReferred(path)) continue;
    library.fail(path, 'The file names no version of OpenAPI: 2.0 and 3.x are read.');
  }
  library.finish(isTrivial);
  const byPlace = (a: { path: string; line: number }, b: { path: string; line: number }) =>
    a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1;
  result.findings.sort(byPlace);
  return { ...result, routes: result.routes.sort(byPlace) };
};

function readDocument(document: Node, routes: SourceRoute[], library: Library): boolean {
  const version = memberOf(document, 'openapi') ?? memberOf(document, 'swagger');
  const number = version?.part.text.trim() ?? '';
  const isSwagger = version?.part.name === 'swagger';
  if (!(isSwagger ? /^2(?:\.0)?$/ : /^3(?:\.[0-9]+){0,2}$/).test(number)) return false;
  const isNewer = /^3\.(?:[2-9]|1[0-9])/.test(number);
  const prefix = isSwagger ? basePathOf(document, library) : serverPrefix(document, library);
  const paths = pathsOf(document, library);
  if (paths?.part.parts.length === 0 || !memberOf(document, 'paths'))
    library.report('empty_document', document, 'The document describes no paths.', false);
  if (paths) readPaths(paths, { prefix: prefix ?? '', isSwagger, isNewer }, routes, library);
  return true;
}

const MEANT =
  /^(?:\/(?:paths|basePath|servers)$|paths\/(?!x-)|additionalOperations\/|path\/(?!x-|summary$|description$|parameters$)|operation\/(?:operationId|summary|tags|servers)$|(?:x-stor(?:y|ies)|x-requirements?)\/\[\]$|(?:path|operation)\/x-(?:stor|requirement))/;

function isTrivial({ what }: Loss): boolean {
  return !MEANT.test(what);
}
