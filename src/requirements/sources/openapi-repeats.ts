// Operations of API documents that cannot be told apart: by their routes, or by their operationIds.
import { isDeepStrictEqual } from 'node:util';
import type { RouteParam, SourceRoute } from './model.ts';
import type { Library } from './openapi-references.ts';
import type { TreeNode } from './openapi-tree.ts';

/** A route, and the operation that it is made of: several paths may be one by reference. */
export interface Operation {
  route: SourceRoute;
  node: TreeNode;
}

const MOST_SHOWN = 5;

/**
 * Notes operations of all documents with one route, of which the first is in the catalog. The details
 * say no lines, which move with the text around.
 *
 * @param operations - in the order of path and line
 */
export function noteSameRoutes(operations: readonly Operation[], library: Library): void {
  const shapes = new Map<string, Operation>();
  for (const operation of operations) {
    const { method, template, path, line } = operation.route;
    const shape = `${method} ${template.replace(/\{[^{}]*\}/g, '{}')}`;
    const same = shapes.get(shape);
    shapes.set(shape, same ?? operation);
    // Of a part that several documents share nothing is lost.
    if (!same || (same.node === operation.node && same.route.template === template)) continue;
    const known = `${shown(same.route)} of ${same.route.path}`;
    const { summary, operationId, params } = operation.route;
    const left = [
      ...(summary === '' || summary === same.route.summary ? [] : ['summary']),
      ...(operationId === null || operationId === same.route.operationId ? [] : ['operationId']),
      ...(isDeepStrictEqual(params.filter(isBesidePath), same.route.params.filter(isBesidePath))
        ? []
        : ['parameters']),
    ];
    const lost = left.length === 0 ? '' : `; not kept of this one: ${left.join(', ')}`;
    const detail = `${shown(operation.route)} is the same route as ${known}${lost}.`;
    library.notes(path).note('duplicate_route', line, detail, { severity: 'warning' });
  }
}

/**
 * Notes operations of one document with one operationId, in words as {@link noteSameRoutes}.
 *
 * @param operations - in the order of the document
 */
export function noteSameIds(operations: readonly Operation[], library: Library): void {
  const named = operations.filter(({ route }) => route.operationId !== null);
  for (const alike of Map.groupBy(named, ({ route }) => route.operationId).values()) {
    if (alike.length > 1) noteSameId(alike, library);
  }
}

/** Notes operations with one operationId: each but the first, and the first where it is many routes. */
function noteSameId(alike: readonly Operation[], library: Library): void {
  const [first, ...others] = Map.groupBy(alike, ({ node }) => node).values();
  const routes = (first ?? []).map(({ route }) => route);
  const [known] = routes;
  if (!known) return;
  const note = ({ path, line }: SourceRoute, detail: string) =>
    library.notes(path).note('duplicate_operation_id', line, detail, { severity: 'warning' });
  if (routes.length > 1) {
    const more = routes.length > MOST_SHOWN ? ` and ${routes.length - MOST_SHOWN} more` : '';
    const list = routes.slice(0, MOST_SHOWN).map(shown).join(', ');
    note(
      known,
      `One operation is many routes, all with its operationId ${known.operationId}: ${list}${more}.`,
    );
  }
  for (const [other] of others) {
    if (!other) continue;
    const { operationId } = known;
    note(
      other.route,
      `The operationId ${operationId} is that of ${shown(known)} of ${known.path} too.`,
    );
  }
}

function shown({ method, template }: SourceRoute): string {
  return `${method} ${template.slice(0, 200)}`;
}

/** Whether a parameter is none of the path, whose names the template says. */
function isBesidePath({ in: place }: RouteParam): boolean {
  return place !== 'path';
}
