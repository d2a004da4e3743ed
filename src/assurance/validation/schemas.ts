// Verdicts and their transfer, as answers give them.
import { type Static, Type } from '@sinclair/typebox';
import { Actor, idOf, timeOf } from '../../model/answer-schemas.ts';
import { nullable, oneOf } from '../../model/schemas.ts';
import { CANDIDATES_SHOWN, DISPOSITIONS, METHODS, VERDICTS } from './model.ts';

export const Validation = Type.Object(
  {
    id: idOf('validation'),
    storyId: idOf('story'),
    verdict: oneOf(VERDICTS),
    method: oneOf(METHODS),
    evidence: nullable(Type.String()),
    tests: Type.Array(
      Type.Object({
        kind: Type.String(),
        id: Type.String({ description: 'Of a command its key, where it is not known here' }),
        fingerprint: nullable(Type.String({ description: 'Of the test itself, where it has one' })),
      }),
    ),
    by: Type.Union([Actor, oneOf(['system'])]),
    at: timeOf('When it was judged'),
    revision: Type.Integer(),
    fingerprint: Type.String(),
    deepFingerprint: Type.String(),
    transferredFrom: nullable(Type.String({ description: 'The verdict it was carried from' })),
    note: nullable(Type.String()),
  },
  { title: 'Validation', description: 'A verdict on what a story said' },
);

export const TransferItem = Type.Object(
  {
    storyId: idOf('story'),
    title: nullable(Type.String({ description: 'Null where the story is gone' })),
    disposition: oneOf(DISPOSITIONS),
    validation: nullable(Validation),
    renamedTo: nullable(Type.String()),
    candidates: Type.Array(Type.String(), {
      maxItems: CANDIDATES_SHOWN,
      description: `Of an ambiguous one: the stories that it may be, the first ${CANDIDATES_SHOWN} of them in source order`,
    }),
    candidateCount: Type.Integer({ description: 'How many there are in all' }),
    why: Type.String(),
  },
  { title: 'TransferItem' },
);

export const TransferPage = Type.Object(
  {
    revision: Type.Integer(),
    from: nullable(Type.Integer()),
    to: Type.String(),
    counts: Type.Record(Type.String(), Type.Integer()),
    items: Type.Array(TransferItem),
    nextCursor: nullable(Type.String()),
  },
  { title: 'ValidationTransfer' },
);

export const History = Type.Object(
  { items: Type.Array(Validation), nextCursor: nullable(Type.String()) },
  { title: 'ValidationHistory' },
);

export const TransferAnswer = Type.Object(
  {
    applied: Type.Integer(),
    refused: Type.Integer(),
    items: Type.Array(
      Type.Object({
        storyId: idOf('story'),
        applied: Type.Boolean(),
        validationId: nullable(idOf('validation')),
        why: Type.String(),
      }),
    ),
  },
  { title: 'TransferAnswer' },
);
export type Outcome = Static<typeof TransferAnswer>['items'][number];
