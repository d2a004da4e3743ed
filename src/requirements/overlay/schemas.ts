// Edits and additions as answers show them.
import { Type } from '@sinclair/typebox';
import { Actor, idOf, timeOf, Version } from '../../model/answer-schemas.ts';
import { nullable, oneOf } from '../../model/schemas.ts';
import { ADDITION_STATES, EDIT_STATES } from './model.ts';

const Texts = Type.Array(Type.String());

const DECISION = {
  author: Actor,
  createdAt: timeOf('When it was made'),
  updatedAt: timeOf('When it last changed'),
  decidedAt: nullable(timeOf('When it was accepted, rejected or activated')),
  decidedBy: nullable(Actor),
  version: Version,
};

const Values = Type.Object(
  {
    title: Type.Optional(Type.String()),
    statement: Type.Optional(Type.String()),
    acceptance: Type.Optional(Texts),
    rationale: Type.Optional(nullable(Type.String())),
    priority: Type.Optional(nullable(Type.String())),
    tags: Type.Optional(Texts),
  },
  { title: 'StoryValues', description: 'Fields of a story' },
);

export const StoryEdit = Type.Object(
  {
    id: idOf('edit'),
    storyId: idOf('story'),
    set: Values,
    base: Values,
    reason: nullable(Type.String()),
    state: oneOf(EDIT_STATES),
    baseFingerprint: Type.String({ description: 'The effective fingerprint it was made on' }),
    ...DECISION,
  },
  { title: 'StoryEdit', description: 'An overlay that edits a story' },
);

export const StoryAddition = Type.Object(
  {
    id: idOf('addition'),
    storyId: idOf('story'),
    parentId: nullable(Type.String()),
    kind: oneOf(['requirement', 'story']),
    title: Type.String(),
    statement: Type.String(),
    acceptance: Texts,
    links: Type.Array(Type.Object({ type: Type.String(), to: Type.String() })),
    reason: nullable(Type.String()),
    state: oneOf(ADDITION_STATES),
    ...DECISION,
  },
  { title: 'StoryAddition', description: 'An overlay that adds a story' },
);

const kindOf = (overlay: 'edit' | 'addition') => Type.Object({ overlay: oneOf([overlay]) });

/** An edit or addition in a list of both. */
export const Overlay = Type.Union([
  Type.Composite([kindOf('edit'), StoryEdit], { title: 'OverlayEdit' }),
  Type.Composite([kindOf('addition'), StoryAddition], { title: 'OverlayAddition' }),
]);
