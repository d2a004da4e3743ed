// Verdicts and their transfer, as callers ask for them, send them and are answered.
import { type Static, Type } from '@sinclair/typebox';
import { MAX_PAGE_SIZE } from '../../model/pages.ts';
import {
  Actor,
  closed,
  idOf,
  Name,
  nullable,
  oneOf,
  StoryId,
  Text,
  Time,
  timeOf,
} from '../../model/schemas.ts';

export const VERDICTS = ['passed', 'failed', 'blocked', 'inconclusive'] as const;
export const METHODS = ['test', 'inspection', 'analysis', 'demonstration'] as const;

export const DISPOSITIONS = [
  'restored',
  'invalidated',
  'suspect',
  'suspect_test',
  'transferable',
  'renamed',
  'ambiguous',
  'orphaned',
  'missing',
] as const;
export type Disposition = (typeof DISPOSITIONS)[number];

const MAX_RESULTS = 100_000;

const Test = closed({
  kind: oneOf(['scenario', 'test', 'command']),
  id: Type.String({ minLength: 1, maxLength: 1000, description: 'Of a command its id or its key' }),
  fingerprint: Type.Optional(nullable(Type.String({ maxLength: 200 }))),
});

const Fingerprint = Type.String({ minLength: 1, maxLength: 200 });

const Result = closed(
  {
    storyId: StoryId,
    verdict: oneOf(VERDICTS),
    method: Type.Optional(oneOf(METHODS, '`test` where tests are named, else `inspection`')),
    evidence: Type.Optional(nullable(Text)),
    tests: Type.Optional(
      Type.Array(Test, { maxItems: 100, description: 'Those that verify the story by default' }),
    ),
    at: Type.Optional(Time),
    fingerprint: Type.Optional(Fingerprint),
    deepFingerprint: Type.Optional(Fingerprint),
    note: Type.Optional(nullable(Text)),
    replaces: Type.Optional(
      nullable(
        Type.String({ minLength: 1, maxLength: 100, description: 'The last one on the story' }),
      ),
    ),
  },
  { title: 'ValidationInput' },
);
export type ResultInput = Static<typeof Result>;

const BundleResult = closed({
  id: Name,
  storyId: StoryId,
  title: Type.String({ maxLength: 65_536 }),
  verdict: oneOf(VERDICTS),
  method: oneOf(METHODS),
  evidence: nullable(Text),
  tests: Type.Array(
    closed({
      kind: Type.String({ maxLength: 20 }),
      // As long as titles of scenarios in sources, which have no limit of their own.
      id: Type.String({ maxLength: 65_536 }),
      fingerprint: nullable(Type.String({ maxLength: 200 })),
    }),
    { maxItems: MAX_RESULTS },
  ),
  by: Type.String({ maxLength: 65_536 }),
  at: Time,
  revision: Type.Integer({ minimum: 0 }),
  fingerprint: Fingerprint,
  deepFingerprint: Fingerprint,
});

export const BUNDLE_FORMAT = 'pqrs-validation-bundle';

export const Bundle = closed(
  {
    format: oneOf([BUNDLE_FORMAT]),
    version: Type.Integer({ minimum: 1, maximum: 1 }),
    project: Name,
    revision: Type.Integer({ minimum: 0 }),
    exportedAt: Time,
    publicKey: Type.String({ minLength: 1, maxLength: 1000 }),
    results: Type.Array(BundleResult, { maxItems: MAX_RESULTS }),
    signature: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Ed25519 over the RFC 8785 text of all other members, base64url',
    }),
  },
  { title: 'ValidationBundle', description: 'Verdicts for carrying to another instance' },
);
export type ValidationBundle = Static<typeof Bundle>;

export const TransferBody = closed(
  {
    mode: oneOf(['record', 'carry', 'bundle']),
    results: Type.Optional(Type.Array(Result, { minItems: 1, maxItems: MAX_RESULTS })),
    from: Type.Optional(Type.Integer({ minimum: 0 })),
    storyIds: Type.Optional(
      Type.Union([
        oneOf(['transferable']),
        Type.Array(StoryId, { minItems: 1, maxItems: MAX_RESULTS }),
      ]),
    ),
    acceptSuspect: Type.Optional(Type.Boolean()),
    bundle: Type.Optional(Bundle),
  },
  { title: 'ValidationTransferInput' },
);
export type TransferInput = Static<typeof TransferBody>;

export const TransferQuery = closed({
  view: Type.Optional(oneOf(['transfer', 'history'], '`history`: the verdicts on one story')),
  format: Type.Optional(oneOf(['json', 'bundle'], '`bundle`: a signed document')),
  id: Type.Optional(Type.String({ description: 'One verdict, bare' })),
  storyId: Type.Optional(Type.Array(Type.String())),
  disposition: Type.Optional(Type.Array(oneOf(DISPOSITIONS))),
  from: Type.Optional(Type.Integer({ minimum: 0, description: 'Verdicts of this revision alone' })),
  to: Type.Optional(
    Type.String({
      pattern: '^(?:effective|canonical|[1-9]\\d{0,8})$',
      says: 'must be a revision, canonical or effective',
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE })),
  cursor: Type.Optional(Type.String({ maxLength: 300 })),
});
export type TransferFilters = Static<typeof TransferQuery>;

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

export const StandingValidation = Type.Object(
  {
    ...Validation.properties,
    standing: oneOf(['valid', 'invalidated', 'suspect'], 'To the story as it is now'),
  },
  { title: 'StandingValidation' },
);

export const StoryText = Type.Object(
  { title: Type.String(), statement: Type.String(), acceptance: Type.Array(Type.String()) },
  { title: 'StoryText' },
);

const difference = {
  was: nullable(StoryText, 'What was judged; null where it is the same today, or not known'),
  now: nullable(StoryText, 'What it says today; null beside `was` where it is gone'),
};

export const TransferItem = Type.Object(
  {
    storyId: idOf('story'),
    title: nullable(Type.String({ description: 'Null where the story is gone' })),
    disposition: oneOf(DISPOSITIONS),
    validation: nullable(Validation),
    renamedTo: nullable(Type.String()),
    why: Type.String(),
    ...difference,
    via: nullable(
      Type.Object({
        storyId: idOf('story'),
        title: nullable(Type.String()),
        ...difference,
      }),
      'Of a `suspect` one the nearest changed story of those that it rests on',
    ),
  },
  { title: 'TransferItem' },
);

export const TransferPage = Type.Object(
  {
    revision: Type.Integer(),
    from: nullable(Type.Integer()),
    to: Type.String(),
    counts: Type.Record(Type.String(), Type.Integer()),
    carriable: Type.Integer({
      minimum: 0,
      description:
        'How many of them `carry` would take that are `transferable`, `restored` or `renamed`',
    }),
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
