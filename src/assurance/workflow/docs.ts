// What the API document says of one story and its workflow.
import { Type } from '@sinclair/typebox';
import type { OperationDocs } from '../../http/document/operation.ts';
import { Actor, idOf, timeOf, Untrusted } from '../../model/answer-schemas.ts';
import { nullable, oneOf } from '../../model/schemas.ts';
import { RESULT_STATUSES } from '../../quality/runs/result-rows.ts';
import { NODE_EXAMPLE } from '../../requirements/graph/docs.ts';
import { GraphNodeBody } from '../../requirements/graph/schemas.ts';
import { STAGES } from './stages.ts';

const Link = Type.Object(
  {
    type: Type.String(),
    status: oneOf(['ok', 'suspect', 'dangling']),
    id: Type.String(),
    title: nullable(Type.String({ description: 'Null where nothing has the id' })),
  },
  { title: 'StoryLink' },
);

const Open = Type.Object({}, { additionalProperties: true });

const Result = Type.Object(
  {
    target: Type.Object({
      kind: Type.String(),
      id: Type.String(),
      name: nullable(Type.String({ description: 'What it is called, where that is known' })),
    }),
    status: oneOf(RESULT_STATUSES),
    at: timeOf('When it ran'),
    runId: idOf('run'),
    durationMs: nullable(Type.Integer()),
  },
  { title: 'StoryResult' },
);

const Story = Type.Composite(
  [
    GraphNodeBody,
    Type.Object({
      revision: Type.Integer(),
      canonical: Type.Optional(GraphNodeBody),
      overlays: Type.Array(Open, { description: 'Edits and additions that are open or in force' }),
      links: Type.Object({ outgoing: Type.Array(Link), incoming: Type.Array(Link) }),
      coverage: nullable(Open),
      validation: nullable(Open),
      lastResults: Type.Array(Result, {
        description:
          'The newest result of each test, command and scenario that verifies it, the newest first; without what is ' +
          'disabled or archived, and what that ran last',
      }),
      openIssues: Type.Array(
        Type.Object({
          id: idOf('issue'),
          number: Type.Integer(),
          title: Type.String(),
          severity: Type.String(),
          status: Type.String(),
          untrusted: Untrusted,
        }),
      ),
    }),
  ],
  { title: 'Story', description: 'A story with all that is known of it' },
);

const Workflow = Type.Object(
  {
    storyId: idOf('story'),
    stage: oneOf(STAGES, 'Where the story stands'),
    stages: Type.Array(
      Type.Object({
        name: oneOf(STAGES),
        state: oneOf(['done', 'current', 'pending', 'blocked', 'suspect']),
        since: nullable(timeOf('When it was reached')),
        evidence: Type.Array(Type.String()),
        missing: Type.Array(Type.String()),
      }),
    ),
    next: Type.Array(
      Type.Object({
        action: Type.String(),
        method: Type.String(),
        path: Type.String(),
        capability: Type.String(),
        why: Type.String(),
        body: Type.Optional(Open),
        headers: Type.Optional(
          Type.Record(Type.String(), Type.String(), {
            description: 'To be sent along: so that it undoes nothing that somebody has done since',
          }),
        ),
      }),
      {
        description:
          'Requests that bring it on; with their `body` where nothing is left to say in it',
      },
    ),
    history: Type.Array(
      Type.Object({
        at: timeOf('When'),
        event: Type.String(),
        actor: nullable(Actor),
        detail: Type.String(),
      }),
    ),
  },
  { title: 'Workflow', description: 'Where a story stands and what comes next' },
);

const DONE = { state: 'done', evidence: [], missing: [] };

export const STORY_DOCS = {
  story: {
    description:
      'The story as it is in force, with `canonical` where an edit makes another of it, what is laid over it, its links ' +
      'both ways, how it is covered and judged, the newest results of its tests, and its open issues.',
    replies: {
      200: {
        description: 'The story',
        schema: Story,
        example: {
          ...NODE_EXAMPLE,
          ...{ revision: 1, overlays: [], links: { outgoing: [], incoming: [] } },
          ...{ coverage: null, validation: null, lastResults: [], openIssues: [] },
        },
        headers: ['ETag'],
      },
    },
    problems: ['not_found'],
  },
  workflow: {
    description:
      'The stages of a story: `specified` (a statement, a story acceptance criteria too, no error that the audit finds in ' +
      'the sources but of references to what an addition has, and of an addition that what it is linked to or stands below is ' +
      'there), `agreed` ' +
      '(no edit waits or conflicts: the error `edit_conflicted` of the audit is told here alone), `covered` (every need of the project linked and not suspect, or justified), ' +
      '`executed` (the newest result of each covering test is of a run on this text, and neither skipped nor unknown; its ' +
      '`evidence` are the runs; what is quarantined does not count, so that alone it leaves the story unexecuted; where no test counts, the ' +
      'scenarios that have run stand in for them, and where there is nothing that runs, a passed verdict), `validated` (a passed ' +
      'verdict on this text and all it rests on, no open triaged blocker). `next` holds requests that bring it on; where ' +
      'what covers it fails, they first run that again, at whatever stage it stands.',
    replies: {
      200: {
        description: 'The workflow',
        schema: Workflow,
        example: {
          storyId: 'US-12',
          stage: 'covered',
          stages: [
            { name: 'specified', since: '2026-01-31T12:00:00.000Z', ...DONE },
            { name: 'agreed', since: null, ...DONE },
            {
              ...{ name: 'covered', state: 'current', since: null, evidence: [] },
              missing: ['No test verifies it, and the need is not justified.'],
            },
            {
              ...{ name: 'executed', state: 'pending', since: null, evidence: [] },
              missing: ['There is no test of it to run.'],
            },
            {
              ...{ name: 'validated', state: 'pending', since: null, evidence: [] },
              missing: ['Nobody has judged it.'],
            },
          ],
          next: [
            {
              ...{ action: 'add_trace', method: 'POST', path: '/api/project-traceability' },
              capability: 'srs:edit',
              why: 'No test verifies it, and the need is not justified.',
            },
            {
              ...{ action: 'create_test_command', method: 'POST', path: '/api/test-commands' },
              capability: 'agent:execute',
              why: 'A command that names the story covers it; one with an argv is run by agents.',
              body: { key: 'verify US-12', kind: 'manual', storyIds: ['US-12'] },
            },
          ],
          history: [],
        },
        headers: ['ETag'],
      },
    },
    problems: ['not_found'],
  },
} satisfies Record<string, OperationDocs>;
