// Routes of the quality: what is read of commands, runs, scenarios and routes.
import { room } from '../http/api/endpoint.ts';
import { readCommands } from './commands/routes.ts';
import type { Quality } from './quality.ts';
import { readRouteCandidates } from './routes/candidate-routes.ts';
import { readRouteCatalog } from './routes/catalog-routes.ts';
import { readTestRuns } from './runs/routes.ts';
import { readScenariosRoute, writeScenariosRoute } from './scenarios/routes.ts';

export function qualityRoutes(quality: Quality) {
  return room(quality, 'quality', {
    'GET /test-commands': readCommands(quality),
    'GET /test-runs': readTestRuns(quality),
    'GET /project-scenarios': readScenariosRoute(quality),
    'POST /project-scenarios': writeScenariosRoute(quality),
    'GET /route-catalog': readRouteCatalog(quality),
    'GET /route-candidates': readRouteCandidates(quality),
  });
}
