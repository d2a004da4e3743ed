// What is said of a run beside its report: at the top of our own JSON, as the `run` part of a form,
// or in the query.
import { type Static, Type } from '@sinclair/typebox';
import { type FieldError, invalid, Problem } from '../../errors.ts';
import { clearable, closed, Name, oneOf, Text, Time, Title } from '../../model/schemas.ts';
import { compileCheck, ERRORS_SHOWN, invalidFields, storable } from '../../model/validate.ts';
import type { Execution } from '../../store/tables/json.ts';
import { RESULT_STATUSES, TEXT_LIMITS } from '../reports/model.ts';

/** Of a run, what a query can say as well as a body. */
const RUN = {
  externalId: Name,
  name: Title,
  commandId: Name,
  startedAt: Time,
  finishedAt: Time,
  commit: Name,
  branch: Name,
  environment: Name,
  revision: Type.Integer({ minimum: 0 }),
  root: Type.String({ maxLength: 1024 }),
};

const EXECUTION = {
  exitCode: Type.Integer({ minimum: -2_147_483_648, maximum: 4_294_967_295 }),
  signal: Name,
  reportSha256: Type.String({
    pattern: '^[0-9A-Fa-f]{64}$',
    says: 'must be a SHA-256 in hexadecimal',
  }),
  reportModifiedAt: Time,
};

export const RunExecution = closed(
  clearable({
    ...EXECUTION,
    startedAt: Time,
    finishedAt: Time,
    expectedFiles: Type.Array(Type.String({ minLength: 1, maxLength: 1024 }), {
      maxItems: 100_000,
    }),
    consoleTail: Text,
  }),
  {
    title: 'Execution',
    description: 'How the process went that made the report; where the two disagree, the run broke',
  },
);

export const RUN_FIELDS = {
  ...clearable({
    ...RUN,
    agent: closed({ name: Title, ...clearable({ version: Name }) }),
    execution: RunExecution,
  }),
  runId: Type.Optional(Name),
  attempt: Type.Optional(Type.Integer({ minimum: 1 })),
  lease: Type.Optional(closed({ id: Name, token: Name })),
};

export const RunFields = closed(RUN_FIELDS, {
  title: 'RunFields',
  description:
    'What a report does not say. `runId`, `attempt` and `lease` go together: the report is of a run that was claimed or opened',
});
export type RunFields = Static<typeof RunFields>;

const ReportText = Type.String({ maxLength: 16 * TEXT_LIMITS.name, pattern: '\\S' });
const ReportTexts = Type.Array(ReportText, { maxItems: 100 });
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

const outcome = {
  status: oneOf(RESULT_STATUSES),
  ...clearable({ durationMs: Count, message: Type.String(), trace: Type.String() }),
};

export const NewTestResult = closed(
  {
    ...outcome,
    name: ReportText,
    ...clearable({
      path: ReportTexts,
      file: ReportText,
      line: Count,
      parameters: Type.Record(Type.String(), Type.Unknown(), {
        maxProperties: TEXT_LIMITS.parameters,
      }),
      attempts: Type.Array(closed(outcome)),
      contentSha256: Type.String({ pattern: '^[0-9A-Fa-f]{64}$' }),
      storyIds: ReportTexts,
    }),
  },
  { title: 'NewTestResult' },
);
export type NewTestResult = Static<typeof NewTestResult>;

/** Of our own report, what it says beside the fields of its run. */
export const REPORT_FIELDS = clearable({
  tool: ReportText,
  reportId: ReportText,
  durationMs: Count,
});

export const RunReport = closed(
  {
    ...RUN_FIELDS,
    ...REPORT_FIELDS,
    results: Type.Optional(Type.Array(NewTestResult, { maxItems: 100_000 })),
  },
  {
    title: 'RunReport',
    description: 'Our own report; `results` may be left out where `execution` says how it went',
  },
);

/** Of a run, what a query can say; never its lease. */
export const RunParameters = Type.Partial(
  closed({ ...RUN, ...EXECUTION, agent: Title, agentVersion: Name }),
);
export type RunParameters = Static<typeof RunParameters>;

const check = storable(compileCheck(RunFields));

/** @param besides - what else is wrong with the body */
export function checkRunFields(value: unknown, besides: readonly FieldError[] = []): RunFields {
  try {
    const fields = check(value);
    const claim = ['runId', 'attempt', 'lease'] as const;
    const missing = claim.find((name) => fields[name] === undefined);
    if (missing && claim.some((name) => fields[name] !== undefined))
      throw invalid(`/${missing}`, 'is required: runId, attempt and lease go together');
    return fields;
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'invalid' || besides.length === 0)
      throw error;
    throw invalidFields([...error.errors, ...besides].slice(0, ERRORS_SHOWN));
  }
}

export function fieldsOfQuery(query: RunParameters): RunFields {
  const { agent, agentVersion, ...others } = query;
  if (agent === undefined && agentVersion !== undefined)
    throw invalid('/agentVersion', 'goes with agent');
  const given = Object.entries(others);
  const fields: RunFields = Object.fromEntries(given.filter(([name]) => name in RUN));
  const execution = given.filter(([name]) => name in EXECUTION);
  if (execution.length > 0) fields.execution = Object.fromEntries(execution);
  if (agent !== undefined) fields.agent = { name: agent, version: agentVersion ?? null };
  return fields;
}

/** The fields of the query with those of the body. @throws Problem `invalid` where both give one */
export function mergeRunFields(query: RunFields, body: RunFields): RunFields {
  const twice = Object.keys(body).find((name) => Object.hasOwn(query, name));
  if (twice !== undefined) throw invalid(`/${twice}`, 'is given in the query and in the body');
  return { ...query, ...body };
}

/** How the process went, as far as it is known, with the times of the run where it has none; null for nothing. */
export function executionOf({ execution, startedAt, finishedAt }: RunFields): Execution | null {
  const known = {
    ...execution,
    startedAt: execution?.startedAt ?? startedAt ?? null,
    finishedAt: execution?.finishedAt ?? finishedAt ?? null,
  };
  return Object.values(known).some((value) => value !== null) ? known : null;
}
