// Routes of the quality: what is read of commands, runs, scenarios and routes.
import { room } from '../http/endpoint.ts';
import type { Quality } from './quality.ts';
import { readCommands } from './read-commands.ts';
import { readTestRuns } from './read-runs.ts';

import { readRouteCandidates } from './route-candidates-route.ts';
import { readRouteCatalog } from './route-catalog-route.ts';
import { readScenariosRoute, writeScenariosRoute } from './scenario-routes.ts';

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
