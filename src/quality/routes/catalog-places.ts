// Places in the catalog of routes, as cursors keep them: of a route of an API document its place and
// the revision that has it there; of any other what these are sorted by.
import type { Requirements } from '../../requirements/requirements.ts';
import { firstBehind } from '../keyed-page.ts';
import { catalogSeen, placeBehind, type SeenPlace } from '../runs/source-place.ts';
import { compareTexts } from '../sort-text.ts';
import { inTurns } from '../turns.ts';
import { declaredSort, documentedSteps, routeId } from './catalog-build.ts';
import type { CatalogRoute } from './catalog-model.ts';
import type { StandingCatalog } from './catalogs.ts';

/** The key of all that no API document has: they are told apart by their anchors. */
const DECLARED = -1;

/** The key of the route at a place. */
export function routeKey({ documented }: StandingCatalog, at: number): number {
  return at < documented ? at : DECLARED;
}

/** What is kept of a route beside its key. */
export function routeAnchor({ revision }: StandingCatalog, route: CatalogRoute): string {
  return route.origin === 'openapi' ? String(revision) : declaredSort(route);
}

/** The place of the first route behind one that was seen. */
export async function placeOfNext(
  requirements: Requirements,
  projectId: string,
  { routes, byId, documented, revision }: StandingCatalog,
  seen: SeenPlace,
): Promise<number> {
  const { key, anchor = '' } = seen;
  if (key === DECLARED) {
    const isBehind = (at: number) => compareTexts(sortOf(routes[at]), anchor) > 0;
    return firstBehind(routes.length, isBehind, documented);
  }
  const before = await catalogSeen(requirements, projectId, seen, revision);
  if (!before) return key + 1;
  const documentedThen = await inTurns(documentedSteps(before.routes));
  return inTurns(
    placeBehind(documentedThen, key, (route) => {
      const now = byId.get(routeId(projectId, route));
      const stays = now?.origin === 'openapi' && now.source?.path === route.path;
      return stays ? routes.indexOf(now) : undefined;
    }),
  );
}

function sortOf(route: CatalogRoute | undefined): string {
  return route ? declaredSort(route) : '';
}
