// What a handoff says: all that a program needs which has never seen the project. Its order is
// fixed, and nothing in it tells the time: two handoffs of the same state are equal.
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { CAPABILITIES } from '../../access/access.ts';
import { idOf, timeOf, Untrusted } from '../../model/answer-schemas.ts';
import { closed, nullable, oneOf } from '../../model/schemas.ts';

export const SCHEMA_VERSION = 1;

export const SHOWN = {
  stories: 20,
  commands: 100,
  scenarios: 50,
  runs: 10,
  blockers: 20,
  reported: 20,
  plans: 10,
  actions: 12,
} as const;

export interface Excerpt<T> {
  total: number;
  items: T[];
}

const Line = Type.String();
const LineOrNull = nullable(Line);
const Count = Type.Integer({ minimum: 0 });
const Counts = Type.Record(Type.String(), Count);
const Lines = Type.Array(Line);

function excerpt<T extends TSchema>(item: T) {
  return closed({ total: Count, items: Type.Array(item) });
}

const Method = oneOf(['GET', 'POST', 'PATCH', 'DELETE']);
const Capability = oneOf(CAPABILITIES);

const Call = closed({
  method: Method,
  path: Line,
  operationId: Line,
  purpose: Line,
  capability: Capability,
  schema: Type.String({ description: 'Where the API document describes it' }),
});

const Story = closed({
  id: idOf('story'),
  kind: Line,
  title: Line,
  priority: LineOrNull,
  status: Line,
  openIssues: Count,
  why: Type.Array(Line, { description: 'What is missing' }),
});

const Command = closed({
  id: idOf('command'),
  key: Line,
  name: Line,
  kind: Line,
  argv: Lines,
  cwd: LineOrNull,
  env: Type.Array(Line, { description: 'Names of variables' }),
  credentials: Type.Array(Line, { description: 'Names of credentials' }),
  timeoutMs: Count,
  report: closed({ format: Line, path: LineOrNull }),
  storyIds: Lines,
  routes: Lines,
  tags: Lines,
  state: Line,
  quarantine: nullable(closed({ owner: Line, reason: Line, until: timeOf('When it gates again') })),
  lastRun: nullable(closed({ id: idOf('run'), status: Line, at: timeOf('When it ended') })),
});

const Scenario = closed({
  id: idOf('scenario'),
  key: Line,
  feature: LineOrNull,
  title: Line,
  storyIds: Lines,
  state: Line,
});

const Plan = closed({
  id: idOf('plan'),
  revision: Count,
  origin: Line,
  open: Count,
  claimed: Count,
  ended: Count,
});

const Run = closed({
  id: idOf('run'),
  name: Line,
  status: Line,
  commandId: LineOrNull,
  commit: LineOrNull,
  branch: LineOrNull,
  at: timeOf('When it ended'),
  totals: Counts,
  harnessErrors: Type.Array(closed({ code: Line, detail: Line })),
});

const Blocker = closed({
  id: idOf('issue'),
  number: Count,
  title: Line,
  status: Line,
  storyIds: Lines,
  untrusted: Untrusted,
});

const Action = closed({
  rank: Type.Integer({ minimum: 1, description: 'From the most helpful' }),
  action: Line,
  why: Line,
  capability: Capability,
  request: closed(
    {
      method: Method,
      path: Line,
      headers: Type.Record(Type.String(), Line),
      body: Type.Unknown({ description: 'Null where the request has none' }),
    },
    { description: 'Can be sent as it is' },
  ),
});

const Step = closed({
  stepId: Line,
  description: Line,
  operationId: Line,
  method: Method,
  path: Line,
  requestBody: closed({ contentType: Line, payload: Type.Unknown() }),
  successCriteria: Type.Array(closed({ condition: Line })),
  outputs: Type.Record(Type.String(), Line),
});

const Workflow = closed(
  {
    workflowId: Line,
    summary: Line,
    inputs: Type.Array(
      closed({ name: Line, required: Type.Boolean(), description: Line, example: Type.Unknown() }),
    ),
    steps: Type.Array(Step),
  },
  {
    description:
      'Requests that follow each other, as in Arazzo 1.0.1: `$inputs.name` and `$steps.step.outputs.name` ' +
      'in a payload stand for values; an optional input that is not given is left out',
  },
);

export const Handoff = closed(
  {
    schemaVersion: Type.Integer({ minimum: 1 }),
    service: closed({
      name: Line,
      version: Line,
      prefixes: Lines,
      openapi: Line,
      docs: Line,
      schema: Line,
    }),
    caller: closed({
      tokenId: idOf('token'),
      label: LineOrNull,
      capabilities: Type.Array(Capability),
      calls: Type.Array(Call),
    }),
    project: closed({
      id: idOf('project'),
      slug: Line,
      name: Line,
      description: Line,
      settings: Type.Record(Type.String(), Type.Unknown()),
      revision: Count,
      sources: closed({ total: Count, failed: Lines }),
      audit: closed({ errors: Count, warnings: Count }),
    }),
    counts: closed({
      stories: Counts,
      statuses: Counts,
      gaps: Counts,
      issues: Counts,
      overlays: Counts,
      commands: Count,
      scenarios: Count,
      routes: closed({ total: Count, covered: Count, failing: Count, untested: Count }),
      runs: Count,
    }),
    stories: excerpt(Story),
    commands: excerpt(Command),
    scenarios: excerpt(Scenario),
    plans: Type.Array(Plan),
    runs: Type.Array(Run),
    blockers: excerpt(Blocker),
    reported: closed(
      { total: Count, numbers: Type.Array(Count, { description: 'Of the oldest' }) },
      {
        description:
          'Issues that web pages filed and nobody has looked at; their text is in no handoff',
      },
    ),
    nextActions: Type.Array(Action),
    workflows: Type.Array(Workflow),
    conventions: Type.Array(closed({ topic: Line, rules: Lines })),
    limits: Type.Record(Type.String(), Type.Number()),
  },
  { title: 'Handoff' },
);

export type Handoff = Static<typeof Handoff>;
export type HandoffCall = Static<typeof Call>;
export type HandoffStory = Static<typeof Story>;
export type HandoffCommand = Static<typeof Command>;
export type HandoffScenario = Static<typeof Scenario>;
export type HandoffPlan = Static<typeof Plan>;
export type HandoffRun = Static<typeof Run>;
export type HandoffBlocker = Static<typeof Blocker>;
export type HandoffAction = Static<typeof Action>;
export type HandoffWorkflow = Static<typeof Workflow>;
export type WorkflowStep = Static<typeof Step>;
