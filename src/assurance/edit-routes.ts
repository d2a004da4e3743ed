// Routes of story edits.
import { jsonBody, mergePatchBody } from '../http/body.ts';
import { endpoint } from '../http/endpoint.ts';
import { created, ok } from '../http/reply.ts';
import {
  checkEdit,
  createEdit,
  type EditPatch,
  updateEdit,
} from '../requirements/overlay/edits.ts';
import { editView, overlayEtag } from '../requirements/overlay/views.ts';
import type { Assurance } from './assurance.ts';
import { changesContent, type Impact, impactOf, NO_IMPACT } from './impact.ts';
import { answerOf, keptAnswer } from './kept-impacts.ts';
import { EditBody, type EditInput, EditPatchBody } from './overlay-model.ts';
import type { AssuranceState } from './state.ts';
import { editorOf, writeOnState } from './write-on-state.ts';

export function createEditRoute(assurance: Assurance) {
  return endpoint({
    docs: async () => (await import('./overlay-docs.ts')).EDIT_DOCS.create,
    body: jsonBody(EditBody),
    async handler(call) {
      const wish = call.body as EditInput;
      if (wish.dryRun === true) {
        const state = await assurance.states.of(call.caller.projectId);
        const changed = changedBy(state, wish);
        const bytes = changed === undefined ? answerOf(NO_IMPACT) : keptAnswer(state, changed);
        return ok(undefined, { bytes });
      }
      return writeOnState(assurance, call, ['overlays'], async (db, state) => {
        const impact = impactOfEdit(state, wish);
        const edit = editView(await createEdit(db, state.effective, wish, editorOf(call)));
        const location = `/api/srs-graph?view=overlays&id=${edit.id}`;
        return created({ edit, impact }, location, { etag: overlayEtag(edit) });
      });
    },
  });
}

/** What an edit would reach. */
function impactOfEdit(state: AssuranceState, wish: EditInput): Impact {
  const changed = changedBy(state, wish);
  return changed === undefined ? NO_IMPACT : impactOf(state, [changed]);
}

/** The id of the story that an edit lets say something else; undefined where it changes no normative content. */
function changedBy({ effective }: AssuranceState, wish: EditInput): string | undefined {
  const { id } = checkEdit(effective, wish);
  return changesContent(effective, id, wish.set) ? id : undefined;
}

export function updateEditRoute(assurance: Assurance) {
  return endpoint({
    docs: async () => (await import('./overlay-docs.ts')).EDIT_DOCS.update,
    body: mergePatchBody(EditPatchBody),
    handler(call) {
      const { id, ...patch } = call.body;
      const ifMatch = call.request.headers.get('if-match');
      return writeOnState(assurance, call, ['overlays'], async (db, { effective }) => {
        const wish = patch as EditPatch;
        const edit = editView(await updateEdit(db, effective, id, wish, ifMatch, editorOf(call)));
        return ok(edit, { etag: overlayEtag(edit) });
      });
    },
  });
}
