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
import { foldText } from '../../requirements/graph/fingerprint.ts';
import { compareTexts, firstBehind, passing, revisionOfCursor } from '../lists.ts';
import type { Quality } from '../quality.ts';
import { candidateSort } from './candidates.ts';
import { declaredSort, type StandingCatalog } from './catalog.ts';
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

/** The key in cursors of routes that are in no API document; the others have their place. */
const DECLARED = -1;

interface Seen {
  key: number;
  anchor: string | undefined;
}

export const catalogRoutes = (quality: Served<Quality>) =>
  new Elysia({ name: 'routeCatalog', prefix: '/route-catalog' }).use(api(quality)).get(
    '',
    async ({ query, caller, request }) => {
      const { projectId } = caller;
      const filters = filterHash('getRouteCatalog', query);
      const seen = query.id === undefined ? decodeAnchored(filters, query.cursor) : undefined;
      const latest = quality.tokens.project(projectId)?.revision ?? 0;
      const asked = seen?.key === DECLARED ? undefined : revisionOfCursor(seen?.anchor, latest);
      const catalog = await quality.routeCatalogs.of(projectId, asked);
      const { routes, documented, revision } = catalog;
      if (query.id !== undefined) {
        const route = routes.find(({ id }) => id === query.id);
        if (!route) throw notFound('route');
        const text = JSON.stringify(route);
        return made<Static<typeof Route>>({ text, etag: etagOf(revision, text) });
      }
      const limit = query.limit ?? PAGE_DEFAULT;
      const page = pageOf(
        passing(routes, placeAfter(catalog, seen), limit, routeFilter(catalog, query)),
        limit,
        filters,
        ({ at }) => (at < documented ? at : DECLARED),
        ({ item }) => item,
        ({ at, item }) => (at < documented ? String(revision) : declaredSort(item)),
      );
      return ok(page, { headers: nextLink(request, page) });
    },
    {
      operation: { id: 'getRouteCatalog', docs: ROUTE_DOCS.catalog },
      query: queryOf(RouteQuery),
      response: answers({ 200: Type.Union([RoutePage, Route]) }),
    },
  );

function placeAfter({ routes, documented }: StandingCatalog, seen: Seen | undefined): number {
  if (!seen) return 0;
  const { key, anchor = '' } = seen;
  if (key !== DECLARED) return key + 1;
  const isBehind = (at: number) => compareTexts(declaredSort(routes[at] as Route), anchor) > 0;
  return firstBehind(routes.length, isBehind, documented);
}

function routeFilter(
  { matcher, routes }: StandingCatalog,
  { origin, status, storyIds, tags, path, method, q = '' }: RouteFilters,
): (route: Route) => boolean {
  const methods = method?.map((one) => one.toUpperCase());
  const words = foldText(q).toLowerCase().split(' ').filter(Boolean);
  const known = new Set(path === undefined ? [] : routes.map((route) => route.method));
  const there = new Set([...known].flatMap((one) => matcher.match(one, path ?? '')?.id ?? []));
  return (route) =>
    (!methods || methods.includes(route.method)) &&
    (!origin || origin.includes(route.origin)) &&
    (!status || status.includes(route.status)) &&
    (!storyIds || storyIds.some((id) => route.storyIds.includes(id))) &&
    (!tags || tags.some((one) => route.tags.includes(one))) &&
    (path === undefined || (path !== '' && there.has(route.id))) &&
    words.every((word) => searched(route).includes(word));
}

function searched({ method, template, operationId, summary }: Route): string {
  return foldText(`${method} ${template} ${operationId ?? ''} ${summary}`).toLowerCase();
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
function candidateAfter(list: readonly Candidate[], seen: Seen | undefined): number {
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
  const { origins, storyIds, minConfidence = 0 } = filters;
  const methods = filters.method?.map((one) => one.toUpperCase());
  return (candidate) =>
    candidate.confidence >= minConfidence &&
    (!methods || methods.includes(candidate.method)) &&
    (!origins || origins.some((one) => candidate.origins.includes(one))) &&
    (!storyIds || storyIds.some((id) => candidate.storyIds.includes(id)));
}
