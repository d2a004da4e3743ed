// Routes of the route catalog and of route candidates.
import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { invalid, notFound } from '../../errors.ts';
import { api } from '../../http/api/api.ts';
import type { Served } from '../../http/api/context.ts';
import { queryOf } from '../../http/api/query.ts';
import { answers, made, nextLink, ok } from '../../http/api/reply.ts';
import { etagOf } from '../../model/etag.ts';
import { decodeAnchored, filterHash, PAGE_DEFAULT, pageOf } from '../../model/pages.ts';
import { compareTexts, firstBehind, passing } from '../lists.ts';
import type { Quality } from '../quality.ts';
import { candidateSort } from './candidates.ts';
import { routeSort, type StandingCatalog } from './catalog.ts';
import {
  type Candidate,
  type CandidateFilters,
  CandidatePage,
  CandidateQuery,
  ROUTE_DOCS,
  Route,
  type RouteFilters,
  RoutePage,
  RouteQuery,
} from './model.ts';

export const catalogRoutes = (quality: Served<Quality>) =>
  new Elysia({ name: 'routeCatalog', prefix: '/route-catalog' }).use(api(quality)).get(
    '',
    async ({ query, caller, request }) => {
      const { projectId } = caller;
      const filters = filterHash('getRouteCatalog', query);
      const catalog = await quality.routeCatalogs.of(projectId);
      const { routes, revision } = catalog;
      if (query.id !== undefined) {
        const route = routes.find(({ id }) => id === query.id);
        if (!route) throw notFound('route');
        const text = JSON.stringify(route);
        return made<Static<typeof Route>>({ text, etag: etagOf(revision, text) });
      }
      const limit = query.limit ?? PAGE_DEFAULT;
      const { anchor = '' } = decodeAnchored(filters, query.cursor) ?? {};
      const from = firstBehind(routes.length, (at) => {
        return compareTexts(routeSort(routes[at] as Route), anchor) > 0;
      });
      const page = pageOf(
        passing(routes, from, limit, routeFilter(catalog, query)),
        limit,
        filters,
        () => 0,
        ({ item }) => item,
        ({ item }) => routeSort(item),
      );
      return ok(page, { headers: nextLink(request, page) });
    },
    {
      operation: { id: 'getRouteCatalog', docs: ROUTE_DOCS.catalog },
      query: queryOf(RouteQuery),
      response: answers({ 200: Type.Union([RoutePage, Route]) }),
    },
  );

function routeFilter(
  { matcher, routes }: StandingCatalog,
  { origin, status, storyIds, path, method }: RouteFilters,
): (route: Route) => boolean {
  const methods = method?.map((one) => one.toUpperCase());
  const known = new Set(path === undefined ? [] : routes.map((route) => route.method));
  const there = new Set([...known].flatMap((one) => matcher.match(one, path ?? '')?.id ?? []));
  return (route) =>
    (!methods || methods.includes(route.method)) &&
    (!origin || origin.includes(route.origin)) &&
    (!status || status.includes(route.status)) &&
    (!storyIds || storyIds.some((id) => route.storyIds.includes(id))) &&
    (path === undefined || (path !== '' && there.has(route.id)));
}

export const candidateRoutes = (quality: Served<Quality>) =>
  new Elysia({ name: 'routeCandidates', prefix: '/route-candidates' }).use(api(quality)).get(
    '',
    async ({ query, caller, request }) => {
      const list = await quality.routeCandidates.of(caller.projectId);
      const filters = filterHash('getRouteCandidates', query);
      const from = candidateAfter(list, decodeAnchored(filters, query.cursor));
      const limit = query.limit ?? PAGE_DEFAULT;
      const page = pageOf(
        passing(list, from, limit, candidateFilter(query)),
        limit,
        filters,
        ({ item }) => item.observations,
        ({ item }) => item,
        ({ item }) => candidateSort(item),
      );
      return ok(page, { headers: nextLink(request, page) });
    },
    {
      operation: { id: 'getRouteCandidates', docs: ROUTE_DOCS.candidates },
      query: queryOf(CandidateQuery),
      response: answers({ 200: CandidatePage }),
    },
  );

/** The place of the first candidate with fewer observations, or as many and a greater text. */
function candidateAfter(
  list: readonly Candidate[],
  seen: ReturnType<typeof decodeAnchored>,
): number {
  if (!seen) return 0;
  const { key, anchor } = seen;
  if (anchor === undefined) throw invalid('/cursor', 'is not a cursor of this service');
  return firstBehind(list.length, (at) => {
    const one = list[at] as Candidate;
    if (one.observations !== key) return one.observations < key;
    return compareTexts(candidateSort(one), anchor) > 0;
  });
}

function candidateFilter(filters: CandidateFilters): (candidate: Candidate) => boolean {
  const { origins, storyIds } = filters;
  const methods = filters.method?.map((one) => one.toUpperCase());
  return (candidate) =>
    (!methods || methods.includes(candidate.method)) &&
    (!origins || origins.some((one) => candidate.origins.includes(one))) &&
    (!storyIds || storyIds.some((id) => candidate.storyIds.includes(id)));
}
