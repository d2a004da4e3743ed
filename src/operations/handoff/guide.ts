// What a handoff says of the interface itself, whatever the project: conventions, and sequences of
// requests, each with what it takes from the one before.

import type { RunStateView } from '../../agents/runs/model.ts';
import type { SuiteView } from '../../agents/suites/model.ts';
import { IDEMPOTENCY_MS } from '../../limits.ts';
import { MAX_PAGE_SIZE, PAGE_DEFAULT } from '../../model/pages.ts';
import type { RunAttachment } from '../../quality/runs/model.ts';
import type { Handoff, HandoffWorkflow } from './model.ts';

type Input = HandoffWorkflow['inputs'][number];

function input(name: string, description: string, required = true): Input {
  return { name, description, required };
}

const CLAIM = {
  runId: '$steps.claim.outputs.runId',
  attempt: '$steps.claim.outputs.attempt',
  lease: { id: '$steps.claim.outputs.leaseId', token: '$steps.claim.outputs.leaseToken' },
};

const RUN = 'run_01k4mz5f7tk6mwx3n4p8q9r0vw';
const PLAN = 'pln_01k4mz5f7tk6mwx3n4p8q9r0vx';
const COMMAND = 'cmd_01k4mz5f7tk6mwx3n4p8q9r0vy';
const LEASE_END = '2026-01-31T12:15:00.000Z';

const CLAIMED: SuiteView = {
  id: 'ste_01k4mz5f7tk6mwx3n4p8q9r0vz',
  planId: PLAN,
  items: [
    {
      position: 1,
      runId: RUN,
      attempt: 1,
      commandId: COMMAND,
      name: 'Unit tests',
      kind: 'bun-test',
      argv: ['bun', 'test', '--reporter=junit', '--reporter-outfile=junit.xml'],
      cwd: null,
      env: { MODE: 'ci' },
      timeoutMs: 600_000,
      storyIds: ['US-12'],
      report: { format: 'junit', path: 'junit.xml' },
    },
  ],
  lease: { id: 'lse_…', token: '(its secret)', expiresAt: LEASE_END, renewAfterMs: 180_000 },
  credentials: { API_KEY: '(its value, while the lease lives)' },
};

const HEARTBEAT: Partial<RunStateView> = {
  runId: RUN,
  state: 'running',
  seq: 1,
  attempt: 1,
  leaseExpiresAt: LEASE_END,
  renewAfterMs: 180_000,
  cancelRequested: false,
};

const ATTACHED: Partial<RunAttachment> = {
  id: 'att_…',
  name: 'screenshot.png',
  kind: 'screenshot',
  mediaType: 'image/png',
  bytes: 48_213,
  url: '/api/files/…',
};

type Workflow = Omit<HandoffWorkflow, 'steps'> & {
  steps: Omit<HandoffWorkflow['steps'][number], 'missing'>[];
};

export const WORKFLOWS: readonly Workflow[] = [
  {
    workflowId: 'fileIssue',
    summary: 'File what went wrong',
    inputs: [
      input('title', 'What is wrong, in one line'),
      input('description', 'How to see it', false),
      input('severity', 'blocker, critical, major, minor or trivial', false),
    ],
    steps: [
      {
        stepId: 'file',
        description: 'The answer is the issue; attach files to it under its id.',
        method: 'POST',
        path: '/api/issues',
        payload: {
          title: '$inputs.title',
          description: '$inputs.description',
          severity: '$inputs.severity',
        },
        answer: { id: 'iss_01k4mz5f7tk6mwx3n4p8q9r0w1', number: 12, status: 'open', version: 1 },
        outputs: { issueId: '$response.body#/id' },
      },
    ],
  },
  {
    workflowId: 'workSuite',
    summary: 'Plan, claim one item, run it under its lease, and report',
    inputs: [
      input('agentName', 'What the agent is called'),
      input('exitCode', 'The exit code of the command'),
      input('startedAt', 'When the command was started (RFC 3339)'),
      input('finishedAt', 'When it ended'),
      input(
        'results',
        'A list of { name, status: passed|failed|broken|skipped|unknown, durationMs?, file?, message? }',
      ),
    ],
    steps: [
      {
        stepId: 'plan',
        description: 'Orders the commands. Skip this step for a plan that is there already.',
        method: 'POST',
        path: '/api/agent/plan',
        payload: { strategy: 'risk' },
        answer: {
          id: PLAN,
          items: [{ position: 1, commandId: COMMAND, storyIds: ['US-12'], estimateMs: 1200 }],
          uncovered: [{ storyId: 'US-13', why: 'no_command' }],
        },
        outputs: { planId: '$response.body#/id' },
      },
      {
        stepId: 'claim',
        description:
          'Claims an item: run its argv in cwd with env and the credentials of the answer. No items means that there is nothing to claim; retryAfterMs says when to ask again, unless done is true.',
        method: 'POST',
        path: '/api/agent/suite',
        payload: {
          planId: '$steps.plan.outputs.planId',
          agent: { name: '$inputs.agentName' },
          maxItems: 1,
        },
        answer: CLAIMED,
        outputs: {
          runId: '$response.body#/items/0/runId',
          attempt: '$response.body#/items/0/attempt',
          leaseId: '$response.body#/lease/id',
          leaseToken: '$response.body#/lease/token',
        },
      },
      {
        stepId: 'heartbeat',
        description: 'Reports that it runs; again, with the next seq, each renewAfterMs.',
        method: 'POST',
        path: '/api/run-state',
        payload: { ...CLAIM, seq: 1, state: 'running' },
        answer: HEARTBEAT,
        outputs: { cancelRequested: '$response.body#/cancelRequested' },
      },
      {
        stepId: 'report',
        description:
          'Ends the run with what it gave. A JUnit, CTRF or TAP file does too, in multipart/form-data: the payload without results as the part run, the file as report; other files become attachments of the run.',
        method: 'POST',
        path: '/api/test-runs',
        payload: {
          ...CLAIM,
          execution: {
            exitCode: '$inputs.exitCode',
            startedAt: '$inputs.startedAt',
            finishedAt: '$inputs.finishedAt',
          },
          results: '$inputs.results',
        },
        answer: {
          id: RUN,
          status: 'failed',
          late: false,
          harnessErrors: [],
          attachments: [ATTACHED],
        },
        outputs: { status: '$response.body#/status' },
      },
    ],
  },
];

const RULES: Record<string, string[]> = {
  authentication: [
    'Send Authorization: Bearer <token> with every request; nothing else identifies a caller.',
    '401 means that the token is not good (any more), 403 that it lacks the capability, 404 that there is no such thing in this project.',
  ],
  bodies: [
    'JSON in UTF-8, without Content-Encoding. An unknown field or query parameter is 422.',
    'PATCH is JSON Merge Patch (RFC 7396); a body\'s "id" names the resource where the path does not.',
    'Times are RFC 3339; durations are whole milliseconds in fields that end in Ms; sizes are bytes in fields that end in Bytes.',
  ],
  errors: [
    "Every error is application/problem+json (RFC 9457): code for programs, detail for people, errors[] with a JSON pointer for each wrong field, requestId for the operator's log.",
    '429 and 503 say in Retry-After, in seconds, when to come again.',
  ],
  lists: [
    `limit is 1 to ${MAX_PAGE_SIZE}, ${PAGE_DEFAULT} by default. The answer is { items, nextCursor }: send nextCursor as cursor with the same filters until it is null.`,
    'A filter is named like the field; repeated it means any of its values. id answers the bare resource.',
  ],
  handoff: [
    'section names the sections wanted; limits come only so. since, with the ETag of an earlier handoff, answers the sections that have changed since.',
  ],
  retries: [
    `Give every POST an Idempotency-Key of 1 to 255 printable characters: the same key with the same body answers the first success again for ${IDEMPOTENCY_MS / 3_600_000} hours.`,
  ],
  concurrency: [
    'Single resources carry version and ETag. If-Match on PATCH and DELETE gives 412 where the version is no longer that one; If-None-Match on GET gives 304.',
    'A request of nextActions is for what was there when it was offered: send its headers along. 409 or 412 says that somebody was quicker: read the handoff again.',
  ],
  signatures: [
    'Files are opened by the signed url of an attachment, without a token. A link lasts at least 15 minutes and is made afresh in every answer; ask for more seconds with linkTtl.',
  ],
  leases: [
    'A claimed suite has one lease, { id, token }. Every write to a run of it carries runId, attempt and lease.',
    'A heartbeat is POST /api/run-state with the next seq; one on any run renews the lease of its suite. Send one each renewAfterMs, from where a busy command cannot hold it up.',
    "409 lease_expired: stop the work, the item is somebody else's. cancelRequested in an answer asks for the same.",
    'A claimed run becomes passed or failed by POST /api/test-runs alone. A report that comes too late is answered 202 with late: true, kept, and never counted.',
  ],
  'links between tests and stories': [
    'A story id in brackets, or as @id, in the name of a test links its results to that story: "pays once [US-12]".',
  ],
};

export const CONVENTIONS: Handoff['conventions'] = Object.entries(RULES).map(([topic, rules]) => ({
  topic,
  rules,
}));
