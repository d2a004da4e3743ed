// What the API document says of suites.
import type { OperationDocs } from '../../model/docs.ts';
import { LEASE_EXAMPLE, PLAN_ID, RUN_EXAMPLE, SUITE_ID } from '../runs/docs.ts';
import { DEFAULT_ITEMS, MAX_ITEMS } from './model.ts';

export const SUITE_DOCS = {
  description:
    'Makes a plan executable for one agent: claims open items of it, in their order, each as an attempt with a run of ' +
    'its own, under one lease. Agents that claim from one plan never get the same item; one whose lease was lost is up ' +
    'for claim again, or ends as `broken` after `maxAttempts` of its command, or at once where that says ' +
    '`onLeaseLost: fail`. With `commandIds` a plan of these commands is stored first: what `maxItems` ' +
    `(${DEFAULT_ITEMS} by default, ${MAX_ITEMS} at most) leaves of it is claimed by its \`planId\`. One of them that is ` +
    'disabled or archived is a `409` that names it; items of a plan whose command became so end as `cancelled`. ' +
    '`agent.kinds` leaves out items of other kinds. `credentials` are on loan while the lease is kept up, for an hour at most; the same request sent again under its Idempotency-Key gets those ' +
    'alone that still are. `suite` brings items of the agent’s own, which get no credentials; what an item with a ' +
    '`commandId` leaves out is as the command says. Runs are written to by `POST /run-state`, and end by their report, ' +
    '`POST /test-runs`; the suite and its lease end with the last of them.',
  bodyExample: {
    planId: PLAN_ID,
    agent: { name: 'ci-runner-3', version: '1.4.0', kinds: ['bun-test', 'playwright'] },
    maxItems: 10,
  },
  replies: {
    200: {
      description: 'There is nothing to claim now',
      example: { planId: PLAN_ID, items: [], done: false, retryAfterMs: 5000 },
    },
    201: {
      description: 'What was claimed',
      example: {
        id: SUITE_ID,
        planId: PLAN_ID,
        items: [
          {
            position: 1,
            runId: RUN_EXAMPLE.runId,
            attempt: 1,
            commandId: RUN_EXAMPLE.commandId,
            kind: 'playwright',
            name: RUN_EXAMPLE.name,
            argv: ['npx', 'playwright', 'test', 'checkout'],
            cwd: 'web',
            env: { CI: '1' },
            timeoutMs: 600_000,
            report: { format: 'junit', path: 'report.xml' },
            storyIds: ['US-12'],
          },
        ],
        lease: LEASE_EXAMPLE,
        credentials: { SHOP_PASSWORD: 'correct horse battery staple' },
      },
    },
  },
  problems: ['not_found', 'conflict'],
} satisfies OperationDocs;
