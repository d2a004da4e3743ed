// Routes of story edits and of story additions.

import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Caller } from '../../access/caller.ts';
import { invalid } from '../../errors.ts';
import { recordAudit } from '../../evidence/logs/entries.ts';
import { api, type Call } from '../../http/api/api.ts';
import { acceptBody, jsonBody, mergePatchBody, readJson } from '../../http/api/body.ts';
import type { Served } from '../../http/api/context.ts';
import { noQuery, queryOf } from '../../http/api/query.ts';
import { answers, created, ok, reply } from '../../http/api/reply.ts';
import { readBody } from '../../http/api/request-body.ts';
import type { Limits } from '../../limits.ts';
import type { OperationDocs } from '../../model/docs.ts';
import { requireMatch } from '../../model/etag.ts';
import { requireOnly } from '../../model/validate.ts';
import {
  activateAddition,
  createAddition,
  deleteAddition,
  getAddition,
  type NewAddition,
} from '../../requirements/overlay/additions.ts';
import {
  checkEdit,
  createEdit,
  type EditPatch,
  requireActivator,
  requireDeleter,
  updateEdit,
} from '../../requirements/overlay/edits.ts';
import {
  additionView,
  editView,
  overlayEtag,
  StoryAddition,
  StoryEdit,
} from '../../requirements/overlay/model.ts';
import { settingsOf } from '../../requirements/projects/projects.ts';
import type { Assurance } from '../assurance.ts';
import { Impact, impactOfEdit, removeDependents, requireNoDependents } from '../impact/impact.ts';
import type { AssuranceState } from '../state/state.ts';
import { deciderOf, editorOf, writeOnState } from '../state/write-on-state.ts';
import {
  AdditionBody,
  AdditionDeletion,
  type AdditionInput,
  AdditionQuery,
  EditBody,
  type EditInput,
  EditPatchBody,
} from './model.ts';

const EDIT_DOCS = {
  create: {
    description:
      'Proposes an edit of a story; under the policy `direct`, or by an owner, it is accepted at once, and supersedes ' +
      'one of which it sets all fields. With `dryRun` nothing is stored, and the answer is the impact alone.',
    bodyExample: { storyId: 'US-12', set: { title: 'Pay by card or by invoice' } },
    replies: { 201: { description: 'The edit, and what it reaches', headers: ['ETag'] } },
    problems: ['conflict'],
  },
  update: {
    description:
      'Moves an edit: `proposed` to accepted, rejected or withdrawn; `accepted` to withdrawn; `conflicted` to withdrawn or ' +
      'to accepted, rebased with the `baseFingerprint` of the story as it is now. Under the policy `review` accepting and ' +
      'rejecting need an owner, and a rebase by another goes back to `proposed`. Its words stay: others are another edit.',
    bodyExample: { id: 'edt_01k2z3a4b5c6d7e8f9g0h1j2k4', state: 'withdrawn' },
    replies: { 200: { description: 'The edit as it is now', headers: ['ETag'] } },
    problems: ['not_found', 'conflict', 'illegal_transition', 'precondition_failed'],
  },
} satisfies Record<string, OperationDocs>;

const ADDITION_PROBLEMS: OperationDocs['problems'] = [
  'not_found',
  'conflict',
  'illegal_transition',
  'precondition_failed',
];

const ADDITION_DOCS = {
  create: {
    description:
      'Adds a story beside the sources; under the policy `direct`, or by an owner, it is active at once. With `id` and ' +
      '`state: "active"` a proposed one is activated. A canonical node that comes with its id later absorbs it.',
    bodyExample: { title: 'Refund an order', acceptance: ['The money is back in three days.'] },
    replies: {
      200: { description: 'The addition that was activated', headers: ['ETag'] },
      201: { description: 'The new addition', headers: ['ETag'] },
    },
    problems: ADDITION_PROBLEMS,
  },
  remove: {
    description:
      'Where something depends on the story: `409`, with the impact as member `impact`, unless `cascade` is true: then its ' +
      'traces and justifications go too, and its edits are withdrawn.',
    optionalBody: { schemas: { 'application/json': AdditionDeletion } },
    bodyExample: { id: 'add_01k2z3a4b5c6d7e8f9g0h1j2k5' },
    replies: { 204: { description: 'It is deleted' } },
    problems: ADDITION_PROBLEMS,
  },
} satisfies Record<string, OperationDocs>;

export const editRoutes = (assurance: Served<Assurance>) =>
  new Elysia({ name: 'story-edits', prefix: '/story-edits' })
    .use(api(assurance))
    .post('', (call) => makeEdit(assurance, call, call.body), {
      operation: { id: 'createStoryEdit', docs: EDIT_DOCS.create },
      query: noQuery,
      body: jsonBody(EditBody),
      response: answers({
        200: Type.Object({ impact: Impact }),
        201: Type.Object({ edit: StoryEdit, impact: Impact }),
      }),
    })
    .patch('', (call) => changeEdit(assurance, call, call.body as EditChange), {
      operation: {
        id: 'updateStoryEdit',
        docs: EDIT_DOCS.update,
        authorizeBody: authorizeDecision(assurance),
      },
      query: noQuery,
      body: mergePatchBody(EditPatchBody),
      response: answers({ 200: StoryEdit }),
    });

/** Refuses decisions that are an owner's under review, before anything else is looked at. */
function authorizeDecision({ database: { read } }: Assurance) {
  return async (body: unknown, caller: Caller): Promise<void> => {
    const { state, baseFingerprint } = (body ?? {}) as Record<string, unknown>;
    // An accepted one with a fingerprint is a rebase, which is proposed again.
    const isAccepted = state === 'accepted' && baseFingerprint === undefined;
    if (!isAccepted && state !== 'rejected' && state !== 'active') return;
    requireActivator(await settingsOf(read, caller.projectId), deciderOf(caller));
  };
}

const locationOf = ({ id }: { id: string }) => `/api/srs-graph?view=overlays&id=${id}`;

async function makeEdit(assurance: Assurance, call: Call, { dryRun, ...input }: EditInput) {
  const impactOn = (state: AssuranceState) => {
    checkEdit(state.effective, input);
    return impactOfEdit(state, input);
  };
  if (dryRun) return ok({ impact: impactOn(await assurance.states.of(call.caller.projectId)) });
  return writeOnState(assurance, call, ['overlays'], async (db, state) => {
    const impact = impactOn(state);
    const edit = editView(await createEdit(db, state.effective, input, editorOf(call)));
    return created({ edit, impact }, locationOf(edit), { etag: overlayEtag(edit) });
  });
}

type EditChange = { id: string } & EditPatch;

async function changeEdit(assurance: Assurance, call: Call, { id, ...patch }: EditChange) {
  const ifMatch = call.request.headers.get('if-match');
  return writeOnState(assurance, call, ['overlays'], async (db, { effective }) => {
    const edit = editView(await updateEdit(db, effective, id, patch, ifMatch, editorOf(call)));
    return ok(edit, { etag: overlayEtag(edit) });
  });
}

export const additionRoutes = (assurance: Served<Assurance>) =>
  new Elysia({ name: 'story-additions', prefix: '/story-additions' })
    .use(api(assurance))
    .post('', (call) => makeAddition(assurance, call, call.body), {
      operation: {
        id: 'createStoryAddition',
        docs: ADDITION_DOCS.create,
        authorizeBody: authorizeDecision(assurance),
      },
      query: noQuery,
      body: jsonBody(AdditionBody),
      response: answers({ 200: StoryAddition, 201: StoryAddition }),
    })
    .delete('', (call) => removeAddition(assurance, call, call.query), {
      operation: { id: 'deleteStoryAddition', docs: ADDITION_DOCS.remove },
      query: queryOf(AdditionQuery),
    });

async function makeAddition(assurance: Assurance, call: Call, body: AdditionInput) {
  const editor = editorOf(call);
  if (body.id === undefined) {
    const input = requireNew(body);
    return writeOnState(assurance, call, ['overlays'], async (db, { effective }) => {
      const addition = additionView(await createAddition(db, effective, input, editor));
      return created(addition, locationOf(addition), { etag: overlayEtag(addition) });
    });
  }
  const { id, state: to, ...more } = body;
  if (to === undefined) throw invalid('/state', 'is required with id: "active"');
  requireOnly(more, [], 'id, which names an addition to activate');
  const ifMatch = call.request.headers.get('if-match');
  return writeOnState(assurance, call, ['overlays'], async (db, { effective }) => {
    const addition = additionView(await activateAddition(db, effective, id, ifMatch, editor));
    return ok(addition, { etag: overlayEtag(addition) });
  });
}

type Deletion = Static<typeof AdditionQuery>;

async function removeAddition(assurance: Assurance, call: Call, query: Deletion) {
  const { request, caller, now } = call;
  const named = await readDeletion(assurance.limits, request);
  const { id = named.id, cascade = false } = query;
  if (id === undefined) throw invalid('/id', 'is required, in the query or in the body');
  if (named.id !== undefined && named.id !== id)
    throw invalid('/id', 'differs between the query and the body');
  const editor = editorOf(call);
  return writeOnState(assurance, call, ['overlays', 'traces'], async (db, state) => {
    const row = await getAddition(db, caller.projectId, id);
    const { projectId, storyId } = row;
    requireDeleter(state.effective.settings, row, editor);
    requireMatch(request.headers.get('if-match'), row.version);
    if (cascade) await removeDependents(db, state, row, editor);
    else requireNoDependents(state, row);
    await deleteAddition(db, state.effective, row, editor);
    const fields = { additionId: id, storyId, cascade };
    const { actor } = editor;
    await recordAudit(db, { projectId, action: 'addition.deleted', actor, fields, now });
    return reply(204, undefined);
  });
}

function requireNew({ title, state, id: _none, ...input }: AdditionInput): NewAddition {
  if (state !== undefined) throw invalid('/state', 'goes with the id of an addition');
  if (title === undefined) throw invalid('/title', 'is required');
  return { ...input, title };
}

const deletionBody = jsonBody(AdditionDeletion);

async function readDeletion(limits: Limits, request: Request): Promise<{ id?: string }> {
  if (!request.headers.has('content-type')) return {};
  const mediaType = acceptBody(request, deletionBody, limits);
  const bytes = await readBody(request, deletionBody.limitOf(limits, mediaType), limits);
  return bytes.byteLength === 0 ? {} : deletionBody.check(readJson(bytes), limits);
}
