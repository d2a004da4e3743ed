// Routes of story additions.

import { actorOf } from '../../access/caller.ts';
import { invalid } from '../../errors.ts';
import { recordAudit } from '../../evidence/logs/audit.ts';
import { acceptBody, jsonBody, readJson } from '../../http/api/body.ts';
import { endpoint } from '../../http/api/endpoint.ts';
import { created, ok } from '../../http/api/reply.ts';
import { readBody } from '../../http/api/request-body.ts';
import { requireMatch } from '../../model/etag.ts';
import {
  activateAddition,
  createAddition,
  deleteAddition,
  getAddition,
  type AdditionInput as NewAddition,
} from '../../requirements/overlay/additions.ts';
import { requireActivator, requireDeleter } from '../../requirements/overlay/deciders.ts';
import { additionView, overlayEtag } from '../../requirements/overlay/views.ts';
import { settingsOf } from '../../requirements/projects/projects.ts';
import type { Assurance } from '../assurance.ts';
import {
  HasDependents,
  refusalOf,
  removeDependents,
  requireNoDependents,
} from '../impact/deletion.ts';
import { deciderOf, editorOf, writeOnState } from '../state/write-on-state.ts';
import { recordGone } from '../validation/gone.ts';
import { AdditionBody, type AdditionInput, AdditionQuery, DELETION_BODY } from './model.ts';

export function createAdditionRoute(assurance: Assurance) {
  return endpoint({
    docs: async () => (await import('./docs.ts')).ADDITION_DOCS.create,
    body: jsonBody(AdditionBody),
    async allowFields(body, caller) {
      const decider = deciderOf(caller);
      if (decider.owner || typeof body !== 'object' || body === null) return;
      if (Object.hasOwn(body, 'state'))
        requireActivator(await settingsOf(assurance.database.read, caller.projectId), decider);
    },
    handler(call) {
      const { body } = call;
      const editor = editorOf(call);
      if (body.id !== undefined) {
        const id = requireActivation(body, body.id);
        const ifMatch = call.request.headers.get('if-match');
        return writeOnState(assurance, call, ['overlays'], async (db, { effective }) => {
          const row = await activateAddition(db, effective, id, ifMatch, editor);
          const addition = additionView(row);
          return ok(addition, { etag: overlayEtag(addition) });
        });
      }
      const input = requireTitle(body);
      return writeOnState(assurance, call, ['overlays'], async (db, { effective }) => {
        const addition = additionView(await createAddition(db, effective, input, editor));
        const location = `/api/srs-graph?view=overlays&id=${addition.id}`;
        return created(addition, location, { etag: overlayEtag(addition) });
      });
    },
  });
}

function requireActivation(body: AdditionInput, id: string): string {
  for (const name of Object.keys(body)) {
    if (name !== 'id' && name !== 'state')
      throw invalid(`/${name}`, 'does not go with id, which names an addition to activate');
  }
  if (body.state === undefined) throw invalid('/state', 'is required with id: "active"');
  return id;
}

function requireTitle({ title, state, ...input }: AdditionInput): NewAddition {
  if (state !== undefined) throw invalid('/state', 'goes with the id of an addition');
  if (title === undefined) throw invalid('/title', 'is required');
  const { id: _none, ...rest } = input;
  return { ...rest, title } as NewAddition;
}

export function deleteAdditionRoute(assurance: Assurance) {
  return endpoint({
    docs: async () => (await import('./docs.ts')).ADDITION_DOCS.remove,
    query: AdditionQuery,
    async handler(call) {
      const { query, request } = call;
      const named = hasBody(request) ? await readDeletion(assurance, request) : {};
      const id = query.id ?? named.id;
      if (id === undefined) throw invalid('/id', 'is required, in the query or in the body');
      if (named.id !== undefined && named.id !== id)
        throw invalid('/id', 'differs between the query and the body');
      const deletion = writeOnState(assurance, call, ['overlays', 'traces'], async (db, state) => {
        const row = await getAddition(db, call.caller.projectId, id);
        requireDeleter(state.effective.settings, row, editorOf(call));
        requireMatch(request.headers.get('if-match'), row.version);
        if (query.cascade === true) await removeDependents(db, state, row, editorOf(call));
        else requireNoDependents(state, row);
        await deleteAddition(db, state.effective, row, editorOf(call));
        await recordAudit(db, {
          ...{ projectId: row.projectId, action: 'addition.deleted', actor: actorOf(call.caller) },
          fields: { additionId: id, storyId: row.storyId, cascade: query.cascade === true },
          now: call.now,
        });
        if (row.state === 'active') {
          const revision = state.effective.revision?.number ?? 0;
          await recordGone(db, state.effective, [row.storyId], { revision, at: call.now });
        }
        return { status: 204 };
      });
      return deletion.catch(async (error: unknown) => {
        throw error instanceof HasDependents ? await refusalOf(assurance, error) : error;
      });
    },
  });
}

/** Whether a body was sent: a request without one may hold an empty stream all the same. */
function hasBody({ headers }: Request): boolean {
  const length = headers.get('content-length');
  return (
    headers.has('content-type') ||
    headers.has('transfer-encoding') ||
    (length !== null && length !== '0')
  );
}

async function readDeletion({ limits }: Assurance, request: Request): Promise<{ id?: string }> {
  const mediaType = acceptBody(request, DELETION_BODY, limits);
  const bytes = await readBody(request, DELETION_BODY.limitOf(limits, mediaType), limits);
  return bytes.byteLength === 0
    ? {}
    : (DELETION_BODY.check(readJson(bytes), limits) as { id?: string });
}
