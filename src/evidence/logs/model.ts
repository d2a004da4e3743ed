// The shapes in which system log entries come and are shown.
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import {
  closed,
  idOf,
  Name,
  nullable,
  oneOf,
  rangeOf,
  Time,
  timeOf,
  Version,
} from '../../model/schemas.ts';
import { LEVELS, logEntries } from '../../store/tables/evidence.ts';

export { LEVELS } from '../../store/tables/evidence.ts';

/** The name under which the service itself writes. */
export const OWN_SOURCE = 'pqrs';

const LOG_STATES = logEntries.state.enumValues;
const Id = Type.String({ minLength: 1, maxLength: 100 });
const Route = Type.String({ minLength: 1, maxLength: 2048 });

export const LogEntryBody = closed(
  {
    at: Type.Optional(Time),
    level: Type.Optional(oneOf(LEVELS)),
    source: Type.Optional(
      nullable(
        Type.String({
          minLength: 1,
          maxLength: 300,
          pattern: '^(?!pqrs$)',
          says: 'must have 1 to 300 characters and not be "pqrs"',
        }),
      ),
    ),
    message: Type.String({ minLength: 1, maxLength: 8192 }),
    fields: Type.Optional(
      nullable(
        Type.Record(Type.String({ maxLength: 300 }), Type.Unknown(), { maxProperties: 100 }),
      ),
    ),
    route: Type.Optional(nullable(Route)),
    runId: Type.Optional(nullable(Id)),
    issueId: Type.Optional(nullable(Id)),
  },
  { title: 'LogEntryInput' },
);
/** An entry that is to be written; `at` in milliseconds since the epoch. */
export type NewLogEntry = Omit<Static<typeof LogEntryBody>, 'at'> & { at?: number };

const oneOrMore = <T extends TSchema>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Array(schema, { minItems: 1, maxItems: 100 })]));

/** Filters by what a column of the same name is. */
const columns = {
  level: oneOf(LEVELS),
  source: Name,
  route: Route,
  runId: Id,
  issueId: Id,
  fingerprint: Id,
  state: oneOf(LOG_STATES),
};
export const COLUMNS = Object.keys(columns) as (keyof typeof columns)[];

export const LogQuery = Type.Partial(
  closed({
    level: Type.Array(columns.level),
    source: Type.Array(columns.source),
    route: Type.Array(columns.route),
    runId: Type.Array(columns.runId),
    issueId: Type.Array(columns.issueId),
    fingerprint: Type.Array(columns.fingerprint),
    state: Type.Array(columns.state),
    minLevel: oneOf(LEVELS, 'Only those of this level or a worse one'),
    ...rangeOf('at'),
    limit: Type.Integer({ minimum: 1, maximum: 200 }),
    cursor: Type.String(),
    id: Type.String({ description: 'One entry, bare' }),
    q: Type.String({
      maxLength: 500,
      description: 'Full text of message and fields: words, "phrases", a trailing *',
    }),
    view: oneOf(['groups'], 'Entries grouped by fingerprint'),
  }),
);
export type LogFilters = Static<typeof LogQuery>;

const wanted = Object.entries(columns).map(([name, schema]) => [name, oneOrMore<TSchema>(schema)]);
const filter = closed(Object.fromEntries(wanted), { minProperties: 1 });

export const LogPatch = Type.Partial(
  closed({
    ids: Type.Array(Id, { minItems: 1, maxItems: 100_000 }),
    id: Id,
    filter: Type.Unsafe<Pick<LogFilters, keyof typeof columns>>(filter),
    state: oneOf(LOG_STATES),
    note: nullable(Type.String({ maxLength: 8192 })),
  }),
  { title: 'LogPatch' },
);
export type LogPatchInput = Static<typeof LogPatch>;

const textOrNull = nullable(Type.String());

const shared = {
  level: oneOf(LEVELS),
  source: nullable(Type.String({ description: 'Who wrote it; `pqrs` is the service itself' })),
  message: Type.String(),
  fingerprint: Type.String({ description: 'Level, source and message, numbers folded out' }),
  occurrences: Type.Integer({ minimum: 1, description: 'Entries with this fingerprint' }),
};

export const LogEntry = Type.Object(
  {
    id: idOf('entry'),
    at: timeOf('When it happened'),
    ...shared,
    fields: nullable(Type.Record(Type.String(), Type.Unknown())),
    route: textOrNull,
    runId: nullable(idOf('test run')),
    issueId: nullable(idOf('issue')),
    state: oneOf(LOG_STATES),
    note: textOrNull,
    version: Version,
  },
  { title: 'LogEntry' },
);

const Count = Type.Integer({ minimum: 0 });
export const LevelCounts = Type.Object(
  Object.fromEntries(LEVELS.map((level) => [level, Count])) as Record<
    (typeof LEVELS)[number],
    typeof Count
  >,
  { title: 'LevelCounts' },
);

export const LogGroup = Type.Object(
  {
    ...shared,
    firstAt: timeOf('When the first of them happened'),
    lastAt: timeOf('When the last of them happened'),
  },
  { title: 'LogGroup', description: 'Entries with one fingerprint' },
);
