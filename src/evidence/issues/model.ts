// The shapes in which issues come, which are also in the API document.
import { type Static, type TProperties, Type } from '@sinclair/typebox';
import {
  closed,
  Name,
  Names,
  nullable,
  oneOf,
  StoryIds,
  Text,
  Time,
  Title,
} from '../../model/schemas.ts';
import { LINK_TTL_MAX_SECONDS } from '../attachments/links.ts';
import { RESOLUTIONS, STATUSES } from './states.ts';

export const SEVERITIES = ['blocker', 'critical', 'major', 'minor', 'trivial'] as const;

const Short = Type.String({ maxLength: 300 });
const Line = Type.String({ maxLength: 2048 });
const Number_ = Type.Number({ minimum: -1e15, maximum: 1e15 });
const Scalar = Type.Union(
  [Type.String({ maxLength: 2048 }), Type.Number(), Type.Boolean(), Type.Null()],
  {
    says: 'must be a text of at most 2048 characters, a number, a boolean or null',
  },
);

function optional<P extends TProperties>(fields: P) {
  return Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)]),
  );
}

function part<P extends TProperties>(fields: P) {
  return Type.Object(optional(fields), { additionalProperties: Scalar, maxProperties: 30 });
}

const NetworkRequest = closed(
  optional({
    at: Time,
    type: Short,
    method: Short,
    url: Line,
    status: Number_,
    durationMs: Number_,
    requestId: Short,
    error: Line,
  }),
);

const context = {
  page: Type.Optional(part({ url: Line, title: Line, route: Line, referrer: Line })),
  element: Type.Optional(
    part({
      selector: Line,
      testId: Short,
      role: Short,
      text: Type.String({ maxLength: 200 }),
      rect: part({ x: Number_, y: Number_, width: Number_, height: Number_ }),
    }),
  ),
  viewport: Type.Optional(
    part({ width: Number_, height: Number_, dpr: Number_, scrollX: Number_, scrollY: Number_ }),
  ),
  userAgent: Type.Optional(Line),
  locale: Type.Optional(Short),
  timeZone: Type.Optional(Short),
  console: Type.Optional(
    Type.Array(part({ level: Short, at: Time, message: Type.String({ maxLength: 2048 }) }), {
      maxItems: 100,
    }),
  ),
  network: Type.Optional(Type.Array(NetworkRequest, { maxItems: 50 })),
  actions: Type.Optional(
    Type.Array(part({ type: Short, at: Time, selector: Line }), { maxItems: 50 }),
  ),
  errors: Type.Optional(
    Type.Array(
      part({
        type: Short,
        message: Type.String({ maxLength: 8192 }),
        stack: Type.String({ maxLength: 16_384 }),
      }),
      { maxItems: 50 },
    ),
  ),
  requestId: Type.Optional(
    Type.String({ maxLength: 128, description: 'Joins the issue to the log entries of a request' }),
  ),
};

export const IssueContext = closed(context, {
  title: 'IssueContext',
  description: 'What the page could tell of the moment in which the issue was seen',
});

const Id = Type.String({ minLength: 1, maxLength: 100 });
const Url = Type.String({ minLength: 1, maxLength: 2048 });

const filing = {
  title: Title,
  description: Type.Optional(nullable(Text)),
  severity: Type.Optional(oneOf(SEVERITIES)),
  url: Type.Optional(nullable(Url)),
  route: Type.Optional(nullable(Url)),
  build: Type.Optional(nullable(Name)),
  environment: Type.Optional(nullable(Name)),
  context: Type.Optional(nullable(IssueContext)),
  occurredAt: Type.Optional(Time),
  priority: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 40 }))),
  storyIds: Type.Optional(StoryIds),
  labels: Type.Optional(Names),
  assignee: Type.Optional(nullable(Name)),
  reporter: Type.Optional(nullable(Name)),
  runId: Type.Optional(nullable(Id)),
  dedupe: Type.Optional(
    Type.Boolean({ description: 'False leaves an earlier issue with the same fingerprint alone' }),
  ),
};

export const IssueBody = closed(filing, { title: 'IssueInput' });
export type IssueInput = Static<typeof IssueBody>;

const changes = {
  title: Type.Optional(Title),
  description: Type.Optional(nullable(Text)),
  severity: Type.Optional(oneOf(SEVERITIES)),
  priority: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 40 }))),
  status: Type.Optional(oneOf(STATUSES)),
  resolution: Type.Optional(nullable(oneOf(RESOLUTIONS))),
  duplicateOf: Type.Optional(nullable(Id)),
  storyIds: Type.Optional(nullable(StoryIds)),
  labels: Type.Optional(nullable(Names)),
  assignee: Type.Optional(nullable(Name)),
  reporter: Type.Optional(nullable(Name)),
  url: Type.Optional(nullable(Url)),
  route: Type.Optional(nullable(Url)),
  build: Type.Optional(nullable(Name)),
  environment: Type.Optional(nullable(Name)),
  fixedInBuild: Type.Optional(nullable(Name)),
  runId: Type.Optional(nullable(Id)),
  removeAttachments: Type.Optional(
    Type.Array(Id, { maxItems: 100, description: 'Ids of attachments to take away' }),
  ),
};

export const IssuePatch = closed(changes, { title: 'IssuePatch' });
export type IssuePatchInput = Static<typeof IssuePatch>;

export const LinkTtl = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: LINK_TTL_MAX_SECONDS,
    description: 'Seconds for which file links last',
  }),
);

export const IssueQuery = closed({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
  cursor: Type.Optional(Type.String()),
  q: Type.Optional(
    Type.String({
      maxLength: 500,
      description: 'Full text of title and description: words, "phrases", a trailing *',
    }),
  ),
  id: Type.Optional(Type.String({ description: 'One issue, bare' })),
  number: Type.Optional(Type.Integer({ minimum: 1, description: 'One issue, bare' })),
  status: Type.Optional(Type.Array(oneOf(STATUSES))),
  severity: Type.Optional(Type.Array(oneOf(SEVERITIES))),
  resolution: Type.Optional(Type.Array(oneOf(RESOLUTIONS))),
  priority: Type.Optional(Type.Array(Type.String())),
  assignee: Type.Optional(Type.Array(Type.String())),
  reporter: Type.Optional(Type.Array(Type.String())),
  url: Type.Optional(Type.Array(Type.String())),
  route: Type.Optional(Type.Array(Type.String())),
  build: Type.Optional(Type.Array(Type.String())),
  environment: Type.Optional(Type.Array(Type.String())),
  fixedInBuild: Type.Optional(Type.Array(Type.String())),
  runId: Type.Optional(Type.Array(Type.String())),
  fingerprint: Type.Optional(Type.Array(Type.String())),
  duplicateOf: Type.Optional(Type.Array(Type.String())),
  storyIds: Type.Optional(Type.Array(Type.String())),
  labels: Type.Optional(Type.Array(Type.String())),
  possibleRegression: Type.Optional(Type.Boolean()),
  duplicates: Type.Optional(Type.Boolean({ description: 'True lists duplicates too' })),
  linkTtl: LinkTtl,
});
export type IssueFilters = Static<typeof IssueQuery>;
