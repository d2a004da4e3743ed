// What callers send of edits and additions.
import { type Static, Type } from '@sinclair/typebox';
import { closed, Name, nullable, oneOf, StoryId, Text, Title } from '../../model/schemas.ts';
import { EDIT_STATES } from '../../requirements/overlay/model.ts';
import { EDGE_TYPES } from '../../requirements/sources/model.ts';

const Acceptance = Type.Array(Type.String({ minLength: 1, maxLength: 65_536 }), {
  maxItems: 100,
  description: 'Acceptance criteria, in their order',
});

const FIELDS = {
  title: Title,
  statement: Text,
  acceptance: Acceptance,
  rationale: nullable(Text),
  priority: nullable(Name),
  tags: Type.Array(Name, { maxItems: 100, uniqueItems: true }),
};

const EditSet = Type.Partial(closed(FIELDS), {
  title: 'StoryEditSet',
  description: 'The fields that the edit sets, with their new values',
  additionalProperties: false,
});

const Fingerprint = Type.String({ minLength: 1, maxLength: 200 });
const Reason = Type.Optional(nullable(Text));

export const EditBody = closed(
  {
    storyId: StoryId,
    set: EditSet,
    baseFingerprint: Type.Optional(Fingerprint),
    reason: Reason,
    dryRun: Type.Optional(Type.Boolean()),
  },
  { title: 'StoryEditInput' },
);
export type EditInput = Static<typeof EditBody>;

export const EditPatchBody = closed(
  {
    id: Name,
    state: Type.Optional(oneOf(EDIT_STATES)),
    baseFingerprint: Type.Optional(Fingerprint),
    reason: Reason,
  },
  { title: 'StoryEditPatch' },
);

/**
 * An id that a caller may give to a story. It is bounded more than those of sources are: whatever a
 * caller makes can be written behind `@` or in brackets, and is found there.
 */
const NewStoryId = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern:
    '^[A-Za-z0-9\u00c0-\u024f\u0370-\u1fff\u3040-\ud7ff][A-Za-z0-9\u00c0-\u024f\u0370-\u1fff\u3040-\ud7ff_.:~-]*$',
  says: 'must begin with a letter or digit and hold letters, digits and _ . : ~ - alone',
  description: 'The id of the new story; `ADD-<number>` by default',
});

const Link = closed({ type: oneOf(EDGE_TYPES.filter((type) => type !== 'contains')), to: StoryId });

export const AdditionBody = closed(
  {
    id: Type.Optional(Name),
    state: Type.Optional(oneOf(['active'], 'With `id`: activates it')),
    storyId: Type.Optional(NewStoryId),
    parentId: Type.Optional(nullable(StoryId)),
    kind: Type.Optional(oneOf(['requirement', 'story'], '`story` by default')),
    title: Type.Optional(Title),
    statement: Type.Optional(Text),
    acceptance: Type.Optional(Acceptance),
    links: Type.Optional(Type.Array(Link, { maxItems: 100, uniqueItems: true })),
    reason: Reason,
  },
  {
    title: 'StoryAdditionInput',
    description: 'A new story with its title; or `id` and `state`, to activate one',
  },
);
export type AdditionInput = Static<typeof AdditionBody>;

export const AdditionDeletion = closed(
  { id: Type.Optional(Name) },
  { title: 'StoryAdditionDeletion' },
);

export const AdditionQuery = closed({
  id: Type.Optional(Type.String({ description: 'The addition; or in the body' })),
  cascade: Type.Optional(Type.Boolean({ description: 'Removes what depends on it too' })),
});
