// Routes of the requirements: projects, the graph, the audit of the sources.
import type { Context } from '../http/context.ts';
import { room } from '../http/endpoint.ts';
import { readAudit } from './audit-routes.ts';
import { readGraph } from './graph-routes.ts';
import { createOrUpdateProject, listOwnProject } from './project-routes.ts';
import { openRequirements } from './requirements.ts';

export function requirementRoutes(context: Context) {
  const requirements = openRequirements(context);
  return room(context, 'requirements', {
    'GET /projects': listOwnProject(context),
    'POST /projects': createOrUpdateProject(context),
    'GET /srs-graph': readGraph(requirements),
    'GET /srs-source-audit': readAudit(requirements),
  });
}
