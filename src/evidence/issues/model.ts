// The shapes in which issues come, which are also in the API document.
import { type Static, type TOptional, type TProperties, Type } from '@sinclair/typebox';
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
  ) as { [K in keyof P]: TOptional<P[K]> };
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

/** Texts that are stored and answered as they came: each is a column of the same name, null where it is not given. */
export const issueTexts = {
  description: nullable(Text),
  priority: nullable(Type.String({ minLength: 1, maxLength: 40 })),
  assignee: nullable(Name),
  reporter: nullable(Name, 'Who the caller says reported it'),
  url: nullable(Url, 'Address of the page on which it was seen'),
  route: nullable(Url, 'Route of the page on which it was seen'),
  build: nullable(Name, 'Build in which it was seen'),
  environment: nullable(Name),
  runId: nullable(Id, 'Test run that found it'),
};
type IssueText = keyof typeof issueTexts;
export const ISSUE_TEXTS = Object.keys(issueTexts) as IssueText[];

/** The texts of an issue that comes or is stored. */
export function textsOf(issue: Partial<Record<IssueText, string | null>>) {
  const texts = ISSUE_TEXTS.map((name) => [name, issue[name] ?? null]);
  return Object.fromEntries(texts) as Record<IssueText, string | null>;
}

const filing = {
  title: Title,
  ...optional(issueTexts),
  severity: Type.Optional(oneOf(SEVERITIES)),
  context: Type.Optional(nullable(IssueContext)),
  occurredAt: Type.Optional(Time),
  storyIds: Type.Optional(StoryIds),
  labels: Type.Optional(Names),
  dedupe: Type.Optional(
    Type.Boolean({ description: 'False leaves an earlier issue with the same fingerprint alone' }),
  ),
};

export const IssueBody = closed(filing, { title: 'IssueInput' });
export type IssueInput = Static<typeof IssueBody>;

const changes = {
  title: Type.Optional(Title),
  ...optional(issueTexts),
  severity: Type.Optional(oneOf(SEVERITIES)),
  status: Type.Optional(oneOf(STATUSES)),
  resolution: Type.Optional(nullable(oneOf(RESOLUTIONS))),
  duplicateOf: Type.Optional(nullable(Id)),
  storyIds: Type.Optional(nullable(StoryIds)),
  labels: Type.Optional(nullable(Names)),
  fixedInBuild: Type.Optional(nullable(Name)),
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

/** Filters by what a column of the same name is, any of the values given. */
const columnFilters = {
  status: Type.Array(oneOf(STATUSES)),
  severity: Type.Array(oneOf(SEVERITIES)),
  resolution: Type.Array(oneOf(RESOLUTIONS)),
  priority: Type.Array(Type.String()),
  assignee: Type.Array(Type.String()),
  reporter: Type.Array(Type.String()),
  url: Type.Array(Type.String()),
  route: Type.Array(Type.String()),
  build: Type.Array(Type.String()),
  environment: Type.Array(Type.String()),
  fixedInBuild: Type.Array(Type.String()),
  runId: Type.Array(Type.String()),
  fingerprint: Type.Array(Type.String()),
  duplicateOf: Type.Array(Type.String()),
};
export const COLUMN_FILTERS = Object.keys(columnFilters) as (keyof typeof columnFilters)[];

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
  ...optional(columnFilters),
  storyIds: Type.Optional(Type.Array(Type.String())),
  labels: Type.Optional(Type.Array(Type.String())),
  possibleRegression: Type.Optional(Type.Boolean()),
  duplicates: Type.Optional(Type.Boolean({ description: 'True lists duplicates too' })),
  linkTtl: LinkTtl,
});
export type IssueFilters = Static<typeof IssueQuery>;
