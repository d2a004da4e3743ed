// Routes of the requirements that ask for nothing above them: projects and the graph.
import { room } from '../http/api/endpoint.ts';
import { readGraph } from './graph/routes.ts';
import { createOrUpdateProject, listOwnProject, type SettleRevision } from './projects/routes.ts';
import type { Requirements } from './requirements.ts';

/**
 * Serves them.
 *
 * @param settle - what is to be done with every new revision
 */
export function requirementRoutes(requirements: Requirements, settle: SettleRevision) {
  return room(requirements, 'requirements', {
    'GET /projects': listOwnProject(requirements),
    'POST /projects': createOrUpdateProject(requirements, settle),
    'GET /srs-graph': readGraph(requirements),
  });
}
