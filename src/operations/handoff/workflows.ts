// Sequences of requests, each with what it takes from the one before: filing an issue, working on
// a plan, recording a report. The form is that of Arazzo 1.0.1 (OpenAPI Initiative).
import { accessRow, type Operation } from '../../access/access.ts';
import type { HandoffWorkflow, WorkflowStep } from './model.ts';

type Step = Omit<WorkflowStep, 'operationId' | 'method' | 'path' | 'requestBody'> & {
  operation: Operation;
  payload: unknown;
};

function step({ operation, payload, ...rest }: Step): WorkflowStep {
  const row = accessRow(operation);
  return {
    ...rest,
    operationId: row.operationId,
    method: row.method,
    path: `/api${row.path}`,
    requestBody: { contentType: 'application/json', payload },
  };
}

function input(name: string, description: string, example: unknown, required = true) {
  return { name, required, description, example };
}

const CLAIM = {
  runId: '$steps.claim.outputs.runId',
  attempt: '$steps.claim.outputs.attempt',
  lease: { id: '$steps.claim.outputs.leaseId', token: '$steps.claim.outputs.leaseToken' },
};

const EXECUTION = {
  exitCode: '$inputs.exitCode',
  startedAt: '$inputs.startedAt',
  finishedAt: '$inputs.finishedAt',
};

const OUTCOME = [
  input('exitCode', 'The exit code of the command', 0),
  input('startedAt', 'When the command was started', '2026-01-31T12:00:00.000Z'),
  input('finishedAt', 'When it ended', '2026-01-31T12:00:04.200Z'),
  input(
    'results',
    'What the tests gave: a list of { name, status: passed|failed|broken|skipped|unknown, durationMs?, file?, message? }',
    [{ name: 'pays once [US-12]', status: 'passed', durationMs: 12 }],
  ),
];

const CREATED = [{ condition: '$statusCode == 201' }];

export const WORKFLOWS: readonly HandoffWorkflow[] = [
  {
    workflowId: 'fileIssue',
    summary: 'File what went wrong',
    inputs: [
      input('title', 'What is wrong, in one line', 'The order is sent twice'),
      input('description', 'How to see it', 'Press the button twice.', false),
      input('severity', 'How bad it is', 'major', false),
    ],
    steps: [
      step({
        stepId: 'file',
        description: 'The answer is the issue; attach files to it under its id.',
        operation: 'POST /issues',
        payload: {
          title: '$inputs.title',
          description: '$inputs.description',
          severity: '$inputs.severity',
        },
        successCriteria: CREATED,
        outputs: { issueId: '$response.body#/id' },
      }),
    ],
  },
  {
    workflowId: 'workSuite',
    summary: 'Plan, claim one item, run it under its lease, and report',
    inputs: [input('agentName', 'What the agent is called', 'lab-1'), ...OUTCOME],
    steps: [
      step({
        stepId: 'plan',
        description: 'Orders the commands. Skip this step for a plan that is there already.',
        operation: 'POST /agent/plan',
        payload: { strategy: 'risk' },
        successCriteria: CREATED,
        outputs: { planId: '$response.body#/id' },
      }),
      step({
        stepId: 'claim',
        description:
          'Claims an item: run its argv in cwd with env and the credentials of the answer. 200 with no items means that there is nothing to claim.',
        operation: 'POST /agent/suite',
        payload: {
          planId: '$steps.plan.outputs.planId',
          agent: { name: '$inputs.agentName' },
          maxItems: 1,
        },
        successCriteria: CREATED,
        outputs: {
          suiteId: '$response.body#/id',
          runId: '$response.body#/items/0/runId',
          attempt: '$response.body#/items/0/attempt',
          leaseId: '$response.body#/lease/id',
          leaseToken: '$response.body#/lease/token',
        },
      }),
      step({
        stepId: 'heartbeat',
        description: 'Reports that it runs; again, with the next seq, each renewAfterMs.',
        operation: 'POST /run-state',
        payload: { ...CLAIM, seq: 1, state: 'running' },
        successCriteria: [{ condition: '$statusCode == 200' }],
        outputs: { cancelRequested: '$response.body#/cancelRequested' },
      }),
      step({
        stepId: 'report',
        description: 'Ends the run with what it gave; a JUnit, CTRF or TAP file does too.',
        operation: 'POST /test-runs',
        payload: { ...CLAIM, execution: EXECUTION, results: '$inputs.results' },
        successCriteria: CREATED,
        outputs: { status: '$response.body#/status' },
      }),
    ],
  },
  {
    workflowId: 'recordRun',
    summary: 'Record what was run without a plan',
    inputs: [input('name', 'What the run is called', 'nightly'), ...OUTCOME],
    steps: [
      step({
        stepId: 'record',
        description: 'A run of its own, with the verdict that follows from report and execution.',
        operation: 'POST /test-runs',
        payload: { name: '$inputs.name', execution: EXECUTION, results: '$inputs.results' },
        successCriteria: CREATED,
        outputs: { runId: '$response.body#/id', status: '$response.body#/status' },
      }),
    ],
  },
];
