// The shapes in which test runs and their results are shown, for the API document.
import { Type } from '@sinclair/typebox';
import { Attachment } from '../../evidence/attachments/model.ts';
import { Actor, idOf, pageSchema, Share, timeOf, Version } from '../../model/answer-schemas.ts';
import { nullable, oneOf } from '../../model/schemas.ts';
import { RESULT_STATUSES } from './result-rows.ts';
import { RUN_STATUSES } from './test-runs.ts';

const textOrNull = nullable(Type.String());
const Count = Type.Integer({ minimum: 0 });
const Duration = nullable(Type.Integer({ minimum: 0, description: 'Milliseconds' }));

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

export const ResultOfRun = Type.Object(
  { ...resultFields, run: RunReference },
  { title: 'TestResultOfRun' },
);

const flakinessFields = {
  flaky: Type.Boolean(),
  runs: Type.Integer({ minimum: 0, description: 'Runs in which it passed or failed' }),
  passed: Count,
  failed: Count,
  withinRun: Type.Integer({ minimum: 0, description: 'Runs in which it did both' }),
  acrossRuns: Type.Integer({
    minimum: 0,
    description: 'Commits, with their environment, at which it did both in different runs',
  }),
  flipRate: Share,
};

const nextCursor = nullable(
  Type.String({ description: 'The `cursor` of the next page; null on the last' }),
);

export const TestHistory = Type.Object(
  {
    items: Type.Array(ResultOfRun),
    nextCursor,
    test: Test,
    flakiness: Type.Object(flakinessFields, {
      title: 'Flakiness',
      description: 'From its newest 100 results, those that count',
    }),
  },
  { title: 'TestHistory' },
);

const viewed = {
  nextCursor,
  window: Type.Object(
    { runs: Count, results: Count },
    { title: 'RunWindow', description: 'The newest runs that count, of which the view was made' },
  ),
  total: Type.Integer({
    minimum: 0,
    description: 'Found in all; the first 1,000 tests are listed',
  }),
};

const FlakyTest = Type.Object({ ...testFields, ...flakinessFields }, { title: 'FlakyTest' });

const FailingGroup = Type.Object(
  {
    size: Type.Integer({ minimum: 2, description: 'Tests in the group' }),
    runs: Type.Integer({ minimum: 2, description: 'Runs in which at least half of them failed' }),
    flaky: Type.Integer({ minimum: 0, description: 'How many of them flake' }),
    tests: Type.Array(Test, { description: 'The first 20 of them' }),
  },
  { title: 'FailingGroup', description: 'Tests that fail in the same runs' },
);

export const FlakyTests = Type.Object(
  { items: Type.Array(FlakyTest), ...viewed, groups: Type.Array(FailingGroup) },
  { title: 'FlakyTests' },
);

const TrendPoint = Type.Object(
  {
    runId: nullable(idOf('test run')),
    day: nullable(Type.String({ documentedFormat: 'date', description: 'In UTC' })),
    commit: nullable(Type.String({ description: 'The one that all its runs are of' })),
    from: timeOf('Of its earliest run'),
    to: timeOf('Of its latest run'),
    runs: Type.Object({ total: Count, passed: Count, failed: Count, broken: Count }),
    totals: ResultTotals,
    passed: Share,
    durationMs: nullable(
      Type.Integer({ minimum: 0, description: 'Milliseconds: the median of its runs' }),
    ),
  },
  { title: 'TrendPoint' },
);

export const RunTrend = Type.Object(
  { items: Type.Array(TrendPoint), ...viewed },
  { title: 'RunTrend' },
);

const Milliseconds = Type.Integer({ minimum: 0, description: 'Milliseconds' });

const SlowTest = Type.Object(
  {
    ...testFields,
    runs: Type.Integer({ minimum: 1, description: 'Runs that tell how long it took' }),
    p50Ms: Milliseconds,
    p95Ms: Milliseconds,
    maxMs: Milliseconds,
    time: Share,
  },
  { title: 'SlowTest' },
);

export const SlowestTests = Type.Object(
  { items: Type.Array(SlowTest), ...viewed },
  { title: 'SlowestTests' },
);
