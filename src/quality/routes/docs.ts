// What the API document says of the route catalog and of route candidates.
import { Type } from '@sinclair/typebox';
import { idOf, pageSchema, timeOf } from '../../model/answer-schemas.ts';
import type { OperationDocs } from '../../model/docs.ts';
import { nullable, oneOf } from '../../model/schemas.ts';
import { SourcePlace } from '../scenarios/docs.ts';
import { CANDIDATE_ORIGINS, MAX_PATHS, MAX_ROWS } from './candidate-model.ts';
import { ROUTE_ORIGINS, ROUTE_STATUSES } from './catalog-model.ts';

const Texts = (description: string) => Type.Array(Type.String(), { description });
const Count = (description: string) => Type.Integer({ minimum: 0, description });

export const Route = Type.Object(
  {
    id: idOf('route'),
    method: Type.String({ description: 'In capitals' }),
    template: Type.String({ description: 'The path, with `{name}` for each parameter' }),
    operationId: nullable(Type.String()),
    summary: Type.String({ description: 'Empty where no document has one' }),
    origin: oneOf(ROUTE_ORIGINS, 'What said first that there is such a route'),
    source: nullable(SourcePlace),
    tags: Texts('Those of its document'),
    params: Type.Array(
      Type.Object({
        name: Type.String(),
        in: Type.String({
          description: '`path`, `query`, `header` and so on, as its document has it',
        }),
        type: Type.Optional(Type.String({ description: 'Where its document says it' })),
      }),
      { description: 'Those of its document, then the others of its template' },
    ),
    storyIds: Texts('Stories that its document names, or a scenario or command that declares it'),
    scenarioIds: Texts('Scenarios that declare it, or whose steps name a path of it'),
    commandIds: Texts('Test commands that declare it'),
    status: oneOf(ROUTE_STATUSES),
    lastExercisedAt: nullable(timeOf('The end of the newest run that exercised it')),
  },
  { title: 'Route', description: 'A route of the project under test' },
);

export const RoutePage = pageSchema('RoutePage', Route);

const ROUTE = {
  id: 'rte_6x0tq2m8k4c7v9w1y3z5a7b9d1',
  method: 'GET',
  template: '/orders/{id}',
  operationId: 'getOrder',
  summary: 'One order',
  origin: 'openapi',
  source: { path: 'api/shop.yaml', line: 41 },
  tags: ['orders'],
  storyIds: ['US-12'],
  params: [{ name: 'id', in: 'path', type: 'integer' }],
  scenarioIds: ['scn_01k4mz7e2tq8v5x0y3w6r9n1pc'],
  commandIds: ['cmd_01k4mz2v9cf8ptw0yq3e6r7h5d'],
  status: 'covered',
  lastExercisedAt: '2026-01-31T12:00:00.000Z',
};

export const Candidate = Type.Object(
  {
    method: Type.String({ description: '`GET` where it was not seen' }),
    template: Type.String({ description: 'The path, with `{name}` for each part that varies' }),
    examples: Texts('Paths that were seen, the oldest first, five at most; never with a query'),
    observations: Count('How often it was seen'),
    firstSeen: timeOf('When it was seen first'),
    lastSeen: timeOf('When it was seen last'),
    origins: Type.Array(oneOf(CANDIDATE_ORIGINS), { description: 'Where it was seen' }),
    confidence: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'How sure it is that this is one route, and just one',
    }),
    params: Type.Array(
      Type.Object({
        name: Type.String(),
        type: oneOf(
          ['integer', 'number', 'uuid', 'ulid', 'date', 'hash', 'email', 'slug', 'string'],
          'What its values look like',
        ),
      }),
    ),
    storyIds: Texts('Stories of the issues, scenarios, results and texts that named it'),
    untrusted: Type.Boolean({ description: 'A web page is among those that reported it' }),
  },
  { title: 'RouteCandidate', description: 'A route that was seen and is in no catalog' },
);

export const CandidatePage = pageSchema('RouteCandidatePage', Candidate);

const CANDIDATE = {
  method: 'GET',
  template: '/orders/{id}/invoice',
  examples: ['/orders/7/invoice', '/orders/12/invoice'],
  observations: 9,
  firstSeen: '2026-01-12T08:00:00.000Z',
  lastSeen: '2026-01-31T12:00:00.000Z',
  origins: ['issue', 'log'],
  confidence: 0.86,
  params: [{ name: 'id', type: 'integer' }],
  storyIds: ['US-12'],
  untrusted: false,
};

export const ROUTE_DOCS = {
  catalog: {
    description:
      'The routes of the project under test: those of the OpenAPI documents of the latest revision, in source order, ' +
      'then those that scenarios and test commands declare, by template. A concrete path that is declared, or that a ' +
      'step of a scenario names (`GET /orders/7`), belongs to the template that matches it best. `failing`: the newest ' +
      'run that counts of an active command that declares it failed or broke, or that of a scenario did; `covered`: one ' +
      'passed; else `untested`. A run before the command was changed, and a failure in quarantine, tell nothing. `path` ' +
      'finds the routes that a concrete path or URL goes to; `id` answers one bare.',
    replies: {
      200: {
        description: 'A page of routes, or one route',
        examples: { page: { items: [ROUTE], nextCursor: null }, route: ROUTE },
        headers: ['ETag', 'Link'],
      },
    },
  },
  candidates: {
    description:
      `What was seen and is in no catalog, the most observed first: in the newest ${MAX_ROWS} issues (route or URL, ` +
      'and requests to their own site), log entries (route), results (names such as `GET /users/1 is refused`), ' +
      'scenarios (steps) and stories (texts). Paths are folded into templates: those of the catalog first, then ' +
      'numbers, UUIDs, dates and hashes, then parts that vary much and lead to alike paths. A path without a method ' +
      `counts as \`GET\`. Of a URL there is but the path: neither host nor query. Of each kind the newest ${MAX_PATHS} ` +
      'paths are looked at.',
    replies: {
      200: {
        description: 'A page of candidates',
        example: { items: [CANDIDATE], nextCursor: null },
        headers: ['Link'],
      },
    },
  },
} satisfies Record<string, OperationDocs>;
