// Routes of the assurance: what joins the requirements with what is known of them.
import { room } from '../http/api/endpoint.ts';
import type { Assurance } from './assurance.ts';
import { createAdditionRoute, deleteAdditionRoute } from './overlay/addition-routes.ts';
import { readAudit } from './overlay/audit-routes.ts';
import { createEditRoute, updateEditRoute } from './overlay/edit-routes.ts';
import { readTraceability, writeTraceability } from './traceability/routes.ts';
import { readValidationTransfer, submitValidationTransfer } from './validation/routes.ts';
import { readStory, readWorkflow } from './workflow/routes.ts';

export function assuranceRoutes(assurance: Assurance) {
  return room(assurance, 'assurance', {
    'GET /srs-source-audit': readAudit(assurance),
    'GET /srs-story/:id': readStory(assurance),
    'GET /srs-workflow/:id': readWorkflow(assurance),
    'GET /project-traceability': readTraceability(assurance),
    'POST /project-traceability': writeTraceability(assurance),
    'GET /validation-transfer': readValidationTransfer(assurance),
    'POST /validation-transfer': submitValidationTransfer(assurance),
    'POST /story-edits': createEditRoute(assurance),
    'PATCH /story-edits': updateEditRoute(assurance),
    'POST /story-additions': createAdditionRoute(assurance),
    'DELETE /story-additions': deleteAdditionRoute(assurance),
  });
}
