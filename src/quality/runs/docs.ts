// What the API document says of reading test runs.
import { ATTACHMENT_EXAMPLE } from '../../evidence/attachments/docs.ts';
import type { OperationDocs } from '../../model/docs.ts';
import { shareOf } from './share.ts';

const RUN_ID = 'run_01k4mz6g9vm3b7qk2xw5t8r0ya';
const COMMIT = '9f2c1ab84d7e60f35b1c2d9a8e7f6b5c4d3e2f10';
const COUNTED = { passed: 1, failed: 1, broken: 0 };
const TOTALS = { tests: 2, ...COUNTED, skipped: 0, unknown: 0, flaky: 0 };

const { issueId: _, ...FILE } = ATTACHMENT_EXAMPLE;

const SUMMARY = {
  id: RUN_ID,
  externalId: 'ci-4711',
  name: 'checkout',
  planId: null,
  suiteId: null,
  commandId: 'cmd_01k4mz5a7sd2n4pq6rt8vw0xyz',
  attempt: null,
  agent: { name: 'ci-linux-3', version: '2026.1.0' },
  status: 'failed',
  late: false,
  counts: true,
  startedAt: '2026-01-31T12:00:00.000Z',
  finishedAt: '2026-01-31T12:00:04.200Z',
  durationMs: 4200,
  commit: COMMIT,
  branch: 'main',
  environment: 'staging',
  revision: 3,
  totals: TOTALS,
  harnessErrors: [],
  format: 'junit',
  tool: 'bun test',
  author: { tokenId: 'tok_01k4mz2v9cf8ptw0yq3e6r7h5d', label: 'ci' },
  version: 1,
  createdAt: '2026-01-31T12:00:05.000Z',
  attachments: [{ ...FILE, runId: RUN_ID }],
};

/** A run as the API document shows it, without its results. */
export const TEST_RUN_EXAMPLE = {
  ...SUMMARY,
  execution: { exitCode: 1, signal: null },
  properties: { ci: 'true' },
};

const TEST = {
  testKey: 't1:4ca495991b7852b855d2c0a9e31',
  name: 'takes a card [US-12]',
  path: ['checkout'],
  file: 'test/checkout.test.ts',
  line: 12,
  parameters: null,
};

export const TEST_RESULT_EXAMPLE = {
  ...TEST,
  status: 'failed',
  durationMs: 1200,
  attempts: [],
  flaky: true,
  message: 'expected 200, got 502',
  trace: 'at test/checkout.test.ts:14:5',
  contentSha256: null,
  storyIds: ['US-12'],
};

const FLAKINESS = {
  flaky: true,
  runs: 40,
  passed: 37,
  failed: 3,
  withinRun: 1,
  acrossRuns: 1,
  flipRate: shareOf(6, 39),
};

const VIEWED = { nextCursor: null, window: { runs: 40, results: 5200 }, total: 1 };

export const READ_RUNS_DOCS: OperationDocs = {
  description:
    'Runs, the newest first. `id` answers one bare, with its `results` in the order of the report: `limit`, `cursor` and ' +
    '`status` are then of these. `testKey` answers the results of one test, the newest first, each with its run, the ' +
    'test itself, and how stable it is; `status` (of results), `branch`, `commit` and `environment` narrow it down. A ' +
    'page of results ends early where their texts exceed 4 MiB. A result is `flaky` where its test passed and failed in ' +
    'that run, or in different runs (the newest 50 are compared) at one commit in one environment.\n\n' +
    'Views look through a window of the newest runs that count (not late, not from a widget), and say in `window` how ' +
    'much that was; filters by `commandId`, `suiteId`, `planId`, `agent`, `branch`, `commit` and `environment` choose ' +
    'the runs. `view=flaky`: the tests that flake, those that change most often first, and `groups` of tests that fail ' +
    'in the same runs. `view=slowest`: tests by the median of their duration, with their share of the time of all. Both ' +
    'look at 200 runs and 200,000 results at most. `view=trend`: how runs, results and durations went, a point for each ' +
    'run, day or commit (`by`) of the newest 2,000 runs. Shares are rounded down and stand with their counts; what was ' +
    'skipped is in none. A result is seen once the whole report of its run has been taken.',
  replies: {
    200: {
      description: 'A page of runs, one run, the history of a test, or a view',
      examples: {
        page: { items: [SUMMARY], nextCursor: null },
        run: {
          ...TEST_RUN_EXAMPLE,
          results: { items: [TEST_RESULT_EXAMPLE], nextCursor: null },
        },
        history: {
          items: [
            {
              ...TEST_RESULT_EXAMPLE,
              run: {
                id: RUN_ID,
                name: SUMMARY.name,
                commandId: SUMMARY.commandId,
                status: 'failed',
                late: false,
                counts: true,
                commit: COMMIT,
                branch: 'main',
                environment: 'staging',
                at: SUMMARY.finishedAt,
              },
            },
          ],
          nextCursor: null,
          test: TEST,
          flakiness: FLAKINESS,
        },
        flaky: {
          items: [{ ...TEST, ...FLAKINESS }],
          ...VIEWED,
          groups: [{ size: 2, runs: 2, flaky: 1, tests: [TEST] }],
        },
        trend: {
          items: [
            {
              runId: RUN_ID,
              day: null,
              commit: COMMIT,
              from: SUMMARY.finishedAt,
              to: SUMMARY.finishedAt,
              runs: { total: 1, passed: 0, failed: 1, broken: 0 },
              totals: TOTALS,
              passed: shareOf(1, 2),
              durationMs: 4200,
            },
          ],
          ...VIEWED,
        },
        slowest: {
          items: [
            {
              ...TEST,
              runs: 40,
              p50Ms: 1200,
              p95Ms: 1900,
              maxMs: 2400,
              time: shareOf(48_000, 168_000),
            },
          ],
          ...VIEWED,
        },
      },
      headers: ['ETag', 'Link'],
    },
  },
  problems: ['not_found'],
};
