// The stages of a story, a pure function of what is known of it; one story and its workflow in answers.
import { type Static, Type } from '@sinclair/typebox';
import { Actor, idOf, nullable, oneOf, timeOf, Untrusted } from '../../model/schemas.ts';
import { stripFields } from '../../quality/runs/model.ts';
import { GraphNodeBody } from '../../requirements/graph/model.ts';
import { Overlay } from '../../requirements/overlay/model.ts';
import {
  LastResult,
  StoryCoverageAnswer,
  Target,
  TRACE_STATES,
  TRACE_TYPES,
} from '../coverage/model.ts';
import { StandingValidation } from '../validation/model.ts';

export const STAGES = ['specified', 'agreed', 'covered', 'executed', 'validated'] as const;
export type StageName = (typeof STAGES)[number];
export const STAGE_STATES = ['done', 'current', 'pending', 'blocked', 'suspect'] as const;

export interface StageFacts {
  missing: string[];
  /** Ids of what shows that it is done, or of what stands in its way. */
  evidence: string[];
  /** When it was reached, as far as that is known. */
  since: string | null;
  /** Something must be taken out of the way first. */
  blocked?: boolean;
  /** It was done, for a story that has changed since. */
  suspect?: boolean;
}

/** The first that is not done is where a story stands; later ones are pending, or in doubt. */
export function stagesOf(facts: Record<StageName, StageFacts>) {
  const isDone = (name: StageName) => {
    const { missing, blocked, suspect } = facts[name];
    return missing.length === 0 && !blocked && !suspect;
  };
  const first = STAGES.find((name) => !isDone(name));
  const stages = STAGES.map((name): Stage => {
    const { missing, evidence, since, blocked, suspect } = facts[name];
    const open = name === first ? 'current' : 'pending';
    const doubted = suspect ? 'suspect' : open;
    const undone = blocked ? 'blocked' : doubted;
    const state = isDone(name) ? 'done' : undone;
    return { name, state, since: state === 'done' ? since : null, evidence, missing };
  });
  return { stage: first ?? 'validated', stages };
}

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

const { tests, ...coverage } = StoryCoverageAnswer.properties;

const StoryCoverageOfOne = Type.Object(
  {
    ...coverage,
    tests: Type.Array(Type.Object({ ...tests.items.properties, ...stripFields }), {
      description: 'Of more than 200 the others have empty strips',
    }),
    traces: Type.Array(
      Type.Object({
        id: nullable(Type.String()),
        type: oneOf(TRACE_TYPES),
        target: Target,
        origin: Type.String(),
        state: oneOf(TRACE_STATES),
      }),
    ),
  },
  { title: 'StoryCoverageOfOne' },
);

export const Story = Type.Composite(
  [
    GraphNodeBody,
    Type.Object({
      revision: Type.Integer(),
      canonical: Type.Optional(GraphNodeBody),
      overlays: Type.Array(Overlay, {
        description: 'Edits and additions that are open or in force',
      }),
      links: Type.Object({ outgoing: Type.Array(Link), incoming: Type.Array(Link) }),
      coverage: nullable(StoryCoverageOfOne),
      validation: nullable(StandingValidation, 'The verdict that counts'),
      lastResults: Type.Array(LastResult, { description: 'Of all that verifies it, newest first' }),
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

export type Stage = Static<typeof Workflow>['stages'][number];

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
      }),
      { description: 'Requests that bring it on; with their `body` where nothing is left to say' },
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
