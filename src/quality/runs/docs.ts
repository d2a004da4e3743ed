// What the API document says of reading test runs.
import type { OperationDocs } from '../../model/docs.ts';

export const TEST_RUN_EXAMPLE = {
  id: 'run_01k4mz6g9vm3b7qk2xw5t8r0ya',
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
  commit: '9f2c1ab84d7e60f35b1c2d9a8e7f6b5c4d3e2f10',
  branch: 'main',
  environment: 'staging',
  revision: 3,
  totals: { tests: 2, passed: 1, failed: 1, broken: 0, skipped: 0, unknown: 0, flaky: 0 },
  harnessErrors: [],
  format: 'junit',
  tool: 'bun test',
  author: { tokenId: 'tok_01k4mz2v9cf8ptw0yq3e6r7h5d', label: 'ci' },
  version: 1,
  createdAt: '2026-01-31T12:00:05.000Z',
  attachments: [],
  execution: { exitCode: 1, signal: null },
  properties: { ci: 'true' },
};

export const READ_RUNS_DOCS: OperationDocs = {
  description:
    'Runs, the newest first. `id` answers one bare, with its `results` in the order of the report: `limit`, `cursor` and ' +
    '`status` are then of these. `testKey` answers the results of one test, the newest first, each with its run, and how ' +
    'stable the test is.\n\n' +
    'Views look through a window of the newest runs that count, and say in `window` how much that was. `flaky`: the ' +
    'tests that flake, and `groups` that fail in the same runs; `slowest`: tests by the median of their duration; both ' +
    'look at 200 runs and 200,000 results at most. `trend`: how runs, results and durations went over 2,000 runs, by run, ' +
    'day or commit (`by`). Shares are rounded down; what was skipped is in none.',
  replies: {
    200: {
      description: 'A page of runs, one run, the history of a test, or a view',
      example: { items: [TEST_RUN_EXAMPLE], nextCursor: null },
      headers: ['ETag', 'Link'],
    },
  },
  problems: ['not_found'],
};
