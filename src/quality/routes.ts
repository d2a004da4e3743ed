// Routes of the quality: what is read of commands, runs, scenarios and routes.

import { Elysia } from 'elysia';
import type { Served } from '../http/api/context.ts';
import { commandRoutes } from './commands/routes.ts';
import type { Quality } from './quality.ts';
import { candidateRoutes, catalogRoutes } from './routes/routes.ts';
import { runRoutes } from './runs/routes.ts';
import { scenarioRoutes } from './scenarios/routes.ts';

export const qualityRoutes = (quality: Served<Quality>) =>
  new Elysia({ name: 'quality' })
    .use(commandRoutes(quality))
    .use(runRoutes(quality))
    .use(scenarioRoutes(quality))
    .use(catalogRoutes(quality))
    .use(candidateRoutes(quality));
