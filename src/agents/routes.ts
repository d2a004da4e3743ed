// Routes of the agents: commands and their secrets, plans, suites, the state of runs, reports.
import { room } from '../http/endpoint.ts';
import type { Agents } from './agents.ts';

export function agentRoutes(agents: Agents) {
  return room(agents, 'agents', {});
}
