// The JSON Schema of a handoff; it is a component of the API document.
import { type TSchema, Type } from '@sinclair/typebox';
import { CAPABILITIES } from '../../access/access.ts';
import { idOf, timeOf, Untrusted } from '../../model/answer-schemas.ts';
import { nullable, oneOf } from '../../model/schemas.ts';

const Count = Type.Integer({ minimum: 0 });
const Counts = Type.Record(Type.String(), Count);
const Texts = Type.Array(Type.String());
const Strict = { additionalProperties: false };

function excerpt<T extends TSchema>(item: T) {
  return Type.Object({ total: Count, items: Type.Array(item) }, Strict);
}

const Method = oneOf(['GET', 'POST', 'PATCH', 'DELETE']);
const CapabilityName = oneOf(CAPABILITIES);

const Call = Type.Object(
  {
    ...{ method: Method, path: Type.String(), operationId: Type.String(), purpose: Type.String() },
    capability: CapabilityName,
    schema: Type.String({ description: 'Where the API document describes it' }),
  },
  Strict,
);

const Story = Type.Object(
  {
    ...{ id: idOf('story'), kind: Type.String(), title: Type.String() },
    ...{ priority: nullable(Type.String()), status: Type.String(), openIssues: Count },
    why: Type.Array(Type.String(), { description: 'What is missing' }),
  },
  Strict,
);

const Command = Type.Object(
  {
    ...{ id: idOf('command'), key: Type.String(), name: Type.String(), kind: Type.String() },
    ...{ argv: Texts, cwd: nullable(Type.String()) },
    env: Type.Array(Type.String(), { description: 'Names of variables' }),
    credentials: Type.Array(Type.String(), { description: 'Names of credentials' }),
    timeoutMs: Count,
    report: Type.Object({ format: Type.String(), path: nullable(Type.String()) }, Strict),
    ...{ storyIds: Texts, routes: Texts, tags: Texts, state: Type.String() },
    quarantine: nullable(
      Type.Object(
        { owner: Type.String(), reason: Type.String(), until: timeOf('When it gates again') },
        Strict,
      ),
    ),
    lastRun: nullable(
      Type.Object({ id: idOf('run'), status: Type.String(), at: timeOf('When it ended') }, Strict),
    ),
  },
  Strict,
);

const Scenario = Type.Object(
  {
    ...{ id: idOf('scenario'), key: Type.String(), feature: nullable(Type.String()) },
    ...{ title: Type.String(), storyIds: Texts, state: Type.String() },
  },
  Strict,
);

const Plan = Type.Object(
  {
    ...{ id: idOf('plan'), revision: Count, origin: Type.String() },
    ...{ open: Count, claimed: Count, ended: Count },
  },
  Strict,
);

const Run = Type.Object(
  {
    ...{ id: idOf('run'), name: Type.String(), status: Type.String() },
    ...{ commandId: nullable(Type.String()), commit: nullable(Type.String()) },
    ...{ branch: nullable(Type.String()), at: timeOf('When it ended'), totals: Counts },
    harnessErrors: Type.Array(Type.Object({ code: Type.String(), detail: Type.String() }, Strict)),
  },
  Strict,
);

const Blocker = Type.Object(
  {
    ...{ id: idOf('issue'), number: Count, title: Type.String(), status: Type.String() },
    ...{ storyIds: Texts, untrusted: Untrusted },
  },
  Strict,
);

const Reported = Type.Object(
  { total: Count, numbers: Type.Array(Count, { description: 'Of the oldest' }) },
  {
    ...Strict,
    description:
      'Issues that web pages filed and nobody has looked at; their text is in no handoff',
  },
);

const Action = Type.Object(
  {
    rank: Type.Integer({ minimum: 1, description: 'From the most helpful' }),
    ...{ action: Type.String(), why: Type.String(), capability: CapabilityName },
    request: Type.Object(
      {
        ...{ method: Method, path: Type.String() },
        headers: Type.Record(Type.String(), Type.String()),
        body: Type.Unknown({ description: 'Null where the request has none' }),
      },
      { ...Strict, description: 'Can be sent as it is' },
    ),
  },
  Strict,
);

const Workflow = Type.Object(
  {
    ...{ workflowId: Type.String(), summary: Type.String() },
    inputs: Type.Array(
      Type.Object(
        {
          ...{ name: Type.String(), required: Type.Boolean(), description: Type.String() },
          example: Type.Unknown(),
        },
        Strict,
      ),
    ),
    steps: Type.Array(
      Type.Object(
        {
          ...{ stepId: Type.String(), description: Type.String(), operationId: Type.String() },
          ...{ method: Method, path: Type.String() },
          requestBody: Type.Object({ contentType: Type.String(), payload: Type.Unknown() }, Strict),
          successCriteria: Type.Array(Type.Object({ condition: Type.String() }, Strict)),
          outputs: Type.Record(Type.String(), Type.String()),
        },
        Strict,
      ),
    ),
  },
  {
    ...Strict,
    description:
      'Requests that follow each other, as in Arazzo 1.0.1: `$inputs.name` and `$steps.step.outputs.name` ' +
      'in a payload stand for values; an optional input that is not given is left out',
  },
);

export const HandoffAnswer = Type.Object(
  {
    schemaVersion: Type.Integer({ minimum: 1 }),
    service: Type.Object(
      {
        ...{ name: Type.String(), version: Type.String(), prefixes: Texts },
        ...{ openapi: Type.String(), docs: Type.String(), schema: Type.String() },
      },
      Strict,
    ),
    caller: Type.Object(
      {
        ...{ tokenId: idOf('token'), label: nullable(Type.String()) },
        ...{ capabilities: Type.Array(CapabilityName), calls: Type.Array(Call) },
      },
      Strict,
    ),
    project: Type.Object(
      {
        ...{ id: idOf('project'), slug: Type.String(), name: Type.String() },
        ...{ description: Type.String(), settings: Type.Record(Type.String(), Type.Unknown()) },
        revision: Count,
        sources: Type.Object({ total: Count, failed: Texts }, Strict),
        audit: Type.Object({ errors: Count, warnings: Count }, Strict),
      },
      Strict,
    ),
    counts: Type.Object(
      {
        ...{ stories: Counts, statuses: Counts, gaps: Counts, issues: Counts, overlays: Counts },
        ...{ commands: Count, scenarios: Count, routes: Counts, runs: Count },
      },
      Strict,
    ),
    ...{ stories: excerpt(Story), commands: excerpt(Command), scenarios: excerpt(Scenario) },
    ...{ plans: Type.Array(Plan), runs: Type.Array(Run), blockers: excerpt(Blocker) },
    reported: Reported,
    ...{ nextActions: Type.Array(Action), workflows: Type.Array(Workflow) },
    conventions: Type.Array(Type.Object({ topic: Type.String(), rules: Texts }, Strict)),
    limits: Type.Record(Type.String(), Type.Number()),
  },
  { ...Strict, title: 'Handoff' },
);
