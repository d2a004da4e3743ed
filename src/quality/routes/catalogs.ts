// The route catalog of each project, kept until its sources, scenarios, commands or results change.
import { evictOldest } from '../../requirements/graph/effective.ts';
import { readRevision } from '../../requirements/graph/graphs.ts';
import { readContentVersions } from '../../requirements/projects/content-versions.ts';
import type { Requirements } from '../../requirements/requirements.ts';
import type { RevisionRow } from '../../store/tables/requirements.ts';
import type { ScenarioResults } from '../scenarios/results.ts';
import type { ProjectScenarios, Scenarios } from '../scenarios/scenarios.ts';
import { inTurns, type Steps } from '../turns.ts';
import { catalogSteps, type RouteCatalog } from './catalog-build.ts';
import type { CatalogRoute, RouteStanding } from './catalog-model.ts';
import { type DeclaringRow, declaring, readDeclaring, readExercises } from './commands.ts';
import { standingOf } from './standing.ts';

/** A project's catalog, and how its routes stand. */
export interface StandingCatalog extends RouteCatalog {
  /** Of the latest; 0 before the first. */
  revision: number;
  /** By their places among the routes. */
  standings: readonly RouteStanding[];
}

export interface RouteCatalogs {
  of(projectId: string): Promise<StandingCatalog>;
  /** The routes alone, whatever their runs say. */
  routesOf(projectId: string): Promise<RouteCatalog>;
}

interface Routes {
  revision: RevisionRow | undefined;
  scenarios: ProjectScenarios;
  commands: number;
  rows: Promise<readonly DeclaringRow[]>;
  catalog: Promise<RouteCatalog>;
  size: number;
}

interface Standings {
  routes: Routes;
  results: number;
  value: Promise<{ catalog: StandingCatalog; until: number }>;
}

type Needed = Requirements & {
  scenarios: Scenarios;
  scenarioResults: ScenarioResults;
};

/** Opens the catalogs of an instance. */
export function openRouteCatalogs(needed: Needed): RouteCatalogs {
  const { database, graphs, scenarios, scenarioResults, clock } = needed;
  const kept = new Map<string, Routes>();
  const standing = new Map<string, Standings>();
  database.onRecovered(() => {
    kept.clear();
    standing.clear();
  });

  function routesHeld(
    projectId: string,
    revision: RevisionRow | undefined,
    known: ProjectScenarios,
    commands: number,
  ): Routes {
    const held = kept.get(projectId);
    kept.delete(projectId);
    const isCurrent =
      held?.revision?.seq === revision?.seq &&
      held?.scenarios === known &&
      held.commands === commands;
    if (held && isCurrent) {
      kept.set(projectId, held);
      return held;
    }
    const rows = held?.commands === commands ? held.rows : readDeclaring(database.read, projectId);
    const catalog = Promise.all([
      rows,
      revision ? graphs.catalog(revision) : { scenarios: [], routes: [] },
    ]).then(([declared, { routes }]) =>
      inTurns(
        catalogSteps({
          ...{ projectId, routes, scenarios: known.inEffect },
          commands: declared.map(declaring),
        }),
      ),
    );
    const made: Routes = { revision, scenarios: known, commands, rows, catalog, size: 0 };
    kept.set(projectId, made);
    catalog.then(
      ({ routes }) => {
        made.size = routes.length;
        evictOldest(kept, ({ size }) => size);
      },
      () => {
        if (kept.get(projectId) === made) kept.delete(projectId);
      },
    );
    return made;
  }

  async function current(projectId: string): Promise<Routes> {
    const known = await scenarios.of(projectId);
    const revision = await readRevision(needed, projectId, undefined);
    const { commands } = await readContentVersions(database.read, projectId);
    return routesHeld(projectId, revision, known, commands);
  }

  async function stand(projectId: string, routes: Routes, now: number) {
    const [catalog, rows, resultOf] = await Promise.all([
      routes.catalog,
      routes.rows,
      scenarioResults.of(projectId),
    ]);
    const { exercises, until } = await readExercises(database.read, projectId, rows, now);
    const ofScenario = (id: string) => {
      const scenario = routes.scenarios.byId.get(id);
      const result = scenario && resultOf(scenario.key);
      return result && { ...result, passes: true, fails: true };
    };
    const ofCommand = (id: string) => exercises.get(id);
    const standings = await inTurns(standingSteps(catalog.routes, { ofCommand, ofScenario }));
    const revision = routes.revision?.number ?? 0;
    return { catalog: { ...catalog, revision, standings }, until };
  }

  return {
    async of(projectId) {
      const { results } = await readContentVersions(database.read, projectId);
      const routes = await current(projectId);
      const now = clock();
      const held = standing.get(projectId);
      if (held?.routes === routes && held.results === results) {
        const { catalog, until } = await held.value;
        if (now < until) return catalog;
      }
      const value = stand(projectId, routes, now);
      const made: Standings = { routes, results, value };
      standing.set(projectId, made);
      value.catch(() => {
        if (standing.get(projectId) === made) standing.delete(projectId);
      });
      for (const id of standing.keys()) if (!kept.has(id)) standing.delete(id);
      return (await value).catalog;
    },
    async routesOf(projectId) {
      return (await current(projectId)).catalog;
    },
  };
}

function* standingSteps(
  routes: readonly CatalogRoute[],
  exercises: Parameters<typeof standingOf>[1],
): Steps<RouteStanding[]> {
  const standings: RouteStanding[] = [];
  for (const route of routes) {
    if (standings.length % 500 === 499) yield;
    standings.push(standingOf(route, exercises));
  }
  return standings;
}
