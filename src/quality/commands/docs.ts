// What the API document says of reading test commands.
import type { OperationDocs } from '../../model/docs.ts';

export const COMMAND_EXAMPLE = {
  id: 'cmd_01k4mz2v9cf8ptw0yq3e6r7h5d',
  key: 'checkout',
  name: 'Checkout in the browser',
  kind: 'playwright',
  argv: ['npx', 'playwright', 'test', 'tests/checkout'],
  cwd: 'web',
  env: { BASE_URL: 'https://staging.shop.example' },
  timeoutMs: 900_000,
  report: { format: 'junit', path: 'results/junit.xml' },
  storyIds: ['US-12'],
  routes: ['POST /orders'],
  tags: ['smoke'],
  credentials: ['SHOP_PASSWORD'],
  allowArchives: false,
  onLeaseLost: 'retry',
  maxAttempts: 3,
  state: 'active',
  quarantine: null,
  fingerprint: 'c1:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  stats: {
    runs: 120,
    passRate: 0.9583,
    flakeRate: 0.025,
    p50Ms: 41_200,
    p95Ms: 63_900,
    lastStatus: 'passed',
    lastRunId: 'run_01k4mz3b6qf2gte8s9vxw0y1za',
    lastAt: '2026-01-31T12:00:00.000Z',
  },
  author: { tokenId: 'tok_01k4mz2v9cf8ptw0yq3e6r7h5d', label: 'owner' },
  createdAt: '2026-01-02T09:00:00.000Z',
  updatedAt: '2026-01-20T09:00:00.000Z',
  version: 3,
};

export const READ_COMMANDS_DOCS: OperationDocs = {
  description:
    'Test commands, the newest first; `id` answers one bare. A command whose quarantine is over is `active` again, ' +
    'though its `quarantine` still says how long it was set aside.',
  replies: {
    200: {
      description: 'A page of test commands, or one',
      example: { items: [COMMAND_EXAMPLE], nextCursor: null },
      headers: ['ETag', 'Link'],
    },
  },
};
