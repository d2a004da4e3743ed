// Route of reading the catalog of routes.

import { notFound } from '../../errors.ts';
import { endpoint } from '../../http/api/endpoint.ts';
import { nextLink, ok, type Reply } from '../../http/api/reply.ts';
import { etagOf } from '../../model/etag.ts';
import { decodeAnchored, filterHash, PAGE_DEFAULT, pageOf } from '../../model/pages.ts';
import { passing } from '../keyed-page.ts';
import type { Quality } from '../quality.ts';
import { RouteQuery } from './catalog-model.ts';
import { placeOfNext, routeAnchor, routeKey } from './catalog-places.ts';
import { routeFilter, routeView, type StandingRoute } from './catalog-views.ts';
import type { StandingCatalog } from './catalogs.ts';

export function readRouteCatalog(quality: Quality) {
  const { routeCatalogs } = quality;
  return endpoint({
    docs: async () => (await import('./docs.ts')).ROUTE_DOCS.catalog,
    query: RouteQuery,
    async handler({ query, caller, request }): Promise<Reply> {
      const catalog = await routeCatalogs.of(caller.projectId);
      if (query.id !== undefined) return oneReply(catalog, query.id);
      const filters = filterHash('getRouteCatalog', query);
      const seen = decodeAnchored(filters, query.cursor);
      const from = seen ? await placeOfNext(quality, caller.projectId, catalog, seen) : 0;
      const limit = query.limit ?? PAGE_DEFAULT;
      const passes = routeFilter(catalog, query);
      const rows = passing(catalog.routes, from, limit, (_, at) => passes(routeAt(catalog, at)));
      const page = pageOf(
        rows,
        limit,
        filters,
        ({ at }) => routeKey(catalog, at),
        ({ at }) => routeView(routeAt(catalog, at)),
        ({ item }) => routeAnchor(catalog, item),
      );
      return ok(page, { headers: nextLink(request, page) });
    },
  });
}

const UNTESTED = { status: 'untested', lastExercisedAt: null } as const;

function routeAt({ routes, standings }: StandingCatalog, at: number): StandingRoute {
  const route = routes[at];
  if (!route) throw new Error(`there is no route at ${at}`);
  return { route, standing: standings[at] ?? UNTESTED };
}

function oneReply(catalog: StandingCatalog, id: string): Reply {
  const route = catalog.byId.get(id);
  if (!route) throw notFound('route');
  const text = JSON.stringify(routeView(routeAt(catalog, catalog.routes.indexOf(route))));
  return ok(undefined, { text, etag: etagOf(catalog.revision, text) });
}
