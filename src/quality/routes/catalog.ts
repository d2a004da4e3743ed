// The route catalog of each project: the routes of its API documents, and those that scenarios and
// commands declare. A concrete path that a known template takes is no route of its own.
import { asc, eq } from 'drizzle-orm';
import { optionalTimestamp } from '../../clock.ts';
import { readRevision } from '../../requirements/graph/graphs.ts';
import { readContentVersions } from '../../requirements/projects/projects.ts';
import type { Requirements } from '../../requirements/requirements.ts';
import type { SourceRoute } from '../../requirements/sources/model.ts';
import { runInSlices, type Steps } from '../../runtime/scheduler.ts';
import type { Db } from '../../store/database.ts';
import { derivedId } from '../../store/ids.ts';
import { commandStats, testCommands } from '../../store/tables/quality.ts';
import { stateOf } from '../commands/model.ts';
import { compareTexts, createVersionCache, sortText } from '../lists.ts';
import type { ResultStatus } from '../reports/model.ts';
import type { Scenario } from '../scenarios/model.ts';
import type { ProjectScenarios, ScenarioResults, Scenarios } from '../scenarios/scenarios.ts';
import { createMatcher, type Matcher } from './match.ts';
import type { CatalogRoute, Route, RouteOrigin } from './model.ts';
import { type NamedRoute, readRoute, shapeOf, templateOf } from './route-text.ts';

export interface RouteCatalog<T extends CatalogRoute = CatalogRoute> {
  /** By template, as `routeSort` has them. */
  routes: readonly T[];
  matcher: Matcher<CatalogRoute>;
}

export interface StandingCatalog extends RouteCatalog<Route> {
  revision: number;
}

export type RouteCatalogs = ReturnType<typeof openRouteCatalogs>;

interface Declared {
  scenarios: ProjectScenarios;
  commands: readonly CommandRow[];
  catalog: RouteCatalog;
}

type Needed = Requirements & { scenarios: Scenarios; scenarioResults: ScenarioResults };

export function openRouteCatalogs(needed: Needed) {
  const { database, graphs, scenarioResults, clock } = needed;
  const declared = createVersionCache<Declared>(database, ({ catalog }) => catalog.routes.length);
  const standing = createVersionCache<StandingCatalog>(database, (one) => one.routes.length);

  async function declaredOf(projectId: string): Promise<Declared> {
    const versions = await readContentVersions(database, projectId);
    const scenarios = await needed.scenarios.of(projectId);
    const key = [scenarios, versions.commands];
    return declared.get(projectId, key, async () => {
      const commands = await readCommands(database.read, projectId);
      const { revision: number, inEffect } = scenarios;
      const revision = number === 0 ? undefined : await readRevision(needed, projectId, number);
      const routes = revision ? (await graphs.catalog(revision)).routes : [];
      const sources = { projectId, routes, scenarios: inEffect, commands };
      return { scenarios, commands, catalog: await runInSlices(catalogSteps(sources)) };
    });
  }

  async function stand(projectId: string, made: Declared, now: number): Promise<StandingCatalog> {
    const { scenarios, commands, catalog } = made;
    const resultOf = await scenarioResults.of(projectId);
    const ofCommands = await readExercises(database.read, projectId, commands, now);
    const ofScenario = (id: string): Exercise | undefined => {
      const result = resultOf(scenarios.byId.get(id)?.key ?? '');
      return result && { ...result, passes: true, fails: true };
    };
    const routes = catalog.routes.map((route) => {
      const all = [
        ...route.commandIds.map((id) => ofCommands.get(id)),
        ...route.scenarioIds.map(ofScenario),
      ];
      return { ...route, ...standingOf(all.filter((one) => one !== undefined)) };
    });
    return { ...catalog, routes, revision: scenarios.revision };
  }

  return {
    async of(projectId: string): Promise<StandingCatalog> {
      const { results } = await readContentVersions(database, projectId);
      const made = await declaredOf(projectId);
      const now = clock();
      const quarantined = made.commands.filter((one) => stateOf(one, now) === 'quarantined').length;
      return standing.get(projectId, [made, results, quarantined], () =>
        stand(projectId, made, now),
      );
    },
    routesOf: async (projectId: string) => (await declaredOf(projectId)).catalog,
  };
}

/** Something that declares routes: a scenario or a command. */
interface Declaring {
  id: string;
  routes: readonly string[];
  storyIds: readonly string[];
  source?: CatalogRoute['source'];
}

export interface CatalogSources {
  projectId: string;
  routes: readonly SourceRoute[];
  /** Those in effect; archived ones declare nothing. */
  scenarios: readonly Scenario[];
  commands: readonly Declaring[];
}

interface Declaration {
  method: string | null;
  template: string;
  order: string;
  origin: RouteOrigin;
  owner: Declaring;
}

type RouteContent = Pick<SourceRoute, 'method' | 'template' | 'operationId' | 'summary'>;
type Links = 'storyIds' | 'scenarioIds' | 'commandIds';

export function* catalogSteps(sources: CatalogSources): Steps<RouteCatalog> {
  const { projectId, commands } = sources;
  const scenarios = sources.scenarios.filter(({ state }) => state === 'active');
  const matcher = createMatcher<CatalogRoute>();
  const byKey = new Map<string, CatalogRoute>();
  const linked = new Set<string>();
  for (const route of sources.routes) {
    const { storyIds, path, line } = route;
    const known = byKey.get(keyOf(route)) ?? add(route, 'openapi', { path, line });
    link(known, 'storyIds', storyIds);
  }
  yield;
  const declarations = [
    ...scenarios.flatMap((one) => declaredBy(one, 'scenario')),
    ...commands.flatMap((one) => declaredBy(one, 'command')),
  ];
  for (const one of declarations.sort((a, b) => compareTexts(a.order, b.order))) {
    const { method, template, origin, owner } = one;
    const known = template.includes('{') ? sameShape(one) : best(method, template);
    const route = known ?? declare(one);
    link(route, origin === 'scenario' ? 'scenarioIds' : 'commandIds', [owner.id]);
    link(route, 'storyIds', owner.storyIds);
  }
  yield;
  const texts = new Map([...byKey.values()].map((route) => [route, routeSort(route)]));
  const sorted = [...texts].sort(([, a], [, b]) => compareTexts(a, b)).map(([route]) => route);
  return { routes: sorted, matcher };

  function add(
    { method, template, operationId, summary }: RouteContent,
    origin: RouteOrigin,
    source: CatalogRoute['source'],
  ): CatalogRoute {
    const key = keyOf({ method, template });
    const id = derivedId('rte', projectId, key);
    const none = { storyIds: [], scenarioIds: [], commandIds: [] };
    const content = { operationId, summary, source };
    const route: CatalogRoute = { id, method, template, origin, ...content, ...none };
    byKey.set(key, route);
    matcher.add(route);
    return route;
  }

  function declare({ method, template, origin, owner }: Declaration): CatalogRoute {
    const content = { method: method ?? 'GET', template, operationId: null, summary: '' };
    return add(content, origin, owner.source ?? null);
  }

  function link(route: CatalogRoute, name: Links, ids: readonly string[]): void {
    for (const id of ids) {
      const key = `${route.id} ${name} ${id}`;
      if (!linked.has(key)) route[name].push(id);
      linked.add(key);
    }
  }

  function sameShape({ method, template }: Declaration): CatalogRoute | undefined {
    const found = byKey.get(keyOf({ method: method ?? 'GET', template }));
    if (found || method !== null) return found;
    const other = matcher.match(null, template);
    return other && shapeOf(other.template) === shapeOf(template) ? other : undefined;
  }

  function best(method: string | null, path: string): CatalogRoute | null {
    return matcher.match(method ?? 'GET', path) ?? (method ? null : matcher.match(null, path));
  }
}

type Named = Pick<CatalogRoute, 'method' | 'template'>;

function keyOf({ method, template }: Named): string {
  return `${method} ${shapeOf(template)}`;
}

export function routeSort({ method, template }: Named): string {
  return sortText(shapeOf(template), method);
}

function declaredBy(owner: Declaring, origin: RouteOrigin): Declaration[] {
  const named = owner.routes.map(readRoute).filter((one): one is NamedRoute => one !== null);
  return named.map(({ method, path }) => {
    const template = templateOf(path);
    // Templates first, so that concrete paths find them whoever declares them, and those with a method,
    // so that those without find these; then the order of commands is of no account. What a scenario
    // calls a parameter comes before what a command does.
    const order = [
      ...[template.includes('{') ? 0 : 1, method === null ? 1 : 0, shapeOf(template), method ?? ''],
      ...[origin === 'scenario' ? 0 : 1, template],
    ].join('\0');
    return { method, template, order, origin, owner };
  });
}

export interface Exercise {
  status: ResultStatus;
  at: number;
  /** False where it says nothing of today: the command runs something else by now, or is not run. */
  passes: boolean;
  /** False where its failure does not count: it is quarantined. */
  fails: boolean;
}

/** How a route stands by what exercised it. Skipped runs exercise nothing. */
export function standingOf(exercises: readonly Exercise[]) {
  const run = exercises.filter(({ status }) => status !== 'skipped' && status !== 'unknown');
  const isFailing = run.some(({ status, fails }) => status !== 'passed' && fails);
  const isCovered = run.some(({ status, passes }) => status === 'passed' && passes);
  const status: Route['status'] = isFailing ? 'failing' : isCovered ? 'covered' : 'untested';
  const lastAt = run.reduce<number | null>((last, { at }) => Math.max(last ?? at, at), null);
  return { status, lastExercisedAt: optionalTimestamp(lastAt) };
}

async function readCommands(db: Db, projectId: string) {
  const rows = await db
    .select({
      id: testCommands.id,
      routes: testCommands.routes,
      storyIds: testCommands.storyIds,
      state: testCommands.state,
      quarantine: testCommands.quarantine,
      fingerprint: testCommands.fingerprint,
    })
    .from(testCommands)
    .where(eq(testCommands.projectId, projectId))
    .orderBy(asc(testCommands.seq));
  return rows.filter(({ state, routes }) => state !== 'archived' && routes.length > 0);
}

type CommandRow = Awaited<ReturnType<typeof readCommands>>[number];

async function readExercises(
  db: Db,
  projectId: string,
  commands: readonly CommandRow[],
  now: number,
): Promise<ReadonlyMap<string, Exercise>> {
  const exercises = new Map<string, Exercise>();
  if (commands.length === 0) return exercises;
  const stats = await db
    .select({
      id: commandStats.commandId,
      status: commandStats.lastStatus,
      at: commandStats.lastAt,
      fingerprint: commandStats.lastFingerprint,
    })
    .from(commandStats)
    .where(eq(commandStats.projectId, projectId));
  const byId = new Map(commands.map((command) => [command.id, command]));
  for (const { id, status, at, fingerprint } of stats) {
    const command = byId.get(id);
    if (!command) continue;
    const state = stateOf(command, now);
    const passes = state !== 'disabled' && fingerprint === command.fingerprint;
    const fails = passes && state !== 'quarantined';
    exercises.set(id, { status: status as ResultStatus, at, passes, fails });
  }
  return exercises;
}
