// The shapes of one test's history and of the views of runs, for the API document.
import { Type } from '@sinclair/typebox';
import { idOf, Share, timeOf } from '../../../model/answer-schemas.ts';
import { nullable } from '../../../model/schemas.ts';
import { ResultOfRun, ResultTotals, Test, testFields } from '../schemas.ts';

const Count = Type.Integer({ minimum: 0 });

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
      description: 'Told by its newest 100 results, those that count',
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
