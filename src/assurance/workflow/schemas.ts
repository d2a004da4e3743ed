// One story and its workflow, as answers give them.
import { Type } from '@sinclair/typebox';
import { Actor, idOf, timeOf, Untrusted } from '../../model/answer-schemas.ts';
import { nullable, oneOf } from '../../model/schemas.ts';
import { GraphNodeBody } from '../../requirements/graph/model.ts';
import { LastResult } from '../coverage/model.ts';
import { STAGE_STATES, STAGES } from './stages.ts';

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

export const Story = Type.Composite(
  [
    GraphNodeBody,
    Type.Object({
      revision: Type.Integer(),
      canonical: Type.Optional(GraphNodeBody),
      overlays: Type.Array(Open, { description: 'Edits and additions that are open or in force' }),
      links: Type.Object({ outgoing: Type.Array(Link), incoming: Type.Array(Link) }),
      coverage: nullable(Open),
      validation: nullable(Open),
      lastResults: Type.Array(LastResult, {
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

export const Workflow = Type.Object(
  {
    storyId: idOf('story'),
    stage: oneOf(STAGES, 'Where the story stands'),
    stages: Type.Array(
      Type.Object({
        name: oneOf(STAGES),
        state: oneOf(STAGE_STATES),
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
