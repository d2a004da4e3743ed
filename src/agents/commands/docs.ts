// What the API document says of the operations that register and change test commands.
import type { OperationDocs } from '../../model/docs.ts';
import { COMMAND_EXAMPLE } from '../../quality/commands/docs.ts';

const CREDENTIALS =
  '`credentials` names secrets of the project that agents get on loan with a suite, and `secrets` sets their values ' +
  '(1 to 65,536 characters, sealed with AES-256-GCM, never shown again); both belong to owners alone, `403` for others. ' +
  'Values of fewer than 6 characters are not found again in what is sent; the answer warns of them.';

const NEW_STATS = {
  runs: 0,
  passRate: null,
  flakeRate: null,
  p50Ms: null,
  p95Ms: null,
  lastStatus: null,
  lastRunId: null,
  lastAt: null,
};

const REGISTERED = {
  ...COMMAND_EXAMPLE,
  stats: NEW_STATS,
  updatedAt: COMMAND_EXAMPLE.createdAt,
  version: 1,
};

const QUARANTINED = {
  ...COMMAND_EXAMPLE,
  state: 'quarantined',
  quarantine: {
    owner: 'Ada',
    reason: 'Fails when the clock changes; see issue 17.',
    until: '2027-02-14T12:00:00.000Z',
  },
  version: 4,
};

export const COMMAND_DOCS = {
  create: {
    description:
      'Registers how a test is run. The service stores commands and never runs one: agents do. `argv` is required for ' +
      `the kinds shell, bun-test and playwright; its strings are handed over as they are, no shell in between. ${CREDENTIALS}`,
    bodyExample: {
      key: 'checkout',
      name: COMMAND_EXAMPLE.name,
      kind: 'playwright',
      argv: COMMAND_EXAMPLE.argv,
      cwd: 'web',
      env: COMMAND_EXAMPLE.env,
      timeoutMs: 900_000,
      report: COMMAND_EXAMPLE.report,
      storyIds: ['US-12'],
      routes: ['POST /orders'],
      tags: ['smoke'],
    },
    replies: {
      201: {
        description: 'The command',
        example: { ...REGISTERED, credentials: [] },
        headers: ['ETag'],
      },
    },
  },
  update: {
    description:
      'Changes a command, named by `id` in the body, by a merge patch: null takes a field back to its ' +
      'default. Every state may follow every other; `quarantined` needs a `quarantine` whose end lies ahead, and any other ' +
      'state takes it away. A quarantined command is still run and reported; once its time is up it is `active` again. ' +
      'Of a command that names credentials an owner alone changes kind, argv, cwd, env, report, state and quarantine. ' +
      `When an owner disables or archives a command, the loans of its credentials end. ${CREDENTIALS}`,
    bodyExample: {
      id: COMMAND_EXAMPLE.id,
      state: 'quarantined',
      quarantine: QUARANTINED.quarantine,
    },
    replies: {
      200: {
        description: 'The command as it is now',
        example: QUARANTINED,
        headers: ['ETag'],
      },
    },
    problems: ['conflict'],
  },
} satisfies Record<string, OperationDocs>;
