// What the API document says of the operations on edits and additions.

import { Type } from '@sinclair/typebox';
import type { OperationDocs } from '../../model/docs.ts';
import { closed, Name } from '../../model/schemas.ts';

export const AdditionDeletion = closed(
  { id: Type.Optional(Name) },
  { title: 'StoryAdditionDeletion' },
);

const ACTOR = { tokenId: 'tok_01k2z3a4b5c6d7e8f9g0h1j2k3', label: 'Requirements' };
const FINGERPRINT = 'f1.ktsal:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const DECIDED = {
  author: ACTOR,
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
  decidedAt: '2026-01-31T12:00:00.000Z',
  decidedBy: ACTOR,
  version: 1,
};

export const EDIT_EXAMPLE = {
  id: 'edt_01k2z3a4b5c6d7e8f9g0h1j2k4',
  storyId: 'US-12',
  set: { title: 'Pay by card or by invoice' },
  base: { title: 'Pay by card' },
  reason: 'Business customers pay by invoice.',
  state: 'accepted',
  baseFingerprint: FINGERPRINT,
  ...DECIDED,
};

export const ADDITION_EXAMPLE = {
  id: 'add_01k2z3a4b5c6d7e8f9g0h1j2k5',
  storyId: 'ADD-1',
  parentId: null,
  kind: 'story',
  title: 'Refund an order',
  statement: 'As a clerk I refund an order, so that the customer has the money back.',
  acceptance: ['The money is back within three days.'],
  links: [{ type: 'depends', to: 'US-12' }],
  reason: null,
  state: 'active',
  ...DECIDED,
};

export const IMPACT_EXAMPLE = {
  stories: [
    { id: 'US-12', distance: 0, via: null },
    { id: 'US-14', distance: 1, via: 'US-12' },
  ],
  scenarios: ['checkout/pay-by-card'],
  testCommands: [],
  routes: ['POST /orders'],
  traces: [{ id: 'trc_01k2z3a4b5c6d7e8f9g0h1j2k6', becomes: 'suspect' }],
  validations: [
    { storyId: 'US-12', becomes: 'invalidated' },
    { storyId: 'US-14', becomes: 'suspect' },
  ],
  testsToRerun: [{ kind: 'test', id: 't1:4ca495991b7852b855' }],
  estimateMs: null,
};

export const EDIT_DOCS = {
  create: {
    description:
      'Proposes an edit of a story; under the policy `direct`, or by an owner, it is accepted at once. ' +
      '`baseFingerprint`, where given, is the one that the author saw: `409 conflict` when the story has changed since. ' +
      'A later accepted edit that sets all fields of an earlier one supersedes it. With `dryRun` nothing is stored, and ' +
      'the answer is the impact alone. It is empty where no fingerprint would be another: neither as they are made today ' +
      'nor as a link, a verdict or a run in reach was stamped.',
    bodyExample: {
      storyId: 'US-12',
      set: { title: 'Pay by card or by invoice' },
      reason: 'Business customers pay by invoice.',
    },
    replies: {
      200: {
        description: 'With `dryRun`: what the edit would reach',
        example: { impact: IMPACT_EXAMPLE },
      },
      201: {
        description: 'The edit, and what it reaches',
        example: { edit: EDIT_EXAMPLE, impact: IMPACT_EXAMPLE },
        headers: ['ETag'],
      },
    },
    problems: ['conflict'],
  },
  update: {
    description:
      'Moves an edit, named by `id` in the body: `proposed` to accepted, rejected or withdrawn; `accepted` to withdrawn; ' +
      '`conflicted` to accepted, rebased with the `baseFingerprint` of the story as it is now (which alone says as much), ' +
      'or to withdrawn. Any other ' +
      'move is `409 illegal_transition`. Under the policy `review` accepting and rejecting need an owner, and a rebase by ' +
      'another goes back to `proposed`. While it is proposed, and with a rebase, `set` may change, but not ' +
      'together with a state that ends the edit: with that, `baseFingerprint` is checked, and changes nothing of it.',
    bodyExample: { id: EDIT_EXAMPLE.id, state: 'withdrawn' },
    replies: {
      200: {
        description: 'The edit as it is now',
        example: { ...EDIT_EXAMPLE, state: 'withdrawn', version: 2 },
        headers: ['ETag'],
      },
    },
    problems: ['not_found', 'conflict', 'illegal_transition', 'precondition_failed'],
  },
} satisfies Record<string, OperationDocs>;

export const ADDITION_DOCS = {
  create: {
    description:
      'Adds a story beside the sources; under the policy `direct`, or by an owner, it is active at once. `title` is ' +
      'needed; `storyId` is `ADD-<number>` by default. With `id` and `state: "active"` a proposed one is activated, under ' +
      '`review` by an owner. A canonical node that comes with its id in a later revision absorbs it.',
    bodyExample: {
      title: ADDITION_EXAMPLE.title,
      statement: ADDITION_EXAMPLE.statement,
      acceptance: ADDITION_EXAMPLE.acceptance,
      links: ADDITION_EXAMPLE.links,
    },
    replies: {
      200: {
        description: 'The addition that was activated',
        example: ADDITION_EXAMPLE,
        headers: ['ETag'],
      },
      201: {
        description: 'The new addition',
        example: ADDITION_EXAMPLE,
        headers: ['ETag'],
      },
    },
    problems: ['not_found', 'conflict', 'illegal_transition', 'precondition_failed'],
  },
  remove: {
    description:
      'Deletes an addition, named by the query or by a JSON body `{ "id" }`. Where traces, justifications, scenarios, ' +
      'edits or other additions hang on its story: `409`, with the impact as member `impact` of the problem, unless ' +
      '`cascade` is true. The impact is that of the deletion with all that goes with it; its stories are also those that ' +
      'point at this one by links of other types, and the additions below it, at distance 1. With `cascade` its traces and ' +
      'justifications go too, and its edits are withdrawn; scenarios go on naming it. A second time is `404`.',
    optionalBody: { schemas: { 'application/json': AdditionDeletion } },
    bodyExample: { id: ADDITION_EXAMPLE.id },
    replies: { 204: { description: 'It is deleted' } },
    problems: ['not_found', 'conflict', 'illegal_transition', 'precondition_failed'],
  },
} satisfies Record<string, OperationDocs>;
