// The shapes in which test runs and their results are shown, for the API document.
import { Type } from '@sinclair/typebox';
import { Attachment } from '../../evidence/attachments/model.ts';
import { Actor, idOf, pageSchema, timeOf, Version } from '../../model/answer-schemas.ts';
import { nullable, oneOf } from '../../model/schemas.ts';
import { RESULT_STATUSES } from './result-rows.ts';
import { RUN_STATUSES } from './test-runs.ts';

const textOrNull = nullable(Type.String());
const Count = Type.Integer({ minimum: 0 });
const Duration = nullable(Type.Integer({ minimum: 0, description: 'Milliseconds' }));

/** What identifies a test. */
export const testFields = {
  testKey: Type.String({ description: 'Kept from run to run' }),
  name: Type.String(),
  path: Type.Array(Type.String(), {
    description: 'The suites that it stands in, from the outermost',
  }),
  file: nullable(Type.String({ description: 'Relative to the root' })),
  line: nullable(Type.Integer()),
  parameters: nullable(Type.Record(Type.String(), Type.String())),
};

export const Test = Type.Object(testFields, { title: 'Test' });

const resultFields = {
  ...testFields,
  status: oneOf(RESULT_STATUSES),
  durationMs: Duration,
  attempts: Type.Array(
    Type.Object({
      status: oneOf(RESULT_STATUSES),
      durationMs: Duration,
      message: textOrNull,
      trace: textOrNull,
    }),
    { description: 'Every try in order, the last one included; empty where there was one only' },
  ),
  flaky: Type.Boolean({
    description: 'Passed and failed in this run, or in others at its commit and environment',
  }),
  message: textOrNull,
  trace: textOrNull,
  contentSha256: nullable(Type.String({ description: "Hash of the test's own content" })),
  storyIds: Type.Array(Type.String(), { description: 'Stories that it names' }),
};

export const TestResult = Type.Object(resultFields, { title: 'TestResult' });

export const ResultTotals = Type.Object(
  {
    tests: Count,
    passed: Count,
    failed: Count,
    broken: Count,
    skipped: Count,
    unknown: Count,
    flaky: Type.Integer({ minimum: 0, description: 'Counted as passed or failed too' }),
  },
  { title: 'ResultTotals' },
);

export const RunAttachment = Type.Object(
  {
    ...Object.fromEntries(
      Object.entries(Attachment.properties).filter(([name]) => name !== 'issueId'),
    ),
    runId: idOf('test run'),
  },
  { title: 'RunAttachment' },
);

export const HarnessErrors = Type.Array(
  Type.Object({ code: Type.String(), detail: Type.String() }, { title: 'HarnessError' }),
  { description: 'Why the run cannot be trusted: with any of them it is `broken`' },
);

const summary = {
  id: idOf('test run'),
  externalId: nullable(Type.String({ description: 'Id that the caller gave' })),
  name: Type.String(),
  planId: nullable(idOf('plan')),
  suiteId: nullable(idOf('suite')),
  commandId: nullable(idOf('test command')),
  attempt: nullable(Type.Integer({ minimum: 1 })),
  agent: nullable(Type.Object({ name: Type.String(), version: textOrNull })),
  status: oneOf(RUN_STATUSES),
  late: Type.Boolean({ description: 'Its report came after its lease had been lost' }),
  counts: Type.Boolean({
    description:
      'For coverage, validation, plans and statistics; late runs and those of widgets do not',
  }),
  startedAt: nullable(timeOf('When it started')),
  finishedAt: nullable(timeOf('When it ended')),
  durationMs: Duration,
  commit: textOrNull,
  branch: textOrNull,
  environment: textOrNull,
  revision: Type.Integer({ minimum: 0, description: 'Revision of the stories that it is of' }),
  totals: ResultTotals,
  harnessErrors: HarnessErrors,
  format: nullable(Type.String({ description: 'Of its report' })),
  tool: nullable(Type.String({ description: 'That wrote the report' })),
  author: Actor,
  version: Version,
  createdAt: timeOf('When it was recorded'),
  attachments: Type.Array(RunAttachment),
};

const whole = {
  ...summary,
  execution: nullable(
    Type.Object(
      {},
      { additionalProperties: true, description: 'How the process went that made the report' },
    ),
  ),
  properties: Type.Record(Type.String(), Type.String(), {
    description: 'What the report says of its run',
  }),
};

/** A run as its recording is answered: without its results. */
export const TestRun = Type.Object(whole, { title: 'TestRun' });

export const TestRunWithResults = Type.Object(
  { ...whole, results: pageSchema('TestResultPage', TestResult) },
  { title: 'TestRunWithResults', description: 'A run with a page of its results' },
);

export const TestRunPage = pageSchema(
  'TestRunPage',
  Type.Object(summary, { title: 'TestRunSummary' }),
);

export const RunReference = Type.Object(
  {
    id: idOf('test run'),
    name: Type.String(),
    commandId: nullable(idOf('test command')),
    status: oneOf(RUN_STATUSES),
    late: Type.Boolean(),
    counts: Type.Boolean(),
    commit: textOrNull,
    branch: textOrNull,
    environment: textOrNull,
    at: timeOf('Its end, else its start, else its arrival'),
  },
  { title: 'RunReference' },
);

/** A result with the run that it is of. */
export const ResultOfRun = Type.Object(
  { ...resultFields, run: RunReference },
  { title: 'TestResultOfRun' },
);
