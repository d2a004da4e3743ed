// The bodies in which a test run comes, as the API document describes them. What is checked of them
// is in the readers.
import { Type } from '@sinclair/typebox';
import { closed, nullable, oneOf, StoryIds } from '../../model/schemas.ts';
import { RUN_FIELDS, RunFields } from '../../quality/runs/fields.ts';
import { RESULT_STATUSES } from '../../quality/runs/model.ts';

const Texts = Type.Array(Type.String(), { maxItems: 100 });
const OptionalText = Type.Optional(nullable(Type.String()));
const OptionalCount = Type.Optional(nullable(Type.Integer({ minimum: 0 })));
const BINARY = { documentedFormat: 'binary' };

const tried = {
  status: oneOf(RESULT_STATUSES),
  durationMs: OptionalCount,
  message: OptionalText,
  trace: OptionalText,
};

export const RunReport = closed(
  {
    ...RUN_FIELDS,
    tool: OptionalText,
    reportId: OptionalText,
    durationMs: OptionalCount,
    properties: Type.Optional(nullable(Type.Record(Type.String(), Type.String()))),
    results: Type.Optional(
      Type.Array(
        closed(
          {
            name: Type.String(),
            path: Type.Optional(nullable(Texts)),
            file: OptionalText,
            line: OptionalCount,
            parameters: Type.Optional(nullable(Type.Record(Type.String(), Type.Unknown()))),
            ...tried,
            attempts: Type.Optional(nullable(Type.Array(closed(tried), { maxItems: 100 }))),
            contentSha256: OptionalText,
            storyIds: Type.Optional(nullable(StoryIds)),
          },
          { title: 'NewTestResult' },
        ),
        { maxItems: 100_000 },
      ),
    ),
  },
  {
    title: 'RunReport',
    description: 'Our own report; `results` may be left out where `execution` says how it went',
  },
);

export const RunForm = Type.Object(
  {
    report: Type.Optional(
      Type.String({ ...BINARY, description: 'JUnit XML, CTRF, TAP or our own JSON' }),
    ),
    run: Type.Optional(RunFields),
  },
  {
    title: 'RunForm',
    additionalProperties: Type.String({
      ...BINARY,
      description: "Any other file, under any name, becomes the run's attachment",
    }),
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
