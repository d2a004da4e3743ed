// A route of the catalog, and what it is asked for by.
import { type Static, Type } from '@sinclair/typebox';
import { MAX_PAGE_SIZE } from '../../model/pages.ts';
import { closed, oneOf } from '../../model/schemas.ts';
import type { RouteParam } from '../../requirements/sources/model.ts';

export const ROUTE_ORIGINS = ['openapi', 'scenario', 'command'] as const;
export type RouteOrigin = (typeof ROUTE_ORIGINS)[number];

export const ROUTE_STATUSES = ['covered', 'failing', 'untested'] as const;
export type RouteStatus = (typeof ROUTE_STATUSES)[number];

export interface CatalogRoute {
  id: string;
  /** In capitals. */
  method: string;
  /** With `{name}` for each parameter. */
  template: string;
  operationId: string | null;
  summary: string;
  /** What said first that there is such a route. */
  origin: RouteOrigin;
  /** Where in the sources it stands. */
  source: { path: string; line: number } | null;
  tags: readonly string[];
  /** Those of its document, then the others of its template. */
  params: readonly RouteParam[];
  /** Those that its document names, and those of the scenarios and commands that declare it. */
  storyIds: string[];
  scenarioIds: string[];
  commandIds: string[];
}

export interface RouteStanding {
  status: RouteStatus;
  /** Milliseconds since the epoch; null where no run is known. */
  lastExercisedAt: number | null;
}

export const RouteQuery = closed({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE })),
  cursor: Type.Optional(Type.String({ maxLength: 300 })),
  id: Type.Optional(Type.String({ description: 'One route, bare' })),
  method: Type.Optional(
    Type.Array(Type.String({ maxLength: 20 }), { description: 'Only those of these methods' }),
  ),
  origin: Type.Optional(Type.Array(oneOf(ROUTE_ORIGINS))),
  status: Type.Optional(Type.Array(oneOf(ROUTE_STATUSES))),
  storyIds: Type.Optional(
    Type.Array(Type.String(), { description: 'Only those that belong to one of these stories' }),
  ),
  tags: Type.Optional(
    Type.Array(Type.String(), { description: 'Only those with one of these tags' }),
  ),
  path: Type.Optional(
    Type.String({
      maxLength: 2048,
      description: 'Only the routes that this path or URL goes to, one a method',
    }),
  ),
  q: Type.Optional(
    Type.String({
      maxLength: 500,
      description: 'Words that method, template, operation or summary hold, all of them',
    }),
  ),
});
export type RouteFilters = Static<typeof RouteQuery>;
