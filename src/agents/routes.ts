// Routes of the agents.

import { Elysia } from 'elysia';
import type { Served } from '../http/api/context.ts';
import type { Agents } from './agents.ts';
import { commandRoutes } from './commands/routes.ts';
import { planRoutes } from './plan/routes.ts';
import { recordRunRoutes } from './recording/routes.ts';
import { runStateRoutes } from './runs/routes.ts';
import { suiteRoutes } from './suites/routes.ts';

export const agentRoutes = (agents: Served<Agents>) =>
  new Elysia({ name: 'agents' })
    .use(commandRoutes(agents))
    .use(planRoutes(agents))
    .use(suiteRoutes(agents))
    .use(runStateRoutes(agents))
    .use(recordRunRoutes(agents));
