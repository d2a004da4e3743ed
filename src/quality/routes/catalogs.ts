// The route catalog of each project, cached until its sources, scenarios, commands or results change.
import { readRevision } from '../../requirements/graph/graphs.ts';
import { readContentVersions } from '../../requirements/projects/content-versions.ts';
import type { Requirements } from '../../requirements/requirements.ts';
import { stateOf } from '../commands/model.ts';
import type { ProjectScenarios, ScenarioResults, Scenarios } from '../scenarios/scenarios.ts';
import { runInSlices, yieldToEventLoop } from '../scheduler.ts';
import { createVersionCache } from '../version-cache.ts';
import { catalogSteps, type RouteCatalog } from './catalog-build.ts';
import type { RouteStanding } from './catalog-model.ts';
import { type DeclaringRow, readDeclaring, readExercises, standingOf } from './standing.ts';

export interface StandingCatalog extends RouteCatalog {
  /** Of its sources; 0 before the first. */
  revision: number;
  /** By their places among the routes. */
  standings: readonly RouteStanding[];
}

export interface RouteCatalogs {
  /** @param revision - the number of the one whose sources are meant; the latest unless given */
  of(projectId: string, revision?: number): Promise<StandingCatalog>;
  /** The routes alone, whatever their runs say. */
  routesOf(projectId: string): Promise<RouteCatalog>;
}

interface Routes {
  scenarios: ProjectScenarios;
  commands: readonly DeclaringRow[];
  catalog: RouteCatalog;
}

type Needed = Requirements & { scenarios: Scenarios; scenarioResults: ScenarioResults };

const BATCH_SIZE = 500;

export function openRouteCatalogs(needed: Needed): RouteCatalogs {
  const { database, graphs, scenarioResults, clock } = needed;
  const routes = createVersionCache<Routes>(database, ({ catalog }) => catalog.routes.length);
  const standings = createVersionCache<StandingCatalog>(database, (one) => one.routes.length);

  async function routesOf(projectId: string, asked?: number): Promise<Routes> {
    const versions = await readContentVersions(database.read, projectId);
    const scenarios = await needed.scenarios.of(projectId, asked);
    const key = [scenarios, versions.commands];
    return routes.get(`${projectId} ${asked ?? ''}`, key, async () => {
      const commands = await readDeclaring(database.read, projectId);
      const { revision: number, inEffect } = scenarios;
      const revision = number === 0 ? undefined : await readRevision(needed, projectId, number);
      const catalog = await runInSlices(
        catalogSteps({
          projectId,
          routes: revision ? (await graphs.catalog(revision)).routes : [],
          scenarios: inEffect,
          commands,
        }),
      );
      return { scenarios, commands, catalog };
    });
  }

  async function stand(
    projectId: string,
    { scenarios, commands, catalog }: Routes,
    now: number,
  ): Promise<StandingCatalog> {
    const resultOf = await scenarioResults.of(projectId);
    const exercises = await readExercises(database.read, projectId, commands, now);
    const ofCommand = (id: string) => exercises.get(id);
    const ofScenario = (id: string) => {
      const scenario = scenarios.byId.get(id);
      const result = scenario && resultOf(scenario.key);
      return result && { ...result, passes: true, fails: true };
    };
    const standings: RouteStanding[] = [];
    for (const route of catalog.routes) {
      if (standings.length % BATCH_SIZE === BATCH_SIZE - 1) await yieldToEventLoop();
      standings.push(standingOf(route, { ofCommand, ofScenario }));
    }
    return { ...catalog, revision: scenarios.revision, standings };
  }

  return {
    async of(projectId, asked) {
      const { results } = await readContentVersions(database.read, projectId);
      const made = await routesOf(projectId, asked);
      const now = clock();
      const quarantined = made.commands.filter((one) => stateOf(one, now) === 'quarantined').length;
      return standings.get(`${projectId} ${asked ?? ''}`, [made, results, quarantined], () =>
        stand(projectId, made, now),
      );
    },
    routesOf: async (projectId) => (await routesOf(projectId)).catalog,
  };
}
