// The shapes in which system log entries come and are shown.
import { type Static, Type } from '@sinclair/typebox';
import { idOf, pageSchema, timeOf, Version } from '../../model/answer-schemas.ts';
import { closed, Name, nullable, oneOf, Time } from '../../model/schemas.ts';

export const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export const LOG_STATES = ['open', 'acknowledged', 'resolved'] as const;
/** The name under which the service itself writes. */
export const OWN_SOURCE = 'pqrs';

const Id = Type.String({ minLength: 1, maxLength: 100 });
const Route = Type.String({ minLength: 1, maxLength: 2048 });

const written = {
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
    nullable(Type.Record(Type.String({ maxLength: 300 }), Type.Unknown(), { maxProperties: 100 })),
  ),
  route: Type.Optional(nullable(Route)),
  runId: Type.Optional(nullable(Id)),
  issueId: Type.Optional(nullable(Id)),
};

export const LogEntryBody = closed(written, { title: 'LogEntryInput' });
export type LogEntryInput = Static<typeof LogEntryBody>;

export const logFilters = {
  level: Type.Optional(Type.Array(oneOf(LEVELS))),
  source: Type.Optional(Type.Array(Name)),
  route: Type.Optional(Type.Array(Route)),
  runId: Type.Optional(Type.Array(Id)),
  issueId: Type.Optional(Type.Array(Id)),
  fingerprint: Type.Optional(Type.Array(Id)),
  state: Type.Optional(Type.Array(oneOf(LOG_STATES))),
};

export const LogQuery = closed({
  ...logFilters,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
  cursor: Type.Optional(Type.String()),
  id: Type.Optional(Type.String({ description: 'One entry, bare' })),
  q: Type.Optional(
    Type.String({
      maxLength: 500,
      description: 'Full text of message and fields: words, "phrases", a trailing *',
    }),
  ),
  view: Type.Optional(oneOf(['groups'], 'Entries grouped by fingerprint')),
});
export type LogFilters = Static<typeof LogQuery>;

function oneOrMore<T extends Parameters<typeof Type.Array>[0]>(schema: T) {
  return Type.Optional(Type.Union([schema, Type.Array(schema, { minItems: 1, maxItems: 100 })]));
}

const settling = {
  ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: 100_000 })),
  id: Type.Optional(Id),
  filter: Type.Optional(
    closed(
      {
        level: oneOrMore(oneOf(LEVELS)),
        source: oneOrMore(Name),
        route: oneOrMore(Route),
        runId: oneOrMore(Id),
        issueId: oneOrMore(Id),
        fingerprint: oneOrMore(Id),
        state: oneOrMore(oneOf(LOG_STATES)),
      },
      { minProperties: 1 },
    ),
  ),
  state: Type.Optional(oneOf(LOG_STATES)),
  note: Type.Optional(nullable(Type.String({ maxLength: 8192 }))),
};

export const LogPatch = closed(settling, { title: 'LogPatch' });
export type LogPatchInput = Static<typeof LogPatch>;

const textOrNull = nullable(Type.String());

const shared = {
  level: oneOf(LEVELS),
  source: nullable(Type.String({ description: 'Who wrote it; `pqrs` is the service itself' })),
  message: Type.String(),
  fingerprint: Type.String({ description: 'Level, source and message, numbers folded out' }),
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
    occurrences: Type.Integer({ minimum: 1, description: 'Entries with this fingerprint' }),
    state: oneOf(LOG_STATES),
    note: textOrNull,
    version: Version,
  },
  { title: 'LogEntry' },
);

export const LogGroup = Type.Object(
  {
    ...shared,
    occurrences: Type.Integer({ minimum: 1, description: 'Entries of the group' }),
    firstAt: timeOf('When the first of them happened'),
    lastAt: timeOf('When the last of them happened'),
  },
  { title: 'LogGroup', description: 'Entries with one fingerprint' },
);

export const LogEntryPage = pageSchema('LogEntryPage', LogEntry);
export const LogGroupPage = pageSchema('LogGroupPage', LogGroup);

export const LogReceipt = Type.Object(
  {
    accepted: Type.Integer({ minimum: 1, description: 'Entries written' }),
    ids: Type.Array(Type.String(), { description: 'Their ids, in the order sent' }),
  },
  { title: 'LogReceipt' },
);

export const LogUpdate = Type.Object(
  { updated: Type.Integer({ minimum: 0, description: 'Entries changed' }) },
  { title: 'LogUpdate' },
);
