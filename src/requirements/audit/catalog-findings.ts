// What scenarios and routes name that is not there. Tags are for more than items, and may name what
// other systems have: only ids of the kinds that the sources themselves use are missed, and all ids of
// OpenFastTrace where the sources have any. What a route declares to be an id is always missed.
import { type GraphNode, isNormative } from '../graph/model.ts';
import type { SourceFinding, SourceRoute, SourceScenario } from '../sources/model.ts';
import { idAtStart, idText } from '../sources/openfasttrace/patterns.ts';

/**
 * Findings of ids that no node has: one for each id in a file, at the first place that names it,
 * since a tag of a feature is one of all its scenarios.
 */
export function catalogFindings(
  { scenarios, routes }: { scenarios: readonly SourceScenario[]; routes: readonly SourceRoute[] },
  nodes: readonly GraphNode[],
): SourceFinding[] {
  const ids = new Set(nodes.map(({ id }) => id));
  const kinds = new Set(nodes.filter(isNormative).flatMap(({ id }) => kindOfId(id) ?? []));
  const hasTriples = nodes.some(({ id }) => id.includes('~') && isTriple(id));
  const isMissed = (id: string) =>
    !ids.has(id) && (kinds.has(kindOfId(id) ?? '') || (hasTriples && isTriple(id)));
  const found = new Map<string, SourceFinding>();
  for (const entry of [...scenarios, ...routes]) {
    const { storyIds, path, line } = entry;
    const isRoute = 'template' in entry;
    const declared = new Set(isRoute ? entry.declaredIds : []).difference(ids);
    for (const id of storyIds.filter((one) => declared.has(one) || isMissed(one))) {
      const key = JSON.stringify([path, id]);
      if ((found.get(key)?.line ?? Number.POSITIVE_INFINITY) <= line) continue;
      const detail = `A ${isRoute ? 'route' : 'scenario'} names ${id}, which is in no source.`;
      const where = { path, line, itemId: null, relatedIds: [id] };
      found.set(key, { code: 'dangling_reference', severity: 'warning', ...where, detail });
    }
  }
  return [...found.values(), ...repeatedRoutes(routes)];
}

/** Routes that requests cannot tell from one before, and operationIds that a file gives to two operations. */
function repeatedRoutes(routes: readonly SourceRoute[]): SourceFinding[] {
  const firsts = new Map<string, SourceRoute>();
  const isNew = (key: string, route: SourceRoute) => {
    const first = firsts.get(key) ?? route;
    firsts.set(key, first);
    // Of an operation that several paths or documents refer to nothing is lost.
    return first.path === route.path && first.line === route.line;
  };
  return routes.flatMap((route): SourceFinding[] => {
    const { method, template, operationId, path, line } = route;
    const isRoute = isNew(`${method} ${template.replace(/\{[^{}]*\}/g, '{}')}`, route);
    const isId = operationId === null || isNew(`${path}#${operationId}`, route);
    if (isRoute && isId) return [];
    const what = isRoute ? `The operationId ${operationId}` : `The route`;
    const detail = `${what} of ${method} ${template.slice(0, 200)} is that of another operation.`;
    const place = { path, line, itemId: null, relatedIds: [] };
    return [{ code: 'duplicate_entry', severity: 'info', ...place, detail }];
  });
}

function isTriple(id: string): boolean {
  const found = idAtStart(id);
  return found !== null && idText(found.id) === id;
}

function kindOfId(id: string): string | undefined {
  return /^([A-Za-z]+)[^A-Za-z]/.exec(id)?.[1]?.toUpperCase();
}
