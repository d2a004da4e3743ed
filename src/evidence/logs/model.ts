// The shapes in which system log entries come, which are also in the API document.
import { type Static, Type } from '@sinclair/typebox';
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

/** What a list is filtered by, and a change may be. */
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

/** One value or a list of them, in a body. */
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
