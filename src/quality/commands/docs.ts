// What the API document says of test commands, and of the operation that reads them.
import { Type } from '@sinclair/typebox';
import { Actor, idOf, pageSchema, timeOf, Version } from '../../model/answer-schemas.ts';
import type { OperationDocs } from '../../model/docs.ts';
import { nullable, oneOf } from '../../model/schemas.ts';
import { COMMAND_KINDS, COMMAND_STATES, REPORT_FORMATS } from './model.ts';

const Texts = (description: string) => Type.Array(Type.String(), { description });
const Count = (description: string) => Type.Integer({ minimum: 0, description });
const ShareOrNull = (description: string) =>
  nullable(Type.Number({ minimum: 0, maximum: 1, description }));

export const CommandStats = Type.Object(
  {
    runs: Count('Runs that count'),
    passRate: ShareOrNull('The share that passed, rounded down; null without runs'),
    flakeRate: ShareOrNull('The share that was flaky, rounded down; null without runs'),
    p50Ms: nullable(Count('Median duration of the newest 100 runs')),
    p95Ms: nullable(Count('95th percentile of the same')),
    lastStatus: nullable(oneOf(['passed', 'failed', 'broken'])),
    lastRunId: nullable(idOf('newest run')),
    lastAt: nullable(timeOf('When it ended')),
  },
  { title: 'TestCommandStats', description: 'What the runs of a command that count say of it' },
);

export const TestCommand = Type.Object(
  {
    id: idOf('test command'),
    key: Type.String({ description: 'Unique in the project' }),
    name: Type.String(),
    kind: oneOf(COMMAND_KINDS),
    argv: Texts('Program and arguments'),
    cwd: nullable(Type.String({ description: 'Folder in which it runs' })),
    env: Type.Record(Type.String(), nullable(Type.String()), {
      description: 'Variables; their values are null for all but owners and agents',
    }),
    timeoutMs: Count('How long it may run'),
    report: Type.Object({
      format: oneOf(REPORT_FORMATS),
      path: nullable(Type.String({ description: 'Where it leaves its report' })),
    }),
    storyIds: Texts('Stories that it verifies'),
    routes: Texts('Routes that it exercises'),
    tags: Texts('Free words'),
    credentials: Texts('Names of the credentials that it gets on loan'),
    allowArchives: Type.Boolean({ description: 'Archives are taken while these are lent' }),
    onLeaseLost: oneOf(['retry', 'fail'], 'What becomes of an item whose lease ran out'),
    maxAttempts: Type.Integer({ minimum: 1, description: 'After so many it ends broken' }),
    state: oneOf(COMMAND_STATES, 'In effect: once its quarantine is over it is `active`'),
    quarantine: nullable(
      Type.Object({
        owner: Type.String({ description: 'Who sees to it' }),
        reason: Type.String(),
        until: timeOf('From when on it gates again'),
      }),
    ),
    fingerprint: Type.String({ description: 'Of kind, argv, cwd and report' }),
    stats: CommandStats,
    author: Actor,
    createdAt: timeOf('When it was registered'),
    updatedAt: timeOf('When it was last changed'),
    version: Version,
    warnings: Type.Optional(
      Texts('Where a secret was set that is too short to be masked; in the answer to that alone'),
    ),
  },
  { title: 'TestCommand' },
);

export const CommandPage = pageSchema('TestCommandPage', TestCommand);

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
    'Test commands, the newest first; `id` answers one bare. The values of `env` are shown to owners and agents alone, ' +
    'others see the names with null. `state` is the one in effect: a command whose quarantine is over is `active` ' +
    'again, though its `quarantine` still says how long it was set aside.',
  replies: {
    200: {
      description: 'A page of test commands, or one',
      examples: {
        page: { items: [COMMAND_EXAMPLE], nextCursor: null },
        command: COMMAND_EXAMPLE,
      },
      headers: ['ETag', 'Link'],
    },
  },
};
