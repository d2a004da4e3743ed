// Routes of the assurance: what joins the requirements with what is known of them.

import { Elysia } from 'elysia';
import type { Served } from '../http/api/context.ts';
import type { Assurance } from './assurance.ts';
import { auditRoutes } from './overlay/audit-routes.ts';
import { additionRoutes, editRoutes } from './overlay/routes.ts';
import { traceabilityRoutes } from './traceability/routes.ts';
import { validationRoutes } from './validation/routes.ts';
import { storyRoutes } from './workflow/routes.ts';

export const assuranceRoutes = (assurance: Served<Assurance>) =>
  new Elysia({ name: 'assurance' })
    .use(auditRoutes(assurance))
    .use(storyRoutes(assurance))
    .use(traceabilityRoutes(assurance))
    .use(validationRoutes(assurance))
    .use(editRoutes(assurance))
    .use(additionRoutes(assurance));
