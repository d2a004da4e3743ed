// The route of the handoff.
import type { Agents } from '../agents/agents.ts';
import { room } from '../http/api/endpoint.ts';
import { readHandoff } from './handoff/routes.ts';

export function operationRoutes(agents: Agents) {
  return room(agents, 'operations', { 'GET /project-handoff': readHandoff(agents) });
}
