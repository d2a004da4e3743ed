// Routes of the requirements that ask for nothing above them: projects and the graph.

import { Elysia } from 'elysia';
import type { Served } from '../http/api/context.ts';
import { graphRoutes } from './graph/routes.ts';
import { projectRoutes, type SettleRevision } from './projects/routes.ts';
import type { Requirements } from './requirements.ts';

/** @param settle - what is to be done with every new revision */
export const requirementRoutes = (requirements: Served<Requirements>, settle: SettleRevision) =>
  new Elysia({ name: 'requirements' })
    .use(projectRoutes(requirements, settle))
    .use(graphRoutes(requirements));
