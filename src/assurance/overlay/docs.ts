// What the API document says of the operations on edits and additions.
import type { OperationDocs } from '../../model/docs.ts';
import { AdditionDeletion } from './model.ts';

export const EDIT_DOCS = {
  create: {
    description:
      'Proposes an edit of a story; under the policy `direct`, or by an owner, it is accepted at once, and supersedes an earlier ' +
      'one of which it sets all fields. `baseFingerprint`, where given, is the one that the author saw: `409 conflict` when the ' +
      'story has changed since. With `dryRun` nothing is stored, and the answer is the impact alone: it is empty where no ' +
      'fingerprint would be another.',
    bodyExample: {
      storyId: 'US-12',
      set: { title: 'Pay by card or by invoice' },
      reason: 'Business customers pay by invoice.',
    },
    replies: {
      200: { description: 'With `dryRun`: what the edit would reach' },
      201: { description: 'The edit, and what it reaches', headers: ['ETag'] },
    },
    problems: ['conflict'],
  },
  update: {
    description:
      'Moves an edit: `proposed` to accepted, rejected or withdrawn; `accepted` to withdrawn; `conflicted` to withdrawn or to ' +
      'accepted, rebased with the `baseFingerprint` of the story as it is now; any other move is `409 illegal_transition`. Under ' +
      'the policy `review` accepting and rejecting need an owner, and a rebase by another goes back to `proposed`. `set` may ' +
      'change while it is proposed, and with a rebase.',
    bodyExample: { id: 'edt_01k2z3a4b5c6d7e8f9g0h1j2k4', state: 'withdrawn' },
    replies: { 200: { description: 'The edit as it is now', headers: ['ETag'] } },
    problems: ['not_found', 'conflict', 'illegal_transition', 'precondition_failed'],
  },
} satisfies Record<string, OperationDocs>;

export const ADDITION_DOCS = {
  create: {
    description:
      'Adds a story beside the sources; under the policy `direct`, or by an owner, it is active at once. With `id` and ' +
      '`state: "active"` a proposed one is activated, under `review` by an owner. A canonical node that comes with its id in a ' +
      'later revision absorbs it.',
    bodyExample: {
      title: 'Refund an order',
      statement: 'As a clerk I refund an order, so that the customer has the money back.',
      acceptance: ['The money is back within three days.'],
      links: [{ type: 'depends', to: 'US-12' }],
    },
    replies: {
      200: { description: 'The addition that was activated', headers: ['ETag'] },
      201: { description: 'The new addition', headers: ['ETag'] },
    },
    problems: ['not_found', 'conflict', 'illegal_transition', 'precondition_failed'],
  },
  remove: {
    description:
      'Deletes an addition, named by the query or by a JSON body `{ "id" }`. Where traces, justifications, scenarios, edits or ' +
      'other stories hang on it: `409`, with the impact as member `impact` of the problem, unless `cascade` is true: then its ' +
      'traces and justifications go too, and its edits are withdrawn.',
    optionalBody: { schemas: { 'application/json': AdditionDeletion } },
    bodyExample: { id: 'add_01k2z3a4b5c6d7e8f9g0h1j2k5' },
    replies: { 204: { description: 'It is deleted' } },
    problems: ['not_found', 'conflict', 'illegal_transition', 'precondition_failed'],
  },
} satisfies Record<string, OperationDocs>;
