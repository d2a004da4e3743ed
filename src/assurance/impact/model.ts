// The impact of a change, as answers give it.
import { type Static, Type } from '@sinclair/typebox';
import { idOf } from '../../model/answer-schemas.ts';
import { nullable, oneOf } from '../../model/schemas.ts';

export const Impact = Type.Object(
  {
    stories: Type.Array(
      Type.Object({
        id: idOf('story'),
        distance: Type.Integer({ minimum: 0 }),
        via: nullable(Type.String()),
      }),
      {
        description:
          'Stories that rest on the changed one, by their distance from it; where the deletion of an addition is ' +
          'refused, at distance 1 also those that are linked to it otherwise, and the additions below it',
      },
    ),
    scenarios: Type.Array(Type.String(), {
      description: 'Keys of the scenarios there are that verify one of the stories',
    }),
    testCommands: Type.Array(Type.String(), {
      description: 'Ids of the commands that verify one of the stories, or ran a test of one last',
    }),
    routes: Type.Array(Type.String()),
    traces: Type.Array(Type.Object({ id: idOf('trace'), becomes: oneOf(['suspect', 'broken']) }), {
      description: 'Links that are valid, and what they become; what is broken already stays so',
    }),
    validations: Type.Array(
      Type.Object({
        storyId: idOf('story'),
        becomes: oneOf(['invalidated', 'suspect', 'orphaned']),
      }),
      {
        description:
          'What becomes of verdicts that would not hold, and stand otherwise than they do; of those on a story that is ' +
          'deleted `orphaned`, where no other story has its text',
      },
    ),
    testsToRerun: Type.Array(Type.Object({ kind: oneOf(['test', 'command']), id: Type.String() })),
    estimateMs: nullable(
      Type.Integer({ minimum: 0, description: 'How long these tests took when they last ran' }),
    ),
  },
  { title: 'Impact', description: 'What a change of a story reaches' },
);
export type Impact = Static<typeof Impact>;
