// Routes of story edits.

import type { Caller } from '../../access/caller.ts';
import { jsonBody, mergePatchBody } from '../../http/api/body.ts';
import { endpoint } from '../../http/api/endpoint.ts';
import { created, ok } from '../../http/api/reply.ts';
import { requireDecider } from '../../requirements/overlay/deciders.ts';
import {
  checkEdit,
  checkPatch,
  createEdit,
  type EditPatch,
  findEdit,
  updateEdit,
} from '../../requirements/overlay/edits.ts';
import { EDIT_STATES, withoutRepeats } from '../../requirements/overlay/model.ts';
import { editView, overlayEtag } from '../../requirements/overlay/views.ts';
import { settingsOf } from '../../requirements/projects/projects.ts';
import type { Assurance } from '../assurance.ts';
import { impactOfEdit } from '../impact/edit.ts';
import type { Impact } from '../impact/model.ts';
import type { AssuranceState } from '../state/state.ts';
import { deciderOf, editorOf, writeOnState } from '../state/write-on-state.ts';
import { verdictsSolelyOn } from '../validation/transfer.ts';
import { EditBody, type EditInput, EditPatchBody } from './model.ts';

export function createEditRoute(assurance: Assurance) {
  return endpoint({
    docs: async () => (await import('./docs.ts')).EDIT_DOCS.create,
    body: jsonBody(EditBody),
    async handler(call) {
      const body = call.body as EditInput;
      const input = { ...body, set: withoutRepeats(body.set) };
      if (input.dryRun === true) {
        const state = await assurance.states.of(call.caller.projectId);
        return ok({ impact: await impactOf(assurance, state, input) });
      }
      // What the write reads of files must be in memory by then.
      const before = await assurance.states.of(call.caller.projectId);
      await verdictsSolelyOn(assurance, before, [input.storyId]);
      return writeOnState(assurance, call, ['overlays'], async (db, state) => {
        const impact = await impactOf(assurance, state, input);
        const edit = editView(await createEdit(db, state.effective, input, editorOf(call)));
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
async function impactOf(
  assurance: Assurance,
  state: AssuranceState,
  edit: EditInput,
): Promise<Impact> {
  const { id } = checkEdit(state.effective, edit);
  return impactOfEdit(state, edit, await verdictsSolelyOn(assurance, state, [id]));
}

export function updateEditRoute(assurance: Assurance) {
  return endpoint({
    docs: async () => (await import('./docs.ts')).EDIT_DOCS.update,
    body: mergePatchBody(EditPatchBody),
    allowFields: (body, caller) => refuseDecision(assurance, body, caller),
    handler(call) {
      const { id, ...patch } = call.body;
      const input = patch as EditPatch;
      checkPatch(input);
      const ifMatch = call.request.headers.get('if-match');
      return writeOnState(assurance, call, ['overlays'], async (db, { effective }) => {
        const edit = editView(await updateEdit(db, effective, id, input, ifMatch, editorOf(call)));
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
  // Where there is no such edit: what could be asked of none is refused likewise.
  const rebased = baseFingerprint !== undefined;
  const any = { state: rebased ? 'conflicted' : 'proposed', authorToken: decider.actor.tokenId };
  requireDecider(named ?? any, to, settings, decider);
}
