// What a handoff says. Its order is fixed, and nothing in it tells the time: two handoffs of the same
// state are equal.
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { CAPABILITIES } from '../../access/access.ts';
import { IssueSummary } from '../../evidence/issues/model.ts';
import { closed, nullable, oneOf } from '../../model/schemas.ts';
import { TestCommand } from '../../quality/commands/model.ts';
import { RunReference, TestRunSummary } from '../../quality/runs/model.ts';
import { Scenario } from '../../quality/scenarios/model.ts';

const Line = Type.String();
const LineOrNull = nullable(Line);
const Lines = Type.Array(Line);
const Count = Type.Integer({ minimum: 0 });
const Counts = Type.Record(Type.String(), Count);
const Method = oneOf(['GET', 'POST', 'PATCH', 'DELETE']);
const Capability = oneOf(CAPABILITIES);

const described = (description: string) => Type.String({ description });

/** The first of many. */
function excerpt<T extends TSchema>(item: T) {
  return closed({ total: Count, items: Type.Array(item) });
}

const Story = closed({
  id: Line,
  kind: Line,
  title: Line,
  priority: LineOrNull,
  status: Line,
  openIssues: Count,
  why: Type.Array(Line, { description: 'What is missing: kinds of gaps, and of what' }),
});

const commandFields = Type.Pick(TestCommand, [
  ...(['id', 'key', 'name', 'kind', 'argv', 'cwd', 'credentials', 'timeoutMs'] as const),
  ...(['report', 'storyIds', 'routes', 'tags', 'state', 'quarantine'] as const),
]).properties;
export const HandoffCommand = closed({
  ...commandFields,
  env: Type.Array(Line, { description: 'Names of variables' }),
  lastRun: nullable(closed({ id: Line, status: Line, at: described('When it ended') })),
});

export const HandoffScenario = closed(
  Type.Pick(Scenario, ['id', 'key', 'feature', 'title', 'storyIds', 'state']).properties,
);

export const HandoffRun = closed({
  ...Type.Pick(RunReference, ['id', 'name', 'commandId', 'status', 'commit', 'branch', 'at'])
    .properties,
  ...Type.Pick(TestRunSummary, ['totals', 'harnessErrors']).properties,
});

export const Blocker = closed(
  Type.Pick(IssueSummary, ['id', 'number', 'title', 'status', 'storyIds', 'untrusted']).properties,
);

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

const Workflow = closed(
  {
    workflowId: Line,
    summary: Line,
    inputs: Type.Array(closed({ name: Line, required: Type.Boolean(), description: Line })),
    steps: Type.Array(
      closed({
        stepId: Line,
        description: Line,
        method: Method,
        path: Line,
        missing: nullable(described('Why this token may not send it; null where it may')),
        payload: Type.Unknown(),
        answer: Type.Unknown({ description: 'An example of what is answered, shortened' }),
        outputs: Type.Record(Type.String(), Line),
      }),
    ),
  },
  {
    description:
      'Requests that follow each other. `$inputs.name` and `$steps.step.outputs.name` in a payload stand for values, ' +
      'as in Arazzo 1.0.1; an optional input that is not given is left out.',
  },
);

const sections = closed({
  service: closed({
    name: Line,
    version: Line,
    prefixes: Lines,
    openapi: Line,
    docs: Line,
    schema: Line,
  }),
  caller: closed({
    tokenId: Line,
    label: LineOrNull,
    capabilities: Type.Array(Capability),
    calls: Type.Array(
      closed({
        method: Method,
        path: Line,
        operationId: Line,
        purpose: Line,
        capability: Capability,
        schema: described('Where the API document describes it'),
      }),
    ),
  }),
  project: closed({
    id: Line,
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
  commands: excerpt(HandoffCommand),
  scenarios: excerpt(HandoffScenario),
  plans: Type.Array(
    closed({
      id: Line,
      revision: Count,
      origin: Line,
      open: Count,
      claimed: Count,
      ended: Count,
    }),
  ),
  runs: Type.Array(HandoffRun),
  blockers: excerpt(Blocker),
  reported: closed({
    total: Count,
    numbers: Type.Array(Count, { description: 'Of the oldest that web pages filed' }),
  }),
  nextActions: Type.Array(Action),
  workflows: Type.Array(Workflow),
  conventions: Type.Array(closed({ topic: Line, rules: Lines })),
  limits: Type.Record(Type.String(), Type.Number()),
});

/** The parts of a handoff, in their order. */
export const SECTIONS = Object.keys(sections.properties) as (keyof typeof sections.properties)[];

export const Handoff = closed(
  { schemaVersion: Type.Integer({ minimum: 1 }), ...Type.Partial(sections).properties },
  {
    title: 'Handoff',
    description: 'The sections asked for; all but `limits` unless `section` says',
  },
);

export type HandoffPart = Static<typeof Handoff>;
/** With all its sections. */
export type Handoff = Required<HandoffPart>;
export type HandoffAction = Static<typeof Action>;
export type HandoffWorkflow = Static<typeof Workflow>;
