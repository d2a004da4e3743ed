// Routes of the catalog and route candidates: their schemas, and what the API document says of them.
import { type Static, Type } from '@sinclair/typebox';
import type { OperationDocs } from '../../model/docs.ts';
import { MAX_PAGE_SIZE } from '../../model/pages.ts';
import { closed, idOf, nullable, oneOf, pageSchema, timeOf } from '../../model/schemas.ts';
import { SourcePlace } from '../scenarios/model.ts';
import { VALUE_TYPES } from './forms.ts';

const Texts = (description: string) => Type.Array(Type.String(), { description });
const ofList = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE })),
  cursor: Type.Optional(Type.String({ maxLength: 300 })),
  method: Type.Optional(
    Type.Array(Type.String({ maxLength: 20 }), { description: 'Only those of these methods' }),
  ),
  storyIds: Type.Optional(Texts('Only those that belong to one of these stories')),
};

const RouteOrigin = oneOf(
  ['openapi', 'scenario', 'command'],
  'What said first that there is such a route',
);
export type RouteOrigin = Static<typeof RouteOrigin>;
const RouteStatus = oneOf(['covered', 'failing', 'untested']);

export const RouteQuery = closed({
  ...ofList,
  id: Type.Optional(Type.String({ description: 'One route, bare' })),
  origin: Type.Optional(Type.Array(RouteOrigin)),
  status: Type.Optional(Type.Array(RouteStatus)),
  path: Type.Optional(
    Type.String({
      maxLength: 2048,
      description: 'Only the routes that this path or URL goes to, one a method',
    }),
  ),
});
export type RouteFilters = Static<typeof RouteQuery>;

export const Route = Type.Object(
  {
    id: idOf('route'),
    method: Type.String({ description: 'In capitals' }),
    template: Type.String({ description: 'The path, with `{name}` for each parameter' }),
    operationId: nullable(Type.String()),
    summary: Type.String({ description: 'Empty where no document has one' }),
    origin: RouteOrigin,
    source: nullable(SourcePlace),
    storyIds: Texts('Stories that its document names, or a scenario or command that declares it'),
    scenarioIds: Texts('Scenarios that declare it'),
    commandIds: Texts('Test commands that declare it'),
    status: RouteStatus,
    lastExercisedAt: nullable(timeOf('The end of the newest run that exercised it')),
  },
  { title: 'Route', description: 'A route of the project under test' },
);
export type Route = Static<typeof Route>;
export type CatalogRoute = Omit<Route, 'status' | 'lastExercisedAt'>;
export const RoutePage = pageSchema('RoutePage', Route);

/** Issues, log entries, results, scenarios and stories that are looked at, the newest of each. */
export const MAX_ROWS = 20_000;
/** Different routes that are taken of issues, of log entries and of results. */
export const MAX_PATHS = 20_000;

const Origin = oneOf(['issue', 'log', 'run', 'scenario', 'story']);
export type Origin = Static<typeof Origin>;

export const CandidateQuery = closed({
  ...ofList,
  origins: Type.Optional(Type.Array(Origin, { description: 'Only those that were seen there' })),
});
export type CandidateFilters = Static<typeof CandidateQuery>;

export const Candidate = Type.Object(
  {
    method: Type.String({ description: '`GET` where it was not seen' }),
    template: Type.String({ description: 'The path, with `{name}` for each part that varies' }),
    examples: Texts('Paths that were seen, the oldest first, five at most; never with a query'),
    observations: Type.Integer({ minimum: 0, description: 'How often it was seen' }),
    firstSeen: timeOf('When it was seen first'),
    lastSeen: timeOf('When it was seen last'),
    origins: Type.Array(Origin, { description: 'Where it was seen' }),
    confidence: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'How sure it is that this is one route, and just one; whatever the count is',
    }),
    params: Type.Array(
      Type.Object({
        name: Type.String(),
        type: oneOf(VALUE_TYPES, 'What its values look like'),
      }),
    ),
    storyIds: Texts('Stories of what named it, a hundred at most'),
    untrusted: Type.Boolean({ description: 'A web page is among those that reported it' }),
  },
  { title: 'RouteCandidate', description: 'A route that was seen and is in no catalog' },
);
export type Candidate = Static<typeof Candidate>;
export const CandidatePage = pageSchema('RouteCandidatePage', Candidate);

export const ROUTE_DOCS = {
  catalog: {
    description:
      'The routes of the OpenAPI documents of the latest revision and those that scenarios and test commands declare, ' +
      'by template. A concrete path (`GET /orders/7`) belongs to the template that matches it best. ' +
      '`failing`: the newest run of a scenario or active command that declares it failed; `covered`: one passed; runs ' +
      'before the command was changed and failures in quarantine do not count.',
    replies: {
      200: {
        description: 'A page of routes, or one route',
        headers: ['ETag', 'Link'],
      },
    },
  },
  candidates: {
    description:
      `What the newest ${MAX_ROWS} issues, log entries and results, and scenarios and stories name and no catalog has, ` +
      'the most observed first. Paths are folded into templates: those of the catalog first, then numbers, UUIDs, dates ' +
      'and hashes, then words that vary and lead to alike paths, or stand behind a plural (`/tags/{id}`). How often a ' +
      'path was seen is of no account. Of a URL there is but the path: neither host nor query.',
    replies: {
      200: {
        description: 'A page of candidates',
        headers: ['Link'],
      },
    },
  },
} satisfies Record<string, OperationDocs>;
