// The areas of the API, each an Elysia plugin, and what they work with.
import { Elysia } from 'elysia';
import { type Agents, openAgents } from './agents/agents.ts';
import { agentRoutes } from './agents/routes.ts';
import { openAssurance } from './assurance/assurance.ts';
import { graphRoutes } from './assurance/graph/routes.ts';
import { assuranceRoutes } from './assurance/routes.ts';
import { searchProject } from './assurance/search/search.ts';
import { verdictCosts } from './assurance/validation/costs.ts';
import type { Evidence } from './evidence/evidence.ts';
import { evidenceRoutes } from './evidence/routes.ts';
import type { Served } from './http/api/context.ts';
import { handoffRoutes } from './operations/handoff/routes.ts';
import { probeRoutes } from './operations/probes/routes.ts';
import { openQuality } from './quality/quality.ts';
import { qualityRoutes } from './quality/routes.ts';
import type { CostsOf } from './requirements/graph/effective.ts';
import { projectRoutes } from './requirements/projects/routes.ts';
import { openRequirements } from './requirements/requirements.ts';

export function openAll(services: Served<Evidence>) {
  return openAgents(openAssurance(openQuality(openRequirements(services))));
}

export const routesOf = (agents: Served<Agents>) => {
  const costsOf: CostsOf = async (projectId, before, after) =>
    verdictCosts(await agents.states.of(projectId), before, after);
  return new Elysia({ name: 'routes' })
    .use(projectRoutes(agents, costsOf, (caller, text) => searchProject(agents, caller, text)))
    .use(graphRoutes(agents))
    .use(evidenceRoutes(agents))
    .use(qualityRoutes(agents))
    .use(assuranceRoutes(agents))
    .use(agentRoutes(agents))
    .use(probeRoutes(agents))
    .use(handoffRoutes(agents));
};

const api = (agents: Served<Agents>) =>
  new Elysia({ normalize: false }).group('/api', (group) => group.use(routesOf(agents)));

export type Api = ReturnType<typeof api>;
