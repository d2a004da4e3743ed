// The shapes in which issues come and are shown, which are also in the API document.
import { type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { accessRow } from '../../access/access.ts';
import {
  Actor,
  closed,
  idOf,
  Name,
  Names,
  nullable,
  oneOf,
  rangeOf,
  StoryIds,
  searchPageSchema,
  Text,
  Time,
  Title,
  timeOf,
  Untrusted,
  Version,
} from '../../model/schemas.ts';
import { issues } from '../../store/tables/evidence.ts';
import { Attachment, LinkTtl } from '../attachments/model.ts';

export { LinkTtl } from '../attachments/model.ts';

const SEVERITIES = issues.severity.enumValues;
export const STATUSES = issues.status.enumValues;
export const RESOLUTIONS = issues.resolution.enumValues;

const Short = Type.String({ maxLength: 300 });
const Line = Type.String({ maxLength: 2048 });
const Amount = Type.Number({ minimum: -1e15, maximum: 1e15 });
const Scalar = Type.Union([Line, Amount, Type.Boolean(), Type.Null()], {
  says: 'must be a text of at most 2048 characters, a number, a boolean or null',
});

function part<P extends TProperties>(fields: P) {
  const options = { additionalProperties: Scalar, maxProperties: 30 };
  return Type.Partial(Type.Object(fields), options);
}

function upTo<T extends TSchema>(maxItems: number, schema: T) {
  return Type.Array(schema, { maxItems });
}

/** No bodies and no headers: secrets stand there. */
const NetworkRequest = Type.Partial(
  closed({
    at: Time,
    type: Short,
    method: Short,
    url: Line,
    status: Amount,
    durationMs: Amount,
    requestId: Short,
    error: Line,
  }),
);

const IssueContext = Type.Partial(
  closed({
    page: part({ url: Line, title: Line, route: Line, referrer: Line }),
    element: part({ selector: Line, testId: Line, role: Line, text: Line, rect: part({}) }),
    viewport: part({ width: Amount, height: Amount }),
    userAgent: Line,
    locale: Short,
    timeZone: Short,
    console: upTo(100, part({ level: Short, at: Time, message: Line })),
    network: upTo(50, NetworkRequest),
    actions: upTo(50, part({ type: Short, at: Time, selector: Line })),
    errors: upTo(
      50,
      part({
        type: Short,
        message: Type.String({ maxLength: 8192 }),
        stack: Type.String({ maxLength: 16_384 }),
      }),
    ),
    requestId: Type.String({
      maxLength: 128,
      description: 'Joins the issue to the log entries of a request',
    }),
  }),
  {
    title: 'IssueContext',
    description: 'What the page could tell of the moment in which the issue was seen',
  },
);

const Id = Type.String({ minLength: 1, maxLength: 100 });
const Url = Type.String({ minLength: 1, maxLength: 2048 });

/** Texts that are stored and answered as they came: each is a column of the same name, null where it is not given. */
const issueTexts = {
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

export function textsOf(issue: Partial<Record<IssueText, string | null>>) {
  const texts = ISSUE_TEXTS.map((name) => [name, issue[name] ?? null]);
  return Object.fromEntries(texts) as Record<IssueText, string | null>;
}

const others = {
  ...issueTexts,
  severity: oneOf(SEVERITIES),
  context: nullable(IssueContext),
  occurredAt: Time,
  storyIds: StoryIds,
  labels: Names,
  dedupe: Type.Boolean({
    description: 'False leaves an earlier issue with the same fingerprint alone',
  }),
};

export const IssueBody = closed(
  { title: Title, ...Type.Partial(Type.Object(others)).properties },
  { title: 'IssueInput' },
);
export type IssueInput = Static<typeof IssueBody>;

export const IssuePatch = Type.Partial(
  closed({
    title: Title,
    ...issueTexts,
    severity: oneOf(SEVERITIES),
    status: oneOf(STATUSES),
    resolution: nullable(oneOf(RESOLUTIONS)),
    duplicateOf: nullable(Id),
    storyIds: nullable(StoryIds),
    labels: nullable(Names),
    fixedInBuild: nullable(Name),
    comment: Type.String({
      minLength: 1,
      maxLength: 8192,
      pattern: '\\S',
      description: 'Is added to the history',
    }),
    removeAttachments: Type.Array(Id, {
      maxItems: 100,
      description: 'Ids of attachments to take away',
    }),
  }),
  { title: 'IssuePatch' },
);
export type IssuePatchInput = Static<typeof IssuePatch>;

const Strings = Type.Array(Type.String());

/** Filters by what a column of the same name is, any of the values given. */
const columnFilters = {
  status: Type.Array(oneOf(STATUSES)),
  severity: Type.Array(oneOf(SEVERITIES)),
  resolution: Type.Array(oneOf(RESOLUTIONS)),
  priority: Strings,
  assignee: Strings,
  reporter: Strings,
  url: Strings,
  route: Strings,
  build: Strings,
  environment: Strings,
  fixedInBuild: Strings,
  runId: Strings,
  fingerprint: Strings,
  duplicateOf: Strings,
};
export const COLUMN_FILTERS = Object.keys(columnFilters) as (keyof typeof columnFilters)[];

export const IssueQuery = Type.Partial(
  closed({
    limit: Type.Integer({ minimum: 1, maximum: 200 }),
    cursor: Type.String(),
    q: Type.String({
      maxLength: 500,
      description: 'Full text of title and description: words, "phrases", a trailing *',
    }),
    id: Type.String({ description: 'One issue, bare' }),
    number: Type.Integer({ minimum: 1, description: 'One issue, bare' }),
    ...columnFilters,
    storyIds: Strings,
    labels: Strings,
    possibleRegression: Type.Boolean(),
    duplicates: Type.Boolean({ description: 'True lists duplicates too' }),
    ...rangeOf('createdAt'),
    linkTtl: LinkTtl,
    view: oneOf(['counts'], 'How many there are by status and severity, without any filter'),
  }),
);
export type IssueFilters = Static<typeof IssueQuery>;

const summary = {
  id: idOf('issue'),
  number: Type.Integer({ minimum: 1, description: 'Counted up within the project' }),
  title: Type.String(),
  ...issueTexts,
  severity: oneOf(SEVERITIES),
  status: oneOf(STATUSES),
  resolution: nullable(oneOf(RESOLUTIONS)),
  duplicateOf: nullable(idOf('issue that this one repeats')),
  storyIds: Type.Array(Type.String(), { description: 'Stories that it concerns' }),
  labels: Strings,
  author: Actor,
  occurredAt: timeOf('When it was seen'),
  resolvedAt: nullable(timeOf('When it was resolved')),
  fixedInBuild: nullable(Type.String()),
  fingerprint: nullable(
    Type.String({ description: 'By which duplicates are known; null without route and error' }),
  ),
  occurrences: Type.Integer({ minimum: 1, description: 'Itself and its duplicates' }),
  possibleRegression: Type.Boolean({
    description: 'A widget reported again what was fixed before',
  }),
  untrusted: Untrusted,
  version: Version,
  createdAt: timeOf('When it was filed'),
  updatedAt: timeOf('When it was last changed'),
};
export const IssueSummary = Type.Object(summary);
const attachments = Type.Array(Attachment);

export const IssueChange = Type.Object(
  {
    at: timeOf('When it happened'),
    by: Actor,
    event: Type.String({ description: 'What happened' }),
    changes: Type.Array(
      Type.Object({ field: Type.String(), from: Type.Unknown(), to: Type.Unknown() }),
    ),
  },
  { title: 'IssueChange' },
);

const Duplicate = Type.Object({
  id: idOf('duplicate'),
  number: Type.Integer({ minimum: 1 }),
  build: nullable(Type.String()),
  occurredAt: timeOf('When it was seen'),
  untrusted: Untrusted,
});

export const Issue = Type.Object(
  {
    ...summary,
    attachments,
    context: nullable(IssueContext),
    history: Type.Array(IssueChange, { description: 'Every change, the oldest first' }),
    duplicates: Type.Array(Duplicate, { description: 'Issues that repeat this one' }),
  },
  { title: 'Issue' },
);

export const IssuePage = searchPageSchema(
  'IssuePage',
  Type.Object({ ...summary, attachments }, { title: 'IssueSummary' }),
);

const mayBeSent = accessRow('POST /issues').fields['widget:write'] ?? [];
const sentByWidgets = Object.entries(IssueBody.properties)
  .filter(([name]) => mayBeSent.includes(name))
  .map(([name, schema]): [string, TSchema] => [name, Type.Optional(schema)]);

export const FiledIssue = closed(
  { id: idOf('issue'), ...Object.fromEntries(sentByWidgets) },
  {
    title: 'FiledIssue',
    description: 'What a widget is answered: the id, and the fields that it sent',
  },
);
