// What a test run and its results are, as they are shown.
import { type Static, type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { invalid } from '../../errors.ts';
import { Attachment } from '../../evidence/attachments/model.ts';
import { LinkTtl } from '../../evidence/issues/model.ts';
import { MAX_PAGE_SIZE } from '../../model/pages.ts';
import {
  Actor,
  closed,
  countedPageSchema,
  idOf,
  Names,
  nullable,
  oneOf,
  pageSchema,
  rangeOf,
  Share,
  timeOf,
  Version,
} from '../../model/schemas.ts';
import { RESULT_STATUSES } from '../reports/model.ts';
import { RunExecution } from './fields.ts';

const RUN_STATUSES = ['passed', 'failed', 'broken'] as const;

/** Results that a run may have: the `seq` of one is its run's batch times this, plus its position. */
export const BATCH_SPAN = 131_072;

const TextOrNull = nullable(Type.String());
const CountOf = (description: string) => Type.Integer({ minimum: 0, description });
const Count = Type.Integer({ minimum: 0 });
const Milliseconds = CountOf('Milliseconds');
const DurationOrNull = nullable(Milliseconds);

const testFields = {
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

const outcome = {
  status: oneOf(RESULT_STATUSES),
  durationMs: DurationOrNull,
  message: TextOrNull,
  trace: TextOrNull,
};

const resultFields = {
  ...testFields,
  ...outcome,
  attempts: Type.Array(Type.Object(outcome), {
    description: 'Every try in order, the last one included; empty where there was one only',
  }),
  flaky: Type.Boolean({
    description: 'Passed and failed in this run, or in others at its commit and environment',
  }),
  contentSha256: nullable(Type.String({ description: "Hash of the test's own content" })),
  storyIds: Type.Array(Type.String(), { description: 'Stories that it names' }),
};

const point = {
  runId: idOf('test run'),
  commit: TextOrNull,
  at: timeOf('Its end, else its start, else its arrival'),
};

export const Outcome = Type.Object(
  {
    status: oneOf(RESULT_STATUSES),
    flaky: Type.Boolean({
      description: 'The test, or one of the command, passed and failed in that run',
    }),
    ...point,
  },
  { title: 'Outcome' },
);
export type Outcome = Static<typeof Outcome>;
export const FailingSince = Type.Object(point, { title: 'FailingSince' });

/** How a test or command went of late. */
export const stripFields = {
  strip: Type.Array(Outcome, {
    description: 'Its newest 20 outcomes of runs that count, the newest last',
  }),
  failingSince: nullable(
    FailingSince,
    'Where the newest outcome failed, the first of the failures that no pass ends, of its newest 100',
  ),
};

export const TestResult = Type.Object({ ...resultFields, ...stripFields }, { title: 'TestResult' });

const ResultTotals = Type.Object(
  {
    tests: Count,
    passed: Count,
    failed: Count,
    broken: Count,
    skipped: Count,
    unknown: Count,
    flaky: CountOf('Counted as passed or failed too'),
  },
  { title: 'ResultTotals' },
);

export const RunAttachment = Type.Object(
  { ...Type.Omit(Attachment, ['issueId']).properties, runId: idOf('test run') },
  { title: 'RunAttachment' },
);
export type RunAttachment = Static<typeof RunAttachment>;

const placeFields = {
  id: idOf('test run'),
  name: Type.String(),
  commandId: nullable(idOf('test command')),
  status: oneOf(RUN_STATUSES),
  late: Type.Boolean({ description: 'Its report came after its lease had been lost' }),
  counts: Type.Boolean({
    description:
      'For coverage, validation, plans and statistics; late runs and those of widgets do not',
  }),
  commit: TextOrNull,
  branch: TextOrNull,
  environment: TextOrNull,
};

const summaryFields = {
  ...placeFields,
  externalId: nullable(Type.String({ description: 'Id that the caller gave' })),
  planId: nullable(idOf('plan')),
  suiteId: nullable(idOf('suite')),
  attempt: nullable(Type.Integer({ minimum: 1 })),
  agent: nullable(Type.Object({ name: Type.String(), version: TextOrNull })),
  startedAt: nullable(timeOf('When it started')),
  finishedAt: nullable(timeOf('When it ended')),
  durationMs: DurationOrNull,
  revision: CountOf('Revision of the stories that it is of'),
  totals: ResultTotals,
  harnessErrors: Type.Array(
    Type.Object({ code: Type.String(), detail: Type.String() }, { title: 'HarnessError' }),
    { description: 'Why the run cannot be trusted: with any of them it is `broken`' },
  ),
  format: nullable(Type.String({ description: 'Of its report' })),
  tool: nullable(Type.String({ description: 'That wrote the report' })),
  author: Actor,
  version: Version,
  createdAt: timeOf('When it was recorded'),
  attachments: Type.Array(RunAttachment),
};

export const TestRunSummary = Type.Object(summaryFields, { title: 'TestRunSummary' });
export const TestRunPage = Type.Object(
  {
    ...countedPageSchema('', TestRunSummary).properties,
    statuses: Type.Optional(
      Type.Object(
        { passed: Count, failed: Count, broken: Count },
        { description: 'With `count`: how many of those that are counted have each' },
      ),
    ),
  },
  { title: 'TestRunPage' },
);

const runFields = {
  ...summaryFields,
  execution: nullable(RunExecution),
};

export const TestRun = Type.Object(runFields, { title: 'TestRun' });

export const TestRunWithResults = Type.Object(
  { ...runFields, results: pageSchema('TestResultPage', TestResult) },
  { title: 'TestRunWithResults', description: 'A run with a page of its results' },
);

export const RunReference = Type.Object(
  { ...placeFields, at: timeOf('Its end, else its start, else its arrival') },
  { title: 'RunReference' },
);

const flakinessFields = {
  flaky: Type.Boolean(),
  runs: CountOf('Runs in which it passed or failed'),
  passed: Count,
  failed: Count,
  withinRun: CountOf('Runs in which it did both'),
  acrossRuns: CountOf('Commits, with their environment, at which it did both in different runs'),
  flipRate: Share,
};

export const Flakiness = Type.Object(flakinessFields, {
  title: 'Flakiness',
  description: 'From its newest 100 results, those that count',
});
export type Flakiness = Static<typeof Flakiness>;

function pageWith<T extends TSchema, M extends Record<string, TSchema>>(
  title: string,
  item: T,
  more: M,
) {
  return Type.Object({ ...pageSchema('', item).properties, ...more }, { title });
}

export const TestResultOfRun = Type.Object(
  { ...resultFields, run: RunReference },
  { title: 'TestResultOfRun' },
);

export const TestHistory = pageWith('TestHistory', TestResultOfRun, {
  test: Test,
  flakiness: Flakiness,
});

const viewFields = {
  window: Type.Object(
    { runs: Count, results: Count },
    { title: 'RunWindow', description: 'The newest runs that count, of which the view was made' },
  ),
  total: CountOf('Found in all; the first 1,000 tests are listed'),
};

/** What views say of each test beside what they found. */
const ofLate = {
  storyIds: Type.Array(Type.String(), { description: 'Stories that its newest result names' }),
  commandId: nullable(Type.String({ description: 'Command that reported it last' })),
  ...stripFields,
};

function withLately<P extends TProperties>(title: string, { properties }: TObject<P>) {
  return Type.Object({ ...properties, ...ofLate }, { title });
}

export const FlakyTest = Type.Object({ ...testFields, ...flakinessFields });

export const FailingGroup = Type.Object(
  {
    size: CountOf('Tests in the group'),
    runs: CountOf('Runs in which at least half of them failed'),
    flaky: CountOf('How many of them flake'),
    tests: Type.Array(Test, { description: 'The first 20 of them' }),
  },
  { title: 'FailingGroup', description: 'Tests that fail in the same runs' },
);

export const FlakyTests = pageWith('FlakyTests', withLately('FlakyTest', FlakyTest), {
  ...viewFields,
  groups: Type.Array(FailingGroup),
});

export const SlowTest = Type.Object({
  ...testFields,
  runs: CountOf('Runs that tell how long it took'),
  p50Ms: Milliseconds,
  p95Ms: Milliseconds,
  time: Share,
});

export const SlowestTests = pageWith('SlowestTests', withLately('SlowTest', SlowTest), viewFields);

export const TrendPoint = Type.Object(
  {
    runId: nullable(idOf('test run')),
    day: nullable(Type.String({ documentedFormat: 'date', description: 'In UTC' })),
    commit: nullable(Type.String({ description: 'The one that all its runs are of' })),
    from: timeOf('Of its earliest run'),
    to: timeOf('Of its latest run'),
    runs: Type.Object({ total: Count, passed: Count, failed: Count, broken: Count }),
    totals: ResultTotals,
    passed: Share,
    durationMs: nullable(CountOf('Milliseconds: the median of its runs')),
  },
  { title: 'TrendPoint' },
);

export const RunTrend = pageWith('RunTrend', TrendPoint, viewFields);

export const CHANGES = ['newly_failing', 'still_failing', 'newly_passing', 'new', 'gone'] as const;

export const ComparedTest = Type.Object({
  ...testFields,
  change: oneOf(CHANGES),
  from: nullable(oneOf(RESULT_STATUSES)),
  to: nullable(oneOf(RESULT_STATUSES)),
});

const Compared = Type.Object({ runs: Count, results: Count });

export const RunComparison = pageWith('RunComparison', withLately('ComparedTest', ComparedTest), {
  from: Compared,
  to: Compared,
  counts: Type.Object(
    { newly_failing: Count, still_failing: Count, newly_passing: Count, new: Count, gone: Count },
    { description: 'A test that is new and fails is newly failing' },
  ),
  total: viewFields.total,
});

const anyOf = (description: string) => Type.Optional({ ...Names, description });

export const RunQuery = closed({
  status: Type.Optional(
    Type.Array(oneOf(RESULT_STATUSES), {
      description: 'Of runs: passed, failed, broken; with `id` and `testKey` of results: any',
    }),
  ),
  commandId: anyOf('Command that they are of'),
  suiteId: anyOf('Suite that they were claimed in'),
  planId: anyOf('Plan that they were claimed from'),
  branch: anyOf('Branch that was tested'),
  commit: anyOf('Commit that was tested'),
  environment: anyOf('Environment that was tested in'),
  agent: anyOf('Name of the agent that ran it'),
  externalId: anyOf('Id that the caller gave'),
  late: Type.Optional(Type.Boolean({ description: 'Whether the report came after its lease' })),
  ...rangeOf('startedAt'),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE })),
  cursor: Type.Optional(Type.String()),
  id: Type.Optional(Type.String({ description: 'One run, bare, its results in pages' })),
  runId: Type.Optional(Type.String({ description: 'The same' })),
  testKey: Type.Optional(Type.String({ description: 'The results of one test' })),
  view: Type.Optional(
    oneOf(['flaky', 'trend', 'slowest', 'compare'], 'What the newest runs say together'),
  ),
  from: Type.Optional(Type.String({ description: 'With `view=compare`: a run, commit or branch' })),
  to: Type.Optional(Type.String({ description: 'As `from`' })),
  change: Type.Optional(
    Type.Array(oneOf(CHANGES), { description: 'With `view=compare`: what is listed, else all' }),
  ),
  by: Type.Optional(
    oneOf(['run', 'day', 'commit'], 'With `view=trend`: what a point is of; a run by default'),
  ),
  linkTtl: LinkTtl,
});
export type RunQuery = Static<typeof RunQuery>;
export type RunView = NonNullable<RunQuery['view']>;
export type TrendStep = NonNullable<RunQuery['by']>;

export type RunFilters = Omit<
  RunQuery,
  | 'limit'
  | 'cursor'
  | 'count'
  | 'id'
  | 'runId'
  | 'testKey'
  | 'view'
  | 'by'
  | 'from'
  | 'to'
  | 'change'
  | 'linkTtl'
>;

/** What a list of runs names one by. @throws Problem `invalid` where both are given */
export function runIdOf({ id, runId }: { id?: string; runId?: string }): string | undefined {
  if (id !== undefined && runId !== undefined) throw invalid('/runId', 'goes without id');
  return id ?? runId;
}

const PLACE = ['branch', 'commit', 'environment'];
const VIEWED = [...PLACE, 'since', 'until', 'commandId', 'suiteId', 'planId', 'agent'];
const LIST = 'a list of runs';

const GOES_WITH: Record<string, readonly string[]> = {
  [LIST]: [...VIEWED, 'status', 'externalId', 'late', 'count', 'linkTtl'],
  id: ['status', 'linkTtl'],
  testKey: ['status', ...PLACE],
  'view=flaky': VIEWED,
  'view=slowest': VIEWED,
  'view=trend': [...VIEWED, 'by'],
  'view=compare': ['from', 'to', 'change'],
};

export function requireFitting(query: RunQuery): void {
  const { id, testKey, view, status } = query;
  const named = id !== undefined ? 'id' : testKey !== undefined ? 'testKey' : 'view';
  const asked = named !== 'view' ? named : view ? `view=${view}` : LIST;
  const allowed = [named, 'limit', 'cursor', ...(GOES_WITH[asked] ?? [])];
  const other = Object.keys(query).find((name) => !allowed.includes(name));
  if (other) throw invalid(`/${other}`, `does not go with ${asked}`);
  const side = (['from', 'to'] as const).find((name) => query[name] === undefined);
  if (view === 'compare' && side) throw invalid(`/${side}`, 'is required with view=compare');
  if (asked === LIST && status?.some((one) => !RUN_STATUSES.includes(one as never)))
    throw invalid('/status', `must be one of ${RUN_STATUSES.join(', ')} where runs are listed`);
}
