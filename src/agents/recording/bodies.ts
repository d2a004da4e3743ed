// The bodies in which a test run comes, as the API document describes them. What is checked of them
// is in the readers.
import { type TSchema, Type } from '@sinclair/typebox';
import { closed, nullable, oneOf, StoryIds } from '../../model/schemas.ts';
import { RUN_FIELDS, RunFields } from '../../quality/runs/fields.ts';
import { RESULT_STATUSES } from '../../quality/runs/model.ts';

const maybe = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema));
const text = maybe(Type.String());
const count = maybe(Type.Integer({ minimum: 0 }));

const tried = { status: oneOf(RESULT_STATUSES), durationMs: count, message: text, trace: text };

const NewTestResult = closed(
  {
    name: Type.String(),
    path: maybe(Type.Array(Type.String(), { maxItems: 100 })),
    file: text,
    line: count,
    parameters: maybe(Type.Record(Type.String(), Type.Unknown())),
    ...tried,
    attempts: maybe(Type.Array(closed(tried), { maxItems: 100 })),
    contentSha256: text,
    storyIds: maybe(StoryIds),
  },
  { title: 'NewTestResult' },
);

const RunReport = closed(
  {
    ...RUN_FIELDS,
    tool: text,
    reportId: text,
    durationMs: count,
    properties: maybe(Type.Record(Type.String(), Type.String())),
    results: Type.Optional(Type.Array(NewTestResult, { maxItems: 100_000 })),
  },
  {
    title: 'RunReport',
    description: 'Our own report; `results` may be left out where `execution` says how it went',
  },
);

const binary = (description: string) => Type.String({ documentedFormat: 'binary', description });

const RunForm = Type.Object(
  {
    report: Type.Optional(binary('JUnit XML, CTRF, TAP or our own JSON')),
    run: Type.Optional(RunFields),
  },
  {
    title: 'RunForm',
    additionalProperties: binary("Any other file, under any name, becomes the run's attachment"),
  },
);

export const RUN_BODIES = {
  'application/json': RunReport,
  'application/xml': Type.String({ description: 'JUnit XML' }),
  'text/xml': Type.String({ description: 'JUnit XML' }),
  'application/vnd.ctrf+json': Type.Object(
    {},
    { additionalProperties: true, description: 'CTRF (https://ctrf.io)' },
  ),
  'text/tap': Type.String({ description: 'TAP 13 or 14' }),
  'multipart/form-data': RunForm,
};
