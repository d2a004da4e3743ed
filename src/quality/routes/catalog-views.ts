// Routes of the catalog as they are listed and shown.
import { optionalTimestamp } from '../../clock.ts';
import { foldText } from '../../requirements/graph/fingerprint.ts';
import type { CatalogRoute, RouteFilters, RouteStanding } from './catalog-model.ts';
import type { StandingCatalog } from './catalogs.ts';

/** A route and how it stands. */
export interface StandingRoute {
  route: CatalogRoute;
  standing: RouteStanding;
}

/** A route as it is shown. */
export function routeView({ route, standing }: StandingRoute) {
  const { id, method, template, operationId, summary, origin, source, tags, params } = route;
  return {
    ...{ id, method, template, operationId, summary, origin, source, tags, params },
    ...{ storyIds: route.storyIds, scenarioIds: route.scenarioIds, commandIds: route.commandIds },
    status: standing.status,
    lastExercisedAt: optionalTimestamp(standing.lastExercisedAt),
  };
}

/** Which routes are asked for. */
export function routeFilter(
  { matcher, routes }: StandingCatalog,
  filters: RouteFilters,
): (one: StandingRoute) => boolean {
  const { origin, status, storyIds, tags, path } = filters;
  const methods = filters.method && new Set(filters.method.map((one) => one.toUpperCase()));
  const words = wordsOf(filters.q);
  const there = path === undefined ? undefined : routesAt(path);
  return ({ route, standing }) =>
    (!methods || methods.has(route.method)) &&
    (!origin || origin.includes(route.origin)) &&
    (!status || status.includes(standing.status)) &&
    (!storyIds || storyIds.some((id) => route.storyIds.includes(id))) &&
    (!tags || tags.some((one) => route.tags.includes(one))) &&
    (!there || there.has(route)) &&
    (words.length === 0 || holdsAll(route, words));

  function routesAt(url: string): ReadonlySet<CatalogRoute> {
    const known = new Set(routes.map(({ method }) => method));
    return new Set([...known].flatMap((method) => matcher.match(method, url) ?? []));
  }
}

function wordsOf(q: string | undefined): string[] {
  return q === undefined ? [] : foldText(q).toLowerCase().split(' ').filter(Boolean);
}

function holdsAll(route: CatalogRoute, words: readonly string[]): boolean {
  const { method, template, operationId, summary } = route;
  const text = foldText(`${method} ${template} ${operationId ?? ''} ${summary}`).toLowerCase();
  return words.every((word) => text.includes(word));
}
