// Routes of story edits.

import type { Caller } from '../../access/caller.ts';
import { jsonBody, mergePatchBody } from '../../http/api/body.ts';
import { endpoint } from '../../http/api/endpoint.ts';
import { created, ok } from '../../http/api/reply.ts';
import { requireDecider, requireDeciderOfAny } from '../../requirements/overlay/deciders.ts';
import { withoutRepeats } from '../../requirements/overlay/edit-values.ts';
import {
  checkEdit,
  checkPatch,
  createEdit,
  type EditPatch,
  findEdit,
  updateEdit,
} from '../../requirements/overlay/edits.ts';
import { EDIT_STATES } from '../../requirements/overlay/model.ts';
import { editView, overlayEtag } from '../../requirements/overlay/views.ts';
import { settingsOf } from '../../requirements/projects/projects.ts';
import type { Assurance } from '../assurance.ts';
import { type DraftedEdit, draftEdit, impactOfEdit } from '../impact/edit-impact.ts';
import { keptAnswer } from '../impact/kept-impacts.ts';
import type { AssuranceState } from '../state/state.ts';
import { deciderOf, editorOf, writeOnState } from '../state/write-on-state.ts';
import { solelyOn } from '../validation/sole-heirs.ts';
import { EditBody, type EditInput, EditPatchBody } from './model.ts';

export function createEditRoute(assurance: Assurance) {
  return endpoint({
    docs: async () => (await import('./docs.ts')).EDIT_DOCS.create,
    body: jsonBody(EditBody),
    async handler(call) {
      const body = call.body as EditInput;
      const wish = { ...body, set: withoutRepeats(body.set) };
      if (wish.dryRun === true) {
        const state = await assurance.states.of(call.caller.projectId);
        return ok(undefined, { bytes: keptAnswer(state, await drafted(assurance, state, wish)) });
      }
      // What the write reads of files must be in memory by then.
      await solelyOn(assurance, await assurance.states.of(call.caller.projectId), [wish.storyId]);
      return writeOnState(assurance, call, ['overlays'], async (db, state) => {
        const impact = impactOfEdit(state, await drafted(assurance, state, wish));
        const edit = editView(await createEdit(db, state.effective, wish, editorOf(call)));
        const location = `/api/srs-graph?view=overlays&id=${edit.id}`;
        return created({ edit, impact }, location, { etag: overlayEtag(edit) });
      });
    },
  });
}

/**
 * What an edit would do.
 *
 * @throws Problem as `checkEdit`
 */
async function drafted(
  assurance: Assurance,
  state: AssuranceState,
  wish: EditInput,
): Promise<DraftedEdit> {
  const { id } = checkEdit(state.effective, wish);
  return draftEdit(state, wish, await solelyOn(assurance, state, [id]));
}

export function updateEditRoute(assurance: Assurance) {
  return endpoint({
    docs: async () => (await import('./docs.ts')).EDIT_DOCS.update,
    body: mergePatchBody(EditPatchBody),
    allowFields: (body, caller) => refuseDecision(assurance, body, caller),
    handler(call) {
      const { id, ...patch } = call.body;
      const wish = patch as EditPatch;
      checkPatch(wish);
      const ifMatch = call.request.headers.get('if-match');
      return writeOnState(assurance, call, ['overlays'], async (db, { effective }) => {
        const edit = editView(await updateEdit(db, effective, id, wish, ifMatch, editorOf(call)));
        return ok(edit, { etag: overlayEtag(edit) });
      });
    },
  });
}

/** @throws Problem `forbidden` for a state that the caller may not give to the edit */
async function refuseDecision(
  { database: { read } }: Assurance,
  body: unknown,
  caller: Caller,
): Promise<void> {
  const decider = deciderOf(caller);
  if (decider.owner || typeof body !== 'object' || body === null) return;
  const { id, state, baseFingerprint } = body as Record<string, unknown>;
  const to = EDIT_STATES.find((one) => one === state);
  if (to === undefined) return;
  const settings = await settingsOf(read, caller.projectId);
  const named = typeof id === 'string' ? await findEdit(read, caller.projectId, id) : undefined;
  if (named && named.id === id) requireDecider(named, to, settings, decider);
  else requireDeciderOfAny(to, baseFingerprint !== undefined, settings, decider);
}
