// Routes of the operations: the handoff. The probes are served before all else is open.

import { Elysia } from 'elysia';
import type { Agents } from '../agents/agents.ts';
import type { Served } from '../http/api/context.ts';
import { handoffRoutes } from './handoff/routes.ts';

export const operationRoutes = (agents: Served<Agents>) =>
  new Elysia({ name: 'operations' }).use(handoffRoutes(agents));
