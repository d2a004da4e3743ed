// What is said of a run beside its report: at the top of our own JSON, as the `run` part of a form,
// or in the query.
import { type Static, Type } from '@sinclair/typebox';
import { type FieldError, invalid, Problem } from '../../errors.ts';
import { closed, Name, nullable, Text, Time, Title } from '../../model/schemas.ts';
import { storable } from '../../model/storable.ts';
import { compileCheck, ERRORS_SHOWN, invalidFields } from '../../model/validate.ts';
import { readTime, rfc3339 } from '../reports/figures.ts';
import type { Execution } from './verdict.ts';

const Sha256 = Type.String({
  pattern: '^[0-9A-Fa-f]{64}$',
  says: 'must be a SHA-256 in hexadecimal',
});
const Root = Type.String({ maxLength: 1024 });
const ExitCode = Type.Integer({ minimum: -2_147_483_648, maximum: 4_294_967_295 });

function maybe<T extends Parameters<typeof nullable>[0]>(schema: T) {
  return Type.Optional(nullable(schema));
}

export const RunExecution = closed(
  {
    exitCode: maybe(ExitCode),
    signal: maybe(Name),
    startedAt: maybe(Time),
    finishedAt: maybe(Time),
    reportSha256: maybe(Sha256),
    reportModifiedAt: maybe(Time),
    expectedFiles: maybe(
      Type.Array(Type.String({ minLength: 1, maxLength: 1024 }), { maxItems: 100_000 }),
    ),
    consoleTail: maybe(Text),
  },
  {
    title: 'Execution',
    description: 'How the process went that made the report; where the two disagree, the run broke',
  },
);

/** What is said of a run, by name. */
export const RUN_FIELDS = {
  externalId: maybe(Name),
  name: maybe(Title),
  commandId: maybe(Name),
  runId: Type.Optional(Name),
  attempt: Type.Optional(Type.Integer({ minimum: 1 })),
  lease: Type.Optional(closed({ id: Name, token: Name })),
  agent: maybe(closed({ name: Title, version: maybe(Name) })),
  startedAt: maybe(Time),
  finishedAt: maybe(Time),
  commit: maybe(Name),
  branch: maybe(Name),
  environment: maybe(Name),
  revision: maybe(Type.Integer({ minimum: 0 })),
  root: maybe(Root),
  execution: maybe(RunExecution),
};

export const RunFields = closed(RUN_FIELDS, {
  title: 'RunFields',
  description:
    'What a report does not say. `runId`, `attempt` and `lease` go together: the report is of a run that was claimed or opened',
});
export type RunFields = Static<typeof RunFields>;

/** Names of the fields, which our own JSON has at its top. */
export const RUN_FIELD_NAMES: readonly string[] = Object.keys(RUN_FIELDS);

/** Of a run, what a query can say; never its lease. */
export const RunParameters = closed({
  externalId: Type.Optional(Name),
  name: Type.Optional(Title),
  commandId: Type.Optional(Name),
  agent: Type.Optional(Title),
  agentVersion: Type.Optional(Name),
  startedAt: Type.Optional(Time),
  finishedAt: Type.Optional(Time),
  commit: Type.Optional(Name),
  branch: Type.Optional(Name),
  environment: Type.Optional(Name),
  revision: Type.Optional(Type.Integer({ minimum: 0 })),
  root: Type.Optional(Root),
  exitCode: Type.Optional(ExitCode),
  signal: Type.Optional(Name),
  reportSha256: Type.Optional(Sha256),
  reportModifiedAt: Type.Optional(Time),
});
export type RunParameters = Static<typeof RunParameters>;

const check = storable(compileCheck(RunFields));

/**
 * Checks the fields of a body.
 *
 * @throws Problem `invalid` where something is wrong with them
 */
export function checkRunFields(value: unknown, besides: readonly FieldError[] = []): RunFields {
  try {
    return checkClaimed(value);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'invalid' || besides.length === 0)
      throw error;
    throw invalidFields([...error.errors, ...besides].slice(0, ERRORS_SHOWN));
  }
}

function checkClaimed(value: unknown): RunFields {
  const fields = check(value);
  const claim = [fields.runId, fields.attempt, fields.lease];
  if (claim.some((one) => one !== undefined) && claim.includes(undefined)) {
    const missing = (['runId', 'attempt', 'lease'] as const).find(
      (name) => fields[name] === undefined,
    );
    throw invalid(`/${missing}`, 'is required: runId, attempt and lease go together');
  }
  return fields;
}

export function fieldsOfQuery(query: RunParameters): RunFields {
  const { agent, agentVersion, exitCode, signal, reportSha256, reportModifiedAt, ...fields } =
    query;
  if (agent === undefined && agentVersion !== undefined)
    throw invalid('/agentVersion', 'goes with agent');
  const execution = givenOf({ exitCode, signal, reportSha256, reportModifiedAt });
  return {
    ...fields,
    ...(agent === undefined
      ? {}
      : { agent: { name: agent, ...givenOf({ version: agentVersion }) } }),
    ...(Object.keys(execution).length === 0 ? {} : { execution }),
  };
}

/**
 * The fields of the query with those of the body.
 *
 * @throws Problem `invalid` where both give one
 */
export function mergeRunFields(query: RunFields, body: RunFields): RunFields {
  const twice = Object.keys(body).find((name) => Object.hasOwn(query, name));
  if (twice !== undefined) throw invalid(`/${twice}`, 'is given in the query and in the body');
  return { ...query, ...body };
}

/**
 * How the process went, as far as it is known: its start is that of the run where it has none of its
 * own. Null for nothing.
 */
export function executionOf({ execution, startedAt, finishedAt }: RunFields): Execution | null {
  const given = execution ?? {};
  const times = {
    startedAt: given.startedAt ?? startedAt ?? null,
    finishedAt: given.finishedAt ?? finishedAt ?? null,
  };
  const isKnown = Object.values({ ...given, ...times }).some(
    (value) => value !== undefined && value !== null,
  );
  return isKnown ? { ...given, ...times } : null;
}

const EXECUTION_TIMES = ['startedAt', 'finishedAt', 'reportModifiedAt'] as const;

/** An execution with its times in UTC with milliseconds; null for one that is no moment since 1970. */
export function withTimesInUtc(execution: Execution): Execution {
  const shown = { ...execution };
  for (const name of EXECUTION_TIMES) {
    if (shown[name] === undefined) continue;
    const time = readTime(shown[name]);
    shown[name] = time && rfc3339(time.ms);
  }
  return shown;
}

function givenOf<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
