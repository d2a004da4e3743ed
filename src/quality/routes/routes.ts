// Routes of the route catalog and of route candidates.

import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { optionalTimestamp, timestamp } from '../../clock.ts';
import { invalid, notFound } from '../../errors.ts';
import { api } from '../../http/api/api.ts';
import type { Served } from '../../http/api/context.ts';
import { queryOf } from '../../http/api/query.ts';
import { answers, made, nextLink, ok } from '../../http/api/reply.ts';
import { etagOf } from '../../model/etag.ts';
import { decodeAnchored, filterHash, PAGE_DEFAULT, pageOf } from '../../model/pages.ts';
import { foldText } from '../../requirements/graph/fingerprint.ts';
import { compareTexts, firstBehind, passing, revisionOfCursor } from '../keyed-page.ts';
import type { Quality } from '../quality.ts';
import { type CandidateFilters, CandidateQuery } from './candidate-model.ts';
import type { CandidateList } from './candidates.ts';
import { declaredSort } from './catalog-build.ts';
import { type CatalogRoute, type RouteFilters, RouteQuery } from './catalog-model.ts';
import type { StandingCatalog } from './catalogs.ts';
import { type Candidate, CandidatePage, ROUTE_DOCS, Route, RoutePage } from './docs.ts';
import type { RouteCandidate } from './fold.ts';

export const catalogRoutes = (quality: Served<Quality>) =>
  new Elysia({ name: 'routeCatalog', prefix: '/route-catalog' }).use(api(quality)).get(
    '',
    async ({ query, caller, request }) => {
      const { projectId } = caller;
      const filters = filterHash('getRouteCatalog', query);
      const seen = query.id === undefined ? decodeAnchored(filters, query.cursor) : undefined;
      const latest = quality.tokens.project(projectId)?.revision ?? 0;
      const revision = seen?.key === DECLARED ? undefined : revisionOfCursor(seen?.anchor, latest);
      const catalog = await quality.routeCatalogs.of(projectId, revision);
      if (query.id !== undefined) return readRoute(catalog, query.id);
      const from = seen ? placeAfter(catalog, seen) : 0;
      const limit = query.limit ?? PAGE_DEFAULT;
      const passes = routeFilter(catalog, query);
      const rows = passing(catalog.routes, from, limit, (_, at) => passes(at));
      const page = pageOf(
        rows,
        limit,
        filters,
        ({ at }) => (at < catalog.documented ? at : DECLARED),
        ({ at }) => routeView(catalog, at),
        ({ at, item }) => (at < catalog.documented ? String(catalog.revision) : declaredSort(item)),
      );
      return ok(page, { headers: nextLink(request, page) });
    },
    {
      operation: { id: 'getRouteCatalog', docs: ROUTE_DOCS.catalog },
      query: queryOf(RouteQuery),
      response: answers({ 200: Type.Union([RoutePage, Route]) }),
    },
  );

const DECLARED = -1;

function placeAfter(
  { routes, documented }: StandingCatalog,
  { key, anchor = '' }: { key: number; anchor: string | undefined },
): number {
  if (key !== DECLARED) return key + 1;
  const isBehind = (at: number) =>
    compareTexts(declaredSort(routes[at] as CatalogRoute), anchor) > 0;
  return firstBehind(routes.length, isBehind, documented);
}

function readRoute(catalog: StandingCatalog, id: string) {
  const at = catalog.routes.findIndex((route) => route.id === id);
  if (at === -1) throw notFound('route');
  const text = JSON.stringify(routeView(catalog, at));
  return made<Static<typeof Route>>({ text, etag: etagOf(catalog.revision, text) });
}

function routeView({ routes, standings }: StandingCatalog, at: number) {
  const route = routes[at] as CatalogRoute;
  return {
    id: route.id,
    method: route.method,
    template: route.template,
    operationId: route.operationId,
    summary: route.summary,
    origin: route.origin,
    source: route.source,
    tags: route.tags,
    params: route.params,
    storyIds: route.storyIds,
    scenarioIds: route.scenarioIds,
    commandIds: route.commandIds,
    status: standings[at]?.status ?? 'untested',
    lastExercisedAt: optionalTimestamp(standings[at]?.lastExercisedAt ?? null),
  } as Static<typeof Route>;
}

function routeFilter(
  { matcher, routes, standings }: StandingCatalog,
  { origin, status, storyIds, tags, path, method, q }: RouteFilters,
): (at: number) => boolean {
  const methods = method && new Set(method.map((one) => one.toUpperCase()));
  const words = q === undefined ? [] : foldText(q).toLowerCase().split(' ').filter(Boolean);
  const known = new Set(routes.map((route) => route.method));
  const there = path && new Set([...known].flatMap((one) => matcher.match(one, path) ?? []));
  return (at) => {
    const route = routes[at] as CatalogRoute;
    return (
      (!methods || methods.has(route.method)) &&
      (!origin || origin.includes(route.origin)) &&
      (!status || status.includes(standings[at]?.status ?? 'untested')) &&
      (!storyIds || storyIds.some((id) => route.storyIds.includes(id))) &&
      (!tags || tags.some((one) => route.tags.includes(one))) &&
      (there === undefined || (there !== '' && there.has(route))) &&
      (words.length === 0 || holdsAll(route, words))
    );
  };
}

function holdsAll(route: CatalogRoute, words: readonly string[]): boolean {
  const { method, template, operationId, summary } = route;
  const text = foldText(`${method} ${template} ${operationId ?? ''} ${summary}`).toLowerCase();
  return words.every((word) => text.includes(word));
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
        passing(list.items, from, limit, candidateFilter(query)),
        limit,
        filters,
        ({ item }) => item.observations,
        ({ item }) => candidateView(item),
        ({ at }) => list.texts[at] ?? '',
      );
      return ok(page, { headers: nextLink(request, page) });
    },
    {
      operation: { id: 'getRouteCandidates', docs: ROUTE_DOCS.candidates },
      query: queryOf(CandidateQuery),
      response: answers({ 200: CandidatePage }),
    },
  );

/**
 * The place of the first candidate that sorts behind one that was seen: with fewer observations, or
 * as many and a greater text.
 *
 * @throws Problem `invalid` for a cursor that says nothing of the text
 */
function candidateAfter(
  { items, texts }: CandidateList,
  seen: { key: number; anchor: string | undefined } | undefined,
): number {
  if (!seen) return 0;
  const { key, anchor } = seen;
  if (anchor === undefined) throw invalid('/cursor', 'is not a cursor of this service');
  return firstBehind(items.length, (at) => {
    const observations = items[at]?.observations ?? 0;
    if (observations !== key) return observations < key;
    return compareTexts(texts[at] ?? '', anchor) > 0;
  });
}

function candidateFilter(filters: CandidateFilters): (candidate: RouteCandidate) => boolean {
  const { origins, storyIds, minConfidence = 0 } = filters;
  const methods = filters.method && new Set(filters.method.map((one) => one.toUpperCase()));
  return (candidate) =>
    candidate.confidence >= minConfidence &&
    (!methods || methods.has(candidate.method)) &&
    (!origins || origins.some((one) => candidate.origins.includes(one))) &&
    (!storyIds || storyIds.some((id) => candidate.storyIds.includes(id)));
}

function candidateView(candidate: RouteCandidate): Static<typeof Candidate> {
  return {
    method: candidate.method,
    template: candidate.template,
    examples: candidate.examples,
    observations: candidate.observations,
    firstSeen: timestamp(candidate.firstSeen),
    lastSeen: timestamp(candidate.lastSeen),
    origins: candidate.origins,
    confidence: candidate.confidence,
    params: candidate.params,
    storyIds: candidate.storyIds,
    untrusted: candidate.untrusted,
  };
}
