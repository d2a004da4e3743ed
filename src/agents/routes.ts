// Routes of the agents.
import { room } from '../http/api/endpoint.ts';
import type { Agents } from './agents.ts';
import { createCommandRoute, updateCommandRoute } from './commands/routes.ts';
import { createPlanRoute } from './plan/routes.ts';
import { recordRunRoute } from './recording/routes.ts';
import { readRunState, submitRunState } from './runs/routes.ts';
import { createSuiteRoute } from './suites/routes.ts';

export function agentRoutes(agents: Agents) {
  return room(agents, 'agents', {
    'POST /test-commands': createCommandRoute(agents),
    'PATCH /test-commands': updateCommandRoute(agents),
    'POST /test-runs': recordRunRoute(agents),
    'POST /agent/plan': createPlanRoute(agents),
    'POST /agent/suite': createSuiteRoute(agents),
    'GET /run-state': readRunState(agents),
    'POST /run-state': submitRunState(agents),
  });
}
