// What the operations of the quality work with: evidence and requirements, and the scenarios and routes that are kept in memory.
import type { Evidence } from '../evidence/evidence.ts';
import type { Requirements } from '../requirements/requirements.ts';
import { openRouteCandidates, type RouteCandidates } from './routes/candidates.ts';
import { openRouteCatalogs, type RouteCatalogs } from './routes/catalog.ts';
import { openRunViews, type RunViews } from './runs/views.ts';
import { openScenarios, type ScenarioResults, type Scenarios } from './scenarios/scenarios.ts';

export interface Quality extends Evidence, Requirements {
  scenarios: Scenarios;
  /** How scenarios went, once somebody says so. */
  scenarioResults: ScenarioResults;
  routeCatalogs: RouteCatalogs;
  routeCandidates: RouteCandidates;
  /** The views of test runs. */
  runViews: RunViews;
}

export function openQuality<S extends Evidence & Requirements>(context: S): S & Quality {
  const scenarioResults: ScenarioResults = { of: async () => () => undefined };
  const known = { ...context, scenarioResults, scenarios: openScenarios(context) };
  const catalogs = { ...known, routeCatalogs: openRouteCatalogs(known) };
  return {
    ...catalogs,
    routeCandidates: openRouteCandidates(catalogs),
    runViews: openRunViews(context),
  };
}
